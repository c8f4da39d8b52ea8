#ifndef CKPT_INTEROP_NPY_HPP
#define CKPT_INTEROP_NPY_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "ckpt/base/io_contract.hpp"
#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/checkpoint/save.hpp"
#include "ckpt/interop/npy_header.hpp"
#include "ckpt/io/mapping.hpp"
#include "ckpt/io/replace.hpp"

/// Tensors as the files of NumPy, one each. What stands in them is in npy_header.hpp; a whole
/// directory is written by npy_directory.hpp.
namespace ckpt::npy {

/// A tensor from a file.
struct array {
  tensor_form form;
  bytes_view data;      ///< little-endian, row-major; lies in the mapping, or where parse() got it
  native_mapping file;  ///< keeps the data of open()
};

namespace detail {

/// @errors invalid_shape, limit_exceeded, size_mismatch
[[nodiscard]] inline status check(const tensor_form& form, bytes_view data) noexcept {
  if (!form.extents().is_valid()) return fail(errc::invalid_shape);
  if (form.byte_size() == overflowed) return fail(errc::limit_exceeded);
  if (form.byte_size() != data.size())
    return fail(errc::size_mismatch, form.byte_size(), data.size());
  return {};
}

/// Reads an array whose bytes are kept elsewhere.
[[nodiscard]] inline status read(bytes_view file, two_bytes meaning, array& made,
                                 std::string& note) {
  header_parser parser(file, meaning);
  const status parsed = parser.run();
  note = parser.note();
  if (!parsed.ok()) return parsed;
  const std::uint64_t size = file.size() - parser.data_offset();
  const std::uint64_t expected = parser.form().byte_size();
  if (size < expected) return fail(errc::truncated, expected, size).at(parser.data_offset());
  if (size > expected)
    return fail(errc::trailing_bytes, expected, size).at(parser.data_offset() + expected);
  made.form = parser.form();
  made.data = file.part(parser.data_offset(), static_cast<std::size_t>(size));
  return {};
}

template <class Sink>
status send(const tensor_form& form, bytes_view data, Sink& receiver) {
  const std::string front = make_header(form);
  status sent = receiver.append(as_bytes(front));
  if (sent.ok() && !data.empty()) sent = receiver.append(data);
  const status flushed = receiver.flush();
  return sent.ok() ? flushed : sent;
}

template <class Native>
status save_array(const path& place, const tensor_form& form, bytes_view data,
                  const save_options& how, save_report& done) {
  if (const status possible = check(form, data); !possible.ok()) return possible;
  auto replacement = basic_replacement<Native>::begin(place);
  if (!replacement.ok()) return replacement.error();
  const status sent = send(form, data, replacement->writer());
  if (!sent.ok()) return sent;
  done.file_bytes = replacement->writer().position();
  return replacement->commit(how.durable);
}

}  // namespace detail

/// Writes a tensor as an .npy file of version 1.0, its elements from a multiple of 64 on.
/// @param data  little-endian, row-major; as many bytes as `form` says
/// @errors invalid_shape, limit_exceeded (the size exceeds 64 bits), size_mismatch, and those of
/// the sink
template <class Sink>
status write(const tensor_form& form, bytes_view data, Sink& receiver) {
  static_assert(is_sink_v<Sink>, "ckpt: write() needs a sink (see ckpt/base/io_contract.hpp)");
  if (const status possible = detail::check(form, data); !possible.ok()) return possible;
  return detail::send(form, data, receiver);
}

/// Saves a tensor as an .npy file, so that the name holds either what it held before or the new
/// file, whole.
/// @param data  little-endian, row-major; as many bytes as `form` says
/// @errors those of write(), basic_replacement::begin() and basic_replacement::commit()
[[nodiscard]] inline file_result<save_report> save(const path& target, const tensor_form& form,
                                                   bytes_view data,
                                                   const save_options& options = {}) {
  save_report done;
  const status saved = detail::save_array<native>(target, form, data, options, done);
  if (saved.ok()) return done;
  return {saved,
          ckpt::detail::foreign_message("save", ckpt::detail::quoted_path(target), saved, {})};
}

/// The tensor in an .npy file.
/// @param file     the whole file; must outlive the array, which points into it
/// @param meaning  what the dtype `V2` is
/// @errors truncated, trailing_bytes, bad_syntax (also: not an .npy file), unsupported_version,
/// unsupported_dtype (also: big-endian, records, objects, `V2` unless asked for),
/// unsupported_feature (column-major), invalid_shape (above 8 dimensions), limit_exceeded (the
/// header, a number, the size)
[[nodiscard]] inline file_result<array> parse(bytes_view file,
                                              two_bytes meaning = two_bytes::refused) {
  array made;
  std::string note;
  const status read = detail::read(file, meaning, made, note);
  if (read.ok()) return file_result<array>(std::move(made));
  return {read, ckpt::detail::foreign_message("read", "an .npy file", read, note)};
}

/// Maps an .npy file.
/// @param meaning  what the dtype `V2` is
/// @errors those of parse() and of basic_mapping::open()
[[nodiscard]] inline file_result<array> open(const path& source,
                                             two_bytes meaning = two_bytes::refused) {
  array made;
  std::string note;
  auto mapped = native_mapping::open(source);
  status read = mapped.error();
  if (read.ok()) {
    made.file = std::move(*mapped);
    read = detail::read(made.file.bytes(), meaning, made, note);
  }
  if (read.ok()) return file_result<array>(std::move(made));
  return {read,
          ckpt::detail::foreign_message("read", ckpt::detail::quoted_path(source), read, note)};
}

}  // namespace ckpt::npy

#endif  // CKPT_INTEROP_NPY_HPP
