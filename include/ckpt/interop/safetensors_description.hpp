#ifndef CKPT_INTEROP_SAFETENSORS_DESCRIPTION_HPP
#define CKPT_INTEROP_SAFETENSORS_DESCRIPTION_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/base/utf8.hpp"
#include "ckpt/interop/safetensors_metadata.hpp"
#include "ckpt/model/values.hpp"

/// The way back from the metadata of safetensors_metadata.hpp.
namespace ckpt::safetensors::detail {

/// Dtype and shape of a slot that has no bytes.
struct unstored_form {
  std::size_t tensor = 0;
  tensor_form form;
};

/// A slot as the metadata describes it.
struct slot_description {
  std::string name;
  std::string prefix;
  std::vector<unstored_form> unstored;
};

/// All that the metadata says.
struct description {
  metadata texts;
  model_builder model;
  std::string optimizer;
  std::vector<slot_description> slots;
  training_state training;
  std::vector<std::byte> values;
};

/// Reads the metadata of one file.
class description_reader {
 public:
  /// @errors bad_syntax, duplicate_name, invalid_name, unsupported_dtype, invalid_shape,
  /// limit_exceeded, invalid_visits, no_such_tensor, bad_training_state, unsupported_version,
  /// unsupported_feature
  status run(const std::vector<std::pair<std::string, std::string>>& pairs) {
    for (const auto& pair : pairs)
      if (const status taken = take(pair.first, pair.second); !taken.ok()) return taken;
    if (!is_ours_) return {};
    if (text(key_format) != "1") return fail(errc::unsupported_version);
    using step = status (description_reader::*)();
    using self = description_reader;
    constexpr step steps[] = {&self::read_model,    &self::read_slots,     &self::read_slot_forms,
                              &self::read_counters, &self::read_rng_state, &self::read_reals,
                              &self::read_values,   &self::read_optimizer};
    for (const step read : steps)
      if (const status done = (this->*read)(); !done.ok()) return done;
    note_.clear();
    return {};
  }

  /// Whether there is anything of ckpt in the metadata.
  [[nodiscard]] bool is_ours() const noexcept { return is_ours_; }
  [[nodiscard]] const description& made() const noexcept { return made_; }
  /// What the failure is about, in words.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }

 private:
  status take(const std::string& key_name, const std::string& value) {
    if (!begins_with(key_name, "ckpt.")) return {};
    is_ours_ = true;
    note_ = "metadata " + ckpt::detail::in_quotes(key_name);
    for (std::size_t k = 0; k < key_count; ++k) {
      if (key_names[k] != name_view(key_name)) continue;
      const bool may_be_empty = k == key_model;
      if (value.empty() && !may_be_empty) return fail(errc::bad_syntax);
      if (k == key_model) has_model_ = true;
      made_.texts.values[k] = value;
      return {};
    }
    return fail(errc::unsupported_feature);
  }

  /// The value of a key, which is in the note from now on.
  [[nodiscard]] const std::string& text(known_key which) {
    note_ = "metadata " + ckpt::detail::in_quotes(key_names[which]);
    return made_.texts[which];
  }

  status read_model() {
    const std::string& words = text(key_model);
    if (!has_model_) return fail(errc::bad_syntax);
    auto model = model_text::parse(words);
    if (!model.ok()) {
      note_ += ": " + model.message();
      return model.error();
    }
    made_.model = std::move(*model);
    return {};
  }

  status read_slots() {
    ckpt::detail::token_reader lines(text(key_slots));
    std::vector<ckpt::detail::token> words;
    for (;;) {
      const result<bool> more = lines.next_line(words);
      if (!more.ok()) return fail(errc::bad_syntax);
      if (!*more) return {};
      if (words.size() != 2) return fail(errc::bad_syntax);
      if (!is_utf8(words[0].word) || words[1].word.empty()) return fail(errc::invalid_name);
      made_.slots.push_back({words[0].word, words[1].word, {}});
    }
  }

