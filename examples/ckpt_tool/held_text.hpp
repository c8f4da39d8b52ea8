#ifndef CKPT_TOOL_HELD_TEXT_HPP
#define CKPT_TOOL_HELD_TEXT_HPP

#include <string>
#include <vector>

#include "ckpt/codec/contents.hpp"
#include "ckpt/model/values.hpp"
#include "summary.hpp"
#include "table.hpp"

/// What a checkpoint holds by name, as text for a person.
namespace tool {

inline std::string_view role_name(ckpt::role purpose) {
  switch (purpose) {
    case ckpt::role::trainable: return "trainable";
    case ckpt::role::frozen: return "frozen";
    case ckpt::role::absent: break;
  }
  return "absent";
}

/// `784x10`; `scalar` for rank 0.
inline std::string shape_text(const ckpt::shape& extents) {
  std::string text = extents.rank() == 0 ? "scalar" : "";
  for (std::size_t axis = 0; axis < extents.rank(); ++axis)
    text += (axis == 0 ? "" : "x") + std::to_string(extents[axis]);
  return text;
}

/// "f32 784x10"
inline std::string form_text(const ckpt::tensor_form& form) {
  return string_of(ckpt::name(form.type())) + " " + shape_text(form.extents());
}

/// The name of a slot, or its number where it has none.
inline std::string slot_text(const ckpt::contents_view& view, std::size_t slot) {
  const ckpt::name_view name = view.slot_name(slot);
  return name.empty() ? "slot " + std::to_string(slot + 1) : string_of(name);
}

/// "2 (m, v)"
inline std::string slot_list(const ckpt::contents_view& view) {
  if (view.optimizer.slot_count == 0) return "none";
  std::string names;
  for (std::size_t s = 0; s < view.optimizer.slot_count; ++s)
    names += (s == 0 ? "" : ", ") + slot_text(view, s);
  return std::to_string(view.optimizer.slot_count) + " (" + shown(names) + ")";
}

inline std::string value_text(const ckpt::value_entry& entry) {
  const auto bits = [&] { return ckpt::load_little<std::uint64_t>(entry.data.data()); };
  const auto* const characters = reinterpret_cast<const char*>(entry.data.data());
  std::string digits;
  switch (entry.kind) {
    case ckpt::value_kind::integer: return std::to_string(static_cast<std::int64_t>(bits()));
    case ckpt::value_kind::real: return real_text(real_from<double>(bits()));
    case ckpt::value_kind::text:
      return "\"" + shown(std::string_view(characters, entry.data.size())) + "\"";
    case ckpt::value_kind::bytes: break;
  }
  for (const std::byte b : entry.data.part(0, (std::min)(entry.data.size(), std::size_t{16})))
    digits += hex(static_cast<std::uint64_t>(b), 2);
  return size_words(entry.data.size()) + ": " + digits + (entry.data.size() > 16 ? "..." : "");
}

/// What is set of the training state beside step and epoch, each with its name.
inline std::vector<std::pair<std::string, std::string>> training_texts(
    const ckpt::training_state& training) {
  std::vector<std::pair<std::string, std::string>> texts;
  const auto add = [&](const char* what, const std::string& value) {
    texts.emplace_back(what, value);
  };
  if (training.sample_cursor != 0) add("sample cursor", grouped(training.sample_cursor));
  if (training.shuffle_seed != 0) add("shuffle seed", std::to_string(training.shuffle_seed));
  std::string words;
  bool has_rng_state = false;
  for (const std::uint64_t word : training.rng_state) {
    words += (words.empty() ? "" : " ") + std::to_string(word);
    has_rng_state = has_rng_state || word != 0;
  }
  if (has_rng_state) add("random state", words);
  if (training.best_metric == training.best_metric)
    add("best metric", real_text(training.best_metric));
  if (training.learning_rate == training.learning_rate)
    add("learning rate", real_text(training.learning_rate));
  return texts;
}

/// What of it a file without the rest has no field for.
inline void put_training(const ckpt::contents_view& view) {
  const auto texts = training_texts(view.training);
  for (const auto& [what, value] : texts)
    put(what + std::string(15 - what.size(), ' ') + value + "\n");
  view.values.for_each([](const ckpt::value_entry& entry) {
    put("value     " + shown(entry.key) + " = " + value_text(entry) + "\n");
  });
}

inline row summary_cells(const summary& said) {
  const bool has_any = said.finite > 0;
  const auto cell = [&](const std::string& text) { return has_any ? text : std::string("-"); };
  return {cell(scalar_text(said.least, 6)),
          cell(scalar_text(said.most, 6)),
          cell(real_text(said.mean, 6)),
          cell(real_text(said.norm, 6)),
          grouped(said.nans),
          grouped(said.infinities)};
}

/// A row of the table: a weight, or a slot below it.
inline row payload_row(const ckpt::contents_view& view, std::size_t section, std::size_t index,
                       const summaries* stats) {
  const ckpt::tensor_spec& tensor = view.model[index];
  const ckpt::tensor_form form = view.form(section, index);
  const bool is_weight = section == 0;
  row cells = {is_weight ? std::to_string(index) : "",
               is_weight ? shown(tensor.name()) : "  " + shown(slot_text(view, section - 1)),
               string_of(ckpt::name(form.type())),
               shape_text(form.extents()),
               is_weight ? std::string(role_name(tensor.purpose())) : "",
               grouped(view.bytes(section, index).size())};
  if (stats == nullptr) return cells;
  const row figures = summary_cells(stats->at(section, index));
  cells.insert(cells.end(), figures.begin(), figures.end());
  return cells;
}

/// Whether a slot has a row of its own: it is not like its weight, or its elements are asked for.
inline bool has_row(const ckpt::contents_view& view, std::size_t section, std::size_t index,
                    const summaries* stats) {
  if (section == 0) return true;
  if (view.model[index].purpose() != ckpt::role::trainable) return false;
  const ckpt::tensor_form form = view.form(section, index);
  const ckpt::tensor_form weight = view.model[index].form();
  return stats != nullptr || !ckpt::have_same_form(form, weight);
}

inline void put_held(const ckpt::contents_view& view, const summaries* stats) {
  table rows({1, 2, 3, 4});
  row title = {"index", "name", "dtype", "shape", "role", "bytes"};
  if (stats != nullptr) title.insert(title.end(), {"min", "max", "mean", "norm", "nan", "inf"});
  rows.add(std::move(title));
  for (std::size_t i = 0; i < view.model.size(); ++i)
    for (std::size_t s = 0; s < view.section_count(); ++s)
      if (has_row(view, s, i, stats)) rows.add(payload_row(view, s, i, stats));
  put("\n");
  rows.print();
}

}  // namespace tool

#endif  // CKPT_TOOL_HELD_TEXT_HPP
