#ifndef CKPT_FORMAT_ONERT_MICRO_PLUS_HPP
#define CKPT_FORMAT_ONERT_MICRO_PLUS_HPP

#include "ckpt/format/onert_micro.hpp"
#include "ckpt/format/schema1_plus.hpp"

namespace ckpt {

/// A file that onert-micro reads as its own, with names, dtypes, shapes, roles and checksums in it.
/// Payloads follow the index, which is the same to onert-micro; a weight that two operators use is
/// stored once, and the manifest keeps the order of the visits.
///
/// @source what the loaders of onert-micro skip was tried on release builds of them
struct onert_micro_plus : schema1::plus_policy<onert_micro_plus, onert_micro> {
  static constexpr name_view name = "onert_micro_plus";
  static constexpr dialect kind = dialect::onert_micro_plus;
};

}  // namespace ckpt

#endif  // CKPT_FORMAT_ONERT_MICRO_PLUS_HPP
