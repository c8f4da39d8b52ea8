#ifndef CKPT_CODEC_TABLE_ENTRIES_HPP
#define CKPT_CODEC_TABLE_ENTRIES_HPP

#include "ckpt/base/sort.hpp"
#include "ckpt/codec/verify.hpp"

namespace ckpt {

/// One tensor of a section as far as the file alone tells.
struct table_entry {
  std::uint32_t index = 0;
  bool is_stored = false;
  std::uint64_t offset = 0;  ///< 0 when not stored
  std::uint64_t bytes = 0;   ///< up to the next larger offset; an upper bound in onert-micro
};

namespace detail {

[[nodiscard]] constexpr bool by_offset(const table_entry& a, const table_entry& b) noexcept {
  return a.offset != b.offset ? a.offset < b.offset : a.index < b.index;
}
[[nodiscard]] constexpr bool by_index(const table_entry& a, const table_entry& b) noexcept {
  return a.index < b.index;
}

[[nodiscard]] constexpr bool offsets_rise(span<const table_entry> entries) noexcept {
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (by_offset(entries[i], entries[i - 1])) return false;
  return true;
}

}  // namespace detail

/// Lists the tensors of a section of a file that `verify()` could name, in index order. The entries
/// of a file that is damaged are given as they are, with 0 bytes where they point outside.
/// @param entries  memory for `map.tensor_count` entries
inline void list_entries(bytes_view file, const file_map& map, std::size_t section,
                         span<table_entry> entries) noexcept {
  const detail::table_view table = detail::table_of(file, map, section);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool is_stored = !map.is_scattered || table.stored(i) != 0;
    entries[i] = {static_cast<std::uint32_t>(i), is_stored, is_stored ? table.offset(i) : 0, 0};
  }
  const bool is_sorted = detail::offsets_rise(entries);
  if (!is_sorted) sort_in_place(entries.data(), entries.size(), detail::by_offset);
  std::uint64_t next = table.bounds().end;
  for (std::size_t i = entries.size(); i-- > 0;) {
    table_entry& entry = entries[i];
    if (!entry.is_stored || !table.is_inside(entry.index)) continue;
    entry.bytes = next - entry.offset;
    next = entry.offset;
  }
  if (!is_sorted) sort_in_place(entries.data(), entries.size(), detail::by_index);
}

}  // namespace ckpt

#endif  // CKPT_CODEC_TABLE_ENTRIES_HPP
