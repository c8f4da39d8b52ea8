#include <algorithm>

#include "ckpt/ckpt.hpp"
#include "fixtures.hpp"
#include "format/handmade.hpp"
#include "scaled_native.hpp"
#include "scratch.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt_test::scratch;

namespace {

struct net {
  static constexpr auto tensors =
      ckpt::tensors({{"input", dtype::u8, {4}, ckpt::role::absent},
                     {"w", dtype::f32, {17, 31}},
                     {"none", dtype::f32, {3, 0}},
                     {"embedding", dtype::u8, {5, 3}, ckpt::role::frozen},
                     {"b", dtype::f64, {7}}});
};

/// The same sizes under other names.
struct renamed {
  static constexpr auto tensors =
      ckpt::tensors({{"input", dtype::u8, {4}, ckpt::role::absent},
                     {"W", dtype::f32, {17, 31}},
                     {"none", dtype::f32, {3, 0}},
                     {"embedding", dtype::u8, {5, 3}, ckpt::role::frozen},
                     {"b", dtype::f64, {7}}});
};

template <class Optimizer>
using state_of = test::owned_state<net, Optimizer>;

/// Memory whose every change is seen.
template <class Model, class Optimizer>
struct guarded {
  guarded() {
    state.fill(77);
    before = state.memory;
    training = state.view.training;
  }
  [[nodiscard]] bool is_untouched() const {
    return state.memory == before && state.view.training == training;
  }
  test::owned_state<Model, Optimizer> state;
  std::vector<test::bytes> before;
  ckpt::training_state training;
};

template <class Format, class Optimizer>
void check_file() {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  state_of<Optimizer> state;
  state.fill(1);
  const auto saved = ckpt::save<Format>(path, state.view);
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  const test::bytes file = test::read_file(path);
  CHECK(file == test::written<Format>(state.view));
  CHECK(saved->file_bytes == file.size());
  CHECK(directory.names().size() == 1);

  // By a load of its own format and of another, straight and through a buffer.
  for (const bool staged : {false, true}) {
    CAPTURE(staged);
    state_of<Optimizer> own;
    const auto report =
        ckpt::load<Format>(path, own.view, ckpt::load_options(ckpt::read_options{}, staged));
    REQUIRE_MESSAGE(report.ok(), report.message());
    CHECK(own.memory == state.memory);
    CHECK(own.view.training == state.view.training);
    CHECK(report->kind == Format::kind);
    CHECK(report->checksums_verified);
    CHECK(report->weights_loaded == 4);
    CHECK(report->slots_loaded == Optimizer::slot_count);
    state_of<ckpt::sgd> weights;
    const auto other =
        ckpt::load(path, weights.view, ckpt::load_options(ckpt::weights_only, staged));
    REQUIRE_MESSAGE(other.ok(), other.message());
    CHECK(std::equal(weights.memory.begin(), weights.memory.end(), state.memory.begin()));
    CHECK(other->slots_ignored == Optimizer::slot_count);
  }

  // By a run-time model.
  test::owned_state<ckpt::dynamic_model, Optimizer> live(ckpt::view_of<net>());
  REQUIRE(ckpt::load<Format>(path, live.view).ok());
  CHECK(live.memory == state.memory);
  REQUIRE(ckpt::save<Format>(directory.at("b.ckpt"), live.view).ok());
  CHECK(test::read_file(directory.at("b.ckpt")) == file);

  // By mapping.
  const auto mapped = ckpt::map<net, Optimizer, Format>(path);
  REQUIRE_MESSAGE(mapped.ok(), mapped.message());
  CHECK((*mapped)->kind() == Format::kind);
  CHECK((*mapped)->check_payloads().ok());
  const ckpt::bytes_view b = (*mapped)->weight_bytes(4);
  CHECK(test::bytes(b.begin(), b.end()) == state.payload(0, 4));
}

}  // namespace

TEST_CASE("files with a manifest are saved, loaded and mapped") {
  check_file<ckpt::onert_plus, ckpt::adam>();
  check_file<ckpt::onert_plus, ckpt::sgd>();
  check_file<ckpt::onert_plus, ckpt::momentum>();
  check_file<ckpt::onert_micro_plus, ckpt::sgd>();
  check_file<ckpt::v2, ckpt::sgd>();
  check_file<ckpt::v2, ckpt::adam>();
  check_file<ckpt::v2, ckpt::amsgrad>();
  check_file<ckpt::v2_with<4096, 8192>, ckpt::adafactor>();
}

