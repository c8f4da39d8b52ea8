#ifndef CKPT_CHECKPOINT_LOAD_HPP
#define CKPT_CHECKPOINT_LOAD_HPP

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/checkpoint/order_scratch.hpp"
#include "ckpt/checkpoint/ready_layout.hpp"
#include "ckpt/codec/reader.hpp"
#include "ckpt/io/file.hpp"
#include "ckpt/io/scatter.hpp"

namespace ckpt {

/// How to load: what is accepted (`read_options`), and whether through a buffer.
struct load_options {
  read_options read{};
  /// Read everything into memory of the file's size first, so that even a failing disk leaves the
  /// state as it was.
  bool staged = false;

  constexpr load_options() noexcept = default;
  /// What is accepted, and whether to read through a buffer (`staged`).
  constexpr load_options(const read_options& accepted, bool through_buffer = false) noexcept
      : read(accepted), staged(through_buffer) {}
};

namespace detail {

/// The parts of a file that are not payload: header and tables, footer.
class file_frame {
 public:
  /// @errors no_memory
  [[nodiscard]] status allocate(const layout_view& layout) noexcept {
    const std::size_t table_bytes = 4 * layout.model.size();
    const std::size_t size = (std::max)(least_head_bytes, schema1::header_bytes + table_bytes) +
                             layout.slot_count() * table_bytes + schema1::footer_bytes;
    bytes_.reset(new (std::nothrow) std::byte[size]);
    return bytes_ == nullptr ? fail(errc::no_memory, size, 0) : status{};
  }

  /// Bytes to read first: header and table of the model, and enough to name most files that are
  /// not what was asked for.
  [[nodiscard]] static std::size_t head_bytes(const layout_view& layout,
                                              std::uint64_t file_bytes) noexcept {
    const std::uint64_t wanted = schema1::header_bytes + std::uint64_t{4} * layout.model.size();
    return static_cast<std::size_t>(
        (std::min)(file_bytes, (std::max<std::uint64_t>)(wanted, least_head_bytes)));
  }

  /// The next `size` bytes of the memory, filled from the file.
  template <class File>
  [[nodiscard]] result<const std::byte*> read(File& file, std::uint64_t offset,
                                              std::size_t size) noexcept {
    std::byte* const to = bytes_.get() + used_;
    const status done = file.read_at(offset, bytes_span(to, size));
    if (!done.ok()) return done;
    used_ += size;
    return static_cast<const std::byte*>(to);
  }

 private:
  static constexpr std::size_t least_head_bytes = 4096;

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t used_ = 0;
};

/// Reads header and first table, or as much of them as there is.
template <class File>
result<located_file> locate_in(File& file, const layout_view& layout, dialect own,
                               file_frame& frame, const std::byte*& first_table) noexcept {
  if (file.size() == 0) return fail(errc::empty_file, layout.file_bytes, 0);
  const std::size_t size = file_frame::head_bytes(layout, file.size());
  const auto head = frame.read(file, 0, size);
  if (!head.ok()) return head.error();
  first_table = *head + schema1::header_bytes;
  return locate(layout, own, bytes_view(*head, size), file.size());
}

/// Does every check there is, reading nothing but header, tables and footer.
template <class File>
result<opened_file> open_in(File& file, const layout_view& layout, dialect own,
                            read_options& options, file_frame& frame,
                            order_scratch& scratch) noexcept {
  if (const status ready = frame.allocate(layout); !ready.ok()) return ready;
  const std::byte* tables[1 + schema1::max_slot_count] = {};
  const auto located = locate_in(file, layout, own, frame, tables[0]);
  if (!located.ok()) return located.error();
  const file_map& map = located->map;
  const status wanted = check_request(layout, map, own, options);
  if (!wanted.ok()) return wanted;
  if (const status lent = scratch.lend(layout, *located, options); !lent.ok()) return lent;
  for (std::size_t s = 1; s < sections_read(layout, options.slots); ++s) {
    const auto table = frame.read(file, map.sections[s].table, 4 * layout.model.size());
    if (!table.ok()) return table.error();
    tables[s] = *table;
  }
  const std::byte* footer = nullptr;
  if (map.has_footer) {
    const auto read = frame.read(file, map.footer, schema1::footer_bytes);
    if (!read.ok()) return read.error();
    footer = *read;
  }
  return open_located(layout, *located, tables, footer, options);
}

/// Reads every payload straight into its tensor.
template <class Native, class File>
status scatter(File& file, const layout_view& layout, const opened_file& opened,
               std::byte* const* pointers) noexcept {
  basic_scatter_reader<Native> reader(file);
  const std::size_t count = layout.model.size();
  for (std::size_t s = 0; s < opened.section_count; ++s) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto size = static_cast<std::size_t>(layout.bytes(s, i));
      if (size == 0) continue;
      const bytes_span to(pointers[s * count + i], size);
      if (const status read = reader.queue(opened.offset(s, i), to); !read.ok()) return read;
    }
  }
  return reader.flush();
}