  status read_slot_forms() {
    ckpt::detail::token_reader lines(text(key_slot_forms));
    std::vector<ckpt::detail::token> words;
    for (;;) {
      const result<bool> more = lines.next_line(words);
      if (!more.ok()) return fail(errc::bad_syntax);
      if (!*more) return {};
      if (words.size() != 4) return fail(errc::bad_syntax);
      const auto slot = ckpt::detail::parse_number(words[0].word);
      const auto tensor = ckpt::detail::parse_number(words[1].word);
      const auto type = ckpt::detail::parse_dtype(words[2].word);
      const auto extents = ckpt::detail::parse_shape(words[3].word);
      for (const status& read : {slot.error(), tensor.error(), type.error(), extents.error()})
        if (!read.ok()) return read;
      if (*slot >= made_.slots.size()) return fail(errc::bad_syntax);
      if (*tensor >= no_tensor) return fail(errc::no_such_tensor);
      made_.slots[static_cast<std::size_t>(*slot)].unstored.push_back(
          {static_cast<std::size_t>(*tensor), tensor_form(*type, *extents)});
    }
  }

  status read_counters() {
    training_state& to = made_.training;
    const std::pair<known_key, std::uint64_t*> counters[] = {{key_step, &to.step},
                                                             {key_epoch, &to.epoch},
                                                             {key_sample_cursor, &to.sample_cursor},
                                                             {key_shuffle_seed, &to.shuffle_seed}};
    for (const auto& counter : counters) {
      const std::string& digits = text(counter.first);
      const bool may_lack = counter.first == key_sample_cursor || counter.first == key_shuffle_seed;
      if (digits.empty() && may_lack) continue;
      const auto number = ckpt::detail::parse_number(digits);
      if (!number.ok()) return number.error();
      *counter.second = *number;
    }
    return {};
  }

  status read_rng_state() {
    const std::string& words = text(key_rng_state);
    if (words.empty()) return {};
    std::size_t first = 0;
    for (std::size_t k = 0; k < made_.training.rng_state.size(); ++k) {
      const bool is_last = k + 1 == made_.training.rng_state.size();
      const std::size_t end = is_last ? words.size() : words.find(' ', first);
      if (end == std::string::npos) return fail(errc::bad_syntax);
      const auto word = ckpt::detail::parse_number(name_view(words.data() + first, end - first));
      if (!word.ok()) return word.error();
      made_.training.rng_state[k] = *word;
      first = end + 1;
    }
    return {};
  }

  status read_reals() {
    const std::pair<known_key, double*> reals[] = {
        {key_best_metric, &made_.training.best_metric},
        {key_learning_rate, &made_.training.learning_rate}};
    for (const auto& real : reals) {
      const std::string& digits = text(real.first);
      if (digits.empty()) continue;
      const auto bits = ckpt::detail::parse_hex(digits, 16);
      if (!bits.ok()) return bits.error();
      std::memcpy(real.second, &*bits, sizeof *real.second);
    }
    return {};
  }

  status read_values() {
    const std::string& digits = text(key_values);
    if (digits.size() % 2 != 0) return fail(errc::bad_syntax);
    for (std::size_t at = 0; at < digits.size(); at += 2) {
      const auto byte = ckpt::detail::parse_hex(name_view(digits.data() + at, 2), 2);
      if (!byte.ok()) return byte.error();
      made_.values.push_back(static_cast<std::byte>(*byte));
    }
    return values_view::open(made_.values).error();
  }

  status read_optimizer() {
    made_.optimizer = text(key_optimizer);
    return is_utf8(made_.optimizer) ? status{} : fail(errc::invalid_name);
  }

  description made_;
  bool is_ours_ = false;
  bool has_model_ = false;
  std::string note_;
};

}  // namespace ckpt::safetensors::detail

#endif  // CKPT_INTEROP_SAFETENSORS_DESCRIPTION_HPP
