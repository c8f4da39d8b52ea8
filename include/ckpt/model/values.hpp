#ifndef CKPT_MODEL_VALUES_HPP
#define CKPT_MODEL_VALUES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/base/name.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/model/moved_bytes.hpp"

namespace ckpt {

/// What a user's value is.
enum class value_kind : std::uint8_t {
  integer = 1,  ///< a signed number of 64 bits
  real = 2,     ///< a double
  text = 3,     ///< characters, by convention UTF-8
  bytes = 4,    ///< anything else: the state of a random generator, ...
};

/// One key with its value.
struct value_entry {
  name_view key;
  value_kind kind = value_kind::integer;
  bytes_view data;  ///< the value as it stands in the file, little-endian
};

namespace detail {

/// u16 key bytes, u8 kind, u8 0, u32 value bytes; then key and value, and zeros up to 4 bytes.
inline constexpr std::size_t value_head_bytes = 8;

[[nodiscard]] constexpr std::uint64_t value_record_bytes(std::uint64_t key_bytes,
                                                         std::uint64_t data_bytes) noexcept {
  return (value_head_bytes + key_bytes + data_bytes + 3) / 4 * 4;
}

/// Whether `a` comes before `b`, byte by byte.
[[nodiscard]] constexpr bool key_before(name_view a, name_view b) noexcept {
  const std::size_t shorter = a.size() < b.size() ? a.size() : b.size();
  const int order = compare_characters(a, b, shorter);
  return order != 0 ? order < 0 : a.size() < b.size();
}

}  // namespace detail

/// Keys and values of the user as bytes, in the order of the keys. Reading only.
class values_view {
 public:
  constexpr values_view() noexcept = default;

  /// Takes bytes that may come from anywhere, after checking every record.
  /// @errors bad_training_state
  [[nodiscard]] static result<values_view> open(bytes_view encoded) noexcept {
    name_view last;
    for (std::size_t at = 0; at < encoded.size();) {
      const std::size_t size = checked_size(encoded, at);
      if (size == 0) return fail(errc::bad_training_state).in(section::footer);
      const name_view key = decode(encoded, at).key;
      if (!detail::key_before(last, key)) return fail(errc::bad_training_state).in(section::footer);
      last = key;
      at += size;
    }
    return values_view(encoded);
  }

  /// The records as they stand in a file.
  [[nodiscard]] constexpr bytes_view encoded() const noexcept { return encoded_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return encoded_.empty(); }

