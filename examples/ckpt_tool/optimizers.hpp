#ifndef CKPT_TOOL_OPTIMIZERS_HPP
#define CKPT_TOOL_OPTIMIZERS_HPP

#include <optional>
#include <string>
#include <string_view>

#include "ckpt/model/optimizer.hpp"
#include "ckpt/model/optimizers.hpp"

namespace tool {

inline constexpr ckpt::optimizer_view known_optimizers[] = {
    ckpt::view_of_optimizer<ckpt::sgd>(),
    ckpt::view_of_optimizer<ckpt::momentum>(),
    ckpt::view_of_optimizer<ckpt::adam>(),
    ckpt::view_of_optimizer<ckpt::adamw>(),
    ckpt::view_of_optimizer<ckpt::adagrad>(),
    ckpt::view_of_optimizer<ckpt::rmsprop>(),
    ckpt::view_of_optimizer<ckpt::rmsprop_centred>(),
    ckpt::view_of_optimizer<ckpt::amsgrad>(),
    ckpt::view_of_optimizer<ckpt::lamb>(),
    ckpt::view_of_optimizer<ckpt::adafactor>(),
    ckpt::view_of_optimizer<ckpt::adam8bit>()};

inline std::optional<ckpt::optimizer_view> optimizer_named(std::string_view wanted) {
  for (const ckpt::optimizer_view& each : known_optimizers)
    if (std::string_view(each.name) == wanted) return each;
  return std::nullopt;
}

/// "sgd, momentum, ..."
inline std::string optimizer_list() {
  std::string words;
  for (const ckpt::optimizer_view& each : known_optimizers)
    words += (words.empty() ? "" : ", ") + std::string(each.name);
  return words;
}

}  // namespace tool

#endif  // CKPT_TOOL_OPTIMIZERS_HPP
