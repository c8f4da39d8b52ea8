#ifndef CKPT_TOOL_COMPARE_HPP
#define CKPT_TOOL_COMPARE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "ckpt/base/span.hpp"
#include "elements.hpp"

/// The elements of two tensors of one form, one by one.
namespace tool {

/// How two tensors differ. Elements are equal when their bits are.
struct difference {
  std::uint64_t elements = 0;
  std::uint64_t different = 0;
  std::uint64_t nans = 0;   ///< of those that differ, with a NaN on one side: they have no distance
  std::uint64_t first = 0;  ///< index of the first that differs
  scalar first_a;
  scalar first_b;
  scalar largest;               ///< distance; exact for integers
  double largest_relative = 0;  ///< to the larger of both
};

/// The distance of two integers, which may need all 64 bits.
template <class Integer>
std::uint64_t distance(Integer a, Integer b) noexcept {
  const auto low = static_cast<std::uint64_t>((std::min)(a, b));
  return static_cast<std::uint64_t>((std::max)(a, b)) - low;
}

/// Distances so far. Reals have a real one.
template <class Element>
class distances {
 public:
  using wide = typename Element::wide;

  void add(wide a, wide b, difference& made) {
    if constexpr (Element::is_real) {
      if (std::isnan(a) || std::isnan(b)) {
        ++made.nans;
        return;
      }
      take(std::fabs(a - b), (std::max)(std::fabs(a), std::fabs(b)), made);
    } else {
      const auto size = [](wide value) { return std::fabs(static_cast<double>(value)); };
      take(distance(a, b), (std::max)(size(a), size(b)), made);
    }
  }

 private:
  using length = std::conditional_t<Element::is_real, double, std::uint64_t>;

  void take(length apart, double larger, difference& made) {
    largest_ = (std::max)(largest_, apart);
    made.largest = {largest_};
    const auto real = static_cast<double>(apart);
    const double relative = std::isinf(real) ? real : larger == 0 ? 0 : real / larger;
    made.largest_relative = (std::max)(made.largest_relative, relative);
  }

  length largest_ = 0;
};

template <class Element>
difference compare_as(ckpt::bytes_view a, ckpt::bytes_view b) {
  difference made;
  made.elements = a.size() / Element::width;
  if (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0) return made;
  distances<Element> so_far;
  for (std::uint64_t i = 0; i < made.elements; ++i) {
    const std::byte* const at_a = a.data() + i * Element::width;
    const std::byte* const at_b = b.data() + i * Element::width;
    if (std::memcmp(at_a, at_b, Element::width) == 0) continue;
    const auto value_a = Element::at(at_a);
    const auto value_b = Element::at(at_b);
    if (made.different++ == 0) {
      made.first = i;
      made.first_a = {value_a};
      made.first_b = {value_b};
    }
    so_far.add(value_a, value_b, made);
  }
  return made;
}

/// @param a, b  of one size, whole elements of this dtype
inline difference compare(ckpt::dtype type, ckpt::bytes_view a, ckpt::bytes_view b) {
  return with_elements(type, [&](auto element) { return compare_as<decltype(element)>(a, b); });
}

}  // namespace tool

#endif  // CKPT_TOOL_COMPARE_HPP
