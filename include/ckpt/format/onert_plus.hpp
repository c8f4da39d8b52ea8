#ifndef CKPT_FORMAT_ONERT_PLUS_HPP
#define CKPT_FORMAT_ONERT_PLUS_HPP

#include "ckpt/format/onert.hpp"
#include "ckpt/format/schema1_plus.hpp"

namespace ckpt {

/// A file that onert reads as its own, with names, dtypes, shapes, roles and checksums in it.
///
/// Without slots onert reads a slot table of 4N bytes at opt1 all the same, meets the end of a
/// plain file and restores step 0. Here it finds 4N - 8 zeros and the footer there: every byte that
/// it asks for, and so it restores the step.
///
/// @source what the loaders of onert skip was tried on release and debug builds of them
struct onert_plus : schema1::plus_policy<onert_plus, onert> {
  static constexpr name_view name = "onert_plus";
  static constexpr dialect kind = dialect::onert_plus;

  /// Zeros between the weights and the footer.
  [[nodiscard]] static constexpr std::uint64_t tail_bytes(std::uint64_t tensor_count,
                                                          std::uint64_t slot_count) noexcept {
    return slot_count == 0 && tensor_count > 2 ? 4 * tensor_count - schema1::footer_bytes : 0;
  }
};

}  // namespace ckpt

#endif  // CKPT_FORMAT_ONERT_PLUS_HPP