TEST_CASE("a mapped file with aligned payloads gives typed views in place") {
  if constexpr (ckpt::host_byte_order == ckpt::byte_order::little) {
    scratch directory;
    const std::string path = directory.at("a.ckpt");
    state_of<ckpt::adam> state;
    state.fill(1);
    REQUIRE(ckpt::save<ckpt::v2>(path, state.view).ok());
    const auto mapped = ckpt::map<net, ckpt::adam>(path);
    REQUIRE(mapped.ok());
    CHECK((*mapped)->weight_as<double>(4)->size() == 7);
    CHECK((*mapped)->slot_as<float>(ckpt::adam::v, 1)->size() == 17 * 31);
  }
}

namespace {

/// Every byte of a file is changed in turn: a load through a buffer leaves the state as it was,
/// a straight one does too unless it says that it may not have.
template <class Format, class Optimizer>
void check_damage() {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  state_of<Optimizer> good;
  good.fill(1);
  const test::bytes file = test::written<Format>(good.view);
  guarded<net, Optimizer> to;
  test::random_numbers numbers(3);
  std::size_t in_payloads = 0;
  // A prime number apart: the head and some of all payloads.
  for (std::size_t at = 0; at < file.size(); at += at < 300 ? 7 : 97) {
    CAPTURE(at);
    test::bytes damaged = file;
    damaged[at] ^= static_cast<std::byte>(1U << numbers.below(8));
    ckpt_test::put(path, damaged);
    const ckpt::errc said = ckpt::verify(test::view(damaged)).error.kind;
    REQUIRE(said != errc::ok);
    const auto staged =
        ckpt::load<Format>(path, to.state.view, ckpt::load_options(ckpt::read_options{}, true));
    if (said == errc::bad_padding) {
      CHECK(staged.ok());
      CHECK(to.state.memory == good.memory);
      to.state.memory = to.before;
      to.state.view.training = to.training;
      continue;
    }
    CHECK_FALSE(staged.ok());
    CHECK_FALSE(staged.error().indeterminate);
    CHECK(to.is_untouched());
    const auto straight = ckpt::load<Format>(path, to.state.view);
    CHECK(straight.error().kind == staged.error().kind);
    if (straight.error().indeterminate) {
      ++in_payloads;
      CHECK(straight.error().kind == errc::checksum_mismatch);
      CHECK(straight.error().tensor != ckpt::no_tensor);
      CHECK(to.state.view.training == to.training);
      CHECK(test::mentions(straight.message(), "mix of old and new"));
      for (std::size_t k = 0; k < to.before.size(); ++k)
        std::copy(to.before[k].begin(), to.before[k].end(), to.state.memory[k].begin());
    }
    CHECK(to.is_untouched());
  }
  CHECK(in_payloads > 10);
}

}  // namespace

TEST_CASE("B15 a damaged payload leaves a staged load's state as it was; a straight load says so") {
  check_damage<ckpt::onert_plus, ckpt::adam>();
  check_damage<ckpt::onert_plus, ckpt::sgd>();
  check_damage<ckpt::v2, ckpt::adam>();
}

TEST_CASE("B1 every cut of a saved file is refused and touches nothing") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  const auto check = [&path](const test::bytes& file, auto format) {
    guarded<net, ckpt::sgd> to;
    for (std::size_t size = 0; size < file.size(); size += size < 400 ? 1 : 61) {
      CAPTURE(size);
      ckpt_test::put(path,
                     test::bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
      const errc wanted = size == 0 ? errc::empty_file : errc::truncated;
      CHECK(ckpt::load<decltype(format)>(path, to.state.view).error().kind == wanted);
      CHECK(ckpt::load(path, to.state.view, ckpt::weights_only).error().kind == wanted);
      CHECK(to.is_untouched());
    }
  };
  state_of<ckpt::sgd> state;
  state.fill(2);
  check(test::written<ckpt::onert_plus>(state.view), ckpt::onert_plus{});
  check(test::written<ckpt::v2>(state.view), ckpt::v2{});
}

