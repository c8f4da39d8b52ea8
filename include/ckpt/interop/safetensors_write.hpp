#ifndef CKPT_INTEROP_SAFETENSORS_WRITE_HPP
#define CKPT_INTEROP_SAFETENSORS_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/base/io_contract.hpp"
#include "ckpt/base/utf8.hpp"
#include "ckpt/checkpoint/save.hpp"
#include "ckpt/interop/safetensors_metadata.hpp"
#include "ckpt/model/check.hpp"

namespace ckpt::safetensors {

namespace detail {

/// Data begins at a multiple of this: the tensors of a mapped file can be used where they are as
/// long as their sizes are multiples of their widths.
inline constexpr std::size_t data_alignment = 64;

/// @errors those of make_header()
[[nodiscard]] inline status check_names(const contents_view& given) {
  std::vector<std::string_view> names;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < given.model.size(); ++i) {
    const name_view name = given.model[i].name();
    if (!is_utf8(name) || name == metadata_key) return fail(errc::invalid_name).about(i);
    if (name.empty() && given.model[i].purpose() != role::absent)
      return fail(errc::no_names).about(i);
    if (name.empty()) continue;
    names.emplace_back(name);
    indices.push_back(i);
  }
  const std::size_t again = ckpt::detail::find_duplicate(names);
  if (again != ckpt::detail::no_duplicate) return fail(errc::duplicate_name).about(indices[again]);
  if (!is_utf8(given.optimizer.name)) return fail(errc::invalid_name);
  for (std::size_t s = 0; s < given.optimizer.slot_count; ++s)
    if (!is_utf8(given.slot_name(s))) return fail(errc::invalid_name).in(slot_section(s));
  return {};
}

/// @errors those of make_header()
[[nodiscard]] inline status check_contents(const contents_view& given) {
  if (const status shapes = check_shapes(given.model); !shapes.ok()) return shapes;
  if (const status sizes = given.check(); !sizes.ok()) return sizes;
  std::vector<std::uint32_t> marks(given.model.size() + 1);
  if (const status visits = check_visits(given.model, marks.data()); !visits.ok()) return visits;
  for (std::size_t s = 1; s < given.section_count(); ++s)
    for (std::size_t i = 0; i < given.model.size(); ++i)
      if (!given.form(s, i).extents().is_valid())
        return fail(errc::invalid_shape).in(numbered_section(s)).about(i);
  return check_names(given);
}

/// Whether a section stores anything for a tensor, be it of no bytes.
[[nodiscard]] constexpr bool is_stored(role purpose, std::size_t section) noexcept {
  return section == 0 ? purpose != role::absent : purpose == role::trainable;
}

inline void append_pair(std::string& to, name_view key, name_view value) {
  if (to.back() != '{') to.push_back(',');
  json::append_string(to, key);
  to.push_back(':');
  json::append_string(to, value);
}

inline void append_tensor(std::string& to, name_view key, const tensor_form& form,
                          std::uint64_t begin) {
  to.push_back(',');
  json::append_string(to, key);
  to += ":{\"dtype\":";
  json::append_string(to, dtype_name(form.type()));
  to += ",\"shape\":[";
  for (std::size_t k = 0; k < form.extents().rank(); ++k) {
    if (k > 0) to.push_back(',');
    ckpt::detail::append_number(to, form.extents()[k]);
  }
  to += "],\"data_offsets\":[" + decimal(begin) + "," + decimal(begin + form.byte_size()) + "]}";
}

/// What is in front of the data, and how much follows.
struct beginning {
  std::string bytes;
  std::uint64_t data_bytes = 0;
};

/// Puts the length in front and spaces behind.
/// @errors limit_exceeded
[[nodiscard]] inline status close_header(std::string& header) {
  header.append((data_alignment - header.size() % data_alignment) % data_alignment, ' ');
  const std::uint64_t size = header.size() - 8;
  if (size > max_header_bytes) return fail(errc::limit_exceeded, max_header_bytes, size);
  for (std::size_t i = 0; i < 8; ++i) header[i] = static_cast<char>((size >> (8 * i)) & 0xFFU);
  return {};
}

/// Checks the contents and makes everything in front of the data.
/// @errors invalid_shape, too_large (a tensor exceeds 64 bits), count_mismatch, size_mismatch,
/// invalid_visits, no_names, invalid_name, duplicate_name, limit_exceeded
[[nodiscard]] inline status make_header(const contents_view& given, beginning& made) {
  if (const status possible = check_contents(given); !possible.ok()) return possible;
  const status few = check_slot_count(given.optimizer.slot_count, 0, 0);
  if (!few.ok()) return few;
  const std::vector<std::string> prefixes = slot_prefixes(given);
  metadata described = describe(given, prefixes);
  header_checksum checksum(described);
  std::string tensors;
  for (std::size_t s = 0; s < given.section_count(); ++s) {
    for (std::size_t i = 0; i < given.model.size(); ++i) {
      if (!is_stored(given.model[i].purpose(), s)) continue;
      const std::string name(given.model[i].name());
      const std::string key = s == 0 ? name : prefixes[s - 1] + name;
      const tensor_form form = given.form(s, i);
      if (form.byte_size() > overflowed - made.data_bytes)
        return fail(errc::limit_exceeded).in(numbered_section(s)).about(i);
      append_tensor(tensors, key, form, made.data_bytes);
      checksum.add_tensor(key, form);
      made.data_bytes += form.byte_size();
    }
  }
  described[key_crc32c] = checksum.text();
  made.bytes.assign(8, '\0');
  made.bytes += "{\"__metadata__\":{";
  for (std::size_t k = 0; k < key_count; ++k)
    if (k == key_model || !described.values[k].empty())
      append_pair(made.bytes, key_names[k], described.values[k]);
  made.bytes.append("}").append(tensors).append("}");
  if (const status closed = close_header(made.bytes); !closed.ok()) return closed;
  return check_slot_count(given.optimizer.slot_count, given.model.size(), made.bytes.size());
}

/// Sends header and payloads, each from where it lies.
template <class Sink>
status send(const contents_view& given, const beginning& front, Sink& receiver) {
  status sent = receiver.append(as_bytes(front.bytes));
  for (const bytes_view payload : given.payloads)
    if (sent.ok() && !payload.empty()) sent = receiver.append(payload);
  const status flushed = receiver.flush();
  return sent.ok() ? flushed : sent;
}

template <class Native>
status save_contents(const path& place, const contents_view& given, const save_options& how,
                     save_report& done) {
  beginning front;
  if (const status made = make_header(given, front); !made.ok()) return made;
  auto replacement = basic_replacement<Native>::begin(place);
  if (!replacement.ok()) return replacement.error();
  const std::uint64_t size = front.bytes.size() + front.data_bytes;
  if (const status room = replacement->reserve(size); !room.ok()) return room;
  if (const status sent = send(given, front, replacement->writer()); !sent.ok()) return sent;
  if (const status committed = replacement->commit(how.durable); !committed.ok()) return committed;
  done.file_bytes = size;
  return {};
}

template <class Native>
file_result<save_report> save_with(const path& place, const contents_view& given,
                                   const save_options& how) {
  save_report done;
  const status saved = save_contents<Native>(place, given, how, done);
  if (saved.ok()) return done;
  return {saved, ckpt::detail::file_message("save", place, saved, given.model)};
}

}  // namespace detail

