#ifndef CKPT_TOOL_HELD_JSON_HPP
#define CKPT_TOOL_HELD_JSON_HPP

#include <optional>
#include <string>

#include "held_text.hpp"
#include "json.hpp"
#include "source.hpp"

/// What a checkpoint holds by name, as JSON.
namespace tool {

inline void put_json_shape(json_writer& json, const ckpt::shape& extents) {
  json.array("shape", json_writer::style::one_line);
  for (std::size_t axis = 0; axis < extents.rank(); ++axis) json.element(extents[axis]);
  json.end();
}

inline std::optional<double> set_real(double value) {
  return value == value ? std::optional<double>(value) : std::nullopt;
}

inline void put_json_training(json_writer& json, const ckpt::training_state& training) {
  json.object("training", json_writer::style::one_line);
  json.member("step", training.step);
  json.member("epoch", training.epoch);
  json.member("sample_cursor", training.sample_cursor);
  json.member("shuffle_seed", training.shuffle_seed);
  json.array("rng_state");
  for (const std::uint64_t word : training.rng_state) json.element(word);
  json.end();
  json.member("best_metric", set_real(training.best_metric));
  json.member("learning_rate", set_real(training.learning_rate));
  json.end();
}

inline void put_json_value(json_writer& json, const ckpt::value_entry& entry) {
  static constexpr std::string_view kinds[] = {"", "integer", "real", "text", "bytes"};
  const auto bits = [&] { return ckpt::load_little<std::uint64_t>(entry.data.data()); };
  json.object(json_writer::style::one_line);
  json.member("key", entry.key);
  json.member("type", kinds[static_cast<std::size_t>(entry.kind)]);
  if (entry.kind == ckpt::value_kind::integer) {
    json.member("value", static_cast<std::int64_t>(bits()));
  } else if (entry.kind == ckpt::value_kind::real) {
    json.member("value", real_from<double>(bits()));
  } else if (entry.kind == ckpt::value_kind::text) {
    json.member("value", ckpt::name_view(reinterpret_cast<const char*>(entry.data.data()),
                                         entry.data.size()));
  } else {
    std::string digits;
    for (const std::byte b : entry.data) digits += hex(static_cast<std::uint64_t>(b), 2);
    json.member("value", digits);
  }
  json.end();
}

inline void put_json_payload(json_writer& json, const ckpt::contents_view& view,
                             std::size_t section, std::size_t index, const summaries* stats) {
  const ckpt::tensor_form form = view.form(section, index);
  json.member("dtype", ckpt::name(form.type()));
  put_json_shape(json, form.extents());
  json.member("bytes", view.bytes(section, index).size());
  if (stats != nullptr) put_json_summary(json, stats->at(section, index));
}

inline void put_json_tensor(json_writer& json, const ckpt::contents_view& view, std::size_t index,
                            const summaries* stats) {
  const ckpt::tensor_spec& tensor = view.model[index];
  json.object(json_writer::style::one_line);
  json.member("index", index);
  json.member("name", tensor.name());
  json.member("role", role_name(tensor.purpose()));
  put_json_payload(json, view, 0, index, stats);
  json.array("slots");
  const bool has_slots = tensor.purpose() == ckpt::role::trainable;
  for (std::size_t s = 0; has_slots && s < view.optimizer.slot_count; ++s) {
    json.object();
    json.member("name", view.slot_name(s));
    put_json_payload(json, view, 1 + s, index, stats);
    json.end();
  }
  json.end();
  json.end();
}

inline void put_json_names(json_writer& json, const ckpt::contents_view& view) {
  json.member("optimizer", view.optimizer.name);
  json.array("slots", json_writer::style::one_line);
  for (std::size_t s = 0; s < view.optimizer.slot_count; ++s) json.element(view.slot_name(s));
  json.end();
  json.array("visits", json_writer::style::one_line);
  for (const std::uint32_t index : view.model.visits) json.element(index);
  json.end();
}

inline std::string_view name(naming names) {
  if (names == naming::file) return "file";
  return names == naming::model ? "model" : "positions";
}

/// @param fingerprint  of files that have one
/// @param stats        null where nobody asks for them
inline void put_json_held(json_writer& json, const source& from,
                          const std::optional<std::uint64_t>& fingerprint, const summaries* stats) {
  const ckpt::contents_view view = from.held.view();
  json.object("contents");
  json.member("names", name(from.names));
  json.member("fingerprint",
              fingerprint ? std::optional<std::string>(hex(*fingerprint, 16)) : std::nullopt);
  json.member("checksums", fingerprint ? "verified" : "none");
  put_json_names(json, view);
  put_json_training(json, view.training);
  json.array("values");
  view.values.for_each([&](const ckpt::value_entry& entry) { put_json_value(json, entry); });
  json.end();
  json.array("tensors");
  for (std::size_t i = 0; i < view.model.size(); ++i) put_json_tensor(json, view, i, stats);
  json.end();
  json.end();
}

}  // namespace tool

#endif  // CKPT_TOOL_HELD_JSON_HPP
