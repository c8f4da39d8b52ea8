#ifndef CKPT_CHECKPOINT_OPEN_CONTENTS_HPP
#define CKPT_CHECKPOINT_OPEN_CONTENTS_HPP

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/contents.hpp"
#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/codec/table_entries.hpp"
#include "ckpt/codec/verify.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/model/check.hpp"

namespace ckpt {

/// What is known of a checkpoint whose file does not say it.
struct open_options {
  /// Names, dtypes, shapes and roles for files of schema 1 without a manifest. Without it such a
  /// file opens under positional names (`tensor.0`, ...) as raw bytes.
  model_view model{};
  /// The optimizer of such a file: names, dtypes and shapes of its slots. Without it slots are like
  /// their weights; two are called `m` and `v` as Adam's, one `velocity` as that of momentum.
  optimizer_view optimizer{};
};

namespace detail {

/// The parts of a file of this library in memory.
class contents_reader {
 public:
  contents_reader(bytes_view file, const open_options& options, contents& made)
      : file_(file), options_(options), made_(made) {}

  status run() {
    const bool is_plain_with_model = options_.model.size() != 0;
    const description said = verify(
        file_, options_.optimizer.slot_count != 0 ? slot_sizes::any : slot_sizes::like_weights);
    manifest_ = said.manifest;
    if (!said.error.ok()) return said.error;
    made_.training = said.training;
    if (said.map.has_manifest()) return take_manifest(said);
    return is_plain_with_model ? take_model(said.map) : take_positions(said.map);
  }

  /// Says what has come of opening a file, with the names that its own manifest gives.
  [[nodiscard]] std::string message(const path& source, const status& failed) const {
    if (failed.tensor >= manifest_.size())
      return file_message("open", source, failed, options_.model);
    std::vector<tensor_spec> listed(manifest_.size());
    manifest_.list(listed);
    return file_message("open", source, failed, model_view{listed, {}});
  }

 private:
  [[nodiscard]] bytes_view part(std::uint64_t first, std::uint64_t bytes) const noexcept {
    if (bytes == 0) return {};
    return file_.part(static_cast<std::size_t>(first), static_cast<std::size_t>(bytes));
  }

  [[nodiscard]] static std::string string_of(name_view name) { return std::string(name); }

  status take_manifest(const description& said) {
    const manifest::view& manifest = said.manifest;
    std::vector<std::string> slots;
    for (std::size_t s = 0; s < manifest.slot_count(); ++s)
      slots.push_back(string_of(manifest.slot_name(s)));
    made_.set_optimizer(string_of(manifest.optimizer_name()), std::move(slots));
    cursor at(said.map.sections[0].payload);
    const status taken = for_each_place(
        said.map, manifest, at,
        [this](std::size_t s, std::size_t i, const tensor_spec& tensor, const tensor_form& form,
               std::uint64_t offset, std::uint64_t bytes) {
          if (s == 0) {
            made_.add(string_of(tensor.name()), form, tensor.purpose(), part(offset, bytes));
          } else {
            made_.set_slot(s - 1, i, form, part(offset, bytes));
          }
          return status{};
        });
    if (!taken.ok()) return taken;
    for (std::size_t k = 0; k < manifest.visit_count(); ++k) made_.visit(manifest.visit(k));
    made_.set_values(said.values);
    std::vector<std::uint32_t> scratch(made_.size() + 1);
    return check_model(made_.view().model, scratch.data());
  }

  /// What a plain file holds when the caller says what its tensors are.
  status take_model(const file_map& map) {
    std::vector<section_bounds> sections(1 + map.slot_count);
    layout_view layout;
    layout.model = options_.model;
    layout.optimizer = optimizer_of(map);
    layout.sections = sections;
    std::vector<std::uint32_t> scratch(options_.model.size() + 1);
    if (const status sound = check_model(layout.model, scratch.data()); !sound.ok()) return sound;
    read_options accepted;
    accepted.scratch = span<std::uint32_t>(scratch.data(), options_.model.size());
    if (layout.optimizer.slot_count != map.slot_count)
      return fail(errc::optimizer_mismatch, layout.optimizer.slot_count, map.slot_count)
          .in(section::header)
          .at(4);
    const status wanted = check_request(layout, map, map.kind, accepted);
    if (!wanted.ok()) return wanted;
    const std::byte* tables[1 + schema1::max_slot_count] = {};
    for (std::size_t s = 0; s <= map.slot_count; ++s)
      tables[s] = file_.data() + static_cast<std::size_t>(map.table(s));
    const status placed = check_tables(layout, map, tables, 1 + map.slot_count, accepted);
    if (!placed.ok()) return placed;
    name_optimizer(map);
    for (std::size_t s = 0; s <= map.slot_count; ++s)
      for (std::size_t i = 0; i < layout.model.size(); ++i) take_tensor(layout, map, tables, s, i);
    for (const std::uint32_t index : layout.model.visits) made_.visit(index);
    return {};
  }

