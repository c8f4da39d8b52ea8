#ifndef CKPT_TESTS_UNIT_ALLOCATIONS_HPP
#define CKPT_TESTS_UNIT_ALLOCATIONS_HPP

#include <cstddef>

namespace test {

/// Bytes that operator new has given and not got back.
std::size_t allocated_bytes();
/// Starts to watch for the highest point from here on.
void watch_allocations();
/// The highest point since then, above where it began.
std::size_t peak_allocation();

/// From now on no block above this size is given; 0 lifts the limit.
void limit_allocations(std::size_t bytes);

}  // namespace test

#endif  // CKPT_TESTS_UNIT_ALLOCATIONS_HPP
