#ifndef CKPT_MODEL_OPTIMIZERS_HPP
#define CKPT_MODEL_OPTIMIZERS_HPP

/// The optimizer policies that come with ckpt.
#include "ckpt/model/optimizer/adafactor.hpp"
#include "ckpt/model/optimizer/adagrad.hpp"
#include "ckpt/model/optimizer/adam.hpp"
#include "ckpt/model/optimizer/adam8bit.hpp"
#include "ckpt/model/optimizer/amsgrad.hpp"
#include "ckpt/model/optimizer/lamb.hpp"
#include "ckpt/model/optimizer/momentum.hpp"
#include "ckpt/model/optimizer/rmsprop.hpp"
#include "ckpt/model/optimizer/sgd.hpp"

#endif  // CKPT_MODEL_OPTIMIZERS_HPP
