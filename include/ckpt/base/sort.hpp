#ifndef CKPT_BASE_SORT_HPP
#define CKPT_BASE_SORT_HPP

#include <cstddef>

namespace ckpt {

namespace detail {

template <class T, class Less>
constexpr void sift_down(T* values, std::size_t root, std::size_t count, Less less) noexcept {
  while (2 * root + 1 < count) {
    std::size_t child = 2 * root + 1;
    if (child + 1 < count && less(values[child], values[child + 1])) ++child;
    if (!less(values[root], values[child])) return;
    const T kept = values[root];
    values[root] = values[child];
    values[child] = kept;
    root = child;
  }
}

}  // namespace detail

/// Heap sort: in place, O(n log n) whatever the input, and usable by the compiler, which std::sort
/// is not in C++17.
template <class T, class Less>
constexpr void sort_in_place(T* values, std::size_t count, Less less) noexcept {
  for (std::size_t i = count / 2; i-- > 0;) detail::sift_down(values, i, count, less);
  for (std::size_t end = count; end > 1;) {
    --end;
    const T largest = values[0];
    values[0] = values[end];
    values[end] = largest;
    detail::sift_down(values, 0, end, less);
  }
}

}  // namespace ckpt

#endif  // CKPT_BASE_SORT_HPP
