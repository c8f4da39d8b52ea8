#ifndef CKPT_INTEROP_SAFETENSORS_HEADER_HPP
#define CKPT_INTEROP_SAFETENSORS_HEADER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/interop/duplicate.hpp"
#include "ckpt/interop/json.hpp"
#include "ckpt/interop/report.hpp"
#include "ckpt/model/tensor_spec.hpp"

/// A safetensors file, read as strictly as its specification is written:
///
///      0  u64  N, bytes of the header: at most 100,000,000
///      8  N    a JSON object, `{` first; spaces may follow it
///   8+N        the bytes of the tensors, little-endian, row-major; every byte is of one tensor
///
/// Each key of the object names a tensor: `{"dtype": "F32", "shape": [784, 10], "data_offsets":
/// [0, 31360]}`, offsets from 8+N on. `"__metadata__"` holds an object of strings.
/// @source https://huggingface.co/docs/safetensors, "Format"
namespace ckpt::safetensors {

/// The longest header that the specification allows.
inline constexpr std::uint64_t max_header_bytes = 100000000;

/// The key that is no tensor.
inline constexpr name_view metadata_key = "__metadata__";

/// The name of a dtype in the header.
[[nodiscard]] constexpr name_view dtype_name(dtype type) noexcept {
  constexpr name_view names[dtype_count] = {"F32", "F64", "F16", "BF16", "I8",  "U8",  "I16",
                                            "U16", "I32", "U32", "I64",  "U64", "BOOL"};
  return names[static_cast<std::size_t>(type)];
}

/// What the header says of one tensor.
struct entry {
  std::string name;
  tensor_form form;
  std::uint64_t begin = 0;  ///< of its first byte, counted from the first byte of data
  std::uint64_t end = 0;    ///< behind its last byte
};

/// All that is in front of the data.
struct header {
  std::vector<std::pair<std::string, std::string>> metadata;  ///< in the order of the file
  std::vector<entry> tensors;                                 ///< in the order of their data
  std::uint64_t data_offset = 0;                              ///< where the data begins in the file

  /// The bytes of a tensor.
  [[nodiscard]] bytes_view bytes(bytes_view file, const entry& tensor) const noexcept {
    return file.part(static_cast<std::size_t>(data_offset + tensor.begin),
                     static_cast<std::size_t>(tensor.end - tensor.begin));
  }
};

namespace detail {

/// Reads one header.
class header_parser {
 public:
  explicit header_parser(bytes_view file) noexcept : file_(file) {}

  /// @errors those of read_header()
  status run() {
    if (file_.size() < 8) return fail(errc::truncated, 8, file_.size()).at(file_.size());
    const auto size = load_little<std::uint64_t>(file_.data());
    if (size > max_header_bytes) return fail(errc::limit_exceeded, max_header_bytes, size).at(0);
    if (size > file_.size() - 8) return fail(errc::truncated, 8 + size, file_.size()).at(8);
    const bytes_view text = file_.part(8, static_cast<std::size_t>(size));
    if (text.empty() || text[0] != std::byte{'{'}) return fail(errc::bad_syntax).at(8);
    made_.data_offset = 8 + size;
    if (const status read = read_all(without_padding(text)); !read.ok()) return read;
    if (const status unique = check_names(); !unique.ok()) return unique;
    return check_places();
  }

  [[nodiscard]] header& made() noexcept { return made_; }
  /// What the failure is about, in words.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }

 private:
  [[nodiscard]] static bytes_view without_padding(bytes_view text) noexcept {
    std::size_t size = text.size();
    while (text[size - 1] == std::byte{' '}) --size;
    return text.part(0, size);
  }

  status read_all(bytes_view text) {
    json::reader json(text, 8);
    if (const status begun = json.begin_object(); !begun.ok()) return begun;
    std::string key;
    for (bool has_metadata = false;;) {
      const result<bool> more = json.next_key(key);
      if (!more.ok()) return more.error();
      if (!*more) return ends_at_last(json, text);
      const bool is_metadata = key == metadata_key;
      if (is_metadata && has_metadata) return duplicate(key, json.offset());
      has_metadata = has_metadata || is_metadata;
      const status read = is_metadata ? read_metadata(json) : read_tensor(json, key);
      if (!read.ok()) return read;
    }
  }

