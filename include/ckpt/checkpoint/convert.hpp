#ifndef CKPT_CHECKPOINT_CONVERT_HPP
#define CKPT_CHECKPOINT_CONVERT_HPP

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/contents.hpp"
#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/checkpoint/save.hpp"
#include "ckpt/codec/convert.hpp"

namespace ckpt {

/// Contents arranged for another model and optimizer, with the tables that this needs. They view
/// the bytes of the source, which must outlive them. Model and optimizer must, too.
class arranged_contents {
 public:
  /// What can be written or loaded.
  [[nodiscard]] const contents_view& view() const noexcept { return view_; }

  /// Arranges by an index map: for each tensor of `model` the index in the source, `no_tensor` for
  /// none.
  /// @errors those of rearrange()
  [[nodiscard]] static result<arranged_contents> by_index(const contents_view& source,
                                                          const model_view& model,
                                                          const optimizer_view& optimizer,
                                                          span<const std::uint32_t> from,
                                                          const convert_rules& rules = {}) {
    arranged_contents made;
    const std::size_t count = (1 + optimizer.slot_count) * model.size();
    made.payloads_.resize((std::max)(count, source.model.size()));
    made.zeros_.resize(rules.zero_missing_slots ? largest_slot(model, optimizer) : 0);
    const auto arranged =
        rearrange(source, model, optimizer, from, rules, made.payloads_, made.zeros_);
    if (!arranged.ok()) return arranged.error();
    made.view_ = *arranged;
    return result<arranged_contents>(std::move(made));
  }

  /// Arranges by the names of the tensors. One that the source does not have must be absent.
  /// @errors no_names, those of rearrange()
  [[nodiscard]] static result<arranged_contents> by_name(const contents_view& source,
                                                         const model_view& model,
                                                         const optimizer_view& optimizer,
                                                         const convert_rules& rules = {}) {
    std::unordered_map<std::string_view, std::uint32_t> places;
    for (std::size_t i = 0; i < source.model.size(); ++i) {
      const auto name = std::string_view(source.model[i].name());
      if (name.empty()) return fail(errc::no_names).about(i);
      places.emplace(name, static_cast<std::uint32_t>(i));
    }
    std::vector<std::uint32_t> from(model.size(), no_tensor);
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (model[i].name().empty()) return fail(errc::no_names).about(i);
      const auto found = places.find(std::string_view(model[i].name()));
      if (found != places.end()) from[i] = found->second;
    }
    return by_index(source, model, optimizer, from, rules);
  }

 private:
  [[nodiscard]] static std::size_t largest_slot(const model_view& model,
                                                const optimizer_view& optimizer) noexcept {
    std::uint64_t largest = 0;
    for (std::size_t s = 0; s < optimizer.slot_count; ++s)
      for (std::size_t i = 0; i < model.size(); ++i)
        largest = (std::max)(largest, optimizer.slot_bytes(s, model[i], i));
    return static_cast<std::size_t>(largest);
  }

  contents_view view_{};
  std::vector<bytes_view> payloads_;
  std::vector<std::byte> zeros_;
};

/// Contents laid out in a format, with the memory that this needs. The layout views the contents.
template <class Format>
class contents_layout {
 public:
  /// @errors those of lay_out_contents()
  [[nodiscard]] static result<contents_layout> make(const contents_view& contents) {
    contents_layout made;
    made.sections_.resize(contents.section_count());
    made.heads_.resize(contents.section_count());
    made.words_.resize(words_for_contents<Format>(contents));
    const auto known =
        lay_out_contents<Format>(contents, {made.sections_, made.heads_, made.words_});
    if (!known.ok()) return known.error();
    made.view_ = *known;
    return result<contents_layout>(std::move(made));
  }

  /// The layout as `write_contents()` wants it.
  [[nodiscard]] const layout_view& view() const noexcept { return view_; }

 private:
  std::vector<section_bounds> sections_;
  std::vector<span<const std::uint32_t>> heads_;
  std::vector<std::uint32_t> words_;
  layout_view view_{};
};

namespace detail {

template <class Native, class Format>
status save_contents_with(const path& target, const contents_view& contents,
                          const save_options& options, save_report& report) {
  const auto made = contents_layout<Format>::make(contents);
  if (!made.ok()) return made.error();
  const layout_view& layout = made->view();
  std::vector<std::byte> footer(Format::footer_bytes);
  const status counters =
      Format::write_footer(contents.training, contents.values, bytes_span(footer));
  if (!counters.ok()) return counters;
  auto replacement = basic_replacement<Native>::begin(target);
  if (!replacement.ok()) return replacement.error();
  if (const status room = replacement->reserve(layout.file_bytes); !room.ok()) return room;
  const status sent = write_contents<Format>(contents, layout, replacement->writer());
  if (!sent.ok()) return sent;
  if (const status done = replacement->commit(options.durable); !done.ok()) return done;
  report.file_bytes = layout.file_bytes;
  return {};
}

}  // namespace detail

/// Saves contents in a format, as `save()` does it: the name holds what it held before, or the new
/// checkpoint, whole. Bytes go straight from where they are to the file. Contents that view a
/// mapped file can replace that file; the mapping keeps the old one.
/// @errors those of lay_out_contents() and write_contents(), and of save() about files
template <class Format>
file_result<save_report> save_contents(const path& target, const contents_view& contents,
                                       const save_options& options = {}) {
  save_report report;
  const status saved =
      detail::save_contents_with<native, Format>(target, contents, options, report);
  if (saved.ok()) return report;
  return {saved, detail::file_message("save", target, saved, contents.model)};
}

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_CONVERT_HPP
