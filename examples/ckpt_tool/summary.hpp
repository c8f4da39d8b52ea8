#ifndef CKPT_TOOL_SUMMARY_HPP
#define CKPT_TOOL_SUMMARY_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ckpt/codec/contents.hpp"
#include "elements.hpp"
#include "json.hpp"
#include "progress.hpp"

/// What `inspect --stats` says of the elements of a tensor.
namespace tool {

/// Least, most, mean and norm are of the finite elements, and mean nothing where there are none.
struct summary {
  std::uint64_t elements = 0;
  std::uint64_t finite = 0;
  std::uint64_t nans = 0;
  std::uint64_t infinities = 0;
  scalar least;
  scalar most;
  double mean = 0;
  double norm = 0;  ///< root of the sum of squares
};

/// A sum that loses nothing to the order of its terms (Neumaier).
class exact_sum {
 public:
  void add(double term) noexcept {
    const double next = sum_ + term;
    const bool is_larger = std::fabs(sum_) >= std::fabs(term);
    lost_ += is_larger ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  [[nodiscard]] double value() const noexcept { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

/// Counts elements and finds the least and the most of them.
template <class Element>
void find_bounds(ckpt::bytes_view bytes, summary& made) {
  using wide = typename Element::wide;
  wide least{};
  wide most{};
  for (std::size_t at = 0; at + Element::width <= bytes.size(); at += Element::width) {
    const wide value = Element::at(bytes.data() + at);
    ++made.elements;
    if constexpr (Element::is_real) {
      if (std::isnan(value)) ++made.nans;
      if (std::isinf(value)) ++made.infinities;
      if (!std::isfinite(value)) continue;
    }
    least = made.finite == 0 ? value : (std::min)(least, value);
    most = made.finite == 0 ? value : (std::max)(most, value);
    ++made.finite;
  }
  made.least = {least};
  made.most = {most};
}

/// A power of two that brings the elements to where neither sums nor squares leave the range.
inline double scale_for(double largest) noexcept {
  const bool is_usual = largest == 0 || (largest > 0x1p-400 && largest < 0x1p400);
  return is_usual ? 1 : std::ldexp(1, (std::min)(1000, -std::ilogb(largest)));
}

template <class Element>
summary summarize_as(ckpt::bytes_view bytes) {
  summary made;
  find_bounds<Element>(bytes, made);
  if (made.finite == 0) return made;
  const auto size = [](const scalar& value) {
    return std::visit([](auto number) { return std::fabs(static_cast<double>(number)); },
                      value.number);
  };
  const double scale = scale_for((std::max)(size(made.least), size(made.most)));
  exact_sum sum;
  exact_sum squares;
  for (std::size_t at = 0; at + Element::width <= bytes.size(); at += Element::width) {
    const double value = static_cast<double>(Element::at(bytes.data() + at)) * scale;
    if (!std::isfinite(value)) continue;
    sum.add(value);
    squares.add(value * value);
  }
  made.mean = sum.value() / static_cast<double>(made.finite) / scale;
  made.norm = std::sqrt(squares.value()) / scale;
  return made;
}

inline summary summarize(ckpt::dtype type, ckpt::bytes_view bytes) {
  return with_elements(type, [&](auto element) { return summarize_as<decltype(element)>(bytes); });
}

/// The summaries of all payloads of a checkpoint.
class summaries {
 public:
  explicit summaries(const ckpt::contents_view& view) : tensors_(view.model.size()) {
    progress shown_to;
    std::uint64_t total = 0;
    for (const ckpt::bytes_view payload : view.payloads) total += payload.size();
    shown_to.begin("summing up", total);
    for (std::size_t s = 0; s < view.section_count(); ++s) {
      for (std::size_t i = 0; i < tensors_; ++i) {
        all_.push_back(summarize(view.form(s, i).type(), view.bytes(s, i)));
        shown_to.advance(view.bytes(s, i).size());
      }
    }
  }

  [[nodiscard]] const summary& at(std::size_t section, std::size_t index) const {
    return all_[section * tensors_ + index];
  }

 private:
  std::size_t tensors_;
  std::vector<summary> all_;
};

inline void put_json_summary(json_writer& json, const summary& said) {
  const bool has_any = said.finite > 0;
  json.object("stats", json_writer::style::one_line);
  json.member("elements", said.elements);
  json.member("nan", said.nans);
  json.member("inf", said.infinities);
  json.member("min", has_any ? std::optional<scalar>(said.least) : std::nullopt);
  json.member("max", has_any ? std::optional<scalar>(said.most) : std::nullopt);
  json.member("mean", has_any ? std::optional<double>(said.mean) : std::nullopt);
  json.member("norm", has_any ? std::optional<double>(said.norm) : std::nullopt);
  json.end();
}

}  // namespace tool

#endif  // CKPT_TOOL_SUMMARY_HPP