  /// Only spaces may follow the object, no other white space.
  static status ends_at_last(const json::reader& json, bytes_view text) noexcept {
    return json.offset() == 8 + text.size() ? status{} : fail(errc::bad_syntax).at(json.offset());
  }

  status duplicate(const std::string& key, std::uint64_t offset) {
    note_ = "duplicate name " + ckpt::detail::in_quotes(key);
    return fail(errc::duplicate_name).at(offset);
  }

  status read_metadata(json::reader& json) {
    note_ = "in the metadata";
    if (const status begun = json.begin_object(); !begun.ok()) return begun;
    for (;;) {
      std::string key;
      const result<bool> more = json.next_key(key);
      if (!more.ok()) return more.error();
      if (!*more) break;
      std::string value;
      if (const status read = json.read_string(value); !read.ok()) return read;
      made_.metadata.emplace_back(std::move(key), std::move(value));
    }
    note_.clear();
    std::vector<std::string_view> keys;
    for (const auto& item : made_.metadata) keys.emplace_back(item.first);
    const std::size_t again = ckpt::detail::find_duplicate(keys);
    if (again == ckpt::detail::no_duplicate) return {};
    return duplicate(made_.metadata[again].first, json.offset());
  }

  status read_tensor(json::reader& json, const std::string& name) {
    note_ = "tensor " + ckpt::detail::in_quotes(name);
    const std::size_t index = made_.tensors.size();
    if (name.empty() || !is_utf8(name)) return about(fail(errc::invalid_name), index, json);
    entry made;
    made.name = name;
    if (const status begun = json.begin_object(); !begun.ok()) return begun.about(index);
    parts seen;
    std::string key;
    for (;;) {
      const result<bool> more = json.next_key(key);
      if (!more.ok()) return more.error().about(index);
      if (!*more) break;
      const status read = read_part(json, key, made, seen);
      if (!read.ok()) return read.about(index);
    }
    if (!seen.type || !seen.extents || !seen.offsets)
      return about(fail(errc::bad_syntax), index, json);
    made.form = tensor_form(seen.dtype, seen.shape);
    made_.tensors.push_back(std::move(made));
    note_.clear();
    return {};
  }

  static status about(const status& failed, std::size_t index, const json::reader& json) noexcept {
    return failed.about(index).at(json.offset());
  }

  /// What has been read of a tensor.
  struct parts {
    ckpt::dtype dtype = dtype::f32;
    ckpt::shape shape;
    bool type = false;
    bool extents = false;
    bool offsets = false;
  };

  status read_part(json::reader& json, const std::string& key, entry& made, parts& seen) {
    bool* const was = key == "dtype"          ? &seen.type
                      : key == "shape"        ? &seen.extents
                      : key == "data_offsets" ? &seen.offsets
                                              : nullptr;
    if (was == nullptr || *was) {
      note_ += ": key " + ckpt::detail::in_quotes(key);
      return fail(was == nullptr ? errc::bad_syntax : errc::duplicate_name).at(json.offset());
    }
    *was = true;
    if (was == &seen.type) return read_dtype(json, seen.dtype);
    if (was == &seen.extents) return read_shape(json, seen.shape);
    return read_offsets(json, made);
  }

  status read_dtype(json::reader& json, dtype& type) {
    std::string word;
    if (const status read = json.read_string(word); !read.ok()) return read;
    for (std::size_t i = 0; i < dtype_count; ++i) {
      type = static_cast<dtype>(i);
      if (dtype_name(type) == name_view(word)) return {};
    }
    note_ += ": dtype " + ckpt::detail::in_quotes(word);
    return fail(errc::unsupported_dtype).at(json.offset());
  }

