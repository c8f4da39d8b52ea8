#ifndef CKPT_TOOL_ARRANGEMENT_HPP
#define CKPT_TOOL_ARRANGEMENT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ckpt/checkpoint/convert.hpp"
#include "map_file.hpp"
#include "slot_choice.hpp"
#include "source.hpp"

/// What `convert` makes of a checkpoint before it is written: other names, another order, another
/// optimizer.
namespace tool {

/// What the command line wants of OUT.
struct wishes {
  std::optional<ckpt::model_view> model;  ///< the tensors of OUT, in their order
  std::optional<map_file> map;
  slot_wishes slots;
  bool drop_training_state = false;
};

/// Arranges what a source holds. The source must outlive it, and it must stay where it is.
class arrangement {
 public:
  arrangement(const source& from, const wishes& wanted)
      : file_(from.file), wanted_(wanted), source_(from.held.view()) {}
  arrangement(const arrangement&) = delete;
  arrangement& operator=(const arrangement&) = delete;

  /// @errors those of `ckpt::rearrange()`
  [[nodiscard]] ckpt::status run() {
    base_ = source_.model;
    using step = ckpt::status (arrangement::*)();
    constexpr step steps[] = {&arrangement::rename, &arrangement::place, &arrangement::check_places,
                              &arrangement::check_roles, &arrangement::arrange};
    for (const step next : steps)
      if (const ckpt::status done = (this->*next)(); !done.ok()) return done;
    return {};
  }

  [[nodiscard]] const ckpt::contents_view& view() const { return arranged_->view(); }
  /// Why it cannot be done.
  [[nodiscard]] const std::string& words() const { return words_; }

 private:
  using places = std::unordered_map<std::string_view, std::uint32_t>;

  ckpt::status refuse(ckpt::errc kind, const std::string& why) {
    words_ = "cannot convert '" + file_ + "': " + why;
    return ckpt::fail(kind);
  }

  [[nodiscard]] static places places_of(const ckpt::model_view& model) {
    places found;
    for (std::size_t i = 0; i < model.size(); ++i)
      found.emplace(std::string_view(model[i].name()), static_cast<std::uint32_t>(i));
    return found;
  }

  static void add(ckpt::model_builder& to, const ckpt::tensor_spec& tensor, std::string name) {
    to.add(std::move(name), tensor.type(), tensor.extents(), tensor.purpose());
  }

  /// "tensor 2 ('fc.bias')"
  [[nodiscard]] static std::string named(const ckpt::model_view& model, std::size_t index) {
    const std::string name = string_of(model[index].name());
    return "tensor " + std::to_string(index) + (name.empty() ? "" : " ('" + name + "')");
  }

  /// The tensors of the source under the names that the map gives them.
  ckpt::status rename() {
    if (!wanted_.map || wanted_.map->has_indices) return {};
    std::vector<std::string> names;
    for (const ckpt::tensor_spec& tensor : base_) names.push_back(string_of(tensor.name()));
    const places found = places_of(base_);
    std::vector<bool> is_renamed(names.size(), false);
    for (const auto& [new_name, old_name] : wanted_.map->names) {
      const auto at = found.find(old_name);
      if (at == found.end())
        return refuse(ckpt::errc::no_such_tensor,
                      "the map renames '" + old_name + "', and there is no tensor of this name");
      if (is_renamed[at->second])
        return refuse(ckpt::errc::duplicate_name, "the map renames '" + old_name + "' twice");
      is_renamed[at->second] = true;
      names[at->second] = new_name;
    }
    for (std::size_t i = 0; i < names.size(); ++i) add(renamed_, base_[i], names[i]);
    for (const std::uint32_t index : base_.visits) renamed_.visit(index);
    base_ = renamed_.model().view();
    return check_unique();
  }

  ckpt::status check_unique() {
    places seen;
    for (std::size_t i = 0; i < base_.size(); ++i) {
      const auto name = std::string_view(base_[i].name());
      if (!name.empty() && !seen.emplace(name, static_cast<std::uint32_t>(i)).second)
        return refuse(ckpt::errc::duplicate_name,
                      "the map leaves two tensors with the name '" + std::string(name) + "'");
    }
    return {};
  }

  /// Decides which tensors the target has, and where each of them comes from.
  ckpt::status place() {
    if (wanted_.map && wanted_.map->has_indices) return place_by_index();
    if (wanted_.model) return place_by_name();
    model_ = base_;
    for (std::size_t i = 0; i < model_.size(); ++i) from_.push_back(static_cast<std::uint32_t>(i));
    return {};
  }

