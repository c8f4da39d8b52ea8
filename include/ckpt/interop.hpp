#ifndef CKPT_INTEROP_HPP
#define CKPT_INTEROP_HPP

/// The containers of others, read and written by name: safetensors, NumPy, OneFlow, Paddle; and the
/// text that gives names to a checkpoint without them.
#include "ckpt/interop/model_text.hpp"
#include "ckpt/interop/npy.hpp"
#include "ckpt/interop/oneflow.hpp"
#include "ckpt/interop/paddle.hpp"
#include "ckpt/interop/safetensors.hpp"

#endif  // CKPT_INTEROP_HPP
