#ifndef CKPT_CHECKPOINT_MODEL_BUILDER_HPP
#define CKPT_CHECKPOINT_MODEL_BUILDER_HPP

#include <cstdint>
#include <forward_list>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/model/model.hpp"

namespace ckpt {

/// Owns the tensors of a model that is known only at run time, names included:
///
///     ckpt::model_builder builder;
///     builder.add("fc.weight", ckpt::dtype::f32, {784, 10});
///     ckpt::state<ckpt::dynamic_model, ckpt::adam> state(builder.model());
///
/// It must outlive what is made from its model. It can be moved, not copied.
class model_builder {
 public:
  model_builder() = default;
  model_builder(model_builder&&) = default;
  model_builder& operator=(model_builder&&) = default;
  model_builder(const model_builder&) = delete;
  model_builder& operator=(const model_builder&) = delete;
  ~model_builder() = default;

  /// Adds a tensor and returns its index. An empty name is none.
  std::size_t add(std::string name, dtype type, const shape& extents,
                  role purpose = role::trainable) {
    names_.push_front(std::move(name));
    specs_.push_back(tensor_spec::named(names_.front(), type, extents, purpose));
    return specs_.size() - 1;
  }

  /// Adds a tensor to the order in which onert-micro visits them.
  void visit(std::size_t index) { visits_.push_back(static_cast<std::uint32_t>(index)); }

  /// The model as it is now; adding to the builder leaves it behind.
  [[nodiscard]] dynamic_model model() const noexcept { return dynamic_model(specs_, visits_); }

 private:
  std::forward_list<std::string> names_;  // names stay where they are when more are added
  std::vector<tensor_spec> specs_;
  std::vector<std::uint32_t> visits_;
};

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_MODEL_BUILDER_HPP
