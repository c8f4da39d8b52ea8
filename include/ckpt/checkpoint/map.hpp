#ifndef CKPT_CHECKPOINT_MAP_HPP
#define CKPT_CHECKPOINT_MAP_HPP

#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/checkpoint/order_scratch.hpp"
#include "ckpt/checkpoint/ready_layout.hpp"
#include "ckpt/codec/reader.hpp"
#include "ckpt/io/mapping.hpp"

namespace ckpt {

/// A checkpoint that is mapped into memory: opening it costs the same whatever its size, and pages
/// are read when they are touched. It is a pointer to a reader and keeps the file mapped; a save to
/// the same name makes a new file and leaves this one as it is. Somebody who shortens the file in
/// place pulls the pages away; ckpt itself never does that.
template <class Model, class Optimizer, class Format = onert, class Native = native>
class mapped_checkpoint {
 public:
  using reader_type = reader<Model, Optimizer, Format>;

  mapped_checkpoint() noexcept = default;

  [[nodiscard]] const reader_type& operator*() const noexcept { return reader_; }
  [[nodiscard]] const reader_type* operator->() const noexcept { return &reader_; }

  /// @errors those of basic_mapping::open(), reader::open() and, for run-time models,
  ///         layout::make()
  [[nodiscard]] static result<mapped_checkpoint> open(const path& source, const model_view& model,
                                                      const read_options& options) noexcept {
    mapped_checkpoint made;
    auto ready = ready_layout::make(model);
    if (!ready.ok()) return ready.error();
    made.layout_ = std::move(*ready);
    auto mapping = basic_mapping<Native>::open(source);
    if (!mapping.ok()) return sized(mapping.error(), made.layout_.get().view().file_bytes);
    made.mapping_ = std::move(*mapping);
    const bytes_view bytes = made.mapping_.bytes();
    const layout_view layout = made.layout_.get().view();
    read_options accepted = options;
    detail::order_scratch scratch;
    if (const auto located = detail::locate(layout, Format::kind, bytes, bytes.size());
        located.ok())
      if (const status lent = scratch.lend(layout, *located, accepted); !lent.ok()) return lent;
    const auto opened = reader_type::open(made.layout_.get(), bytes, accepted);
    if (!opened.ok()) return opened.error();
    made.reader_ = *opened;
    return result<mapped_checkpoint>(std::move(made));
  }

 private:
  /// An empty file cannot be mapped, but it can be told how much it lacks.
  static status sized(status failed, std::uint64_t file_bytes) noexcept {
    if (failed.kind == errc::empty_file) failed.expected = file_bytes;
    return failed;
  }

  using ready_layout = detail::ready_layout<Model, Optimizer, Format>;

  basic_mapping<Native> mapping_;
  ready_layout layout_;
  reader_type reader_;
};

namespace detail {

template <class Mapped>
file_result<Mapped> map_with(const path& source, const model_view& model,
                             const read_options& options) {
  auto opened = Mapped::open(source, model, options);
  if (opened.ok()) return std::move(*opened);
  return {opened.error(), file_message("map", source, opened.error(), model)};
}

}  // namespace detail

/// Maps a checkpoint of a static model: `auto file = ckpt::map<mlp, ckpt::adam>("a.ckpt");`
/// @errors those of mapped_checkpoint::open()
template <class Model, class Optimizer, class Format = onert>
file_result<mapped_checkpoint<Model, Optimizer, Format>> map(const path& source,
                                                             const read_options& options = {}) {
  using mapped = mapped_checkpoint<Model, Optimizer, Format>;
  return detail::map_with<mapped>(source, view_of<Model>(), options);
}

/// Maps a checkpoint of a run-time model; the specs must outlive what is returned.
/// @errors those of mapped_checkpoint::open()
template <class Optimizer, class Format = onert>
file_result<mapped_checkpoint<dynamic_model, Optimizer, Format>> map(
    const path& source, const dynamic_model& model, const read_options& options = {}) {
  using mapped = mapped_checkpoint<dynamic_model, Optimizer, Format>;
  return detail::map_with<mapped>(source, model.view(), options);
}

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_MAP_HPP
