#ifndef CKPT_EXAMPLES_TRAINER_RANDOM_HPP
#define CKPT_EXAMPLES_TRAINER_RANDOM_HPP

// Random numbers.

#include <cstdint>

namespace trainer {

/// splitmix64: a few lines, and the same numbers everywhere.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed = 42) : state_(seed) {}

  /// Any 64 bits.
  std::uint64_t next_word() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// In [-1, 1), a multiple of 2^-23.
  float next() {
    return static_cast<float>(static_cast<std::int64_t>(next_word() >> 40) - (1 << 23)) / (1 << 23);
  }

 private:
  std::uint64_t state_;
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_RANDOM_HPP