  ckpt::status place_by_name() {
    model_ = *wanted_.model;
    const places found = places_of(base_);
    for (const ckpt::tensor_spec& tensor : model_) {
      const auto at = found.find(std::string_view(tensor.name()));
      const bool is_known = at != found.end() && !tensor.name().empty();
      from_.push_back(is_known ? at->second : ckpt::no_tensor);
    }
    return {};
  }

  ckpt::status place_by_index() {
    from_ = wanted_.map->indices;
    for (const std::uint32_t index : from_)
      if (index != ckpt::no_tensor && index >= base_.size())
        return refuse(ckpt::errc::no_such_tensor, "the map takes tensor " + std::to_string(index) +
                                                      " of " + std::to_string(base_.size()));
    if (wanted_.model) return place_in_model();
    for (const std::uint32_t index : from_) {
      if (index == ckpt::no_tensor) {
        placed_.add("", ckpt::dtype::f32, {}, ckpt::role::absent);
      } else {
        add(placed_, base_[index], string_of(base_[index].name()));
      }
    }
    for (const std::uint32_t index : wanted_.map->visits) placed_.visit(index);
    model_ = placed_.model().view();
    return {};
  }

  ckpt::status place_in_model() {
    model_ = *wanted_.model;
    if (!wanted_.map->visits.empty())
      return refuse(ckpt::errc::invalid_rules, "visits stand in the model file or in the map");
    if (from_.size() > model_.size())
      return refuse(ckpt::errc::no_such_tensor, "the map fills tensor " +
                                                    std::to_string(from_.size() - 1) + " of " +
                                                    std::to_string(model_.size()));
    from_.resize(model_.size(), ckpt::no_tensor);
    return {};
  }

  /// Whether every tensor that is stored goes to one place, and nothing that is wanted is missing.
  ckpt::status check_places() {
    std::vector<bool> is_taken(base_.size(), false);
    for (std::size_t i = 0; i < from_.size(); ++i) {
      const bool is_stored = model_[i].purpose() != ckpt::role::absent;
      if (from_[i] == ckpt::no_tensor) {
        if (is_stored)
          return refuse(ckpt::errc::missing_tensor,
                        named(model_, i) + " of the output is not in it");
        continue;
      }
      if (is_taken[from_[i]])
        return refuse(ckpt::errc::duplicate_name, named(base_, from_[i]) + " is taken twice");
      is_taken[from_[i]] = is_stored;
    }
    for (std::size_t i = 0; i < base_.size(); ++i)
      if (!is_taken[i] && base_[i].purpose() != ckpt::role::absent)
        return refuse(ckpt::errc::unexpected_tensor,
                      named(base_, i) + " has no place in the output");
    return {};
  }

  /// A slot may not be lost because a model says that its tensor is frozen.
  ckpt::status check_roles() {
    if (source_.optimizer.slot_count == 0 || wanted_.slots.drop) return {};
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (from_[i] == ckpt::no_tensor || model_[i].purpose() != ckpt::role::frozen) continue;
      if (base_[from_[i]].purpose() == ckpt::role::trainable)
        return refuse(ckpt::errc::role_mismatch,
                      named(base_, from_[i]) +
                          " has slots, and the model file calls it frozen; --slots drop leaves "
                          "them out");
    }
    return {};
  }

  ckpt::status arrange() {
    if (const std::string why = slots_.choose(source_, model_, from_, wanted_.slots); !why.empty())
      return refuse(ckpt::errc::optimizer_mismatch, why);
    ckpt::convert_rules rules;
    rules.zero_missing_slots = wanted_.slots.zero;
    rules.drop_extra_slots = wanted_.slots.drop;
    rules.drop_training_state = wanted_.drop_training_state;
    auto arranged =
        ckpt::arranged_contents::by_index(source_, model_, slots_.optimizer(), from_, rules);
    if (arranged.ok()) {
      arranged_.emplace(std::move(*arranged));
      return {};
    }
    words_ = failure_words("convert", file_, arranged.error(), model_);
    return arranged.error();
  }

  const std::string& file_;
  const wishes& wanted_;
  ckpt::contents_view source_;
  ckpt::model_builder renamed_;
  ckpt::model_builder placed_;
  ckpt::model_view base_{};   // the tensors of the source, by their new names
  ckpt::model_view model_{};  // the tensors of the target
  std::vector<std::uint32_t> from_;
  slot_choice slots_;
  std::optional<ckpt::arranged_contents> arranged_;
  std::string words_;
};

}  // namespace tool

#endif  // CKPT_TOOL_ARRANGEMENT_HPP
