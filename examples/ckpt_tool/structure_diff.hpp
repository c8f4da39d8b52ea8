#ifndef CKPT_TOOL_STRUCTURE_DIFF_HPP
#define CKPT_TOOL_STRUCTURE_DIFF_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "held_text.hpp"
#include "source.hpp"

/// How two checkpoints differ before one looks at elements, and which of their payloads belong
/// together.
namespace tool {

/// One thing that differs. The side that does not have it says nothing.
struct finding {
  std::string what;  ///< "tensor", "dtype", "step", ...
  std::string of;    ///< the tensor, slot or key, where it is about one
  std::optional<std::string> a;
  std::optional<std::string> b;
};

/// Two payloads that belong together and can be compared.
struct payload_pair {
  std::string name;  ///< of the tensor
  std::string slot;  ///< empty for the weight
  ckpt::dtype type = ckpt::dtype::u8;
  ckpt::bytes_view a;
  ckpt::bytes_view b;
};

class structure_diff {
 public:
  structure_diff(const source& a, const source& b)
      : a_(a.held.view()),
        b_(b.held.view()),
        is_raw_a_(a.names == naming::positions),
        is_raw_b_(b.names == naming::positions) {}

  void run() {
    compare_optimizers();
    pair_slots();
    compare_training();
    compare_values();
    for (std::size_t i = 0; i < a_.model.size(); ++i) pair_tensor(i);
    for (std::size_t j = 0; j < b_.model.size(); ++j)
      if (is_stored(b_, j) && !place_in_a(j))
        note("tensor", title(b_, j), std::nullopt, form_text(b_.model[j].form()));
  }

  /// Tensors meet by their places, since a file has no names.
  [[nodiscard]] bool is_by_position() const { return is_raw_a_ || is_raw_b_; }
  [[nodiscard]] const std::vector<finding>& findings() const { return findings_; }
  [[nodiscard]] const std::vector<payload_pair>& pairs() const { return pairs_; }

 private:
  using text = std::optional<std::string>;

  void note(std::string what, std::string of, text a, text b) {
    findings_.push_back({std::move(what), std::move(of), std::move(a), std::move(b)});
  }
  void compare_texts(const std::string& what, const std::string& of, const std::string& a,
                     const std::string& b) {
    if (a != b) note(what, of, a, b);
  }

  [[nodiscard]] static bool is_stored(const ckpt::contents_view& view, std::size_t index) {
    return view.model[index].purpose() != ckpt::role::absent;
  }
  [[nodiscard]] static std::string title(const ckpt::contents_view& view, std::size_t index) {
    const ckpt::name_view name = view.model[index].name();
    return name.empty() ? "tensor " + std::to_string(index) : string_of(name);
  }

  void compare_optimizers() {
    const ckpt::name_view a = a_.optimizer.name;
    const ckpt::name_view b = b_.optimizer.name;
    const bool are_known = !a.empty() && !b.empty() && !is_by_position();
    if (are_known) compare_texts("optimizer", "", string_of(a), string_of(b));
  }

  /// Slots meet by name where both sides have names, else by their places.
  void pair_slots() {
    std::vector<bool> is_met(b_.optimizer.slot_count, false);
    for (std::size_t s = 0; s < a_.optimizer.slot_count; ++s) {
      const auto other = slot_of_b(s);
      if (other) {
        slots_.emplace_back(s, *other);
        is_met[*other] = true;
      } else {
        note("slot", slot_text(a_, s), "present", std::nullopt);
      }
    }
    for (std::size_t s = 0; s < is_met.size(); ++s)
      if (!is_met[s]) note("slot", slot_text(b_, s), std::nullopt, "present");
  }
  [[nodiscard]] std::optional<std::size_t> slot_of_b(std::size_t slot) const {
    for (std::size_t s = 0; s < b_.optimizer.slot_count; ++s)
      if (is_by_position() ? s == slot : slot_text(a_, slot) == slot_text(b_, s)) return s;
    return std::nullopt;
  }

  void compare_training() {
    compare_texts("step", "", std::to_string(a_.training.step), std::to_string(b_.training.step));
    compare_texts("epoch", "", std::to_string(a_.training.epoch),
                  std::to_string(b_.training.epoch));
    std::map<std::string, std::pair<text, text>> texts;
    for (const auto& [what, value] : training_texts(a_.training)) texts[what].first = value;
    for (const auto& [what, value] : training_texts(b_.training)) texts[what].second = value;
    for (const auto& [what, both] : texts)
      if (both.first != both.second) note(what, "", both.first, both.second);
  }

