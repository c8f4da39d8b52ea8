#include "ckpt/checkpoint/async_saver.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "allocations.hpp"
#include "ckpt/checkpoint/load.hpp"
#include "fixtures.hpp"
#include "scaled_native.hpp"
#include "scratch.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt_test::call;
using ckpt_test::scratch;
using fixture::three;

namespace {

using adam_state = test::owned_state<three, ckpt::adam>;
using adam_view = ckpt::state_view<three, ckpt::adam>;
using live_state = test::owned_state<ckpt::dynamic_model, ckpt::adam>;
using path_saver = ckpt::async_saver<three, ckpt::adam, ckpt::save_report, std::string>;

struct megabyte {
  static constexpr auto tensors = ckpt::tensors({{"w", dtype::u8, {1 << 20}}});
};

// Nine tensors at multiples of 64, the last of them 4 bytes.
static_assert(path_saver::snapshot_bytes == 8 * 64 + 4);
static_assert(ckpt::state<three, ckpt::adam>::memory_needed() == path_saver::snapshot_bytes);
static_assert(ckpt::async_saver<megabyte, ckpt::sgd>::snapshot_bytes == 1 << 20);

/// A door that keeps the target waiting until it is opened.
class gate {
 public:
  void open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

template <class Format = ckpt::onert>
ckpt::file_result<ckpt::save_report> save_to(const adam_view& copy, const std::string& path) {
  return ckpt::save<Format>(path, copy, {/*durable=*/false});
}

template <class Saver>
void wait_until_idle(const Saver& saver) {
  while (saver.in_flight() > 0) std::this_thread::yield();
}

std::ptrdiff_t lines(const std::string& message) {
  return message.empty() ? 0 : 1 + std::count(message.begin(), message.end(), '\n');
}

/// Saves, overwrites everything at once while the target still waits, and looks into the file.
template <class Format>
void overwrite_after_save(bool with_values) {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  adam_state state;
  state.fill(1);
  const auto memory = state.memory;
  const auto training = state.view.training;
  ckpt::value_storage<256> values;
  if (with_values) {
    REQUIRE(values.set_integer("batch", 32).ok());
    REQUIRE(values.set_text("note", "before").ok());
    state.view.user_values = &values;
  }
  gate slow;
  path_saver saver([&](const adam_view& copy, const std::string& to) {
    slow.pass();
    return save_to<Format>(copy, to);
  });
  const auto started = saver.save(state.view, path);
  REQUIRE_MESSAGE(started.ok(), started.message());
  CHECK(*started == 1);
  state.fill(2);
  state.view.training = {99, 9};
  if (with_values) {
    REQUIRE(values.set_integer("batch", 64).ok());
    REQUIRE(values.set_text("note", "afterwards, and longer than it was before").ok());
  }
  CHECK_FALSE(std::filesystem::exists(path));
  slow.open();
  const auto finished = saver.wait();
  REQUIRE_MESSAGE(finished.ok(), finished.message());
  CHECK(finished->size() == 1);

  adam_state loaded;
  ckpt::value_storage<256> loaded_values;
  loaded.view.user_values = &loaded_values;
  REQUIRE(ckpt::load(path, loaded.view).ok());
  CHECK(loaded.memory == memory);
  CHECK(loaded.view.training == training);
  if (!with_values) return;
  CHECK(*loaded_values.integer("batch") == 32);
  CHECK(*loaded_values.text("note") == "before");
}

}  // namespace

TEST_CASE(
    "Y1 the file holds what the state was when save was called, whatever happens to it then") {
  overwrite_after_save<ckpt::onert>(false);
  overwrite_after_save<ckpt::v2>(false);
  overwrite_after_save<ckpt::v2>(true);
}

TEST_CASE("Y1 values that come, grow and go are those of each call") {
  scratch directory;
  adam_state state;
  path_saver saver([&](const adam_view& copy, const std::string& to) {
    return save_to<ckpt::v2>(copy, directory.at(to));
  });
  ckpt::value_storage<32> few;
  REQUIRE(few.set_integer("n", 1).ok());
  ckpt::value_storage<512> many;
  REQUIRE(many.set_bytes("long", test::view(test::bytes(300))).ok());
  ckpt::values* const each[] = {nullptr, &few, &many, nullptr, nullptr, &few};
  for (std::size_t i = 0; i < 6; ++i) {
    state.view.user_values = each[i];
    REQUIRE(saver.save(state.view, std::to_string(i)).ok());
  }
  REQUIRE(saver.wait().ok());
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    ckpt::value_storage<512> loaded;
    state.view.user_values = &loaded;
    REQUIRE(ckpt::load(directory.at(std::to_string(i)), state.view).ok());
    CHECK(loaded.integer("n").ok() == (each[i] == &few));
    CHECK(loaded.bytes("long").ok() == (each[i] == &many));
  }
}

