#ifndef CKPT_TOOL_WRITE_OUTPUT_HPP
#define CKPT_TOOL_WRITE_OUTPUT_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ckpt/checkpoint/convert.hpp"
#include "ckpt/format/onert.hpp"
#include "ckpt/format/onert_micro.hpp"
#include "ckpt/format/onert_micro_plus.hpp"
#include "ckpt/format/onert_plus.hpp"
#include "ckpt/format/v2.hpp"
#include "ckpt/interop/npy_directory.hpp"
#include "ckpt/interop/oneflow.hpp"
#include "ckpt/interop/paddle.hpp"
#include "ckpt/interop/safetensors.hpp"
#include "ckpt/io/replace.hpp"
#include "formats.hpp"
#include "held_text.hpp"
#include "output.hpp"
#include "progress.hpp"

/// Writes contents in any format: a file as a whole or not at all, a directory with its mark last.
namespace tool {

/// A sink that says how far it is. What is large goes out in pieces.
class counting_sink {
 public:
  counting_sink(ckpt::basic_gather_writer<>& to, progress& shown_to) : to_(to), shown_(shown_to) {}

  ckpt::status append(ckpt::bytes_view bytes) {
    while (bytes.size() > piece) {
      if (const ckpt::status sent = to_.append(bytes.part(0, piece)); !sent.ok()) return sent;
      if (const ckpt::status sent = to_.flush(); !sent.ok()) return sent;
      bytes = bytes.part(piece, bytes.size() - piece);
      shown_.advance(piece);
    }
    shown_.advance(bytes.size());
    return to_.append(bytes);
  }
  ckpt::status flush() { return to_.flush(); }

 private:
  static constexpr std::size_t piece = std::size_t{32} << 20U;

  ckpt::basic_gather_writer<>& to_;
  progress& shown_;
};

/// Writes contents to one place.
class output_writer {
 public:
  output_writer(const std::string& file, const ckpt::contents_view& contents, bool drops_training)
      : file_(file), target_(file), contents_(contents), drops_training_(drops_training) {
    for (const ckpt::bytes_view payload : contents.payloads) payload_bytes_ += payload.size();
    progress_.begin("writing '" + file + "'", payload_bytes_);
  }

  ckpt::status write(format which) {
    const ckpt::status done = write_as(which);
    progress_.clear();
    if (done.ok()) return done;
    if (words_.empty()) words_ = failure_words("write", file_, done, contents_.model);
    if (done.kind == ckpt::errc::unstorable_values)
      words_ += "; --drop-training-state leaves it out";
    return done;
  }

  /// Why nothing was written.
  [[nodiscard]] const std::string& words() const { return words_; }
  /// Of the file, or of all tensors in a directory.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  ckpt::status write_as(format which) {
    switch (which) {
      case format::onert: return write_own<ckpt::onert>();
      case format::onert_micro: return write_own<ckpt::onert_micro>();
      case format::onert_plus: return write_own<ckpt::onert_plus>();
      case format::onert_micro_plus: return write_own<ckpt::onert_micro_plus>();
      case format::v2: return write_v2();
      case format::safetensors: return write_safetensors();
      case format::oneflow: return write_oneflow();
      case format::paddle: return write_paddle();
      case format::npy: break;
    }
    return write_npy();
  }

  /// Sends to a new file that then takes its name.
  template <class Send>
  ckpt::status write_file(std::uint64_t expected_bytes, Send send) {
    auto replacement = ckpt::native_replacement::begin(target_);
    if (!replacement.ok()) return replacement.error();
    if (const ckpt::status room = replacement->reserve(expected_bytes); !room.ok()) return room;
    counting_sink sink(replacement->writer(), progress_);
    if (const ckpt::status sent = send(sink); !sent.ok()) return sent;
    bytes_ = replacement->writer().position();
    return replacement->commit(true);
  }

  template <class Format>
  ckpt::status write_own() {
    const auto layout = ckpt::contents_layout<Format>::make(contents_);
    if (!layout.ok()) return layout.error();
    return write_file(layout->view().file_bytes, [&](counting_sink& sink) {
      return ckpt::write_contents<Format>(contents_, layout->view(), sink);
    });
  }

  /// With a state section that has room for the user's values.
  ckpt::status write_v2() {
    const std::size_t needed = ckpt::schema2::state_bytes + contents_.values.encoded().size();
    if (needed <= 1024) return write_own<ckpt::v2_with<64, 1024>>();
    if (needed <= 65536) return write_own<ckpt::v2_with<64, 65536>>();
    return write_own<ckpt::v2_with<64, 262144>>();
  }

  ckpt::status write_safetensors() {
    return write_file(payload_bytes_, [&](counting_sink& sink) {
      return ckpt::safetensors::write(contents_, sink);
    });
  }

  ckpt::status write_oneflow() {
    ckpt::oneflow::save_options how;
    how.drop_training_state = drops_training_;
    const auto saved = ckpt::oneflow::save(target_, contents_, how);
    return saved.ok() ? took(saved->bytes) : failed(saved.error(), saved.message());
  }

  ckpt::status write_paddle() {
    ckpt::paddle::save_options how;
    how.drop_training_state = drops_training_;
    const auto saved = ckpt::paddle::save(target_, contents_, how);
    return saved.ok() ? took(saved->bytes) : failed(saved.error(), saved.message());
  }

  /// Arrays know neither slots nor steps.
  ckpt::status write_npy() {
    if (contents_.optimizer.slot_count > 0)
      return failed(ckpt::fail(ckpt::errc::optimizer_mismatch),
                    "cannot write '" + file_ +
                        "': arrays have no slots; --slots drop leaves them "
                        "out");
    if (!drops_training_ &&
        (!training_texts(contents_.training).empty() || contents_.training.step != 0 ||
         contents_.training.epoch != 0 || !contents_.values.empty()))
      return failed(ckpt::fail(ckpt::errc::unstorable_values),
                    "cannot write '" + file_ + "': arrays have no training state");
    if (ends_with(file_, ".npy")) return write_array();
    const auto saved = ckpt::npy::save_all(target_, contents_);
    return saved.ok() ? took(saved->file_bytes) : failed(saved.error(), saved.message());
  }

  ckpt::status write_array() {
    std::vector<std::size_t> stored;
    for (std::size_t i = 0; i < contents_.model.size(); ++i)
      if (contents_.model[i].purpose() != ckpt::role::absent) stored.push_back(i);
    if (stored.size() != 1)
      return failed(ckpt::fail(ckpt::errc::count_mismatch, 1, stored.size()),
                    "cannot write '" + file_ + "': it takes one tensor, and there are " +
                        std::to_string(stored.size()) +
                        " (without .npy it is a directory of all of them)");
    return write_file(payload_bytes_, [&](counting_sink& sink) {
      return ckpt::npy::write(contents_.form(0, stored[0]), contents_.bytes(0, stored[0]), sink);
    });
  }

  ckpt::status took(std::uint64_t bytes) {
    bytes_ = bytes;
    return {};
  }

  ckpt::status failed(const ckpt::status& error, const std::string& why) {
    words_ = why;
    return error;
  }

  const std::string& file_;
  ckpt::path target_;
  const ckpt::contents_view& contents_;
  bool drops_training_;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  std::string words_;
  progress progress_;
};

}  // namespace tool

#endif  // CKPT_TOOL_WRITE_OUTPUT_HPP
