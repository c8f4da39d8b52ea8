#include <cmath>
#include <locale>

#include "ckpt/ckpt.hpp"
#include "scratch.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt_test::scratch;

namespace {

/// A toy problem in double precision: a bowl with a slope of its own in each direction.
struct bowl {
  static constexpr auto tensors =
      ckpt::tensors({{"point", dtype::f64, {7}}, {"offset", dtype::f64, {}}});
};
using bowl_state = ckpt::state<bowl, ckpt::adam>;

void start(bowl_state& state) {
  for (std::size_t i = 0; i < 7; ++i) state.weight<0>()[i] = 1.0 + 0.3 * static_cast<double>(i);
  state.weight<1>()[0] = -2.0;
}

/// One step of Adam; bias correction uses the number of completed steps.
void step(ckpt::span<double> w, ckpt::span<double> m, ckpt::span<double> v, std::uint64_t done) {
  const auto t = static_cast<double>(done + 1);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const double gradient = (2.0 + static_cast<double>(i)) * w[i] + std::sin(w[i]);
    m[i] = 0.9 * m[i] + 0.1 * gradient;
    v[i] = 0.999 * v[i] + 0.001 * gradient * gradient;
    const double mean = m[i] / (1.0 - std::pow(0.9, t));
    const double square = v[i] / (1.0 - std::pow(0.999, t));
    w[i] -= 0.05 * mean / (std::sqrt(square) + 1e-8);
  }
}

void train(bowl_state& state, int steps) {
  for (int i = 0; i < steps; ++i) {
    step(state.weight<0>(), state.slot<0, 0>(), state.slot<1, 0>(), state.training.step);
    step(state.weight<1>(), state.slot<0, 1>(), state.slot<1, 1>(), state.training.step);
    ++state.training.step;
  }
}

test::bytes file_of(const bowl_state& state) {
  return test::written<ckpt::onert>(state);
}

}  // namespace

TEST_CASE("D3 ten steps, a new process and ten more equal twenty, bit for bit") {
  scratch directory;
  const std::string half = directory.at("half.ckpt");
  const std::string whole = directory.at("whole.ckpt");
  bowl_state straight;
  start(straight);
  train(straight, 10);
  REQUIRE(ckpt::save(half, straight).ok());
  const int code = ckpt_test::in_child([&] {
    bowl_state resumed;
    if (!ckpt::load(half, resumed).ok()) return 1;
    train(resumed, 10);
    return ckpt::save(whole, resumed).ok() ? 0 : 1;
  });
  REQUIRE(code == 0);
  train(straight, 10);
  CHECK(test::read_file(whole) == file_of(straight));

  // The control: without the step the bias correction starts anew, so this test can fail.
  bowl_state forgetful;
  REQUIRE(ckpt::load(half, forgetful).ok());
  forgetful.training.step = 0;
  train(forgetful, 10);
  forgetful.training.step = straight.training.step;
  CHECK(file_of(forgetful) != file_of(straight));
}

namespace {

/// Decimal comma, and groups of two digits.
struct odd_numbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\2"; }
};

}  // namespace

TEST_CASE("N7 a strange global locale changes neither a byte nor a message") {
  scratch directory;
  bowl_state state;
  start(state);
  state.training.step = 1234567;
  const std::string plain = ckpt::load(directory.at("nothing.ckpt"), state).message();
  REQUIRE(ckpt::save(directory.at("plain.ckpt"), state).ok());
  const std::string cut = test::words(ckpt::fail(ckpt::errc::truncated, 1234567, 5).message());
  const std::locale before = std::locale::global(std::locale(std::locale(), new odd_numbers));
  const std::string strange = ckpt::load(directory.at("nothing.ckpt"), state).message();
  REQUIRE(ckpt::save(directory.at("strange.ckpt"), state).ok());
  CHECK(test::words(ckpt::fail(ckpt::errc::truncated, 1234567, 5).message()) == cut);
  std::locale::global(before);
  CHECK(strange == plain);
  CHECK(test::mentions(cut, "1234567"));
  CHECK(test::read_file(directory.at("strange.ckpt")) ==
        test::read_file(directory.at("plain.ckpt")));
}

namespace {

struct every_byte {
  static constexpr auto tensors =
      ckpt::tensors({{"all", dtype::u8, {256}}, {"line_ends", dtype::u8, {64}}});
};

}  // namespace

TEST_CASE("N8 line ends and end-of-file marks in a tensor are bytes like others") {
  scratch directory;
  const std::string path = directory.at("bytes.ckpt");
  ckpt::state<every_byte, ckpt::momentum> state;
  for (std::size_t i = 0; i < 256; ++i) state.weight<0>()[i] = static_cast<std::uint8_t>(i);
  constexpr std::uint8_t ends[] = {0x0A, 0x0D, 0x0A, 0x1A};
  for (std::size_t i = 0; i < 64; ++i) state.weight<1>()[i] = ends[i % 4];
  REQUIRE(ckpt::save(path, state).ok());
  constexpr std::uint64_t size = ckpt::layout<every_byte, ckpt::momentum>::file_bytes;
  CHECK(std::filesystem::file_size(path) == size);
  ckpt::state<every_byte, ckpt::momentum> loaded;
  REQUIRE(ckpt::load(path, loaded).ok());
  for (std::size_t i = 0; i < 256; ++i) CHECK(loaded.weight<0>()[i] == i);
  for (std::size_t i = 0; i < 64; ++i) CHECK(loaded.weight<1>()[i] == ends[i % 4]);
}

TEST_CASE("W1 names of any script, with spaces and quotes, are names") {
  scratch directory;
  for (const std::string name :
       {"\xD0\xBC\xD0\xBE\xD0\xB4\xD0\xB5\xD0\xBB\xD1\x8C", "\xE6\xA8\xA1\xE5\x9E\x8B",
        "\xF0\x9F\x98\x80", "a b", "a'\"b", "\xFF"}) {
    CAPTURE(name);
    const std::filesystem::path path = std::filesystem::path(directory.root()) / name;
    bowl_state state;
    start(state);
    REQUIRE(ckpt::save(path, state).ok());
    bowl_state loaded;
    REQUIRE(ckpt::load(path, loaded).ok());
    CHECK(ckpt::map<bowl, ckpt::adam>(path).ok());
    CHECK(file_of(loaded) == file_of(state));
  }
}
