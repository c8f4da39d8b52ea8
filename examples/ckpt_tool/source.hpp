#ifndef CKPT_TOOL_SOURCE_HPP
#define CKPT_TOOL_SOURCE_HPP

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/open_contents.hpp"
#include "ckpt/interop/model_text.hpp"
#include "ckpt/interop/npy.hpp"
#include "ckpt/interop/oneflow.hpp"
#include "ckpt/interop/paddle.hpp"
#include "ckpt/interop/safetensors.hpp"
#include "container.hpp"
#include "optimizers.hpp"
#include "output.hpp"
#include "progress.hpp"

/// Opens anything that holds tensors.
namespace tool {

/// What the command line says of a file.
struct hints {
  std::optional<container> kind;  ///< else it is found out
  ckpt::model_view model{};
  ckpt::optimizer_view optimizer{};
  ckpt::slot_sizes sizes = ckpt::slot_sizes::like_weights;
};

/// Where the names of tensors come from.
enum class naming : std::uint8_t {
  file,
  model,     ///< the model file
  positions  ///< nobody knows any: `tensor.0`, ..., raw bytes
};

/// A checkpoint that is open.
struct source {
  std::string file;
  std::string format;  ///< dialect or container
  container kind = container::checkpoint;
  naming names = naming::file;
  bool has_counters = true;  ///< else step and epoch are 0 because the file has no place for them
  ckpt::contents held;
};

/// "'a.ckpt' has no names: ..."
inline std::string naming_note(const std::string& file) {
  return "'" + shown(file) +
         "' has no names: its tensors are tensor.0, tensor.1, ... and raw bytes (--model FILE "
         "says what they are)";
}

/// The first tensor that a model file and a checkpoint do not both have, or nothing.
inline std::string count_words(const ckpt::model_view& model, const ckpt::file_map& map) {
  const std::string lines = counted(model.size(), "tensor");
  if (model.size() < map.tensor_count)
    return "the model file has " + lines + ", the checkpoint " + grouped(map.tensor_count) +
           ": nothing is said of tensor " + std::to_string(model.size());
  if (model.size() == map.tensor_count) return {};
  const ckpt::tensor_spec& first = model[map.tensor_count];
  return "the model file has " + lines + ", the checkpoint " + grouped(map.tensor_count) +
         ": tensor " + std::to_string(map.tensor_count) + " ('" + std::string(first.name()) +
         "') is not in it";
}

/// The first tensor of a plain file whose size is not the one that the model says, or nothing.
inline std::string tensor_size_words(const ckpt::model_view& model, const ckpt::file_map& map,
                                     ckpt::bytes_view file) {
  std::vector<ckpt::table_entry> entries(map.tensor_count);
  ckpt::list_entries(file, map, 0, entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ckpt::tensor_spec& tensor = model[i];
    const bool is_right = map.is_scattered ? tensor.byte_size() <= entries[i].bytes
                                           : tensor.byte_size() == entries[i].bytes;
    if (is_right) continue;
    return "tensor " + std::to_string(i) + " ('" + std::string(tensor.name()) + "') is " +
           size_words(tensor.byte_size()) + " of " + std::string(ckpt::name(tensor.type())) +
           " in the model file, and has " + size_words(entries[i].bytes) + " in the checkpoint";
  }
  return {};
}

/// Why a plain file cannot be what the model file says, in words; empty where nobody can tell.
inline std::string mismatch_words(const ckpt::model_view& model, ckpt::bytes_view file) {
  const ckpt::description said = ckpt::verify(file, ckpt::slot_sizes::any);
  if (!said.error.ok() || said.map.has_manifest() || model.size() == 0) return {};
  const std::string count = count_words(model, said.map);
  return count.empty() ? tensor_size_words(model, said.map, file) : count;
}

/// Opens a file of ckpt's own that is in memory. The contents point into it.
inline ckpt::file_result<source> open_checkpoint(const std::string& file, ckpt::bytes_view bytes,
                                                 const hints& said) {
  source made;
  made.file = file;
  const auto map = ckpt::detect(bytes);
  const bool has_names = map.ok() && map->has_manifest();
  made.names = has_names                ? naming::file
               : said.model.size() != 0 ? naming::model
                                        : naming::positions;
  if (map.ok()) made.format = string_of(ckpt::name(map->kind));
  made.has_counters = map.ok() && map->has_footer;
  const bool fits = map.ok() && said.optimizer.slot_count == map->slot_count;
  ckpt::open_options how;
  how.model = said.model;
  if (fits) how.optimizer = said.optimizer;
  // Slots of an optimizer that is given may have any size; without names nothing else is taken
  // from it.
  const bool any_size = map.ok() && said.sizes == ckpt::slot_sizes::any;
  if (any_size && !fits) how.optimizer.slot_count = map->slot_count;
  auto opened = ckpt::contents_of(bytes, how);
  if (!opened.ok()) {
    const std::string why = mismatch_words(said.model, bytes);
    const std::string words = failure_words("open", file, opened.error(), said.model);
    return {opened.error(), why.empty() ? words : "cannot open '" + file + "': " + why};
  }
  made.held = std::move(*opened);
  return made;
}

/// An array is a tensor that is called as its file.
inline ckpt::file_result<source> open_npy(const std::string& file, const hints& said) {
  const bool is_bf16 = said.model.size() == 1 && said.model[0].type() == ckpt::dtype::bf16;
  auto opened =
      ckpt::npy::open(file, is_bf16 ? ckpt::npy::two_bytes::bf16 : ckpt::npy::two_bytes::refused);
  if (!opened.ok()) return {opened.error(), opened.message()};
  source made;
  std::string name =
      ckpt::path::from_native(ckpt::path::native_string(ckpt::path(file).name())).to_utf8();
  if (const std::size_t end = name.rfind(".npy"); end != std::string::npos && end > 0)
    name.erase(end);
  made.held.add(name, opened->form, ckpt::role::trainable, opened->data);
  made.held.keep(std::move(opened->file));
  return made;
}

/// Whatever optimizer is wanted in the end: its slots are found by their names.
inline ckpt::file_result<ckpt::contents> open_oneflow(const std::string& file, const hints& said) {
  ckpt::oneflow::open_options how;
  how.model = said.model;
  return ckpt::oneflow::open(file, how);
}

inline ckpt::file_result<source> open_foreign(const std::string& file, container kind,
                                              const hints& said) {
  if (kind == container::npy) return open_npy(file, said);
  auto opened = kind == container::safetensors ? ckpt::safetensors::open(file)
                : kind == container::oneflow   ? open_oneflow(file, said)
                                               : ckpt::paddle::open(file);
  if (!opened.ok()) return {opened.error(), opened.message()};
  source made;
  made.held = std::move(*opened);
  return made;
}

/// Opens a file or directory; what is in it is checked as far as its kind allows.
inline ckpt::file_result<source> open_source(const std::string& file, const hints& said) {
  const auto kind =
      said.kind ? ckpt::result<container>(*said.kind) : container_of(ckpt::path(file));
  const auto failed = [&](const ckpt::status& error) -> ckpt::file_result<source> {
    return {error, failure_words("open", file, error)};
  };
  if (!kind.ok()) return failed(kind.error());
  if (*kind != container::checkpoint) {
    auto opened = open_foreign(file, *kind, said);
    opened->file = file;
    opened->format = std::string(name(*kind));
    opened->kind = *kind;
    return opened;
  }
  auto mapped = ckpt::native_mapping::open(file);
  if (!mapped.ok()) return failed(mapped.error());
  progress reading;
  reading.announce("reading '" + file + "'", mapped->bytes().size());
  auto opened = open_checkpoint(file, mapped->bytes(), said);
  if (opened.ok()) opened->held.keep(std::move(*mapped));
  return opened;
}

}  // namespace tool

#endif  // CKPT_TOOL_SOURCE_HPP
