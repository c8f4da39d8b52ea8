#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "fixtures.hpp"
#include "format/handmade.hpp"
#include "support.hpp"

using ckpt::dialect;
using ckpt::dtype;
using ckpt::role;

/// The files of tests/data/identity, which were written by hand with a comment for each field. What
/// they hold is said here a second time.
namespace {

/// Bytes of a text of hexadecimal numbers: `#` begins a comment, `00*12` is twelve zeros.
test::bytes read_hex(const std::string& name) {
  std::ifstream lines(std::string(CKPT_TESTS_DATA) + "/identity/" + name);
  test::bytes data;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream numbers(line.substr(0, line.find('#')));
    for (std::string number; numbers >> number;) {
      const test::bytes value = fixture::from_hex(number.substr(0, 2));
      const std::size_t count = number.size() > 2 ? std::stoul(number.substr(3)) : 1;
      data.insert(data.end(), count, value.front());
    }
  }
  REQUIRE_FALSE(data.empty());
  return data;
}

/// Gives a payload the bytes that it has in a file.
template <class Model, class Optimizer>
void put(test::owned_state<Model, Optimizer>& state, std::size_t section, std::size_t index,
         const char* digits) {
  test::bytes data = fixture::from_hex(digits);
  REQUIRE(data.size() == state.payload(section, index).size());
  if constexpr (ckpt::host_byte_order == ckpt::byte_order::big)
    ckpt::reverse_elements(
        {data.data(), data.size()},
        ckpt::payload_width(state.view.optimizer(), section, state.view.model()[index], index));
  std::memcpy(state.payload(section, index).data(), data.data(), data.size());
}

struct net {
  static constexpr auto tensors = ckpt::tensors({{"fc.w", dtype::f32, {2, 2}},
                                                 {"fc.b", dtype::f32, {2}},
                                                 {"gr\xC3\xB6\xC3\x9F"
                                                  "e",
                                                  dtype::u8,
                                                  {3},
                                                  role::frozen}});
};

struct graph {
  static constexpr auto tensors = ckpt::tensors(
      {{"x", dtype::f32, {2}, role::absent}, {"w", dtype::f32, {2}}, {"b", dtype::f32, {1}}});
  static constexpr auto visits = ckpt::visit_order({2, 1, 2});
};

struct matrix {
  static constexpr auto tensors =
      ckpt::tensors({{"w", dtype::f32, {2, 3}}, {"b", dtype::f32, {2}, role::frozen}});
};

struct bytes_only {
  static constexpr auto tensors = ckpt::tensors({{"w", dtype::u8, {3}}});
};

template <class Optimizer>
void fill_weights(test::owned_state<net, Optimizer>& state) {
  put(state, 0, 0, "0000803f 00000040 00004040 00008040");
  put(state, 0, 1, "0000003f 000080be");
  put(state, 0, 2, "070809");
  state.view.training = {1234, 7};
}

/// The writer makes the golden file of a static and of a run-time model, and every reader gives
/// back what went in.
template <class Format, class Model, class Optimizer>
void check_golden(const char* name, test::owned_state<Model, Optimizer>& state) {
  CAPTURE(std::string(name));
  const test::bytes golden = read_hex(name);
  CHECK(ckpt::layout<Model, Optimizer, Format>::file_bytes == golden.size());
  CHECK(test::written<Format>(state.view) == golden);

  test::owned_state<ckpt::dynamic_model, Optimizer> live(ckpt::view_of<Model>());
  for (std::size_t k = 0; k < state.memory.size(); ++k)
    std::copy(state.memory[k].begin(), state.memory[k].end(), live.memory[k].begin());
  live.view.training = state.view.training;
  live.view.user_values = state.view.user_values;
  CHECK(handmade::written<Format>(live) == golden);

  const ckpt::description said = ckpt::verify(test::view(golden));
  REQUIRE_MESSAGE(said.error.ok(), test::words(said.error.message()));
  CHECK(said.map.kind == Format::kind);
  CHECK(said.training == state.view.training);

  test::owned_state<Model, Optimizer> loaded;
  ckpt::value_storage<64> values;
  loaded.view.user_values = &values;
  const auto own = ckpt::reader<Model, Optimizer, Format>::open(test::view(golden));
  REQUIRE_MESSAGE(own.ok(), test::words(own.error().message()));
  const auto report = own->load_into(loaded.view);
  REQUIRE(report.ok());
  CHECK(report->kind == Format::kind);
  CHECK(report->checksums_verified);
  CHECK(loaded.memory == state.memory);
  CHECK(loaded.view.training == state.view.training);

  test::owned_state<ckpt::dynamic_model, Optimizer> again(ckpt::view_of<Model>());
  const handmade::live_layout<Optimizer, Format> layout(ckpt::view_of<Model>());
  const auto opened =
      ckpt::reader<ckpt::dynamic_model, Optimizer, Format>::open(layout.get(), test::view(golden));
  REQUIRE_MESSAGE(opened.ok(), test::words(opened.error().message()));
  REQUIRE(opened->load_into(again.view).ok());
  CHECK(again.memory == state.memory);
}

}  // namespace

