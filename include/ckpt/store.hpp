#ifndef CKPT_STORE_HPP
#define CKPT_STORE_HPP

/// The life of checkpoints: the manager of a directory, saving in the background, signals, and when
/// to go back. Apart from ckpt/ckpt.hpp because it needs threads: link the thread library of the
/// system (CMake: Threads::Threads).
#include "ckpt/checkpoint/async_saver.hpp"
#include "ckpt/ckpt.hpp"
#include "ckpt/store/checkpoint_directory.hpp"
#include "ckpt/store/checkpoint_manager.hpp"
#include "ckpt/store/loss_watch.hpp"
#include "ckpt/store/stop_signals.hpp"
#include "ckpt/store/trainer_member.hpp"

#endif  // CKPT_STORE_HPP
