#ifndef CKPT_INTEROP_ONEFLOW_HPP
#define CKPT_INTEROP_ONEFLOW_HPP

#include "ckpt/interop/oneflow_meta.hpp"
#include "ckpt/interop/oneflow_open.hpp"
#include "ckpt/interop/oneflow_save.hpp"

/// The directory that OneFlow's lazy API (2020-11 to 2021-04) saves and loads: one directory a
/// variable, with its bytes and, as text, its shape and dtype.
///
///     <path>/<variable>/out      row-major, little-endian, nothing else
///     <path>/<variable>/meta     see oneflow_meta.hpp
///     <path>/snapshot_done       empty, made last
///
/// Slots are variables beside their weight: `<w>-m` and `<w>-v` (Adam, AdamW, LAMB), `<w>-momentum`
/// (momentum), `<w>-mean_square` and `<w>-mean_gradient` (RMSProp), `<w>-<name of the slot>` for
/// every other optimizer. The step is `System-Train-TrainStep-<job>`. Nothing else of the training
/// state has a place. OneFlow's own LAMB has two numbers more a weight, `<w>-beta1_t` and
/// `<w>-beta2_t`: they are read as tensors of their own, and not made up when saving.
///
/// @source OneFlow v0.4: oneflow/python/framework/check_point_v2.py, python/ops/optimizer.py,
/// core/job_rewriter
namespace ckpt::oneflow {}

#endif  // CKPT_INTEROP_ONEFLOW_HPP
