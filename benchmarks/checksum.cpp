// What a checksum costs beside a copy: memcpy, the portable CRC-32C and that of the processor, one
// after the other in each round, so that all of them see the same noise.
// usage: checksum [--quick]
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "ckpt/base/crc32c_fast.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

struct contestant {
  const char* name;
  std::uint32_t (*run)(ckpt::bytes_view from, std::byte* to);
};

std::uint32_t copy(ckpt::bytes_view from, std::byte* to) {
  std::memcpy(to, from.data(), from.size());
  return static_cast<std::uint32_t>(to[from.size() / 2]);
}
std::uint32_t portable(ckpt::bytes_view from, std::byte*) {
  return ckpt::crc32c(from);
}
std::uint32_t fast(ckpt::bytes_view from, std::byte*) {
  return ckpt::crc32c_fast(from);
}

constexpr contestant contestants[] = {
    {"memcpy", copy}, {"crc32c", portable}, {"crc32c_fast", fast}};
constexpr std::size_t contestant_count = 3;
constexpr std::size_t baseline = 1;

/// Bytes a nanosecond, which are GB/s, over `times` runs. Called through a volatile pointer: the
/// compiler may neither leave a run out nor do one for all.
double rate(const contestant& who, ckpt::bytes_view from, std::byte* to, std::size_t times) {
  std::uint32_t (*volatile run)(ckpt::bytes_view, std::byte*) = who.run;
  const auto begin = clock_type::now();
  for (std::size_t i = 0; i < times; ++i) {
    [[maybe_unused]] volatile std::uint32_t result = run(from, to);
  }
  const std::chrono::duration<double, std::nano> spent = clock_type::now() - begin;
  return static_cast<double>(from.size() * times) / spent.count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(ckpt::bytes_view from, std::byte* to, std::size_t rounds) {
  constexpr std::size_t bytes_a_sample = std::size_t{8} << 20;
  const std::size_t times = (std::max)(bytes_a_sample / from.size(), std::size_t{1});
  std::vector<double> rates[contestant_count];
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < contestant_count; ++i)
      rates[i].push_back(rate(contestants[i], from, to, times));
  std::printf("%8zu KiB", from.size() / 1024);
  for (const auto& each : rates)
    std::printf("  %9.2f GB/s %6.2fx", median(each), median(each) / median(rates[baseline]));
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const std::size_t sizes[] = {4U << 10, 64U << 10, 1U << 20, 64U << 20};
  std::vector<std::byte> from(64U << 20);
  std::vector<std::byte> to(from.size());
  std::uint32_t number = 1;
  for (std::byte& b : from) b = static_cast<std::byte>((number = number * 1664525U + 1U) >> 24);
  if (ckpt::crc32c(from) != ckpt::crc32c_fast(from))
    return std::puts("the checksums differ: no rate is worth anything"), 1;

  std::printf("%12s", "");
  for (const contestant& who : contestants) std::printf("  %22s", who.name);
  std::printf("\n");
  for (const std::size_t size : sizes)
    measure(ckpt::bytes_view(from.data(), size), to.data(), quick ? 3 : 31);
  std::printf("medians of interleaved rounds; the factor is to the portable crc32c\n");
}
