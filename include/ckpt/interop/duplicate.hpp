#ifndef CKPT_INTEROP_DUPLICATE_HPP
#define CKPT_INTEROP_DUPLICATE_HPP

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

namespace ckpt {

namespace detail {

/// No two names are equal.
inline constexpr std::size_t no_duplicate = ~std::size_t{0};

/// The numbers `0 .. names.size() - 1` in the order of the names, equal ones as they came. Sorting
/// and not hashing: nobody can choose names that make it slow.
[[nodiscard]] inline std::vector<std::size_t> order_of(const std::vector<std::string_view>& names) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  return order;
}

/// Index of the first name that has been there before, or `no_duplicate`.
[[nodiscard]] inline std::size_t find_duplicate(const std::vector<std::string_view>& names) {
  const std::vector<std::size_t> order = order_of(names);
  std::size_t first = no_duplicate;
  for (std::size_t k = 1; k < order.size(); ++k)
    if (names[order[k]] == names[order[k - 1]]) first = (std::min)(first, order[k]);
  return first;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_INTEROP_DUPLICATE_HPP