  void take_tensor(const layout_view& layout, const file_map& map, const std::byte* const* tables,
                   std::size_t section, std::size_t index) {
    const tensor_spec& tensor = layout.model[index];
    const bytes_view bytes =
        part(entry_of(map, tables, section, index), layout.bytes(section, index));
    if (section == 0) {
      made_.add(string_of(tensor.name()), tensor.form(), tensor.purpose(), bytes);
    } else {
      made_.set_slot(section - 1, index, payload_form(layout.optimizer, section, tensor, index),
                     bytes);
    }
  }

  /// What a plain file holds when nobody says what its tensors are.
  status take_positions(const file_map& map) {
    name_optimizer(map);
    std::vector<table_entry> entries(map.tensor_count);
    std::vector<table_entry> slots(map.tensor_count);
    list_entries(file_, map, 0, entries);
    if (map.slot_count > 0) list_entries(file_, map, 1, slots);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool is_frozen = map.slot_count > 0 && entries[i].bytes != 0 && slots[i].bytes == 0;
      const role purpose = !entries[i].is_stored ? role::absent
                           : is_frozen           ? role::frozen
                                                 : role::trainable;
      made_.add("tensor." + std::to_string(i), raw_form(entries[i].bytes), purpose,
                part(entries[i].offset, entries[i].bytes));
    }
    for (std::size_t s = 1; s <= map.slot_count; ++s) {
      list_entries(file_, map, s, slots);
      for (std::size_t i = 0; i < slots.size(); ++i)
        if (slots[i].bytes != 0)
          made_.set_slot(s - 1, i, raw_form(slots[i].bytes), part(slots[i].offset, slots[i].bytes));
    }
    if (map.is_scattered) take_order(std::move(entries));
    return {};
  }

  /// Keeps the order in which onert-micro has stored its tensors, where it is not that of their
  /// indices.
  void take_order(std::vector<table_entry> entries) {
    const auto is_absent = [](const table_entry& entry) { return !entry.is_stored; };
    entries.erase(std::remove_if(entries.begin(), entries.end(), is_absent), entries.end());
    if (offsets_rise(entries)) return;
    sort_in_place(entries.data(), entries.size(), by_offset);
    for (const table_entry& entry : entries) made_.visit(entry.index);
  }

  [[nodiscard]] static tensor_form raw_form(std::uint64_t bytes) {
    return tensor_form(dtype::u8, {bytes});
  }

  [[nodiscard]] optimizer_view optimizer_of(const file_map& map) const noexcept {
    if (options_.optimizer.slot_count != 0) return options_.optimizer;
    optimizer_view plain;
    plain.slot_count = map.slot_count;
    return plain;
  }

  void name_optimizer(const file_map& map) {
    const optimizer_view& given = options_.optimizer;
    std::vector<std::string> names;
    if (given.slot_count == map.slot_count && !given.slot_names.empty()) {
      for (const name_view name : given.slot_names) names.push_back(string_of(name));
    } else if (map.slot_count == 2) {
      names = {"m", "v"};
    } else if (map.slot_count == 1) {
      names = {"velocity"};
    }
    const bool is_given = given.slot_count == map.slot_count && !given.name.empty();
    const char* const usual[] = {"sgd", "momentum", "adam"};
    made_.set_optimizer(is_given ? string_of(given.name) : usual[map.slot_count], std::move(names));
  }

  bytes_view file_;
  const open_options& options_;
  contents& made_;
  manifest::view manifest_{};
};

}  // namespace detail

/// What a checkpoint of this library in memory holds, by name, after every check including all
/// checksums. The contents view the bytes.
/// @errors those of verify(); duplicate_name; no_memory; with a model those of check_request() and
///         check_tables()
[[nodiscard]] inline result<contents> contents_of(bytes_view file,
                                                  const open_options& options = {}) {
  contents made;
  detail::contents_reader reader(file, options, made);
  const status read = detail::without_exceptions([&reader] { return reader.run(); });
  if (!read.ok()) return read;
  return result<contents>(std::move(made));
}

/// The same of a file, which stays mapped as long as the contents live.
/// @errors those of basic_mapping::open() and contents_of()
[[nodiscard]] inline file_result<contents> open_contents(const path& source,
                                                         const open_options& options = {}) {
  auto mapping = native_mapping::open(source);
  if (!mapping.ok())
    return {mapping.error(), detail::file_message("open", source, mapping.error(), options.model)};
  contents made;
  detail::contents_reader reader(mapping->bytes(), options, made);
  const status read = detail::without_exceptions([&reader] { return reader.run(); });
  if (!read.ok()) return {read, reader.message(source, read)};
  made.keep(std::move(*mapping));
  return file_result<contents>(std::move(made));
}

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_OPEN_CONTENTS_HPP
