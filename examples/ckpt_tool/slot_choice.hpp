#ifndef CKPT_TOOL_SLOT_CHOICE_HPP
#define CKPT_TOOL_SLOT_CHOICE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ckpt/codec/contents.hpp"
#include "held_text.hpp"
#include "optimizers.hpp"

/// Which slots the target of a conversion has.
namespace tool {

struct slot_wishes {
  std::optional<ckpt::optimizer_view> optimizer;  ///< of the target; else the one of the source
  bool drop = false;                              ///< leave out what the target does not have
  bool zero = false;                              ///< start at zero what the source does not have
};

/// Chooses the optimizer of the target, and keeps the tables that describe it.
class slot_choice {
 public:
  /// Returns why there is no such choice, and nothing where there is.
  [[nodiscard]] std::string choose(const ckpt::contents_view& source, const ckpt::model_view& model,
                                   const std::vector<std::uint32_t>& from,
                                   const slot_wishes& wanted) {
    const bool drops_all = wanted.drop && !wanted.optimizer;
    const ckpt::optimizer_view plain = drops_all ? ckpt::view_of_optimizer<ckpt::sgd>()
                                                 : wanted.optimizer.value_or(source.optimizer);
    for (std::size_t s = 0; s < plain.slot_count; ++s)
      origins_.push_back(ckpt::slot_in_file(source.optimizer, plain, s));
    chosen_.name = plain.name;
    chosen_.slot_count = plain.slot_count;
    chosen_.slot_names = plain.slot_names;
    if (std::string why = mismatch(source, wanted); !why.empty()) return why;
    take_forms(source, plain, model, from);
    return {};
  }

  [[nodiscard]] const ckpt::optimizer_view& optimizer() const { return chosen_; }

 private:
  /// What both sides do not have in common and nobody allows, in words.
  [[nodiscard]] std::string mismatch(const ckpt::contents_view& source,
                                     const slot_wishes& wanted) const {
    std::string missing;
    std::string extra;
    const auto append = [](std::string& list, const std::string& name) {
      list += (list.empty() ? "" : ", ") + name;
    };
    for (std::size_t s = 0; s < origins_.size(); ++s)
      if (origins_[s] == ckpt::npos) append(missing, string_of(chosen_.slot_name(s)));
    for (std::size_t s = 0; s < source.optimizer.slot_count; ++s)
      if (std::find(origins_.begin(), origins_.end(), s) == origins_.end())
        append(extra, slot_text(source, s));
    const std::string name = string_of(chosen_.name);
    if (!missing.empty() && !wanted.zero)
      return "it has no slots " + missing + ", which " + name +
             " keeps; --slots zero starts them at zero";
    if (!extra.empty() && !wanted.drop)
      return "it has slots " + extra + ", which " + name +
             " does not keep; --slots drop leaves them out";
    return {};
  }

  /// A slot that the source has stays as it is there.
  void take_forms(const ckpt::contents_view& source, const ckpt::optimizer_view& plain,
                  const ckpt::model_view& model, const std::vector<std::uint32_t>& from) {
    for (std::size_t s = 0; s < origins_.size(); ++s) {
      for (std::size_t i = 0; i < model.size(); ++i) {
        if (from[i] == ckpt::no_tensor) {
          forms_.push_back(model[i].form());
        } else if (origins_[s] != ckpt::npos) {
          forms_.push_back(source.form(1 + origins_[s], from[i]));
        } else {
          forms_.push_back(plain.slot_form(s, model[i], i));
        }
      }
    }
    chosen_.slots_like_weights = forms_.empty();
    chosen_.forms = forms_;
  }

  ckpt::optimizer_view chosen_{};
  std::vector<std::size_t> origins_;
  std::vector<ckpt::tensor_form> forms_;
};

}  // namespace tool

#endif  // CKPT_TOOL_SLOT_CHOICE_HPP
