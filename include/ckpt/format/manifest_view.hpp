#ifndef CKPT_FORMAT_MANIFEST_VIEW_HPP
#define CKPT_FORMAT_MANIFEST_VIEW_HPP

#include <type_traits>

#include "ckpt/base/result.hpp"
#include "ckpt/base/utf8.hpp"
#include "ckpt/format/manifest.hpp"

namespace ckpt::manifest {

/// The 48 bytes in front, decoded.
struct header {
  std::uint32_t total_bytes = 0;
  std::uint32_t tensor_count = 0;
  std::uint32_t slot_count = 0;
  std::uint32_t visit_count = 0;
  std::uint32_t flags = 0;
  std::uint64_t fingerprint = 0;
  std::uint32_t name_bytes = 0;
  std::uint32_t checksums = 0;
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
};

/// Whether a manifest begins at these bytes, judged by its magic.
[[nodiscard]] constexpr bool begins_at(bytes_view bytes) noexcept {
  return bytes.size() >= header_bytes && load_little<std::uint32_t>(bytes.data()) == magic_low &&
         load_little<std::uint32_t>(bytes.data() + 4) == magic_high;
}

/// In how many bits eight bytes differ from the magic.
[[nodiscard]] constexpr unsigned bits_from_magic(const std::byte* bytes) noexcept {
  std::uint64_t bits = (load_little<std::uint32_t>(bytes) ^ magic_low) |
                       std::uint64_t{load_little<std::uint32_t>(bytes + 4) ^ magic_high} << 32;
  unsigned count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}

/// Decodes the 48 bytes in front.
[[nodiscard]] constexpr header read_header(const std::byte* bytes) noexcept {
  header fields;
  fields.major = load_little<std::uint16_t>(bytes + 8);
  fields.minor = load_little<std::uint16_t>(bytes + 10);
  fields.total_bytes = load_little<std::uint32_t>(bytes + 12);
  fields.tensor_count = load_little<std::uint32_t>(bytes + 16);
  fields.slot_count = load_little<std::uint32_t>(bytes + 20);
  fields.visit_count = load_little<std::uint32_t>(bytes + 24);
  fields.flags = load_little<std::uint32_t>(bytes + 28);
  fields.fingerprint = load_little<std::uint64_t>(bytes + 32);
  fields.name_bytes = load_little<std::uint32_t>(bytes + 40);
  fields.checksums = load_little<std::uint32_t>(bytes + 44);
  return fields;
}

/// Whether the lengths in a header agree with each other.
/// @errors unsupported_version, bad_manifest
[[nodiscard]] constexpr status check_header(const header& fields) noexcept {
  if (fields.major != major_version)
    return fail(errc::unsupported_version, major_version, fields.major).in(section::manifest);
  const std::uint64_t payloads = product(std::uint64_t{1} + fields.slot_count, fields.tensor_count);
  const std::uint64_t wanted = fields.checksums + product(4, payloads);
  const bool is_aligned = fields.checksums % 4 == 0 && fields.checksums >= header_bytes;
  if (is_aligned && payloads <= 0xFFFFFFFFU && wanted + 4 == fields.total_bytes &&
      fields.flags <= own_slot_forms)
    return {};
  return fail(errc::bad_manifest, wanted + 4, fields.total_bytes).in(section::manifest);
}

namespace detail {

/// Reads records from the front to the back of a manifest whose bounds have been checked.
class record_reader {
 public:
  constexpr record_reader(const std::byte* record, const char* names) noexcept
      : record_(record), names_(names) {}

  constexpr tensor_spec next_tensor() noexcept {
    const std::byte* const fields = record_;
    const std::size_t name_bytes = load_little<std::uint32_t>(fields + 4);
    const name_view name(names_, name_bytes);
    record_ += 8;
    names_ += (name_bytes + 3) / 4 * 4;
    return tensor_spec::named(name, static_cast<dtype>(fields[0]), take_extents(fields),
                              static_cast<role>(fields[1]));
  }

  constexpr tensor_form next_form() noexcept {
    const std::byte* const fields = record_;
    record_ += 4;
    return tensor_form(static_cast<dtype>(fields[0]), take_extents(fields));
  }

 private:
  constexpr shape take_extents(const std::byte* fields) noexcept {
    std::uint64_t extents[max_rank] = {};
    const auto rank = static_cast<std::size_t>(fields[2]);
    for (std::size_t axis = 0; axis < rank; ++axis, record_ += 8)
      extents[axis] = load_little<std::uint64_t>(record_);
    return shape(extents, rank);
  }

  const std::byte* record_;
  const char* names_;
};

}  // namespace detail

/// A manifest in the bytes of a file, after every check that the manifest alone allows.
class view {
 public:
  constexpr view() noexcept = default;