TEST_CASE("Y3 a slow save is published before a quick one that was asked for later") {
  scratch directory;
  gate slow;
  std::vector<std::uint64_t> published;
  path_saver saver([&](const adam_view& copy, const std::string& to) {
    if (copy.training.step == 1) slow.pass();
    auto saved = save_to(copy, to);
    published.push_back(copy.training.step);
    return saved;
  });
  adam_state first;
  first.fill(1);
  first.view.training.step = 1;
  adam_state second;
  second.fill(2);
  second.view.training.step = 2;
  CHECK(*saver.save(first.view, directory.at("1")) == 1);
  CHECK(*saver.save(second.view, directory.at("2")) == 2);
  CHECK(saver.in_flight() == 2);
  CHECK(directory.names().empty());
  slow.open();
  const auto finished = saver.wait();
  REQUIRE_MESSAGE(finished.ok(), finished.message());
  CHECK(finished->size() == 2);
  CHECK(saver.in_flight() == 0);
  CHECK(published == std::vector<std::uint64_t>{1, 2});
  adam_state loaded;
  REQUIRE(ckpt::load(directory.at("1"), loaded.view).ok());
  CHECK(loaded.memory == first.memory);
  REQUIRE(ckpt::load(directory.at("2"), loaded.view).ok());
  CHECK(loaded.memory == second.memory);
  CHECK(loaded.view.training == second.view.training);
}

TEST_CASE("Y3 no more saves are under way than allowed, and the next one waits") {
  for (const std::size_t allowed : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    CAPTURE(allowed);
    std::atomic<std::size_t> returned{0};  // saves whose call has come back
    std::atomic<std::size_t> run{0};
    std::atomic<std::size_t> too_many{0};
    ckpt::async_settings how;
    how.max_in_flight = allowed;
    path_saver saver(
        [&](const adam_view& copy, const std::string&) {
          for (int i = 0; i < 100; ++i) std::this_thread::yield();
          // The call number `step + allowed` cannot come back before this one has ended.
          if (returned > copy.training.step + allowed) ++too_many;
          if (copy.training.step != run++) ++too_many;
          return ckpt::file_result<ckpt::save_report>(ckpt::save_report{});
        },
        how);
    adam_state state;
    for (std::uint64_t step = 0; step < 50; ++step) {
      state.view.training.step = step;
      const auto started = saver.save(state.view);
      REQUIRE(started.ok());
      ++returned;
      CHECK(*started <= allowed);
      CHECK(*started >= 1);
    }
    CHECK(saver.wait()->size() == 50);
    CHECK(too_many == 0);
  }
}

TEST_CASE("Y4 an error in the background is reported once, by the next save, which has started") {
  scratch directory;
  ckpt::async_settings how;
  how.max_in_flight = 1;  // so the second call comes back when the first save has failed
  path_saver saver([](const adam_view& copy, const std::string& to) { return save_to(copy, to); },
                   how);
  adam_state state;
  state.fill(3);
  CHECK(saver.save(state.view, directory.at("missing/a")).ok());
  const auto second = saver.save(state.view, directory.at("b"));
  CHECK(second.error().kind == errc::not_found);
  CHECK(test::mentions(second.message(), "missing/a"));
  CHECK_FALSE(test::mentions(second.message(), "cannot start the save"));
  const auto finished = saver.wait();
  REQUIRE_MESSAGE(finished.ok(), finished.message());
  CHECK(finished->size() == 1);
  adam_state loaded;
  REQUIRE(ckpt::load(directory.at("b"), loaded.view).ok());
  CHECK(loaded.memory == state.memory);
}

