#ifndef CKPT_CKPT_HPP
#define CKPT_CKPT_HPP

/// The core, files, and saving and loading of whole training states, by position and by name. The
/// containers of others are in ckpt/interop.hpp.
#include "ckpt/checkpoint/contents.hpp"
#include "ckpt/checkpoint/convert.hpp"
#include "ckpt/checkpoint/filtered_state.hpp"
#include "ckpt/checkpoint/load.hpp"
#include "ckpt/checkpoint/load_by_name.hpp"
#include "ckpt/checkpoint/map.hpp"
#include "ckpt/checkpoint/model_builder.hpp"
#include "ckpt/checkpoint/open_contents.hpp"
#include "ckpt/checkpoint/partial_table.hpp"
#include "ckpt/checkpoint/save.hpp"
#include "ckpt/checkpoint/state.hpp"
#include "ckpt/core.hpp"
#include "ckpt/io/memory.hpp"
#include "ckpt/io/stdio.hpp"

#endif  // CKPT_CKPT_HPP