  void compare_values() {
    struct value {
      text shown_as;
      std::string bytes;
    };
    std::map<std::string, std::pair<value, value>> all;
    const auto take = [](const ckpt::value_entry& entry) {
      const auto* const data = reinterpret_cast<const char*>(entry.data.data());
      return value{value_text(entry),
                   std::string(data, entry.data.size()) + static_cast<char>(entry.kind)};
    };
    a_.values.for_each([&](const auto& entry) { all[string_of(entry.key)].first = take(entry); });
    b_.values.for_each([&](const auto& entry) { all[string_of(entry.key)].second = take(entry); });
    for (const auto& [key, both] : all)
      if (both.first.bytes != both.second.bytes)
        note("value", key, both.first.shown_as, both.second.shown_as);
  }

  /// Where a tensor of A is in B; nothing where it is not stored there.
  [[nodiscard]] std::optional<std::size_t> place_in_b(std::size_t index) {
    return place_in(b_, in_b_, a_, index);
  }
  [[nodiscard]] std::optional<std::size_t> place_in_a(std::size_t index) {
    return place_in(a_, in_a_, b_, index);
  }

  using places = std::unordered_map<std::string_view, std::size_t>;

  [[nodiscard]] std::optional<std::size_t> place_in(const ckpt::contents_view& other, places& known,
                                                    const ckpt::contents_view& own,
                                                    std::size_t index) const {
    const auto stored = [&](std::size_t at) -> std::optional<std::size_t> {
      if (at < other.model.size() && is_stored(other, at)) return at;
      return std::nullopt;
    };
    if (is_by_position()) return stored(index);
    if (known.empty())
      for (std::size_t i = 0; i < other.model.size(); ++i)
        known.emplace(std::string_view(other.model[i].name()), i);
    const auto at = known.find(std::string_view(own.model[index].name()));
    return at == known.end() ? std::nullopt : stored(at->second);
  }

  void pair_tensor(std::size_t index) {
    if (!is_stored(a_, index)) return;
    const auto other = place_in_b(index);
    if (!other) {
      note("tensor", title(a_, index), form_text(a_.model[index].form()), std::nullopt);
      return;
    }
    if (!is_by_position())
      compare_texts("role", title(a_, index), std::string(role_name(a_.model[index].purpose())),
                    std::string(role_name(b_.model[*other].purpose())));
    pair_payloads(index, *other, 0, 0, "");
    for (const auto& [slot_a, slot_b] : slots_)
      pair_payloads(index, *other, 1 + slot_a, 1 + slot_b, slot_text(a_, slot_a));
  }

  /// Raw bytes take the form of the other side.
  void pair_payloads(std::size_t i, std::size_t j, std::size_t section_a, std::size_t section_b,
                     const std::string& slot) {
    const ckpt::bytes_view a = a_.bytes(section_a, i);
    const ckpt::bytes_view b = b_.bytes(section_b, j);
    const bool is_empty_slot = section_a > 0 && a.empty() && b.empty();
    if (is_empty_slot) return;
    const ckpt::tensor_form form_a = a_.form(section_a, i);
    const ckpt::tensor_form form_b = b_.form(section_b, j);
    const std::string what = slot.empty() ? title(a_, i) : slot + " of " + title(a_, i);
    const bool are_known = !is_by_position();
    const bool has_one_form = ckpt::have_same_form(form_a, form_b);
    if (are_known && !has_one_form) note("form", what, form_text(form_a), form_text(form_b));
    if (a.size() != b.size()) {
      if (!are_known || has_one_form)
        note("size", what, std::to_string(a.size()), std::to_string(b.size()));
    } else if (!are_known || has_one_form) {
      pairs_.push_back({title(a_, i), slot, is_raw_a_ ? form_b.type() : form_a.type(), a, b});
    }
  }

  ckpt::contents_view a_;
  ckpt::contents_view b_;
  bool is_raw_a_;
  bool is_raw_b_;
  std::vector<std::pair<std::size_t, std::size_t>> slots_;
  places in_a_;
  places in_b_;
  std::vector<finding> findings_;
  std::vector<payload_pair> pairs_;
};

}  // namespace tool

#endif  // CKPT_TOOL_STRUCTURE_DIFF_HPP
