#ifndef CKPT_INTEROP_SAFETENSORS_READ_HPP
#define CKPT_INTEROP_SAFETENSORS_READ_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/contents.hpp"
#include "ckpt/interop/safetensors_description.hpp"
#include "ckpt/io/mapping.hpp"

namespace ckpt::safetensors {

namespace detail {

/// Makes contents of a file.
class file_reader {
 public:
  /// @param made  where the contents go; must outlive this
  file_reader(bytes_view file, contents& made) noexcept : file_(file), made_(made) {}

  /// @errors those of safetensors::parse()
  status run() {
    header_parser parser(file_);
    if (const status read = parser.run(); !read.ok()) {
      note_ = parser.note();
      return read;
    }
    header_ = std::move(parser.made());
    description_reader described;
    if (const status read = described.run(header_.metadata); !read.ok()) {
      note_ = described.note();
      return read.in(section::manifest);
    }
    if (!described.is_ours()) return take_foreign();
    return take_own(described.made());
  }

  /// What the failure is about, in words.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }

 private:
  /// All tensors are weights.
  status take_foreign() {
    for (const entry& tensor : header_.tensors)
      made_.add(tensor.name, tensor.form, role::trainable, header_.bytes(file_, tensor));
    return {};
  }

  status take_own(const description& from) {
    for (const entry& tensor : header_.tensors) names_.emplace_back(tensor.name);
    order_ = ckpt::detail::order_of(names_);
    is_taken_.assign(names_.size(), false);
    std::vector<std::string> slot_names;
    for (const slot_description& slot : from.slots) slot_names.push_back(slot.name);
    made_.set_optimizer(from.optimizer, std::move(slot_names));
    header_checksum checksum(from.texts);
    const model_view model = from.model.model().view();
    const status few = check_slot_count(from.slots.size(), model.size(), header_.data_offset);
    if (!few.ok()) return few;
    if (const status weights = take_weights(model, checksum); !weights.ok()) return weights;
    for (std::size_t s = 0; s < from.slots.size(); ++s)
      if (const status slot = take_slot(model, from, s, checksum); !slot.ok()) return slot;
    for (std::size_t k = 0; k < is_taken_.size(); ++k)
      if (!is_taken_[k]) return about(errc::unexpected_tensor, names_[k]);
    for (const std::uint32_t index : model.visits) made_.visit(index);
    made_.training = from.training;
    if (!from.values.empty()) made_.set_values(*values_view::open(from.values));
    const std::string& sum = from.texts[key_crc32c];
    if (sum.empty() || sum == checksum.text()) return {};
    note_ = "metadata 'ckpt.crc32c'";
    return fail(errc::checksum_mismatch).in(section::manifest);
  }

  status take_weights(const model_view& model, header_checksum& checksum) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      std::string name(model[i].name());
      if (model[i].purpose() == role::absent) {
        made_.add(std::move(name), model[i].form(), role::absent, {});
        continue;
      }
      const entry* const found = take(name);
      if (found == nullptr) return about(errc::missing_tensor, name).about(i);
      if (found->form.type() != model[i].type()) return about(errc::dtype_mismatch, name).about(i);
      if (found->form.extents() != model[i].extents())
        return about(errc::shape_mismatch, name).about(i);
      checksum.add_tensor(name, found->form);
      made_.add(std::move(name), found->form, model[i].purpose(), header_.bytes(file_, *found));
    }
    return {};
  }

  status take_slot(const model_view& model, const description& from, std::size_t slot,
                   header_checksum& checksum) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (model[i].purpose() != role::trainable) continue;
      const std::string key = from.slots[slot].prefix + std::string(model[i].name());
      const entry* const found = take(key);
      if (found == nullptr) return about(errc::missing_tensor, key).in(slot_section(slot)).about(i);
      checksum.add_tensor(key, found->form);
      made_.set_slot(slot, i, found->form, header_.bytes(file_, *found));
    }
    for (const unstored_form& other : from.slots[slot].unstored) {
      if (other.tensor >= model.size() || model[other.tensor].purpose() == role::trainable) {
        note_ = "metadata 'ckpt.slot_forms'";
        return fail(errc::no_such_tensor, model.size(), other.tensor).in(section::manifest);
      }
      made_.set_slot(slot, other.tensor, other.form, {});
    }
    return {};
  }

  /// The tensor of this name, if it is there and nobody has taken it yet.
  [[nodiscard]] const entry* take(std::string_view name) {
    const auto found = std::lower_bound(
        order_.begin(), order_.end(), name,
        [this](std::size_t k, std::string_view wanted) { return names_[k] < wanted; });
    if (found == order_.end() || names_[*found] != name || is_taken_[*found]) return nullptr;
    is_taken_[*found] = true;
    return &header_.tensors[*found];
  }

  status about(errc kind, std::string_view name) {
    note_ = "tensor " + ckpt::detail::in_quotes(name);
    return fail(kind);
  }

  bytes_view file_;
  contents& made_;
  header header_;
  std::vector<std::string_view> names_;
  std::vector<std::size_t> order_;  // of the tensors, by name
  std::vector<bool> is_taken_;
  std::string note_;
};

[[nodiscard]] inline file_result<contents> read_into(contents made, bytes_view file,
                                                     const std::string& subject) {
  file_reader reading(file, made);
  const status read = reading.run();
  if (read.ok()) return file_result<contents>(std::move(made));
  return {read, ckpt::detail::foreign_message("read", subject, read, reading.note())};
}

}  // namespace detail

/// The checkpoint in a safetensors file. A file that ckpt has not written has weights only, all
/// trainable, in the order of their data; its metadata is left aside.
/// @param file  the whole file; must outlive the contents, which point into it
/// @errors those of read_header(); of the metadata: bad_syntax, duplicate_name, invalid_name,
/// unsupported_dtype, invalid_shape, limit_exceeded, invalid_visits, no_such_tensor,
/// bad_training_state, unsupported_version, unsupported_feature (a key of a later version),
/// checksum_mismatch; where metadata and tensors contradict each other: missing_tensor,
/// unexpected_tensor, dtype_mismatch, shape_mismatch
[[nodiscard]] inline file_result<contents> parse(bytes_view file) {
  return detail::read_into({}, file, "safetensors");
}

/// Maps a safetensors file and reads its header; the contents keep it mapped.
/// @errors those of parse() and of basic_mapping::open()
[[nodiscard]] inline file_result<contents> open(const path& source) {
  const std::string subject = ckpt::detail::quoted_path(source);
  auto mapped = native_mapping::open(source);
  if (!mapped.ok())
    return {mapped.error(), ckpt::detail::foreign_message("read", subject, mapped.error(), {})};
  contents made;
  const bytes_view file = made.keep(std::move(*mapped));
  return detail::read_into(std::move(made), file, subject);
}

}  // namespace ckpt::safetensors

#endif  // CKPT_INTEROP_SAFETENSORS_READ_HPP
