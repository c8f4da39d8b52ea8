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

/// The parts of a file that are not payload, in memory: header and tables, manifest, footer.
class file_frame {
 public:
  /// Memory for `size` bytes from `offset` on, filled from the file.
  /// @errors no_memory, truncated, input_output
  template <class File>
  [[nodiscard]] result<bytes_view> read(File& file, std::uint64_t offset,
                                        std::uint64_t size) noexcept {
    constexpr std::uint64_t limit = (std::numeric_limits<std::size_t>::max)() / 2;
    if (size > limit) return fail(errc::no_memory, size, 0);
    auto& block = blocks_[used_++];
    block.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(size) + 1]);
    if (block == nullptr) return fail(errc::no_memory, size, 0);
    const bytes_span to(block.get(), static_cast<std::size_t>(size));
    const status done = file.read_at(offset, to);
    if (!done.ok()) return done;
    return bytes_view(to.data(), to.size());
  }

 private:
  // The first look, the rest of the manifest in two steps, two slot tables, the footer.
  static constexpr std::size_t most_blocks = 3 + schema1::max_slot_count + 1;

  std::unique_ptr<std::byte[]> blocks_[most_blocks];
  std::size_t used_ = 0;
};

/// Bytes to read first: header, table and manifest of the layout, and enough to name most files
/// that are not what was asked for.
[[nodiscard]] inline std::uint64_t first_look(const layout_view& layout,
                                              std::uint64_t file_bytes) noexcept {
  constexpr std::uint64_t least = 4096;
  const std::uint64_t wanted = layout.sections[0].payload + manifest::header_bytes;
  return (std::min)(file_bytes, (std::max)(wanted, least));
}

/// Reads the head of a file as far as its manifest goes.
/// @param head  what has been read so far
template <class File>
status read_manifest(File& file, const layout_view& layout, dialect own, file_frame& frame,
                     located_file& located, bytes_view& head) noexcept {
  file_map& map = located.map;
  if (!map.has_manifest()) return {};
  if (map.manifest_bytes == 0) {
    const auto more = frame.read(file, 0, map.manifest + manifest::header_bytes);
    if (!more.ok()) return more.error();
    const auto again = locate(layout, own, *more, file.size());
    if (!again.ok()) return again.error();
    located = *again;  // and with it `map`
    head = *more;
  }
  if (map.head_bytes() > head.size()) {
    const auto more = frame.read(file, 0, map.head_bytes());
    if (!more.ok()) return more.error();
    head = *more;
  }
  head = head.part(0, static_cast<std::size_t>(map.head_bytes()));
  return {};
}

/// Reads tables and footer.
template <class File>
result<opened_file> open_rest(File& file, const layout_view& layout, const located_file& located,
                              bytes_view head, const read_options& options,
                              file_frame& frame) noexcept {
  const file_map& map = located.map;
  const std::byte* tables[1 + schema1::max_slot_count] = {};
  tables[0] = head.data() + map.table(0);
  for (std::size_t s = 1; s < tables_read(layout, map, options.slots); ++s) {
    const auto table = frame.read(file, map.table(s), map.table_bytes());
    if (!table.ok()) return table.error();
    tables[s] = table->data();
  }
  bytes_view footer;
  if (map.has_footer) {
    const auto read = frame.read(file, map.footer, map.footer_bytes);
    if (!read.ok()) return read.error();
    footer = *read;
  }
  return open_located(layout, located, head, tables, footer, options);
}

