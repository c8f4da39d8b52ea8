#ifndef CKPT_CHECKPOINT_ORDER_SCRATCH_HPP
#define CKPT_CHECKPOINT_ORDER_SCRATCH_HPP

#include <cstdint>
#include <memory>

#include "ckpt/checkpoint/ready_layout.hpp"
#include "ckpt/codec/opened_file.hpp"

namespace ckpt::detail {

/// Memory for the check of a file whose tensors lie in an unknown order, where that is needed.
class order_scratch {
 public:
  /// @errors no_memory
  [[nodiscard]] status lend(const layout_view& layout, const located_file& located,
                            read_options& options) noexcept {
    if (!located.map.is_scattered || !layout.model.visits.empty()) return {};
    if (!options.scratch.empty()) return {};
    const std::size_t count = layout.model.size();
    words_ = allocate_words(count);
    if (words_ == nullptr) return fail(errc::no_memory, 4 * count, 0);
    options.scratch = span<std::uint32_t>(words_.get(), count);
    return {};
  }

 private:
  std::unique_ptr<std::uint32_t[]> words_;
};

}  // namespace ckpt::detail

#endif  // CKPT_CHECKPOINT_ORDER_SCRATCH_HPP
