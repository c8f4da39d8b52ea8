#ifndef CKPT_CODEC_WRITE_FILE_HPP
#define CKPT_CODEC_WRITE_FILE_HPP

#include <array>
#include <cstring>

#include "ckpt/base/crc32c_fast.hpp"
#include "ckpt/base/io_contract.hpp"
#include "ckpt/format/cursor.hpp"
#include "ckpt/layout/layout_view.hpp"

/// A checkpoint on its way into a sink, whatever its payloads come from. `Payloads` is called with
/// section and index and gives the bytes in memory.
namespace ckpt::detail {

/// Calls `take(bytes)` with elements in the order of the file, a little at a time where they have
/// to be turned round; `take` must be done with them when it returns.
template <byte_order Host, class Take>
status in_file_order(bytes_view elements, std::size_t width,
                     Take&& take) noexcept(noexcept(take(elements))) {
  if (Host == byte_order::little || width <= 1) return take(elements);
  std::array<std::byte, 4096> turned;
  for (std::size_t first = 0; first < elements.size();) {
    const std::size_t rest = elements.size() - first;
    const std::size_t size = rest < turned.size() ? rest : turned.size();
    std::memcpy(turned.data(), elements.data() + first, size);
    reverse_elements(bytes_span(turned.data(), size), width);
    if (const status taken = take(bytes_view(turned.data(), size)); !taken.ok()) return taken;
    first += size;
  }
  return {};
}

/// CRC-32C of elements as they stand in the file.
template <byte_order Host>
[[nodiscard]] std::uint32_t payload_checksum(bytes_view elements, std::size_t width) noexcept {
  std::uint32_t checksum = 0;
  static_cast<void>(in_file_order<Host>(elements, width, [&checksum](bytes_view part) noexcept {
    checksum = crc32c_fast(part, checksum);
    return status{};
  }));
  return checksum;
}

/// Sends one file: counts what has gone out, so that padding knows how much is missing.
template <class Format, byte_order Host, class Sink, class Payloads>
class file_writer {
 public:
  file_writer(const layout_view& known, Sink& to, const Payloads& from) noexcept
      : layout_(known), sink_(to), payloads_(from) {}

  status run(bytes_view footer) {
    for (std::size_t s = 0; s < layout_.sections.size(); ++s) {
      if (const status sent = append(layout_.head(s)); !sent.ok()) return sent;
      if constexpr (Format::has_manifest) {
        const status sent = s == 0 ? send_checksums(footer) : status{};
        if (!sent.ok()) return sent;
      }
      if (const status sent = pad_to(layout_.sections[s].payload); !sent.ok()) return sent;
      if (const status sent = send_payloads(s); !sent.ok()) return sent;
    }
    if (const status sent = pad_to(layout_.footer); !sent.ok()) return sent;
    if (const status sent = append(footer); !sent.ok()) return sent;
    return sink_.flush();
  }

 private:
  status append(bytes_view bytes) {
    position_ += bytes.size();
    return bytes.empty() ? status{} : sink_.append(bytes);
  }

  /// Zeros up to a place of the file.
  status pad_to(std::uint64_t place) {
    static constexpr std::array<std::byte, 256> zeros{};
    while (position_ < place) {
      const std::uint64_t rest = place - position_;
      const auto size = rest < zeros.size() ? static_cast<std::size_t>(rest) : zeros.size();
      if (const status sent = append(bytes_view(zeros.data(), size)); !sent.ok()) return sent;
    }
    return {};
  }

  status send_payloads(std::size_t section) {
    const visit_list visits = Format::visits(layout_.model);
    for (std::size_t k = 0; k < visits.count; ++k) {
      const bytes_view payload = payloads_(section, visits[k]);
      if (payload.empty()) continue;
      cursor at(position_);
      at.align(Format::payload_alignment);
      if (const status sent = pad_to(at.position()); !sent.ok()) return sent;
      if (const status sent = send_payload(payload, section, visits[k]); !sent.ok()) return sent;
    }
    return {};
  }

  [[nodiscard]] std::size_t width(std::size_t section, std::size_t index) const noexcept {
    return payload_width(layout_.optimizer, section, layout_.model[index], index);
  }

  status send_payload(bytes_view payload, std::size_t section, std::size_t index) {
    if constexpr (Host == byte_order::little) {
      return append(payload);
    } else {
      // What has been turned round is gone when this returns, so the sink may not keep it.
      return in_file_order<Host>(payload, width(section, index), [this](bytes_view part) {
        const status sent = append(part);
        return sent.ok() ? sink_.flush() : sent;
      });
    }
  }

  /// Sends the checksums, which end the manifest: of every payload, then of the frame around them.
  status send_checksums(bytes_view footer) {
    std::array<std::byte, checksum_chunk + 4> words;
    std::uint32_t frame = crc32c_fast(layout_.head(0));
    const std::size_t total = layout_.sections.size() * layout_.model.size();
    std::size_t done = 0;
    do {
      std::size_t used = 0;
      for (; done < total && used < checksum_chunk; ++done, used += 4)
        store_little(words.data() + used, checksum_of(done));
      frame = crc32c_fast(bytes_view(words.data(), used), frame);
      if (done == total) {
        store_little(words.data() + used, frame_checksum(frame, footer));
        used += 4;
      }
      if (const status sent = append(bytes_view(words.data(), used)); !sent.ok()) return sent;
      // The memory is used again, or gone.
      if (const status sent = sink_.flush(); !sent.ok()) return sent;
    } while (done < total);
    return {};
  }

  /// CRC-32C of payload number `k`, counted section by section.
  [[nodiscard]] std::uint32_t checksum_of(std::size_t k) const noexcept {
    const std::size_t s = k / layout_.model.size();
    const std::size_t i = k % layout_.model.size();
    return payload_checksum<Host>(payloads_(s, i), width(s, i));
  }

  /// Goes on from the front of the file over the tables and the footer.
  [[nodiscard]] std::uint32_t frame_checksum(std::uint32_t front,
                                             bytes_view footer) const noexcept {
    for (std::size_t s = 1; s < layout_.sections.size(); ++s)
      front = crc32c_fast(layout_.head(s), front);
    return crc32c_fast(footer, front);
  }

  static constexpr std::size_t checksum_chunk = 1024;

  const layout_view& layout_;
  Sink& sink_;
  const Payloads& payloads_;
  std::uint64_t position_ = 0;
};

/// Sends a whole checkpoint to a sink.
/// @param footer  what `Format::write_footer()` made
template <class Format, byte_order Host, class Sink, class Payloads>
status write_file(const layout_view& layout, bytes_view footer, const Payloads& payloads,
                  Sink& sink) {
  return file_writer<Format, Host, Sink, Payloads>(layout, sink, payloads).run(footer);
}

}  // namespace ckpt::detail

#endif  // CKPT_CODEC_WRITE_FILE_HPP