/// On big-endian hosts: from the order of the file to that of the host.
inline void reverse_payloads(const layout_view& layout, std::size_t section_count,
                             std::byte* const* pointers) noexcept {
  const std::size_t count = layout.model.size();
  for (std::size_t s = 0; s < section_count; ++s)
    for (std::size_t i = 0; i < count; ++i)
      reverse_elements(
          bytes_span(pointers[s * count + i], static_cast<std::size_t>(layout.bytes(s, i))),
          payload_width(layout.optimizer, s, layout.model[i]));
}

/// Reads the whole file into memory and loads from there.
template <class File, class Reader, class Layout, class State>
result<load_report> load_staged(File& file, const Layout& layout, const read_options& options,
                                State& state) noexcept {
  if (file.size() > (std::numeric_limits<std::size_t>::max)() / 2)
    return fail(errc::no_memory, file.size(), 0);
  const auto size = static_cast<std::size_t>(file.size());
  const std::unique_ptr<std::byte[]> bytes(new (std::nothrow) std::byte[size]);
  if (bytes == nullptr) return fail(errc::no_memory, size, 0);
  const status read = file.read_at(0, bytes_span(bytes.get(), size));
  if (!read.ok()) return read;
  const auto opened = Reader::open(layout, bytes_view(bytes.get(), size), options);
  if (!opened.ok()) return opened.error();
  return opened->load_into(state);
}

template <class Native, class Format, byte_order Host, class Model, class Optimizer>
result<load_report> load_state(const path& source, state_view<Model, Optimizer>& state,
                               const load_options& options) {
  const auto ready = ready_layout<Model, Optimizer, Format>::make(state.model());
  if (!ready.ok()) return ready.error();
  const layout_view layout = ready->get().view();
  auto file = basic_file<Native>::open(source);
  if (!file.ok()) return file.error();
  file_frame frame;
  order_scratch scratch;
  read_options accepted = options.read;
  const auto opened = open_in(*file, layout, Format::kind, accepted, frame, scratch);
  if (!opened.ok()) return opened.error();
  const bool touches_slots = options.read.slots != slot_policy::ignored;
  const status bound =
      check_bound(layout, touches_slots ? layout.sections.size() : 1, state.pointers());
  if (!bound.ok()) return bound;

  if (options.staged) {
    using reader_type = reader<Model, Optimizer, Format, Host>;
    return load_staged<basic_file<Native>, reader_type>(*file, ready->get(), accepted, state);
  }
  status read = scatter<Native>(*file, layout, *opened, state.pointers());
  read.indeterminate = !read.ok();
  if (!read.ok()) return read;
  if constexpr (Host == byte_order::big)
    reverse_payloads(layout, opened->section_count, state.pointers());
  if (options.read.slots == slot_policy::cold) clear_slots(layout, state.pointers());
  if (touches_slots) state.training = opened->training;
  return report_of(layout, *opened, options.read.slots);
}

template <class Native, class Format, byte_order Host = host_byte_order, class Model,
          class Optimizer>
file_result<load_report> load_with(const path& source, state_view<Model, Optimizer>& state,
                                   const load_options& options) {
  const auto loaded = load_state<Native, Format, Host>(source, state, options);
  if (loaded.ok()) return *loaded;
  return {loaded.error(), file_message("load", source, loaded.error(), state.model())};
}

}  // namespace detail

/// Loads a checkpoint straight from the file into the tensors of a state, after every check of
/// structure, sizes and optimizer has passed: a load that fails on those has changed nothing. It is
/// strict unless told otherwise: the file must hold the slots of the optimizer. Any dialect of
/// schema 1 that holds the same tensors is read.
///
///     ckpt::load("a.ckpt", state);                      // everything
///     ckpt::load("a.ckpt", state, ckpt::weights_only);  // leave slots, step and epoch
///     ckpt::load("a.ckpt", state, ckpt::cold_slots);    // slots start at zero
///
/// @errors empty_path, invalid_path, not_found, permission_denied, not_a_regular_file, empty_file,
///         busy, input_output, unbound_tensor, no_memory, for run-time models those of
///         layout::make(), those of detect(), check_request() and check_tables();
///         input_output or truncated with `indeterminate` when the disk fails in mid-payload
template <class Format = onert, class Model, class Optimizer>
file_result<load_report> load(const path& source, state_view<Model, Optimizer>& state,
                              const load_options& options = {}) {
  return detail::load_with<native, Format>(source, state, options);
}

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_LOAD_HPP