/// Writes a checkpoint as a safetensors file. The payloads go to the sink as they lie; only the
/// header is made in memory.
/// @errors invalid_shape, too_large (a tensor exceeds 64 bits), count_mismatch, size_mismatch,
/// invalid_visits, no_names (a tensor that is stored has none), invalid_name, duplicate_name,
/// limit_exceeded (the header would be longer than the specification allows, or above 1024 slots),
/// and those of the sink
template <class Sink>
status write(const contents_view& given, Sink& receiver) {
  static_assert(is_sink_v<Sink>, "ckpt: write() needs a sink (see ckpt/base/io_contract.hpp)");
  detail::beginning front;
  if (const status made = detail::make_header(given, front); !made.ok()) return made;
  return detail::send(given, front, receiver);
}

/// Saves a checkpoint as a safetensors file, so that the name holds either what it held before or
/// the new file, whole. Everything is checked before the disk is touched.
/// @errors those of write(), basic_replacement::begin() and basic_replacement::commit()
[[nodiscard]] inline file_result<save_report> save(const path& target, const contents_view& given,
                                                   const save_options& options = {}) {
  return detail::save_with<native>(target, given, options);
}

}  // namespace ckpt::safetensors

#endif  // CKPT_INTEROP_SAFETENSORS_WRITE_HPP