  /// Checks a manifest from anywhere: bounds, dtypes, roles, ranks, overflowing shapes, UTF-8,
  /// fingerprint. Takes time proportional to it and no memory. Whether a name comes twice, and
  /// whether the visit order is sound, `check_model()` says of what `list()` and `visit()` give.
  /// @param bytes  from the first byte of the manifest on; more does no harm
  /// @errors truncated, unsupported_version, bad_manifest
  [[nodiscard]] static result<view> open(bytes_view bytes) noexcept {
    view opened;
    if (!begins_at(bytes)) return fail(errc::bad_manifest).in(section::manifest);
    opened.fields_ = read_header(bytes.data());
    const header& fields = opened.fields_;
    if (const status sound = check_header(fields); !sound.ok()) return sound;
    if (bytes.size() < fields.total_bytes)
      return fail(errc::truncated, fields.total_bytes, bytes.size()).in(section::manifest);
    opened.bytes_ = bytes.part(0, fields.total_bytes);
    const std::size_t broken = opened.find_parts();
    if (broken == 0) return opened;
    return fail(errc::bad_manifest).in(section::manifest).at(broken);
  }

  /// Tensors, absent ones too.
  [[nodiscard]] std::size_t size() const noexcept { return fields_.tensor_count; }
  /// Slots of each trainable tensor.
  [[nodiscard]] std::size_t slot_count() const noexcept { return fields_.slot_count; }
  /// Length of the visit order; 0 for by index.
  [[nodiscard]] std::size_t visit_count() const noexcept { return fields_.visit_count; }
  /// The index that is visited `k`-th.
  [[nodiscard]] std::uint32_t visit(std::size_t k) const noexcept {
    return load_little<std::uint32_t>(bytes_.data() + visits_ + 4 * k);
  }
  /// Identifies model and optimizer, whatever the format.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fields_.fingerprint; }
  /// Whether slots have dtypes and shapes of their own.
  [[nodiscard]] bool has_slot_forms() const noexcept { return fields_.flags == own_slot_forms; }
  /// The whole manifest.
  [[nodiscard]] bytes_view bytes() const noexcept { return bytes_; }

  /// Name of the optimizer; empty where it has none.
  [[nodiscard]] name_view optimizer_name() const noexcept { return text(names_, name_bytes(0)); }
  /// Name of slot `slot`; empty where it has none. Takes time proportional to `slot`.
  [[nodiscard]] name_view slot_name(std::size_t slot) const noexcept {
    std::size_t at = names_;
    for (std::size_t k = 0; k <= slot; ++k) at += (name_bytes(k) + 3) / 4 * 4;
    return text(at, name_bytes(slot + 1));
  }

  /// CRC-32C of what section 0 (weights) or 1 + slot stores for a tensor.
  [[nodiscard]] std::uint32_t checksum(std::size_t section, std::size_t index) const noexcept {
    const std::size_t at = section * fields_.tensor_count + index;
    return load_little<std::uint32_t>(bytes_.data() + fields_.checksums + 4 * at);
  }
  /// CRC-32C of everything else.
  [[nodiscard]] std::uint32_t frame_checksum() const noexcept {
    return load_little<std::uint32_t>(bytes_.data() + bytes_.size() - 4);
  }

  /// Calls `visit(section, index, tensor, form, bytes)` for every weight, then every first slot,
  /// ..., until one returns a failure, and returns that. It throws what `visit` throws.
  template <class Visit>
  status for_each_payload(Visit&& visit) const
      noexcept(std::is_nothrow_invocable_v<Visit&, std::size_t, std::size_t, const tensor_spec&,
                                           const tensor_form&, std::uint64_t>) {
    detail::record_reader forms(bytes_.data() + forms_, nullptr);
    for (std::size_t s = 0; s <= slot_count(); ++s) {
      detail::record_reader tensors = records();
      for (std::size_t i = 0; i < size(); ++i) {
        const tensor_spec tensor = tensors.next_tensor();
        const tensor_form form = s == 0 || !has_slot_forms() ? tensor.form() : forms.next_form();
        const status said = visit(s, i, tensor, form, is_kept(tensor, s) ? form.byte_size() : 0);
        if (!said.ok()) return said;
      }
    }
    return {};
  }

  /// Fills `specs` with the tensors; their names point into the file.
  /// @param specs  memory for `size()` of them
  void list(span<tensor_spec> specs) const noexcept {
    detail::record_reader tensors = records();
    for (std::size_t i = 0; i < size(); ++i) specs[i] = tensors.next_tensor();
  }

 private:
  [[nodiscard]] static bool is_kept(const tensor_spec& tensor, std::size_t section) noexcept {
    return section == 0 ? tensor.purpose() != role::absent : tensor.purpose() == role::trainable;
  }

  [[nodiscard]] detail::record_reader records() const noexcept {
    if (bytes_.empty()) return {nullptr, nullptr};  // never opened: it has no tensors
    return {bytes_.data() + header_bytes, characters(tensor_names_)};
  }
  [[nodiscard]] const char* characters(std::size_t at) const noexcept {
    return reinterpret_cast<const char*>(bytes_.data() + at);
  }
  [[nodiscard]] name_view text(std::size_t at, std::size_t size) const noexcept {
    return name_view(characters(at), size);
  }
  /// Length of the name of the optimizer (0) or of a slot (1 + slot).
  [[nodiscard]] std::size_t name_bytes(std::size_t which) const noexcept {
    return load_little<std::uint32_t>(bytes_.data() + lengths_ + 4 * which);
  }

