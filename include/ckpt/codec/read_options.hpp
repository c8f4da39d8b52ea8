#ifndef CKPT_CODEC_READ_OPTIONS_HPP
#define CKPT_CODEC_READ_OPTIONS_HPP

#include <cstdint>

#include "ckpt/base/span.hpp"
#include "ckpt/format/dialect.hpp"
#include "ckpt/model/training_state.hpp"

namespace ckpt {

/// What a load does about the state of the optimizer.
enum class slot_policy : std::uint8_t {
  required,  ///< the file must hold exactly the slots of the optimizer
  ignored,   ///< weights only: slots, step and epoch of the destination stay as they are
  cold,      ///< weights, step and epoch from the file; the slots start at zero
};

/// What a reader accepts. The default is strict.
struct read_options {
  slot_policy slots = slot_policy::required;
  /// Refuse every dialect but the reader's own format.
  bool only_own_dialect = false;
  /// Accept an onert-micro file that stores four bytes for each element of a narrower dtype, as
  /// onert-micro does: the first bytes of each extent are the tensor.
  bool four_byte_elements = false;
  /// Memory for a word a tensor. With it, a file whose tensors lie in an unknown order is checked
  /// in O(n log n) instead of quadratic time. `load` and `map` take it from the heap by themselves.
  span<std::uint32_t> scratch{};
  /// Do not compare payloads with their checksums, in files that have them. Header, tables,
  /// manifest and footer are compared in any case.
  bool skip_checksums = false;
};

/// Load the weights alone, from a file of any optimizer.
inline constexpr read_options weights_only{slot_policy::ignored, false, false, {}};
/// Load the weights and the counters, and start the slots at zero.
inline constexpr read_options cold_slots{slot_policy::cold, false, false, {}};

/// What a load has done.
struct load_report {
  dialect kind = dialect::onert;
  training_state training{};         ///< what the file says, applied or not
  std::uint32_t weights_loaded = 0;  ///< tensors whose weight came from the file
  std::uint32_t slots_loaded = 0;    ///< slot sections that came from the file
  std::uint32_t slots_ignored = 0;   ///< slot sections that the file has and nobody asked for
  std::uint32_t slots_cold = 0;      ///< slot sections that were set to zero
  std::uint64_t slack_bytes = 0;     ///< dead bytes between the weights (onert-micro)
  bool checksums_verified = false;   ///< the file has them, and every payload loaded matches
};

}  // namespace ckpt

#endif  // CKPT_CODEC_READ_OPTIONS_HPP
