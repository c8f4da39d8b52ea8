#ifndef CKPT_IO_TRANSFER_HPP
#define CKPT_IO_TRANSFER_HPP

#include <cstdint>

namespace ckpt {

/// How much a reader or writer has moved so far, for reports.
struct transfer_counts {
  std::uint64_t calls = 0;  ///< system calls that moved bytes
  std::uint64_t bytes = 0;  ///< bytes moved, holes between pieces included
};

}  // namespace ckpt

#endif  // CKPT_IO_TRANSFER_HPP