TEST_CASE("Y4 a full disk in the background is reported once, by wait") {
  scratch directory;
  const std::string path = directory.at("a");
  ckpt_test::put(path, fixture::adam());
  path_saver saver([](const adam_view& copy, const std::string& to) {
    return ckpt::detail::save_with<ckpt_test::scaled_native<>, ckpt::onert>(to, copy, {});
  });
  adam_state state;
  ckpt_test::reset();
  ckpt_test::now.fail_kind = call::write;
  ckpt_test::now.fail_at = 1;
  ckpt_test::now.fail_error = ENOSPC;
  CHECK(saver.save(state.view, path).ok());
  const auto failed = saver.wait();
  ckpt_test::reset();
  CHECK(failed.error().kind == errc::no_space);
  CHECK(test::mentions(failed.message(), path));
  CHECK(test::read_file(path) == fixture::adam());
  CHECK(saver.wait().ok());
  CHECK(saver.wait()->empty());
  CHECK(saver.save(state.view, path).ok());
  CHECK(saver.wait()->size() == 1);
}

TEST_CASE("Y4 poll reports a failure once, and does not wait") {
  scratch directory;
  gate slow;
  path_saver saver([&](const adam_view& copy, const std::string& to) {
    slow.pass();
    return save_to(copy, to);
  });
  adam_state state;
  CHECK(saver.save(state.view, directory.at("missing/a")).ok());
  CHECK(saver.poll().ok());
  CHECK(saver.poll()->empty());
  CHECK(saver.in_flight() == 1);
  slow.open();
  wait_until_idle(saver);
  CHECK(saver.poll().error().kind == errc::not_found);
  CHECK(saver.poll().ok());
  CHECK(saver.wait().ok());
}

TEST_CASE("Y4 several failures are one, a line each, and reports of the others are not lost") {
  scratch directory;
  ckpt::async_settings how;
  how.max_in_flight = 4;
  gate slow;
  path_saver saver(
      [&](const adam_view& copy, const std::string& to) {
        slow.pass();
        return save_to(copy, to);
      },
      how);
  adam_state state;
  CHECK(saver.save(state.view, directory.at("missing/first")).ok());
  CHECK(saver.save(state.view, directory.at("good")).ok());
  CHECK(saver.save(state.view, directory.at("missing/second")).ok());
  CHECK(saver.save(state.view, "").ok());
  slow.open();
  const auto failed = saver.wait();
  CHECK(failed.error().kind == errc::not_found);
  CHECK(lines(failed.message()) == 3);
  CHECK(test::mentions(failed.message(), "missing/first"));
  CHECK(test::mentions(failed.message(), "missing/second"));
  CHECK(test::mentions(failed.message(), "empty"));
  const auto others = saver.wait();
  REQUIRE(others.ok());
  REQUIRE(others->size() == 1);
  CHECK((*others)[0].file_bytes == 148);
  CHECK(saver.save(state.view, directory.at("missing/later")).ok());
  CHECK(lines(saver.wait().message()) == 1);
}

TEST_CASE("Y4 the end of the saver finishes every save, and a program that ends leaves it whole") {
  scratch directory;
  adam_state state;
  state.fill(4);
  {
    path_saver saver(
        [](const adam_view& copy, const std::string& to) { return save_to(copy, to); });
    for (int i = 0; i < 5; ++i) CHECK(saver.save(state.view, directory.at(std::to_string(i))).ok());
  }
  CHECK(directory.names().size() == 5);

  const std::string path = directory.at("last");
  const int code = ckpt_test::in_child([&] {
    ckpt::async_saver<three, ckpt::adam> saver([&](const adam_view& copy, const auto&) {
      std::this_thread::yield();
      return save_to(copy, path);
    });
    return saver.save(state.view).ok() ? 7 : 1;
  });
  CHECK(code == 7);
  adam_state loaded;
  REQUIRE(ckpt::load(path, loaded.view).ok());
  CHECK(loaded.memory == state.memory);
  CHECK(directory.names().size() == 6);
}

