#ifndef CKPT_CHECKPOINT_CONTENTS_HPP
#define CKPT_CHECKPOINT_CONTENTS_HPP

#include <cstdint>
#include <forward_list>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/model_builder.hpp"
#include "ckpt/codec/contents.hpp"
#include "ckpt/io/mapping.hpp"

namespace ckpt {

/// Owns the tables of a `contents_view`: names, forms, where the bytes are, and files that are
/// mapped or memory that was read for it. Made by opening a checkpoint or a foreign container, or
/// piece by piece. It can be moved, not copied; views into it stay valid when it moves.
class contents {
 public:
  contents() = default;
  contents(contents&&) = default;
  contents& operator=(contents&&) = default;
  contents(const contents&) = delete;
  contents& operator=(const contents&) = delete;
  ~contents() = default;

  training_state training{};

  /// Names the optimizer and its slots; to be called before the first tensor is added.
  void set_optimizer(std::string name, std::vector<std::string> slot_names) {
    optimizer_name_ = keep_name(std::move(name));
    for (std::string& slot : slot_names) slot_names_.push_back(keep_name(std::move(slot)));
    forms_.resize(slot_names_.size());
    payloads_.resize(1 + slot_names_.size());
  }

  /// Adds a tensor with its weight and returns its index. Its slots are as the weight, and empty,
  /// until `set_slot()`.
  std::size_t add(std::string name, const tensor_form& form, role purpose, bytes_view weight) {
    const std::size_t index = builder_.add(std::move(name), form.type(), form.extents(), purpose);
    payloads_[0].push_back(weight);
    for (std::size_t s = 0; s < slot_names_.size(); ++s) {
      forms_[s].push_back(form);
      payloads_[1 + s].push_back({});
    }
    is_joined_ = false;
    return index;
  }

  /// Says what slot `slot` of tensor `index` is and holds.
  void set_slot(std::size_t slot, std::size_t index, const tensor_form& form, bytes_view bytes) {
    forms_[slot][index] = form;
    payloads_[1 + slot][index] = bytes;
    is_joined_ = false;
  }

  /// Adds a tensor to the order in which onert-micro visits them.
  void visit(std::size_t index) { builder_.visit(index); }

  /// Takes over the user's values, as `values_view::open()` has checked them.
  void set_values(const values_view& given) {
    const bytes_view encoded = given.encoded();
    const auto kept = keep(std::vector<std::byte>(encoded.begin(), encoded.end()));
    values_ = *values_view::open(kept);
  }

  /// Keeps memory for as long as the contents live, and returns its bytes.
  bytes_view keep(std::vector<std::byte> memory) {
    memory_.push_back(std::move(memory));
    return bytes_view(memory_.back().data(), memory_.back().size());
  }
  /// Keeps a file mapped for as long as the contents live, and returns its bytes.
  bytes_view keep(native_mapping mapping) {
    mappings_.push_back(std::move(mapping));
    return mappings_.back().bytes();
  }

  /// Tensors so far.
  [[nodiscard]] std::size_t size() const noexcept { return payloads_[0].size(); }
  /// Slots of the optimizer.
  [[nodiscard]] std::size_t slot_count() const noexcept { return slot_names_.size(); }

  /// The contents as converters and loads see them; points into this.
  [[nodiscard]] contents_view view() const {
    join();
    contents_view seen;
    seen.model = builder_.model().view();
    seen.optimizer.slot_count = slot_names_.size();
    seen.optimizer.name = optimizer_name_;
    seen.optimizer.slot_names = slot_names_;
    seen.optimizer.slots_like_weights = joined_forms_.empty();
    seen.optimizer.forms = joined_forms_;
    seen.payloads = joined_payloads_;
    seen.training = training;
    seen.values = values_;
    return seen;
  }

 private:
  name_view keep_name(std::string name) {
    names_.push_front(std::move(name));
    return names_.front();
  }

  /// Lays the tables of all sections end to end, as a view needs them.
  void join() const {
    if (is_joined_) return;
    joined_payloads_.clear();
    joined_forms_.clear();
    for (const auto& section : payloads_)
      joined_payloads_.insert(joined_payloads_.end(), section.begin(), section.end());
    for (const auto& slot : forms_)
      joined_forms_.insert(joined_forms_.end(), slot.begin(), slot.end());
    is_joined_ = true;
  }

  model_builder builder_;
  std::forward_list<std::string> names_;  // names stay where they are when more are added
  name_view optimizer_name_;
  std::vector<name_view> slot_names_;
  std::vector<std::vector<tensor_form>> forms_;
  std::vector<std::vector<bytes_view>> payloads_{1};
  std::vector<std::vector<std::byte>> memory_;
  std::vector<native_mapping> mappings_;
  values_view values_;
  mutable bool is_joined_ = false;
  mutable std::vector<tensor_form> joined_forms_;
  mutable std::vector<bytes_view> joined_payloads_;
};

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_CONTENTS_HPP
