#ifndef CKPT_CODEC_CHECK_MICRO_HPP
#define CKPT_CODEC_CHECK_MICRO_HPP

#include "ckpt/base/sort.hpp"
#include "ckpt/codec/read_options.hpp"
#include "ckpt/codec/table_view.hpp"

namespace ckpt::detail {

/// The check of one section whose tensors may lie in any order, as onert-micro writes them: some
/// are not stored, and dead copies may lie between.
class scattered_check {
 public:
  constexpr scattered_check(const layout_view& layout, std::size_t section, const table_view& table,
                            const read_options& options) noexcept
      : layout_(layout), section_(section), table_(table), options_(options) {}

  [[nodiscard]] constexpr status run() const noexcept {
    if (const status entries = check_entries(); !entries.ok()) return entries;
    if (layout_.model.visits.empty()) return check_extents();
    const status visited = check_visits(false);
    if (visited.ok() || !options_.four_byte_elements) return visited;
    return check_visits(true);
  }

 private:
  /// Bytes that the file holds for a tensor.
  /// @param wide  onert-micro has stored four bytes for each element
  [[nodiscard]] constexpr std::uint64_t stored_bytes(std::size_t index, bool wide) const noexcept {
    const std::uint64_t bytes = layout_.bytes(section_, index);
    if (!wide || bytes == 0) return bytes;
    return bytes / payload_width(layout_.optimizer, section_, layout_.model[index], index) * 4;
  }

  [[nodiscard]] constexpr bool has_bytes(std::size_t index) const noexcept {
    return layout_.bytes(section_, index) != 0;
  }

  /// An entry is 0 or inside of the section, as the role of its tensor demands.
  [[nodiscard]] constexpr status check_entries() const noexcept {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (table_.stored(i) == 0) {
        if (!has_bytes(i)) continue;
        return table_.blame(i, errc::missing_tensor, layout_.bytes(section_, i), 0);
      }
      if (!table_.is_inside(i))
        return table_.blame(i, errc::offset_out_of_range, table_.bounds().end, table_.offset(i));
      if (layout_.model[i].purpose() == role::absent)
        return table_.blame(i, errc::unexpected_tensor, 0, table_.offset(i));
    }
    return {};
  }

  /// Whether the bytes up to the next tensor can hold this one.
  [[nodiscard]] constexpr status check_extent(std::size_t index,
                                              std::uint64_t extent) const noexcept {
    const std::uint64_t bytes = layout_.bytes(section_, index);
    const std::uint64_t wide = stored_bytes(index, true);
    const bool is_wide = extent == wide && wide != bytes;
    if (extent < bytes || (is_wide && !options_.four_byte_elements))
      return table_.blame(index, errc::size_mismatch, bytes, extent);
    return {};
  }

  /// The order is not known: no two tensors may overlap.
  [[nodiscard]] constexpr status check_extents() const noexcept {
    if (options_.scratch.size() >= table_.size()) return check_sorted();
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (!has_bytes(i)) continue;
      const status fits = check_extent(i, extent_of(layout_, section_, table_, i));
      if (!fits.ok()) return fits;
    }
    return {};
  }

  /// The same in O(n log n), with memory for an index a tensor.
  [[nodiscard]] constexpr status check_sorted() const noexcept {
    std::uint32_t* const order = options_.scratch.data();
    std::size_t count = 0;
    for (std::size_t i = 0; i < table_.size(); ++i)
      if (has_bytes(i)) order[count++] = static_cast<std::uint32_t>(i);
    const table_view& table = table_;
    sort_in_place(order, count, [&table](std::uint32_t a, std::uint32_t b) noexcept {
      return table.stored(a) != table.stored(b) ? table.stored(a) < table.stored(b) : a < b;
    });
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint64_t next = k + 1 < count ? table_.offset(order[k + 1]) : table_.bounds().end;
      const status fits = check_extent(order[k], next - table_.offset(order[k]));
      if (!fits.ok()) return fits;
    }
    return {};
  }

  /// The order is known, and so is every offset, dead copies included: each tensor must lie where
  /// one of its visits is.
  [[nodiscard]] constexpr status check_visits(bool wide) const noexcept {
    const span<const std::uint32_t> visits = layout_.model.visits;
    std::size_t missing = 0;
    for (std::size_t i = 0; i < table_.size(); ++i) missing += has_bytes(i) ? 1U : 0U;
    cursor at(table_.bounds().payload);
    for (std::size_t k = 0; k < visits.size(); ++k) {
      const std::uint64_t wanted = at.take(stored_bytes(visits[k], wide));
      if (has_bytes(visits[k]) && table_.offset(visits[k]) == wanted) --missing;
    }
    if (missing != 0) return blame_visit(wide);
    if (at.position() == table_.bounds().end) return check_widths(wide);
    return fail(errc::unclaimed_bytes, at.position() - table_.bounds().payload,
                table_.bounds().end - table_.bounds().payload)
        .in(table_.part());
  }

  /// Four bytes an element cannot hold a wider one.
  [[nodiscard]] constexpr status check_widths(bool wide) const noexcept {
    for (std::size_t i = 0; i < table_.size(); ++i)
      if (stored_bytes(i, wide) < layout_.bytes(section_, i))
        return table_.blame(i, errc::size_mismatch, layout_.bytes(section_, i),
                            stored_bytes(i, wide));
    return {};
  }

  /// Names a tensor that is not where any of its visits is. Repeated visits make the search long,
  /// so it ends after a few.
  [[nodiscard]] constexpr status blame_visit(bool wide) const noexcept {
    const span<const std::uint32_t> visits = layout_.model.visits;
    cursor at(table_.bounds().payload);
    int attempts = 16;
    for (std::size_t k = 0; k < visits.size() && attempts > 0; ++k) {
      const std::uint64_t wanted = at.take(stored_bytes(visits[k], wide));
      if (!has_bytes(visits[k]) || table_.offset(visits[k]) == wanted) continue;
      --attempts;
      if (is_at_another_visit(visits[k], wide)) continue;
      for (std::size_t other = k == 0 ? 0 : k - 1; other <= k; ++other) {
        const std::uint64_t extent = extent_of(layout_, section_, table_, visits[other]);
        const status fits = check_extent(visits[other], extent);
        if (!fits.ok()) return fits;
      }
      return table_.blame(visits[k], errc::bad_order, wanted, table_.offset(visits[k]));
    }
    return fail(errc::bad_order).in(table_.part());
  }

  [[nodiscard]] constexpr bool is_at_another_visit(std::size_t index, bool wide) const noexcept {
    const span<const std::uint32_t> visits = layout_.model.visits;
    cursor at(table_.bounds().payload);
    for (std::size_t k = 0; k < visits.size(); ++k) {
      const std::uint64_t copy = at.take(stored_bytes(visits[k], wide));
      if (visits[k] == index && copy == table_.offset(index)) return true;
    }
    return false;
  }

  const layout_view& layout_;
  std::size_t section_;
  const table_view& table_;
  const read_options& options_;
};

}  // namespace ckpt::detail

#endif  // CKPT_CODEC_CHECK_MICRO_HPP
