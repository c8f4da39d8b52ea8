#ifndef CKPT_CKPT_HPP
#define CKPT_CKPT_HPP

/// Everything: the core, files, and saving and loading of whole training states.
#include "ckpt/checkpoint/load.hpp"
#include "ckpt/checkpoint/map.hpp"
#include "ckpt/checkpoint/model_builder.hpp"
#include "ckpt/checkpoint/save.hpp"
#include "ckpt/checkpoint/state.hpp"
#include "ckpt/core.hpp"
#include "ckpt/io/memory.hpp"
#include "ckpt/io/stdio.hpp"

#endif  // CKPT_CKPT_HPP