TEST_CASE("D1 a file of tensors by other names is refused before anything is touched") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  state_of<ckpt::adam> state;
  state.fill(1);
  const auto check = [&](auto format) {
    REQUIRE(ckpt::save<decltype(format)>(path, state.view).ok());
    guarded<renamed, ckpt::adam> to;
    for (const bool staged : {false, true}) {
      const auto loaded =
          ckpt::load(path, to.state.view, ckpt::load_options(ckpt::read_options{}, staged));
      CHECK(loaded.error().kind == errc::name_mismatch);
      CHECK(loaded.error().tensor == 1);
      CHECK_FALSE(loaded.error().indeterminate);
      CHECK(to.is_untouched());
    }
    CHECK(ckpt::map<renamed, ckpt::adam>(path).error().kind == errc::name_mismatch);
  };
  check(ckpt::onert_plus{});
  check(ckpt::v2{});
}

TEST_CASE("a file of many more tensors than the model is refused by their number") {
  scratch directory;
  const std::string path = directory.at("many.ckpt");
  std::vector<ckpt::tensor_spec> specs(5000);
  for (ckpt::tensor_spec& spec : specs) spec = ckpt::tensor_spec(dtype::u8, {1});
  const ckpt::model_view model{ckpt::span<const ckpt::tensor_spec>(specs), {}};
  test::owned_state<ckpt::dynamic_model, ckpt::adam> many(model);
  many.fill(1);
  const auto check = [&](auto format) {
    REQUIRE(ckpt::save<decltype(format)>(path, many.view).ok());
    guarded<net, ckpt::adam> to;
    const auto few = ckpt::load(path, to.state.view);
    CHECK(few.error().kind == errc::count_mismatch);
    CHECK(few.error().expected == 5);
    CHECK(few.error().found == 5000);
    CHECK(ckpt::load<ckpt::v2>(path, to.state.view).error().kind == errc::count_mismatch);
    CHECK(to.is_untouched());
    // The table ends near the end of what is read first.
    test::owned_state<ckpt::dynamic_model, ckpt::adam> again(model);
    for (const std::size_t count : {1004U, 1005U, 1008U, 1015U, 1019U, 1020U, 1021U}) {
      CAPTURE(count);
      const ckpt::model_view part{model.tensors.part(0, count), {}};
      test::owned_state<ckpt::dynamic_model, ckpt::adam> some(part);
      some.fill(count);
      REQUIRE(ckpt::save<decltype(format)>(path, some.view).ok());
      CHECK(ckpt::load(path, to.state.view).error().kind == errc::count_mismatch);
      test::owned_state<ckpt::dynamic_model, ckpt::adam> same(part);
      const auto loaded = ckpt::load(path, same.view);
      CHECK_MESSAGE(loaded.ok(), loaded.message());
      CHECK(same.memory == some.memory);
      CHECK(ckpt::load(path, again.view).error().kind == errc::count_mismatch);
    }
  };
  check(ckpt::onert{});
  check(ckpt::onert_plus{});
  check(ckpt::v2{});
}

TEST_CASE("all of the training state and the user's values come back from a v2 file") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  state_of<ckpt::adam> state;
  state.fill(1);
  ckpt::training_state& training = state.view.training;
  training.step = std::uint64_t{1} << 40U;
  training.sample_cursor = 5;
  training.shuffle_seed = 6;
  training.rng_state = {7, 8, 9, ~std::uint64_t{0}};
  training.best_metric = 0.5;
  training.learning_rate = 1e-4;
  ckpt::value_storage<128> values;
  REQUIRE(values.set_text("run", "blue").ok());
  REQUIRE(values.set_integer("batch", 32).ok());
  state.view.user_values = &values;
  REQUIRE(ckpt::save<ckpt::v2>(path, state.view).ok());
  for (const bool staged : {false, true}) {
    guarded<net, ckpt::adam> to;
    ckpt::value_storage<128> back;
    to.state.view.user_values = &back;
    const auto loaded =
        ckpt::load<ckpt::v2>(path, to.state.view, ckpt::load_options(ckpt::read_options{}, staged));
    REQUIRE_MESSAGE(loaded.ok(), loaded.message());
    CHECK(to.state.view.training == training);
    CHECK(loaded->training == training);
    CHECK(*back.text("run") == ckpt::name_view("blue"));
    CHECK(*back.integer("batch") == 32);

    guarded<net, ckpt::adam> narrow;
    ckpt::value_storage<8> small;
    narrow.state.view.user_values = &small;
    const auto refused = ckpt::load<ckpt::v2>(path, narrow.state.view,
                                              ckpt::load_options(ckpt::read_options{}, staged));
    CHECK(refused.error().kind == errc::buffer_too_small);
    CHECK_FALSE(refused.error().indeterminate);
    CHECK(narrow.is_untouched());
  }
}

