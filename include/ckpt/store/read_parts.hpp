#ifndef CKPT_STORE_READ_PARTS_HPP
#define CKPT_STORE_READ_PARTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckpt/base/crc32c_fast.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/io/directory.hpp"
#include "ckpt/io/file.hpp"
#include "ckpt/io/path.hpp"
#include "ckpt/store/checkpoint_entry.hpp"
#include "ckpt/store/names.hpp"
#include "ckpt/store/success_mark.hpp"

/// The parts of one checkpoint, read and compared with its mark.
namespace ckpt::detail {

/// Texts here are short; a longer one is not ours.
inline constexpr std::uint64_t longest_text = std::uint64_t{1} << 24;

/// Nothing is written that could not be read again.
/// @errors limit_exceeded
[[nodiscard]] inline status check_length(std::uint64_t length) noexcept {
  return length <= longest_text ? status{} : fail(errc::limit_exceeded, longest_text, length);
}

/// A whole small file.
/// @errors those of opening and reading a file, limit_exceeded, no_memory
template <class Native>
[[nodiscard]] result<std::string> read_text(const path& name) {
  auto file = basic_file<Native>::open(name);
  if (!file.ok()) return file.error();
  if (const status fits = check_length(file->size()); !fits.ok()) return fits;
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  const bytes_span to(reinterpret_cast<std::byte*>(&text[0]), text.size());
  if (const status read = file->read_at(0, to); !read.ok()) return read;
  return result<std::string>(std::move(text));
}

/// Size and checksum of a whole file.
/// @errors those of reading a file
template <class Native>
[[nodiscard]] result<marked_file> measure(basic_file<Native>& file) {
  constexpr std::uint64_t block_bytes = std::uint64_t{1} << 18;  // stays in the cache
  std::vector<std::byte> block(static_cast<std::size_t>((std::min)(block_bytes, file.size())));
  marked_file measured;
  while (measured.size < file.size()) {
    const auto size =
        static_cast<std::size_t>((std::min)(block_bytes, file.size() - measured.size));
    const bytes_span to(block.data(), size);
    if (const status read = file.read_at(measured.size, to); !read.ok()) return read;
    measured.checksum = crc32c_fast(to, measured.checksum);
    measured.size += size;
  }
  return result<marked_file>(std::move(measured));
}
/// The same of a name.
/// @errors those of opening and reading a file
template <class Native>
[[nodiscard]] result<marked_file> measure_file(const path& name) {
  auto file = basic_file<Native>::open(name);
  if (!file.ok()) return file.error();
  return measure(*file);
}

/// @errors truncated, trailing_bytes
[[nodiscard]] inline status compare_sizes(std::uint64_t expected, std::uint64_t found) noexcept {
  if (found < expected) return fail(errc::truncated, expected, found);
  return found == expected ? status{} : fail(errc::trailing_bytes, expected, found);
}

/// Compares a file with what the mark says of its size.
template <class Native>
[[nodiscard]] status check_size(const path& name, const marked_file& marked) {
  const auto file = basic_file<Native>::open(name);
  if (!file.ok()) return file.error();
  return compare_sizes(marked.size, file->size());
}

/// Compares every byte of a file with what the mark says.
template <class Native>
[[nodiscard]] status check_bytes(const path& name, const marked_file& marked) {
  auto file = basic_file<Native>::open(name);
  if (!file.ok()) return file.error();
  if (const status sized = compare_sizes(marked.size, file->size()); !sized.ok()) return sized;
  const auto measured = measure(*file);
  if (!measured.ok()) return measured.error();
  if (measured->checksum == marked.checksum) return {};
  return fail(errc::checksum_mismatch, marked.checksum, measured->checksum);
}

/// How closely a checkpoint is looked at.
enum class scrutiny : std::uint8_t {
  sizes,
  bytes
};

/// Looks at one checkpoint.
template <class Native>
class entry_reader {
 public:
  /// @param directory  that of the checkpoint itself
  explicit entry_reader(path directory) : directory_(std::move(directory)), blamed_(directory_) {}

  /// Fills the entry as far as the checkpoint can be read.
  status read(checkpoint_entry& entry, scrutiny closeness) {
    const auto kind = entry_at<Native>(directory_);
    if (!kind.ok()) return kind.error();
    if (*kind == entry_kind::none) return fail(errc::not_found);
    if (*kind != entry_kind::directory) return fail(errc::not_a_directory);
    const auto files = read_mark();
    if (!files.ok()) return files.error();
    entry.trainer_count = files->size() - 1;
    entry.model_bytes = files->front().size;
    const status taken = read_arguments(entry);
    const status compared = compare(*files, closeness);
    return compared.ok() ? blame(trainer_name(0), taken) : compared;
  }

  /// What the last failure is about.
  [[nodiscard]] const path& blamed() const noexcept { return blamed_; }

 private:
  [[nodiscard]] const status& blame(std::string_view name, const status& outcome) {
    if (!outcome.ok()) blamed_ = directory_ / name;
    return outcome;
  }

  [[nodiscard]] result<std::vector<marked_file>> read_mark() {
    blamed_ = directory_ / mark_name;
    const auto text = read_text<Native>(blamed_);
    if (text.error().kind == errc::not_found) return fail(errc::not_finished);
    if (!text.ok()) return text.error();
    return mark_parser(*text).run();
  }

  [[nodiscard]] status read_arguments(checkpoint_entry& entry) {
    const auto text = read_text<Native>(directory_ / trainer_name(0));
    if (!text.ok()) return text.error();
    auto arguments = trainer_arguments::decode(*text);
    if (!arguments.ok()) return arguments.error();
    entry.step = arguments->step;
    entry.epoch = arguments->epoch;
    entry.arguments = std::move(*arguments);
    return {};
  }

  [[nodiscard]] status compare(const std::vector<marked_file>& files, scrutiny closeness) {
    for (const marked_file& file : files) {
      blamed_ = directory_ / file.name;
      const status same = closeness == scrutiny::bytes ? check_bytes<Native>(blamed_, file)
                                                       : check_size<Native>(blamed_, file);
      if (!same.ok()) return same;
    }
    return {};
  }

  path directory_;
  path blamed_;
};

}  // namespace ckpt::detail

#endif  // CKPT_STORE_READ_PARTS_HPP