TEST_CASE("a saver without snapshots or without a target says so at the first save") {
  adam_state state;
  ckpt::async_settings none;
  none.max_in_flight = 0;
  path_saver saver([](const adam_view& copy, const std::string& to) { return save_to(copy, to); },
                   none);
  CHECK(saver.wait().ok());
  for (int i = 0; i < 2; ++i) {
    const auto refused = saver.save(state.view, "a");
    CHECK(refused.error().kind == errc::invalid_settings);
    CHECK(test::mentions(refused.message(), "cannot start the save"));
    CHECK(test::mentions(refused.message(), "max_in_flight is 0"));
  }
  CHECK(saver.in_flight() == 0);
  CHECK(saver.wait().ok());
  path_saver aimless{path_saver::target_type{}};
  CHECK(aimless.save(state.view).error().kind == errc::invalid_settings);
  CHECK(test::mentions(aimless.save(state.view).message(), "no target"));
}

TEST_CASE("a saver that gets no memory says so at the first save and keeps none") {
  using big_saver = ckpt::async_saver<megabyte, ckpt::sgd>;
  const auto target = [](const auto&, const auto&) {
    return ckpt::file_result<ckpt::save_report>(ckpt::save_report{});
  };
  test::owned_state<megabyte, ckpt::sgd> state;
  const std::size_t before = test::allocated_bytes();
  test::limit_allocations(1 << 19);
  big_saver saver(target);
  test::limit_allocations(0);
  CHECK(test::allocated_bytes() < before + 4096);
  CHECK(saver.save(state.view).error().kind == errc::no_memory);
  CHECK(test::mentions(saver.save(state.view).message(), "out of memory"));
  CHECK(saver.wait().ok());
  ckpt::async_settings how;
  for (const std::size_t many : {~std::size_t{0}, ~std::size_t{0} >> 8U}) {
    how.max_in_flight = many;
    test::limit_allocations(1 << 21);
    big_saver huge(target, how);
    test::limit_allocations(0);
    CHECK(huge.save(state.view).error().kind == errc::no_memory);
  }
}

TEST_CASE("memory is taken once: a save takes none for the tensors") {
  using big_saver = ckpt::async_saver<megabyte, ckpt::sgd>;
  std::size_t wrong = 0;
  big_saver saver([&](const auto& copy, const auto&) {
    if (copy.weight_bytes(0)[7] != std::byte{5}) ++wrong;
    return ckpt::file_result<ckpt::save_report>(ckpt::save_report{});
  });
  test::owned_state<megabyte, ckpt::sgd> state;
  state.payload(0, 0)[7] = std::byte{5};
  test::watch_allocations();
  for (int i = 0; i < 10; ++i) CHECK(saver.save(state.view).ok());
  CHECK(saver.wait().ok());
  CHECK(test::peak_allocation() < 64 * 1024);
  CHECK(wrong == 0);
}

TEST_CASE("a tensor that is bound to nothing is refused before anything is copied") {
  std::atomic<int> calls{0};
  path_saver saver([&](const adam_view&, const std::string&) {
    ++calls;
    return ckpt::file_result<ckpt::save_report>(ckpt::save_report{});
  });
  adam_state whole;
  whole.fill(1);
  adam_view partly;
  partly.training.step = 5;
  REQUIRE(partly.bind_weight(0, whole.view.weight_bytes(0)).ok());
  const auto refused = saver.save(partly, "a");
  CHECK(refused.error().kind == errc::unbound_tensor);
  CHECK(test::mentions(refused.message(), "cannot start the save"));
  CHECK(test::mentions(refused.message(), "'b'"));
  CHECK(saver.in_flight() == 0);
  CHECK(saver.wait()->empty());
  CHECK(calls == 0);
  CHECK(saver.save(whole.view, "a").ok());
  CHECK(saver.wait()->size() == 1);
  CHECK(calls == 1);
}

