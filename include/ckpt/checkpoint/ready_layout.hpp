#ifndef CKPT_CHECKPOINT_READY_LAYOUT_HPP
#define CKPT_CHECKPOINT_READY_LAYOUT_HPP

#include <cstdint>
#include <memory>
#include <new>

#include "ckpt/layout/dynamic_layout.hpp"

namespace ckpt::detail {

/// Memory for `count` words, or null.
[[nodiscard]] inline std::unique_ptr<std::uint32_t[]> allocate_words(std::size_t count) noexcept {
  return std::unique_ptr<std::uint32_t[]>(new (std::nothrow) std::uint32_t[count + 1]);
}

/// A layout with the memory that it needs: none for a static model, tables for a run-time one.
template <class Model, class Optimizer, class Format>
class ready_layout {
 public:
  using layout_type = layout<Model, Optimizer, Format>;

  [[nodiscard]] static result<ready_layout> make(const model_view&) noexcept {
    return ready_layout{};
  }

  /// What the compiler left unchecked because the model is large.
  /// @errors duplicate_name, no_memory
  [[nodiscard]] static status check() noexcept {
    if constexpr (Model::tensors.size() > names_checked_by_compiler) {
      const auto scratch = allocate_words(Model::tensors.size());
      if (scratch == nullptr) return fail(errc::no_memory, 4 * Model::tensors.size(), 0);
      return check_names(view_of<Model>(), scratch.get());
    }
    return {};
  }

  [[nodiscard]] layout_type get() const noexcept { return {}; }
};

template <class Optimizer, class Format>
class ready_layout<dynamic_model, Optimizer, Format> {
 public:
  using layout_type = layout<dynamic_model, Optimizer, Format>;

  /// @errors no_memory, and those of layout::make()
  [[nodiscard]] static result<ready_layout> make(const model_view& view) noexcept {
    const dynamic_model model(view.tensors, view.visits);
    const std::size_t count = layout_type::words_needed(model);
    ready_layout ready;
    ready.words_ = allocate_words(count);
    if (ready.words_ == nullptr) return fail(errc::no_memory, 4 * count, 0);
    const auto made = layout_type::make(model, span<std::uint32_t>(ready.words_.get(), count));
    if (!made.ok()) return made.error();
    ready.layout_ = *made;
    return result<ready_layout>(std::move(ready));
  }

  /// `make()` has checked everything.
  [[nodiscard]] static status check() noexcept { return {}; }

  [[nodiscard]] const layout_type& get() const noexcept { return layout_; }

 private:
  std::unique_ptr<std::uint32_t[]> words_;
  layout_type layout_{};
};

}  // namespace ckpt::detail

#endif  // CKPT_CHECKPOINT_READY_LAYOUT_HPP
