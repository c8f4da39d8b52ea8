#ifndef CKPT_CODEC_VISIT_CHECK_HPP
#define CKPT_CODEC_VISIT_CHECK_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "ckpt/format/manifest_view.hpp"

namespace ckpt::detail {

/// Whether the visit order of a manifest names every stored tensor and none that is absent. It may
/// name one more than once, as a graph does whose operators share a weight.
// Nobody gives it memory, so it marks the tensors of one window at a time and goes through all
// visits for each. The number of windows is limited: a file may not cost more than its size.
class visit_check {
 public:
  /// Tensors that are marked at a time.
  static constexpr std::size_t window_tensors = 32768;
  /// The order of more tensors is taken on trust.
  static constexpr std::size_t max_tensors = 4 * window_tensors;

  explicit visit_check(const manifest::view& known) noexcept : manifest_(known) {}

  /// @errors invalid_visits
  [[nodiscard]] status run() noexcept {
    if (manifest_.visit_count() == 0 || manifest_.size() > max_tensors) return {};
    return manifest_.for_each_payload([this](std::size_t s, std::size_t i, const tensor_spec& found,
                                             const tensor_form&, std::uint64_t) noexcept {
      return s == 0 ? check(i, found.purpose() != role::absent) : status{};
    });
  }

 private:
  [[nodiscard]] status check(std::size_t index, bool is_stored) noexcept {
    if (index % window_tensors == 0) mark_from(index);
    if (is_marked(index % window_tensors) == is_stored) return {};
    return fail(errc::invalid_visits).in(section::manifest).about(index);
  }

  /// Marks what is visited of the window that begins with this tensor.
  void mark_from(std::size_t first) noexcept {
    marks_ = {};
    for (std::size_t k = 0; k < manifest_.visit_count(); ++k) {
      const std::size_t index = manifest_.visit(k);
      if (index >= first && index - first < window_tensors) mark(index - first);
    }
  }

  void mark(std::size_t place) noexcept { marks_[place / 32] |= std::uint32_t{1} << place % 32; }
  [[nodiscard]] bool is_marked(std::size_t place) const noexcept {
    return (marks_[place / 32] >> place % 32 & 1U) != 0;
  }

  const manifest::view& manifest_;
  std::array<std::uint32_t, window_tensors / 32> marks_{};
};

}  // namespace ckpt::detail

#endif  // CKPT_CODEC_VISIT_CHECK_HPP