/// Does every check there is, reading nothing but header, tables, manifest and footer.
template <class File>
result<opened_file> open_in(File& file, const layout_view& layout, dialect own,
                            read_options& options, file_frame& frame,
                            order_scratch& scratch) noexcept {
  if (file.size() == 0) return fail(errc::empty_file, layout.file_bytes, 0);
  const auto looked = frame.read(file, 0, first_look(layout, file.size()));
  if (!looked.ok()) return looked.error();
  bytes_view head = *looked;
  auto located = locate(layout, own, head, file.size());
  if (!located.ok()) return located.error();
  const status wanted = check_request(layout, located->map, own, options);
  if (!wanted.ok()) return wanted;
  const status whole = read_manifest(file, layout, own, frame, *located, head);
  if (!whole.ok()) return whole;
  if (const status lent = scratch.lend(layout, *located, options); !lent.ok()) return lent;
  return open_rest(file, layout, *located, head, options, frame);
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

/// Compares every payload with its checksum, in files that have them.
/// @errors checksum_mismatch
inline status check_payloads(const layout_view& layout, const opened_file& opened,
                             std::byte* const* pointers) noexcept {
  const std::size_t count = layout.model.size();
  for (std::size_t s = 0; s < opened.section_count; ++s) {
    for (std::size_t i = 0; i < count; ++i) {
      const bytes_view payload(pointers[s * count + i],
                               static_cast<std::size_t>(layout.bytes(s, i)));
      const status same = check_checksum(opened.manifest, s, i, payload, opened.offset(s, i));
      if (!same.ok()) return same;
    }
  }
  return {};
}

/// On big-endian hosts: from the order of the file to that of the host.
inline void reverse_payloads(const layout_view& layout, std::size_t section_count,
                             std::byte* const* pointers) noexcept {
  const std::size_t count = layout.model.size();
  for (std::size_t s = 0; s < section_count; ++s)
    for (std::size_t i = 0; i < count; ++i)
      reverse_elements(
          bytes_span(pointers[s * count + i], static_cast<std::size_t>(layout.bytes(s, i))),
          payload_width(layout.optimizer, s, layout.model[i], i));
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

  if (touches_slots)
    if (const status fits = check_fits(opened->values, state.user_values); !fits.ok()) return fits;

  if (options.staged) {
    using reader_type = reader<Model, Optimizer, Format, Host>;
    return load_staged<basic_file<Native>, reader_type>(*file, ready->get(), accepted, state);
  }
  status read = scatter<Native>(*file, layout, *opened, state.pointers());
  if (read.ok() && wants_checksums(*opened, options.read.skip_checksums))
    read = check_payloads(layout, *opened, state.pointers());
  read.indeterminate = !read.ok();
  if (!read.ok()) return read;
  if constexpr (Host == byte_order::big)
    reverse_payloads(layout, opened->section_count, state.pointers());
  if (options.read.slots == slot_policy::cold) clear_slots(layout, state.pointers());
  if (touches_slots)
    if (const status taken = take_training(*opened, state); !taken.ok()) return taken;
  return report_of(layout, *opened, options.read);
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
/// strict unless told otherwise: the file must hold the slots of the optimizer. Any format that
/// holds the same tensors is read. In files that have checksums every payload is compared; because
/// that is done in the tensors, a mismatch leaves the state indeterminate unless the load is
/// staged.
///
///     ckpt::load("a.ckpt", state);                      // everything
///     ckpt::load("a.ckpt", state, ckpt::weights_only);  // leave slots, step and epoch
///     ckpt::load("a.ckpt", state, ckpt::cold_slots);    // slots start at zero
///
/// @errors empty_path, invalid_path, not_found, permission_denied, not_a_regular_file, empty_file,
///         busy, input_output, unbound_tensor, no_memory, for run-time models those of
///         layout::make(), those of detect(), check_request() and open_located(),
///         buffer_too_small (the user's values);
///         input_output or truncated with `indeterminate` when the disk fails in mid-payload,
///         checksum_mismatch with `indeterminate` when a payload has changed
template <class Format = onert, class Model, class Optimizer>
file_result<load_report> load(const path& source, state_view<Model, Optimizer>& state,
                              const load_options& options = {}) {
  return detail::load_with<native, Format>(source, state, options);
}

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_LOAD_HPP
