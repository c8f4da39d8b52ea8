#ifndef CKPT_TESTS_HEADERS_SHARED_MODEL_HPP
#define CKPT_TESTS_HEADERS_SHARED_MODEL_HPP

#include "ckpt/ckpt.hpp"

struct shared_model {
  static constexpr auto tensors =
      ckpt::tensors({{"w", ckpt::dtype::f32, {4, 3}}, {"b", ckpt::dtype::f32, {4}}});
};

using shared_state = ckpt::state<shared_model, ckpt::adam>;

/// Defined in second.cpp: the file of a state, made in another translation unit.
std::vector<std::byte> written_elsewhere(const shared_state& state);

#endif  // CKPT_TESTS_HEADERS_SHARED_MODEL_HPP