  /// Calls `visit(entry)` for every value in order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t at = 0; at < encoded_.size();) {
      const value_entry entry = decode(encoded_, at);
      visit(entry);
      at += record_size(entry);
    }
  }

  /// @errors no_such_value, wrong_value_type
  [[nodiscard]] result<std::int64_t> integer(name_view key) const noexcept {
    const result<bytes_view> data = value(key, value_kind::integer);
    if (!data.ok()) return data.error();
    return static_cast<std::int64_t>(load_little<std::uint64_t>(data->data()));
  }
  /// @errors no_such_value, wrong_value_type
  [[nodiscard]] result<double> real(name_view key) const noexcept {
    const result<bytes_view> data = value(key, value_kind::real);
    if (!data.ok()) return data.error();
    const auto bits = load_little<std::uint64_t>(data->data());
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }
  /// @errors no_such_value, wrong_value_type
  [[nodiscard]] result<name_view> text(name_view key) const noexcept {
    const result<bytes_view> data = value(key, value_kind::text);
    if (!data.ok()) return data.error();
    return name_view(reinterpret_cast<const char*>(data->data()), data->size());
  }
  /// @errors no_such_value, wrong_value_type
  [[nodiscard]] result<bytes_view> bytes(name_view key) const noexcept {
    return value(key, value_kind::bytes);
  }

 protected:
  constexpr explicit values_view(bytes_view encoded) noexcept : encoded_(encoded) {}

  [[nodiscard]] static value_entry decode(bytes_view from, std::size_t at) noexcept {
    const std::byte* const head = from.data() + at;
    const std::size_t key_bytes = load_little<std::uint16_t>(head);
    const std::size_t data_bytes = load_little<std::uint32_t>(head + 4);
    const std::byte* const key = head + detail::value_head_bytes;
    return {name_view(reinterpret_cast<const char*>(key), key_bytes),
            static_cast<value_kind>(head[2]), bytes_view(key + key_bytes, data_bytes)};
  }

  [[nodiscard]] static std::size_t record_size(const value_entry& entry) noexcept {
    return static_cast<std::size_t>(
        detail::value_record_bytes(entry.key.size(), entry.data.size()));
  }

  /// Where the record of a key begins, or would have to be put in.
  [[nodiscard]] std::size_t place_of(name_view key) const noexcept {
    std::size_t at = 0;
    while (at < encoded_.size()) {
      const value_entry entry = decode(encoded_, at);
      if (!detail::key_before(entry.key, key)) break;
      at += record_size(entry);
    }
    return at;
  }

  /// Bytes of the record at `at` if it is the one of this key, or 0.
  [[nodiscard]] std::size_t size_of(std::size_t at, name_view key) const noexcept {
    if (at == encoded_.size()) return 0;
    const value_entry entry = decode(encoded_, at);
    return entry.key == key ? record_size(entry) : 0;
  }

  bytes_view encoded_{};

 private:
  /// Bytes of the record at `at`, or 0 when it is not sound.
  [[nodiscard]] static std::size_t checked_size(bytes_view from, std::size_t at) noexcept {
    if (from.size() - at < detail::value_head_bytes) return 0;
    const std::byte* const head = from.data() + at;
    const auto kind = static_cast<std::uint8_t>(head[2]);
    if (kind < 1 || kind > 4 || head[3] != std::byte{0}) return 0;
    const std::uint64_t key_bytes = load_little<std::uint16_t>(head);
    const std::uint64_t data_bytes = load_little<std::uint32_t>(head + 4);
    if (key_bytes == 0 || (kind <= 2 && data_bytes != 8)) return 0;
    const std::uint64_t size = detail::value_record_bytes(key_bytes, data_bytes);
    if (size > from.size() - at) return 0;
    for (std::uint64_t i = detail::value_head_bytes + key_bytes + data_bytes; i < size; ++i)
      if (head[static_cast<std::size_t>(i)] != std::byte{0}) return 0;
    return static_cast<std::size_t>(size);
  }

  [[nodiscard]] result<bytes_view> value(name_view key, value_kind kind) const noexcept {
    const std::size_t at = place_of(key);
    if (size_of(at, key) == 0) return fail(errc::no_such_value);
    const value_entry entry = decode(encoded_, at);
    if (entry.kind != kind)
      return fail(errc::wrong_value_type, static_cast<std::uint64_t>(kind),
                  static_cast<std::uint64_t>(entry.kind));
    return entry.data;
  }
};

/// Keys and values of the user in memory of the caller: integers, reals, text, bytes. Bound to a
/// state (`state.values = &values`) they are saved and loaded with it by formats that hold them.
class values : public values_view {
 public:
  /// Starts empty; the memory must outlive this.
  constexpr explicit values(bytes_span memory) noexcept : memory_(memory) {}
  values(const values&) = delete;
  values& operator=(const values&) = delete;

