#ifndef CKPT_TOOL_TABLE_HPP
#define CKPT_TOOL_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output.hpp"

namespace tool {

using row = std::vector<std::string>;

/// Rows of cells, each column as wide as its widest cell. Numbers stand to the right.
class table {
 public:
  /// @param left  columns that stand to the left
  explicit table(std::vector<std::size_t> left = {}) : left_(std::move(left)) {}

  void add(row cells, std::string remark = {}) {
    widths_.resize((std::max)(widths_.size(), cells.size()), 0);
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths_[i] = (std::max)(widths_[i], width(cells[i]));
    rows_.push_back({std::move(cells), std::move(remark)});
  }

  void print() const {
    for (const line& each : rows_) put(words(each) + "\n");
  }

 private:
  struct line {
    row cells;
    std::string remark;
  };

  /// Characters, not bytes.
  [[nodiscard]] static std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
  }

  [[nodiscard]] std::string words(const line& each) const {
    std::string text;
    for (std::size_t i = 0; i < each.cells.size(); ++i) {
      const std::string space(widths_[i] - width(each.cells[i]), ' ');
      const bool is_left = std::find(left_.begin(), left_.end(), i) != left_.end();
      if (i > 0) text += "  ";
      text += is_left ? each.cells[i] + space : space + each.cells[i];
    }
    text += each.remark;
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  std::vector<std::size_t> left_;
  std::vector<std::size_t> widths_;
  std::vector<line> rows_;
};

}  // namespace tool

#endif  // CKPT_TOOL_TABLE_HPP