TEST_CASE("a save that is refused leaves earlier failures to the next call") {
  path_saver saver([](const adam_view& copy, const std::string& to) { return save_to(copy, to); });
  adam_state state;
  CHECK(saver.save(state.view, "").ok());
  wait_until_idle(saver);
  CHECK(saver.save(adam_view{}, "").error().kind == errc::unbound_tensor);
  CHECK(saver.wait().error().kind == errc::empty_path);
  CHECK(saver.wait().ok());
}

TEST_CASE("a snapshot that fails stays as it was, and one that moves keeps its values") {
  using adam_snapshot = ckpt::snapshot<three, ckpt::adam>;
  auto made = adam_snapshot::make();
  REQUIRE(made.ok());
  adam_state state;
  state.fill(6);
  ckpt::value_storage<64> values;
  REQUIRE(values.set_integer("n", 3).ok());
  state.view.user_values = &values;
  REQUIRE(made->take(state.view).ok());
  CHECK(made->take(adam_view{}).kind == errc::unbound_tensor);
  adam_snapshot moved(std::move(*made));
  CHECK(moved.view().training == state.view.training);
  CHECK(*moved.view().user_values->integer("n") == 3);
  CHECK(moved.view().user_values != &values);

  std::vector<std::byte> records(1 << 16);
  ckpt::values large(ckpt::bytes_span(records.data(), records.size()));
  adam_state other;
  other.fill(7);
  other.view.user_values = &large;
  test::limit_allocations(1 << 12);
  const ckpt::status failed = moved.take(other.view);
  test::limit_allocations(0);
  CHECK(failed.kind == errc::no_memory);
  CHECK(moved.view().training == state.view.training);
  CHECK(*moved.view().user_values->integer("n") == 3);
  CHECK(test::written<ckpt::v2>(moved.view()) == test::written<ckpt::v2>(state.view));
}

TEST_CASE("a state that can only be read is saved, too") {
  scratch directory;
  adam_state state;
  state.fill(8);
  ckpt::const_state_view<three, ckpt::adam> read_only;
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(read_only.bind_weight(i, test::view(state.payload(0, i))).ok());
    for (std::size_t s = 0; s < 2; ++s)
      REQUIRE(read_only.bind_slot(s, i, test::view(state.payload(1 + s, i))).ok());
  }
  path_saver saver([](const adam_view& copy, const std::string& to) { return save_to(copy, to); });
  REQUIRE(saver.save(read_only, directory.at("a")).ok());
  REQUIRE(saver.wait().ok());
  adam_state loaded;
  REQUIRE(ckpt::load(directory.at("a"), loaded.view).ok());
  CHECK(loaded.memory == state.memory);
}

TEST_CASE("tensors that lie without gaps, or in another order, are copied each to its place") {
  scratch directory;
  path_saver saver([](const adam_view& copy, const std::string& to) { return save_to(copy, to); });
  for (const bool backwards : {false, true}) {
    CAPTURE(backwards);
    test::bytes block = ckpt_test::pattern(3 * 28);
    adam_view packed;
    std::size_t at = 0;
    for (std::size_t k = 0; k < 9; ++k) {
      const std::size_t place = backwards ? 8 - k : k;
      const std::size_t sizes[] = {16, 8, 4};
      const ckpt::bytes_span room(block.data() + at, sizes[place % 3]);
      at += room.size();
      REQUIRE((place < 3 ? packed.bind_weight(place, room)
                         : packed.bind_slot(place / 3 - 1, place % 3, room))
                  .ok());
    }
    REQUIRE(saver.save(packed, directory.at("a")).ok());
    REQUIRE(saver.wait().ok());
    CHECK(test::read_file(directory.at("a")) == test::written<ckpt::onert>(packed));
  }
}

