#ifndef CKPT_CORE_HPP
#define CKPT_CORE_HPP

/// Everything that needs no heap, no exceptions and no operating system: models, optimizers,
/// formats, layouts, and the codec between tensors and bytes.
#include "ckpt/base/buffer.hpp"
#include "ckpt/base/io_contract.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/codec/contents.hpp"
#include "ckpt/codec/convert.hpp"
#include "ckpt/codec/filtered_state.hpp"
#include "ckpt/codec/partial.hpp"
#include "ckpt/codec/reader.hpp"
#include "ckpt/codec/table_entries.hpp"
#include "ckpt/codec/verify.hpp"
#include "ckpt/codec/writer.hpp"
#include "ckpt/format/detect.hpp"
#include "ckpt/format/onert.hpp"
#include "ckpt/format/onert_micro.hpp"
#include "ckpt/format/onert_micro_plus.hpp"
#include "ckpt/format/onert_plus.hpp"
#include "ckpt/format/v2.hpp"
#include "ckpt/layout/dynamic_layout.hpp"
#include "ckpt/layout/layout.hpp"
#include "ckpt/model/index_of.hpp"
#include "ckpt/model/model.hpp"
#include "ckpt/model/optimizers.hpp"
#include "ckpt/model/static_match.hpp"
#include "ckpt/model/values.hpp"
#include "ckpt/version.hpp"

#endif  // CKPT_CORE_HPP
