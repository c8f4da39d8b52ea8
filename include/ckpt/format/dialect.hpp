#ifndef CKPT_FORMAT_DIALECT_HPP
#define CKPT_FORMAT_DIALECT_HPP

#include <cstdint>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// The first two bytes of every kind of file below.
inline constexpr std::uint16_t file_magic = 429;

/// Every kind of file that goes by this magic number.
enum class dialect : std::uint8_t {
  onert,             ///< onert as merged and in use
  onert_micro,       ///< onert-micro
  onert_v0,          ///< the first merged exporter of onert: no tensors, a step
  draft_d0,          ///< draft: weights only, no footer
  draft_d1,          ///< draft: slots, no footer
  draft_d2,          ///< draft: slots, footer announced at the end of the file and missing
  draft_d3,          ///< draft: weights only, offsets that forget the table
  wof,               ///< weights-only file of onert-micro; not a checkpoint
  onert_plus,        ///< onert with a manifest, which onert skips
  onert_micro_plus,  ///< onert-micro with a manifest, which onert-micro skips
  v2,                ///< schema 2
};

/// The name of a dialect as the tool prints it.
[[nodiscard]] constexpr name_view name(dialect kind) noexcept {
  switch (kind) {
    case dialect::onert: return "onert";
    case dialect::onert_micro: return "onert-micro";
    case dialect::onert_v0: return "onert-v0";
    case dialect::draft_d0: return "draft-d0";
    case dialect::draft_d1: return "draft-d1";
    case dialect::draft_d2: return "draft-d2";
    case dialect::draft_d3: return "draft-d3";
    case dialect::wof: return "wof";
    case dialect::onert_plus: return "onert-plus";
    case dialect::onert_micro_plus: return "onert-micro-plus";
    case dialect::v2: return "v2";
  }
  return "unknown";
}

}  // namespace ckpt

#endif  // CKPT_FORMAT_DIALECT_HPP