TEST_CASE("an onert_plus file with Adam is the one written by hand") {
  test::owned_state<net, ckpt::adam> state;
  fill_weights(state);
  put(state, 1, 0, "0000a03f 0000c03f 0000e03f 00001040");
  put(state, 1, 1, "00002040 00003040");
  put(state, 2, 0, "00005040 00006040 00007040 00008840");
  put(state, 2, 1, "00009040 00009840");
  check_golden<ckpt::onert_plus>("onert_plus_adam.hex", state);
}

TEST_CASE("an onert_plus file without slots is the one written by hand") {
  test::owned_state<net, ckpt::sgd> state;
  fill_weights(state);
  check_golden<ckpt::onert_plus>("onert_plus_sgd.hex", state);
}

TEST_CASE("an onert_micro_plus file is the one written by hand") {
  test::owned_state<graph, ckpt::sgd> state;
  put(state, 0, 1, "0000803f 00000040");
  put(state, 0, 2, "0000003f");
  state.view.training = {55, 2};
  check_golden<ckpt::onert_micro_plus>("onert_micro_plus_sgd.hex", state);
}

TEST_CASE(
    "a v2 file with forms of its own, all of the state and values is the one written by hand") {
  test::owned_state<matrix, ckpt::adafactor> state;
  put(state, 0, 0, "0000803f 00000040 00004040 00008040 0000a040 0000c040");
  put(state, 0, 1, "0000003f 000080be");
  put(state, 1, 0, "0000a03f 0000c03f");
  put(state, 2, 0, "0000e03f 00001040 00002040");
  ckpt::training_state& training = state.view.training;
  training.step = 4294968530U;
  training.epoch = 7;
  training.sample_cursor = 1000;
  training.shuffle_seed = ~std::uint64_t{0};
  training.rng_state = {1, 2, 3, (std::uint64_t{1} << 63U) + 4};
  training.best_metric = -0.0;
  training.learning_rate = 1.0 / 1024;
  ckpt::value_storage<32> values;
  REQUIRE(values.set_text("t", "\xC3\xB6").ok());
  REQUIRE(values.set_integer("n", -2).ok());
  state.view.user_values = &values;
  check_golden<ckpt::v2_with<16, 136>>("v2_adafactor.hex", state);

  const test::bytes golden = read_hex("v2_adafactor.hex");
  const ckpt::description said = ckpt::verify(test::view(golden));
  CHECK(*said.values.integer("n") == -2);
  CHECK(*said.values.text("t") == ckpt::name_view("\xC3\xB6"));
  CHECK(handmade::text_of(said.manifest.optimizer_name()) == "adafactor");
  CHECK(handmade::text_of(said.manifest.slot_name(1)) == "column");
}

TEST_CASE("a v2 file as it is by default is the one written by hand") {
  test::owned_state<bytes_only, ckpt::sgd> state;
  put(state, 0, 0, "070809");
  state.view.training = {1234, 7};
  check_golden<ckpt::v2>("v2_sgd.hex", state);
}

namespace {

struct odd_sizes {
  static constexpr auto tensors = ckpt::tensors({{"a", dtype::u8, {3}},
                                                 {"none", dtype::f64, {2, 0}},
                                                 {"c", dtype::u8, {1}},
                                                 {"d", dtype::f32, {2}},
                                                 {"e", dtype::f16, {}}});
};

template <class Format, class Model, class Optimizer>
void put_file(const char* directory, const std::string& name) {
  test::owned_state<Model, Optimizer> state;
  state.fill(name.size());
  const test::bytes file = test::written<Format>(state.view);
  std::ofstream to(std::string(directory) + "/" + name, std::ios::binary);
  to.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  REQUIRE(to.good());
}

template <class Model, class Optimizer>
void put_files(const char* directory, const std::string& name) {
  put_file<ckpt::onert_plus, Model, Optimizer>(directory, name + ".onert_plus");
  put_file<ckpt::v2, Model, Optimizer>(directory, name + ".v2");
  put_file<ckpt::v2_with<1, 88>, Model, Optimizer>(directory, name + ".v2_tight");
  put_file<ckpt::v2_with<4096>, Model, Optimizer>(directory, name + ".v2_wide");
}

}  // namespace

TEST_CASE("files for a reader that is not ckpt's" * doctest::skip()) {
  const char* const directory = std::getenv("CKPT_WRITE_TO");
  REQUIRE(directory != nullptr);
  put_files<net, ckpt::adam>(directory, "net.adam");
  put_files<net, ckpt::sgd>(directory, "net.sgd");
  put_files<net, ckpt::momentum>(directory, "net.momentum");
  put_files<matrix, ckpt::adafactor>(directory, "matrix.adafactor");
  put_files<odd_sizes, ckpt::adam>(directory, "odd.adam");
  put_files<odd_sizes, ckpt::sgd>(directory, "odd.sgd");
  put_files<graph, ckpt::adam>(directory, "graph.adam");
  put_files<fixture::no_tensors, ckpt::sgd>(directory, "empty.sgd");
  put_file<ckpt::onert_micro_plus, graph, ckpt::adam>(directory, "graph.adam.onert_micro_plus");
  put_file<ckpt::onert_micro_plus, graph, ckpt::sgd>(directory, "graph.sgd.onert_micro_plus");
  put_file<ckpt::onert_micro_plus, net, ckpt::sgd>(directory, "net.sgd.onert_micro_plus");
  put_file<ckpt::v2, odd_sizes, ckpt::amsgrad>(directory, "odd.amsgrad.v2");
}