TEST_CASE("a run-time model is saved in the background, and another one is refused") {
  scratch directory;
  using live_saver = ckpt::async_saver<ckpt::dynamic_model, ckpt::adam>;
  static_assert(live_saver::snapshot_bytes == 0);
  const ckpt::dynamic_model model(ckpt::view_of<three>().tensors);
  live_saver saver(
      [&](const auto& copy, const auto&) { return ckpt::save<ckpt::v2>(directory.at("a"), copy); },
      {}, model);
  live_state state(ckpt::view_of<three>());
  state.fill(5);
  const auto memory = state.memory;
  REQUIRE(saver.save(state.view).ok());
  state.fill(6);
  REQUIRE(saver.wait().ok());
  live_state loaded(ckpt::view_of<three>());
  REQUIRE(ckpt::load(directory.at("a"), loaded.view).ok());
  CHECK(loaded.memory == memory);

  const auto refusal = [&](const std::vector<ckpt::tensor_spec>& specs) {
    live_state other(ckpt::model_view{ckpt::span<const ckpt::tensor_spec>(specs), {}});
    return saver.save(other.view).error().kind;
  };
  using spec = ckpt::tensor_spec;
  const spec a("a", dtype::u8, {16});
  const spec b("b", dtype::u8, {8});
  CHECK(refusal({a, b}) == errc::count_mismatch);
  CHECK(refusal({a, b, spec("d", dtype::u8, {4})}) == errc::name_mismatch);
  CHECK(refusal({a, b, spec("c", dtype::f32, {1})}) == errc::dtype_mismatch);
  CHECK(refusal({a, b, spec("c", dtype::u8, {5})}) == errc::shape_mismatch);
  CHECK(refusal({a, b, spec("c", dtype::u8, {4}, ckpt::role::frozen)}) == errc::role_mismatch);
  CHECK(refusal({a, b, spec("c", dtype::u8, {4})}) == errc::ok);
  CHECK(saver.wait()->size() == 1);
}

TEST_CASE("the target decides what is reported and what goes with a save") {
  struct where {
    std::string name;
    int number = 0;
  };
  ckpt::async_saver<three, ckpt::adam, std::string, where> saver(
      [](const adam_view& copy, const where& to) {
        return ckpt::file_result<std::string>(to.name + std::to_string(to.number) + "@" +
                                              std::to_string(copy.training.step));
      });
  adam_state state;
  state.view.training.step = 3;
  REQUIRE(saver.save(state.view, {"x", 1}).ok());
  state.view.training.step = 4;
  REQUIRE(saver.save(state.view, {"y", 2}).ok());
  CHECK(*saver.wait() == std::vector<std::string>{"x1@3", "y2@4"});
}

TEST_CASE("progress is heard from the background") {
  scratch directory;
  std::vector<std::uint64_t> heard;
  auto listener = [&heard](std::uint64_t done, std::uint64_t total) {
    heard.push_back(done);
    heard.push_back(total);
  };
  path_saver saver([&](const adam_view& copy, const std::string& to) {
    ckpt::save_options how;
    how.progress = ckpt::progress_to(listener);
    return ckpt::save(to, copy, how);
  });
  adam_state state;
  REQUIRE(saver.save(state.view, directory.at("a")).ok());
  REQUIRE(saver.wait().ok());
  CHECK(heard == std::vector<std::uint64_t>{0, 148, 148, 148});
}

#if CKPT_EXCEPTIONS
TEST_CASE("a target that throws has failed, with its own status where it has one") {
  ckpt::async_settings how;
  how.max_in_flight = 8;
  path_saver saver(
      [](const adam_view& copy, const std::string& what) {
        if (what == "runtime") throw std::runtime_error("something else");
        if (what == "number") throw 5;
        if (what == "memory") throw std::bad_alloc();
        return ckpt::file_result<ckpt::save_report>(save_to(copy, what).or_throw());
      },
      how);
  adam_state state;
  const auto outcome = [&](const std::string& what) {
    CHECK(saver.save(state.view, what).ok());
    return saver.wait();
  };
  CHECK(outcome("runtime").error().kind == errc::no_memory);
  CHECK(test::mentions(outcome("runtime").message(), "something else"));
  CHECK(outcome("memory").error().kind == errc::no_memory);
  CHECK(outcome("number").error().kind == errc::no_memory);
  CHECK(test::mentions(outcome("number").message(), "out of memory"));
  CHECK(outcome("").error().kind == errc::empty_path);
  CHECK(test::mentions(outcome("/nowhere/x").message(), "/nowhere/x"));
  CHECK(saver.wait().ok());
}
#endif