TEST_CASE("schema 1 refuses to forget training state, and the file that was there stays") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  state_of<ckpt::adam> state;
  state.fill(1);
  const auto check = [&](auto format) {
    using format_type = decltype(format);
    state.view.training = {5, 1};
    state.view.user_values = nullptr;
    REQUIRE(ckpt::save<format_type>(path, state.view).ok());
    const test::bytes before = test::read_file(path);
    const auto is_refused = [&] {
      const auto saved = ckpt::save<format_type>(path, state.view);
      return saved.error().kind == errc::unstorable_values && test::read_file(path) == before &&
             directory.names().size() == 1 && test::mentions(saved.message(), "ckpt::v2");
    };
    state.view.training.sample_cursor = 9;
    CHECK(is_refused());
    state.view.training = {5, 1};
    state.view.training.learning_rate = 0.1;
    CHECK(is_refused());
    state.view.training = {5, 1};
    ckpt::value_storage<64> values;
    state.view.user_values = &values;
    CHECK(ckpt::save<format_type>(path, state.view).ok());
    REQUIRE(values.set_integer("n", 1).ok());
    CHECK(is_refused());
    state.view.user_values = nullptr;
  };
  check(ckpt::onert{});
  check(ckpt::onert_plus{});
}

TEST_CASE("N5 a big-endian host saves and loads the same files with a manifest") {
  if constexpr (ckpt::host_byte_order == ckpt::byte_order::little) {
    scratch directory;
    constexpr auto big = ckpt::byte_order::big;
    using native = ckpt::native;
    const std::string path = directory.at("big.ckpt");
    const auto check = [&path](auto format) {
      using format_type = decltype(format);
      state_of<ckpt::adam> little;
      little.fill(4);
      state_of<ckpt::adam> foreign;
      foreign.fill(4);
      for (std::size_t s = 0; s < 3; ++s)
        for (std::size_t i = 0; i < 5; ++i)
          ckpt::reverse_elements({foreign.payload(s, i).data(), foreign.payload(s, i).size()},
                                 ckpt::byte_width(net::tensors.specs[i].type()));
      REQUIRE(ckpt::detail::save_with<native, format_type, big>(path, foreign.view, {}).ok());
      CHECK(test::read_file(path) == test::written<format_type>(little.view));
      for (const bool staged : {false, true}) {
        state_of<ckpt::adam> back;
        const ckpt::load_options options(ckpt::read_options{}, staged);
        REQUIRE(ckpt::detail::load_with<native, format_type, big>(path, back.view, options).ok());
        CHECK(back.memory == foreign.memory);
      }
    };
    check(ckpt::onert_plus{});
    check(ckpt::v2{});
  }
}

TEST_CASE(
    "a file with a manifest is read by short and interrupted calls, or the failure is passed on") {
  using counted = ckpt_test::scaled_native<>;
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  state_of<ckpt::adam> state;
  state.fill(1);
  const auto check = [&](auto format) {
    using format_type = decltype(format);
    ckpt_test::reset();
    ckpt_test::now.longest_move = 5;
    ckpt_test::now.interrupt_every = 3;
    REQUIRE(ckpt::detail::save_with<counted, format_type>(path, state.view, {}).ok());
    state_of<ckpt::adam> loaded;
    REQUIRE(ckpt::detail::load_with<counted, format_type>(path, loaded.view, {}).ok());
    CHECK(loaded.memory == state.memory);
    // Each read fails in turn: nothing is touched, or it says so.
    for (std::size_t at = 1; at < 100; ++at) {
      CAPTURE(at);
      ckpt_test::reset();
      ckpt_test::now.fail_kind = ckpt_test::call::read;
      ckpt_test::now.fail_at = at;
      guarded<net, ckpt::adam> to;
      const auto failed = ckpt::detail::load_with<counted, format_type>(path, to.state.view, {});
      if (failed.ok()) break;
      REQUIRE(at < 99);
      CHECK(failed.error().kind == errc::input_output);
      CHECK((failed.error().indeterminate || to.is_untouched()));
      CHECK(to.state.view.training == to.training);
    }
    ckpt_test::reset();
    CHECK(ckpt_test::now.open_handles == 0);
  };
  check(ckpt::onert_plus{});
  check(ckpt::v2{});
}
