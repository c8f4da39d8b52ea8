#ifndef CKPT_INTEROP_PADDLE_HPP
#define CKPT_INTEROP_PADDLE_HPP

#include "ckpt/interop/paddle_open.hpp"
#include "ckpt/interop/paddle_save.hpp"
#include "ckpt/interop/paddle_variable.hpp"

/// The variables of a program of PaddlePaddle (fluid, 2018 to 2020): one file a variable in a flat
/// directory, as `save_persistables` makes it (`save_vars`, and `__model__` of a checkpoint).
///
///     <path>/<variable>   see paddle_variable.hpp
///     <path>/_SUCCESS     in checkpoints: empty, or a time; made last
///
/// Slots are variables beside their weight, with the names that fluid gives its accumulators:
/// `<w>_moment1_0` and `<w>_moment2_0` (Adam, AdamW, LAMB), `<w>_velocity_0` (momentum),
/// `<w>_moment_0` (Adagrad), `<w>_mean_square_0` and `<w>_mean_grad_0` (RMSProp),
/// `<w>_<name of the slot>_0` for every other optimizer. Fluid of early 2018 leaves the weight out
/// of these names (`moment1_3`); such variables are tensors of their own here.
///
/// The step is `@STEP_COUNTER@`, i64 in a shape of one: the variable in which fluid's
/// `autoincreased_step_counter` counts completed steps. Nothing else of the training state has a
/// place. Fluid also keeps the powers of Adam's betas (`<w>_beta1_pow_acc_0`, ...) and a momentum
/// in its RMSProp: they are read as tensors of their own, and not made up when saving.
///
/// @source PaddlePaddle: python/paddle/fluid/io.py, python/paddle/fluid/optimizer.py,
/// python/paddle/fluid/layers
namespace ckpt::paddle {}

#endif  // CKPT_INTEROP_PADDLE_HPP