  /// Sets a value; one of the same key is replaced. Key and data may stand in this very memory.
  /// @errors invalid_name (empty, or longer than 65,535 bytes), buffer_too_small
  status set_integer(name_view key, std::int64_t number) noexcept {
    std::byte data[8];
    store_little(data, static_cast<std::uint64_t>(number));
    return set(key, value_kind::integer, bytes_view(data, sizeof data));
  }
  /// @errors those of set_integer()
  status set_real(name_view key, double number) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    std::byte data[8];
    store_little(data, bits);
    return set(key, value_kind::real, bytes_view(data, sizeof data));
  }
  /// @errors those of set_integer()
  status set_text(name_view key, name_view characters) noexcept {
    return set(key, value_kind::text, as_bytes(characters));
  }
  /// @errors those of set_integer()
  status set_bytes(name_view key, bytes_view data) noexcept {
    return set(key, value_kind::bytes, data);
  }

  /// Removes a value; one that is not there does no harm.
  void erase(name_view key) noexcept {
    const std::size_t at = place_of(key);
    resize(at, size_of(at, key), 0);
  }

  /// Takes the values of another; the own ones are gone.
  /// @errors buffer_too_small
  status assign(const values_view& other) noexcept {
    const bytes_view from = other.encoded();
    if (from.size() > memory_.size())
      return fail(errc::buffer_too_small, from.size(), memory_.size()).in(section::footer);
    if (!from.empty()) std::memmove(memory_.data(), from.data(), from.size());
    encoded_ = bytes_view(memory_.data(), from.size());
    return {};
  }

  /// Bytes of memory for records.
  [[nodiscard]] constexpr std::size_t capacity() const noexcept { return memory_.size(); }

 private:
  status set(name_view key, value_kind kind, bytes_view data) noexcept {
    if (key.empty() || key.size() > 0xFFFFU) return fail(errc::invalid_name, 0xFFFFU, key.size());
    const std::size_t at = place_of(key);
    const std::size_t freed = size_of(at, key);
    const std::uint64_t size = detail::value_record_bytes(key.size(), data.size());
    const std::uint64_t needed = encoded_.size() - freed + size;
    if (data.size() > 0xFFFFFFFFU || needed > memory_.size())
      return fail(errc::buffer_too_small, needed, memory_.size());
    put(at, freed, {key, kind, data});
    return {};
  }

  /// Writes a record where `freed` bytes were, which is nothing or the record of the same key. Key
  /// and data may be any bytes of this memory, so they are taken before what they stand in is gone:
  /// from what has moved back to make room, or before it moves up to close the gap.
  void put(std::size_t at, std::size_t freed, const value_entry& entry) noexcept {
    const std::size_t size = record_size(entry);
    std::byte* const head = memory_.data() + at;
    const detail::moved_bytes moved(head + freed, memory_.data() + encoded_.size(),
                                    size > freed ? size - freed : 0);
    if (size > freed) resize(at, freed, size);
    std::byte* const key = head + detail::value_head_bytes;
    const bool has_key = freed != 0;
    if (!has_key) moved.copy(as_bytes(entry.key), key);
    moved.copy(entry.data, key + entry.key.size());
    if (size < freed) resize(at, freed, size);
    write_frame(head, entry, size);
  }

  /// Makes room for `size` bytes at `at`, where `freed` bytes were.
  void resize(std::size_t at, std::size_t freed, std::size_t size) noexcept {
    const std::size_t rest = encoded_.size() - at - freed;
    std::byte* const from = memory_.data() + at + freed;
    if (rest > 0) std::memmove(memory_.data() + at + size, from, rest);
    encoded_ = bytes_view(memory_.data(), at + size + rest);
  }

  /// Writes what stands around key and data: the head, and zeros.
  static void write_frame(std::byte* head, const value_entry& entry, std::size_t size) noexcept {
    store_little(head, static_cast<std::uint16_t>(entry.key.size()));
    head[2] = static_cast<std::byte>(entry.kind);
    head[3] = std::byte{0};
    store_little(head + 4, static_cast<std::uint32_t>(entry.data.size()));
    const std::size_t used = detail::value_head_bytes + entry.key.size() + entry.data.size();
    std::memset(head + used, 0, size - used);
  }

  bytes_span memory_;
};

namespace detail {

/// Whether values have room where they are to be taken over, if anybody wants them.
/// @param own  null: nobody
/// @errors buffer_too_small
[[nodiscard]] inline status check_fits(const values_view& from, const values* own) noexcept {
  const std::size_t needed = from.encoded().size();
  if (own == nullptr || needed <= own->capacity()) return {};
  return fail(errc::buffer_too_small, needed, own->capacity()).in(section::footer);
}

template <std::size_t Capacity>
struct value_memory {
  std::array<std::byte, Capacity> records{};
};

}  // namespace detail

/// Values with their own memory: `ckpt::value_storage<512> values;`
template <std::size_t Capacity>
class value_storage : private detail::value_memory<Capacity>, public values {
 public:
  value_storage() noexcept : values(bytes_span(this->own_memory())) {}

 private:
  [[nodiscard]] bytes_span own_memory() noexcept {
    return bytes_span(detail::value_memory<Capacity>::records.data(), Capacity);
  }
};

}  // namespace ckpt

#endif  // CKPT_MODEL_VALUES_HPP