  status read_shape(json::reader& json, shape& extents) {
    std::uint64_t numbers[max_rank] = {};
    std::size_t rank = 0;
    if (const status read = read_numbers(json, numbers, max_rank, rank); !read.ok()) return read;
    if (rank > max_rank) return fail(errc::invalid_shape, max_rank, rank).at(json.offset());
    extents = shape(numbers, rank);
    return {};
  }

  status read_offsets(json::reader& json, entry& made) {
    std::uint64_t numbers[2] = {};
    std::size_t count = 0;
    if (const status read = read_numbers(json, numbers, 2, count); !read.ok()) return read;
    if (count != 2) return fail(errc::bad_syntax).at(json.offset());
    made.begin = numbers[0];
    made.end = numbers[1];
    return {};
  }

  /// Reads an array and keeps as many numbers as there is room for.
  static status read_numbers(json::reader& json, std::uint64_t* numbers, std::size_t room,
                             std::size_t& count) {
    if (const status begun = json.begin_array(); !begun.ok()) return begun;
    for (;; ++count) {
      const result<bool> more = json.next_element();
      if (!more.ok()) return more.error();
      if (!*more) return {};
      const result<std::uint64_t> number = json.read_unsigned();
      if (!number.ok()) return number.error();
      if (count < room) numbers[count] = *number;
    }
  }

  status check_names() {
    std::vector<std::string_view> names;
    for (const entry& tensor : made_.tensors) names.emplace_back(tensor.name);
    const std::size_t again = ckpt::detail::find_duplicate(names);
    if (again == ckpt::detail::no_duplicate) return {};
    return duplicate(made_.tensors[again].name, 8).about(again);
  }

  /// Every byte of the data belongs to one tensor, and to no other.
  status check_places() {
    std::stable_sort(made_.tensors.begin(), made_.tensors.end(),
                     [](const entry& a, const entry& b) {
                       return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
                     });
    const std::uint64_t size = file_.size() - made_.data_offset;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < made_.tensors.size(); ++i) {
      const entry& tensor = made_.tensors[i];
      if (const status placed = check_place(tensor, at, size); !placed.ok()) {
        note_ = "tensor " + ckpt::detail::in_quotes(tensor.name);
        return placed.about(i);
      }
      at = tensor.end;
    }
    return at == size ? status{} : fail(errc::trailing_bytes, at, size).at(made_.data_offset + at);
  }

  [[nodiscard]] status check_place(const entry& tensor, std::uint64_t at,
                                   std::uint64_t size) const noexcept {
    const std::uint64_t bytes = tensor.form.byte_size();
    if (bytes == overflowed) return fail(errc::limit_exceeded);
    if (tensor.end < tensor.begin) return fail(errc::bad_order, tensor.begin, tensor.end);
    if (tensor.end - tensor.begin != bytes)
      return fail(errc::size_mismatch, bytes, tensor.end - tensor.begin);
    if (tensor.begin < at) return fail(errc::bad_order, at, tensor.begin);
    if (tensor.begin > at) return fail(errc::unclaimed_bytes, at, tensor.begin);
    if (tensor.end > size) return fail(errc::truncated, tensor.end, size);
    return {};
  }

  bytes_view file_;
  header made_;
  std::string note_;
};

}  // namespace detail

/// Reads and checks what is in front of the data, against the size of the file.
/// @param file  the whole file; none of the data is touched
/// @errors truncated, limit_exceeded (the header, a number, a tensor), bad_syntax, duplicate_name,
/// invalid_name, unsupported_dtype, invalid_shape (above 8 dimensions), size_mismatch, bad_order
/// (tensors overlap), unclaimed_bytes (a hole), trailing_bytes
[[nodiscard]] inline file_result<header> read_header(bytes_view file) {
  detail::header_parser parser(file);
  const status read = parser.run();
  if (read.ok()) return std::move(parser.made());
  return {read, ckpt::detail::foreign_message("read", "safetensors", read, parser.note())};
}

}  // namespace ckpt::safetensors

#endif  // CKPT_INTEROP_SAFETENSORS_HEADER_HPP
