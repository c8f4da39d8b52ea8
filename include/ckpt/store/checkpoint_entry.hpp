#ifndef CKPT_STORE_CHECKPOINT_ENTRY_HPP
#define CKPT_STORE_CHECKPOINT_ENTRY_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "ckpt/base/status.hpp"
#include "ckpt/store/trainer_arguments.hpp"

namespace ckpt {

/// One checkpoint of a directory.
struct checkpoint_entry {
  std::uint64_t serial = 0;
  std::uint64_t step = 0;           ///< completed steps
  std::uint64_t epoch = 0;          ///< completed epochs
  std::uint64_t trainer_count = 0;  ///< trainers that wrote their arguments
  std::uint64_t model_bytes = 0;    ///< size of the model file
  trainer_arguments arguments{};    ///< those of the chief
  /// Why it is not usable; ok if it is, as far as was looked: `list()` looks at the mark and at the
  /// sizes of the files, `check()` and `latest()` at every byte.
  status health{};
  std::string message{};  ///< the same for a person; empty if usable
};

/// An entry that was passed over, and why.
struct skipped_entry {
  std::string name;  ///< in the directory
  status reason{};
  std::string message;
};

/// The newest checkpoint that is whole, and what was passed over to get there, the newest first.
struct latest_checkpoint {
  checkpoint_entry entry{};
  std::vector<skipped_entry> skipped{};
};

}  // namespace ckpt

#endif  // CKPT_STORE_CHECKPOINT_ENTRY_HPP
