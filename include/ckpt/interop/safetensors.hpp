#ifndef CKPT_INTEROP_SAFETENSORS_HPP
#define CKPT_INTEROP_SAFETENSORS_HPP

/// Checkpoints as safetensors files, there and back without loss:
///
///     const auto saved = ckpt::safetensors::save("a.safetensors", contents.view());
///     const auto opened = ckpt::safetensors::open("a.safetensors");
///
/// What stands where is in safetensors_header.hpp (the container) and safetensors_metadata.hpp (the
/// checkpoint in it).
#include "ckpt/interop/safetensors_read.hpp"
#include "ckpt/interop/safetensors_write.hpp"

#endif  // CKPT_INTEROP_SAFETENSORS_HPP