  // What follows runs while `open()` checks; a place of 0 stands for a fault.

  [[nodiscard]] bool has(std::size_t at, std::uint64_t size) const noexcept {
    return at <= fields_.checksums && size <= fields_.checksums - at;
  }

  /// Where the extents of a record end, or 0.
  [[nodiscard]] std::size_t skip_record(std::size_t at, std::size_t head,
                                        bool is_tensor) const noexcept {
    if (!has(at, head)) return 0;
    const std::byte* const fields = bytes_.data() + at;
    const auto rank = static_cast<std::size_t>(fields[2]);
    if (static_cast<std::size_t>(fields[0]) >= dtype_count || rank > max_rank ||
        fields[3] != std::byte{0})
      return 0;
    const auto purpose = static_cast<unsigned>(fields[1]);
    if (purpose > (is_tensor ? static_cast<unsigned>(role::absent) : 0U)) return 0;
    if (!has(at + head, 8 * rank)) return 0;
    const bool is_huge = form_of(fields, head, rank).byte_size() == overflowed;
    return is_huge ? 0 : at + head + 8 * rank;
  }

  [[nodiscard]] static tensor_form form_of(const std::byte* fields, std::size_t head,
                                           std::size_t rank) noexcept {
    std::uint64_t extents[max_rank] = {};
    for (std::size_t axis = 0; axis < rank; ++axis)
      extents[axis] = load_little<std::uint64_t>(fields + head + 8 * axis);
    return tensor_form(static_cast<dtype>(fields[0]), shape(extents, rank));
  }

  /// Finds where every part begins. Returns the place of the first fault, or 0.
  [[nodiscard]] std::size_t find_parts() noexcept {
    std::size_t at = header_bytes;
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t next = skip_record(at, 8, true);
      if (next == 0) return at;
      at = next;
    }
    forms_ = at;
    const std::uint64_t form_count =
        has_slot_forms() ? std::uint64_t{fields_.slot_count} * fields_.tensor_count : 0;
    for (std::uint64_t k = 0; k < form_count; ++k) {
      const std::size_t next = skip_record(at, 4, false);
      if (next == 0) return at;
      at = next;
    }
    visits_ = at;
    if (!has(at, std::uint64_t{4} * fields_.visit_count)) return at;
    for (std::size_t k = 0; k < visit_count(); ++k)
      if (visit(k) >= size()) return at + 4 * k;
    lengths_ = at + 4 * visit_count();
    if (!has(lengths_, 4 + std::uint64_t{4} * fields_.slot_count)) return lengths_;
    names_ = lengths_ + 4 + 4 * slot_count();
    return find_names();
  }

  [[nodiscard]] std::size_t find_names() noexcept {
    if (!has(names_, fields_.name_bytes)) return names_;
    const std::size_t names_end = names_ + fields_.name_bytes;
    std::size_t at = names_;
    for (std::size_t k = 0; k <= slot_count(); ++k)
      if (!take_name(at, name_bytes(k), names_end)) return lengths_ + 4 * k;
    tensor_names_ = at;
    std::size_t record = header_bytes;
    for (std::size_t i = 0; i < size(); ++i) {
      const std::byte* const fields = bytes_.data() + record;
      if (!take_name(at, load_little<std::uint32_t>(fields + 4), names_end)) return record;
      record += 8 + 8 * static_cast<std::size_t>(fields[2]);
    }
    if (at != names_end) return at;
    if (at != fields_.checksums && fields_.minor == minor_version) return at;
    return is_right_fingerprint(at / 4) ? 0 : 32;
  }

  /// Goes past a name and its zeros, if they are sound.
  [[nodiscard]] bool take_name(std::size_t& at, std::size_t size, std::size_t end) const noexcept {
    if (size > max_name_bytes || (size + 3) / 4 * 4 > end - at || !is_utf8(text(at, size)))
      return false;
    for (at += size; at % 4 != 0; ++at)
      if (bytes_[at] != std::byte{0}) return false;
    return true;
  }

  [[nodiscard]] bool is_right_fingerprint(std::size_t word_count) const noexcept {
    const std::byte* const bytes = bytes_.data();
    const auto word = [bytes](std::size_t k) noexcept {
      return load_little<std::uint32_t>(bytes + 4 * k);
    };
    return detail::fingerprint(word_count, word) == fields_.fingerprint;
  }

  bytes_view bytes_{};
  header fields_{};
  std::size_t forms_ = 0;
  std::size_t visits_ = 0;
  std::size_t lengths_ = 0;
  std::size_t names_ = 0;
  std::size_t tensor_names_ = 0;
};

}  // namespace ckpt::manifest

#endif  // CKPT_FORMAT_MANIFEST_VIEW_HPP
