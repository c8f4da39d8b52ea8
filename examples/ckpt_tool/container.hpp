#ifndef CKPT_TOOL_CONTAINER_HPP
#define CKPT_TOOL_CONTAINER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/format/detect.hpp"
#include "ckpt/io/directory.hpp"
#include "ckpt/io/mapping.hpp"
#include "ckpt/io/path.hpp"

/// What kind of thing a file or directory is, told from its first bytes or from the names in it.
namespace tool {

enum class container : std::uint8_t {
  checkpoint,  ///< whatever has the magic of ckpt, and what nothing else claims
  safetensors,
  oneflow,
  paddle,
  npy
};

inline constexpr std::string_view container_names[] = {"ckpt", "safetensors", "oneflow", "paddle",
                                                       "npy"};

inline std::string_view name(container kind) {
  return container_names[static_cast<std::size_t>(kind)];
}

inline std::optional<container> container_named(std::string_view wanted) {
  for (std::size_t i = 0; i < std::size(container_names); ++i)
    if (container_names[i] == wanted) return static_cast<container>(i);
  return std::nullopt;
}

inline std::string_view explained(container kind) {
  switch (kind) {
    case container::checkpoint: return "a checkpoint of onert, onert-micro or ckpt";
    case container::safetensors: return "named tensors behind a JSON header";
    case container::oneflow: return "a directory of OneFlow, a variable in each of its directories";
    case container::paddle: return "variables of PaddlePaddle (fluid), a file each";
    case container::npy: return "one array of NumPy";
  }
  return "";
}

/// A header of JSON, as long as the eight bytes in front of it say.
inline bool is_safetensors(ckpt::bytes_view file) {
  if (file.size() < 9) return false;
  const auto header = ckpt::load_little<std::uint64_t>(file.data());
  return header > 0 && header <= file.size() - 8 && file[8] == std::byte{'{'};
}

inline bool is_npy(ckpt::bytes_view file) {
  constexpr std::array<unsigned char, 6> magic = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  return file.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), file.begin(),
                    [](unsigned char a, std::byte b) { return std::byte{a} == b; });
}

/// Two versions and a level of 0, then a description that begins with a field of protobuf.
inline bool is_paddle_variable(ckpt::bytes_view file) {
  if (file.size() < 22) return false;
  const std::byte field = file[20];
  if (field != std::byte{0x08} && field != std::byte{0x10} && field != std::byte{0x12})
    return false;
  const bool is_zero =
      std::all_of(file.begin(), file.begin() + 16, [](std::byte b) { return b == std::byte{0}; });
  const auto description = ckpt::load_little<std::uint32_t>(file.data() + 16);
  return is_zero && description > 0 && description <= file.size() - 20;
}

inline container container_of(ckpt::bytes_view file) {
  if (is_npy(file)) return container::npy;
  if (is_paddle_variable(file)) return container::paddle;
  // The length of a JSON header may happen to be our magic.
  const bool is_foreign = is_safetensors(file) && !ckpt::detect(file).ok();
  return is_foreign ? container::safetensors : container::checkpoint;
}

inline bool is_kind(const ckpt::path& name, ckpt::entry_kind kind) {
  const auto found = ckpt::entry_at(name);
  return found.ok() && *found == kind;
}

/// The kind of a directory, by the names in it.
/// @errors not_a_regular_file (no kind that is known), those of `ckpt::list_directory()`
inline ckpt::result<container> container_of_directory(const ckpt::path& directory) {
  const auto names = ckpt::list_directory(directory);
  if (!names.ok()) return names.error();
  for (const std::string& entry : *names) {
    const bool is_mark = entry == "snapshot_done" || entry == "out";
    if (is_mark && is_kind(directory / entry, ckpt::entry_kind::file)) return container::oneflow;
    if (is_kind(directory / entry / "out", ckpt::entry_kind::file)) return container::oneflow;
  }
  for (const std::string& entry : *names) {
    if (entry == "_SUCCESS" || entry == "__model__") return container::paddle;
    const auto mapped = ckpt::native_mapping::open(directory / entry);
    if (mapped.ok() && is_paddle_variable(mapped->bytes())) return container::paddle;
  }
  return ckpt::fail(ckpt::errc::not_a_regular_file);
}

/// The kind of a file or directory; a file that cannot be opened counts as a checkpoint, and will
/// fail when it is.
inline ckpt::result<container> container_of(const ckpt::path& source) {
  if (ckpt::is_directory(source)) return container_of_directory(source);
  const auto mapped = ckpt::native_mapping::open(source);
  return mapped.ok() ? container_of(mapped->bytes()) : container::checkpoint;
}

}  // namespace tool

#endif  // CKPT_TOOL_CONTAINER_HPP
