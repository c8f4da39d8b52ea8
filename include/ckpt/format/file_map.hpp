#ifndef CKPT_FORMAT_FILE_MAP_HPP
#define CKPT_FORMAT_FILE_MAP_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/format/contract.hpp"
#include "ckpt/format/dialect.hpp"
#include "ckpt/format/schema1.hpp"
#include "ckpt/format/schema2.hpp"

namespace ckpt {

/// What a file says of its own structure. Every offset in it lies inside of the file and every
/// table has its N entries; what the entries say is not checked yet.
struct file_map {
  dialect kind = dialect::onert;
  bool has_footer = false;
  bool is_scattered = false;  ///< as onert-micro writes: an entry 0 says not stored, any order
  bool is_wide = false;       ///< schema 2: entries of 8 bytes, all tables in front
  std::uint32_t tensor_count = 0;
  std::uint32_t slot_count = 0;
  std::uint32_t alignment = 1;  ///< what every payload's offset is a multiple of
  std::uint64_t file_bytes = 0;
  std::uint64_t footer = no_offset;
  std::uint64_t footer_bytes = schema1::footer_bytes;
  std::uint64_t shift = 0;  ///< what is missing from every table entry (draft d3)
  std::uint64_t manifest = no_offset;
  std::uint64_t manifest_bytes = 0;  ///< 0 while the first bytes of it have not been seen
  /// Section 0 holds the weights, section 1 + s slot s; schema 2 uses only the first, for all
  /// payloads.
  section_bounds sections[1 + schema1::max_slot_count] = {};

  /// Whether the file has names and checksums.
  [[nodiscard]] constexpr bool has_manifest() const noexcept { return manifest != no_offset; }
  /// Bytes up to the end of the manifest.
  [[nodiscard]] constexpr std::uint64_t head_bytes() const noexcept {
    return manifest + manifest_bytes;
  }
  /// Where the offset table of a section begins.
  [[nodiscard]] constexpr std::uint64_t table(std::size_t section) const noexcept {
    return is_wide ? schema2::header_bytes + table_bytes() * section : sections[section].table;
  }
  /// Bytes of an offset table.
  [[nodiscard]] constexpr std::uint64_t table_bytes() const noexcept {
    return std::uint64_t{tensor_count} * (is_wide ? 8 : 4);
  }
};

}  // namespace ckpt

#endif  // CKPT_FORMAT_FILE_MAP_HPP
