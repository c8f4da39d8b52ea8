#ifndef CKPT_CHECKPOINT_PREPARED_SAVE_HPP
#define CKPT_CHECKPOINT_PREPARED_SAVE_HPP

#include <cstdint>
#include <utility>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/checkpoint/progress.hpp"
#include "ckpt/checkpoint/ready_layout.hpp"
#include "ckpt/codec/writer.hpp"

namespace ckpt::detail {

/// A state that passed every check that can be made before the disk is touched.
template <class Format, byte_order Host, class Model, class Optimizer, class Byte>
class prepared_save {
  using ready_type = ready_layout<Model, Optimizer, Format>;
  using writer_type = writer<Model, Optimizer, Format, Host>;

 public:
  using state_type = state_view<Model, Optimizer, Byte>;

  /// @errors those of layouts, and of writer::check()
  [[nodiscard]] static result<prepared_save> make(const state_type& state) noexcept {
    auto ready = ready_type::make(state.model());
    if (!ready.ok()) return ready.error();
    if (const status checked = ready_type::check(); !checked.ok()) return checked;
    const status possible = writer_type(ready->get()).check(state);
    if (!possible.ok()) return possible;
    return result<prepared_save>(prepared_save(std::move(*ready), state));
  }

  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return ready_.get().view().file_bytes; }

  /// Sends the whole checkpoint to a sink.
  /// @errors those of the sink
  template <class Sink>
  status write(Sink& sink, const progress_callback& listener) const {
    const writer_type write(ready_.get());
    progress_sink<Sink> reporting(sink, listener, file_bytes());
    return write.write(*state_, reporting);
  }

 private:
  prepared_save(ready_type ready, const state_type& checked) noexcept
      : ready_(std::move(ready)), state_(&checked) {}

  ready_type ready_;
  const state_type* state_;
};

/// Checks a state for saving in `Format`; the state must outlive what it gives.
template <class Format, byte_order Host = host_byte_order, class Model, class Optimizer, class Byte>
[[nodiscard]] result<prepared_save<Format, Host, Model, Optimizer, Byte>> prepare_save(
    const state_view<Model, Optimizer, Byte>& state) noexcept {
  return prepared_save<Format, Host, Model, Optimizer, Byte>::make(state);
}

}  // namespace ckpt::detail

#endif  // CKPT_CHECKPOINT_PREPARED_SAVE_HPP
