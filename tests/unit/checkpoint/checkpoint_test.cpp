#include <sys/resource.h>

#include <csignal>

#include "allocations.hpp"
#include "ckpt/ckpt.hpp"
#include "fixtures.hpp"
#include "mobilenet_v2.hpp"
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
using counted = ckpt_test::scaled_native<>;

/// Big-endian hosts write through a small buffer, in which the bytes of each element are turned.
constexpr bool writes_in_place = ckpt::host_byte_order == ckpt::byte_order::little;

/// Saves or loads through the counting seam, scaled down to 1 MiB a call.
template <class State>
auto save_counted(const std::string& path, const State& state) {
  return ckpt::detail::save_with<counted, ckpt::onert>(path, state, {});
}
template <class State>
auto load_counted(const std::string& path, State& state, const ckpt::load_options& options = {}) {
  return ckpt::detail::load_with<counted, ckpt::onert>(path, state, options);
}

/// Counts calls at full size: 1 GiB and 1024 pieces each.
struct full_size : ckpt_test::scaled_native<> {
  static constexpr std::uint64_t max_call_bytes = ckpt::native::max_call_bytes;
  static result read_at(handle h, std::uint64_t at, const piece* p, std::size_t n) noexcept {
    ckpt_test::now.enter(call::read);
    return ckpt::native::read_at(h, at, p, n);
  }
  static result write_at(handle h, std::uint64_t at, const piece* p, std::size_t n) noexcept {
    ckpt_test::now.enter(call::write);
    return ckpt::native::write_at(h, at, p, n);
  }
};

}  // namespace

TEST_CASE("what is saved is loaded, by file, by mapping and from memory") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  adam_state state;
  state.fill(1);
  const auto saved = ckpt::save(path, state.view);
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(saved->file_bytes == 148);
  CHECK(test::read_file(path) == test::written<ckpt::onert>(state.view));

  adam_state loaded;
  const auto report = ckpt::load(path, loaded.view);
  REQUIRE_MESSAGE(report.ok(), report.message());
  CHECK(loaded.memory == state.memory);
  CHECK(loaded.view.training == state.view.training);
  CHECK(report->kind == ckpt::dialect::onert);
  CHECK(report->weights_loaded == 3);
  CHECK(report->slots_loaded == 2);

  const auto mapped = ckpt::map<three, ckpt::adam>(path);
  REQUIRE_MESSAGE(mapped.ok(), mapped.message());
  const ckpt::bytes_view m = (*mapped)->slot_bytes(ckpt::adam::m, 1);
  CHECK(test::bytes(m.begin(), m.end()) == state.payload(1, 1));
  CHECK(directory.names().size() == 1);
}

TEST_CASE("a run-time model saves, loads and maps the same file") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  test::owned_state<ckpt::dynamic_model, ckpt::adam> live(ckpt::view_of<three>());
  live.fill(5);
  REQUIRE(ckpt::save(path, live.view).ok());
  adam_state fixed;
  REQUIRE(ckpt::load(path, fixed.view).ok());
  CHECK(fixed.memory == live.memory);
  test::owned_state<ckpt::dynamic_model, ckpt::adam> again(ckpt::view_of<three>());
  REQUIRE(ckpt::load(path, again.view).ok());
  CHECK(again.memory == live.memory);
  const ckpt::dynamic_model model(ckpt::view_of<three>().tensors);
  const auto mapped = ckpt::map<ckpt::adam>(path, model);
  REQUIRE_MESSAGE(mapped.ok(), mapped.message());
  CHECK((*mapped)->weight_bytes(0).size() == 16);
}

TEST_CASE("every fixture is read from a file as it is from memory") {
  scratch directory;
  const auto put = [&](const std::string& name, const test::bytes& data) {
    ckpt_test::put(directory.at(name), data);
    return directory.at(name);
  };
  adam_state adam;
  CHECK(ckpt::load(put("adam", fixture::adam()), adam.view).ok());
  CHECK(adam.view.training == ckpt::training_state{1234, 7});
  test::owned_state<three, ckpt::sgd> sgd;
  CHECK(ckpt::load(put("plain", fixture::plain()), sgd.view).ok());
  CHECK(ckpt::load(put("sgd", fixture::sgd_onert()), sgd.view).ok());
  CHECK(sgd.view.training == ckpt::training_state{1234, 0});
  test::owned_state<fixture::sparse, ckpt::sgd> sparse;
  CHECK(ckpt::load(put("sparse", fixture::sparse_file()), sparse.view).ok());
  CHECK(ckpt::load<ckpt::onert_micro>(directory.at("sparse"), sparse.view).ok());
  CHECK(sparse.payload(0, 1)[0] == std::byte{0x11});
  test::owned_state<fixture::three_frozen, ckpt::adam> frozen;
  CHECK(ckpt::load(put("frozen", fixture::frozen()), frozen.view).ok());
  test::owned_state<fixture::no_tensors, ckpt::sgd> empty;
  CHECK(ckpt::load(put("empty", fixture::empty()), empty.view).ok());

  CHECK(ckpt::load(directory.at("plain"), adam.view).error().kind == errc::no_optimizer_state);
  CHECK(ckpt::load(directory.at("adam"), sgd.view).error().kind == errc::optimizer_mismatch);
  CHECK(ckpt::load(directory.at("adam"), sgd.view, ckpt::weights_only)->slots_ignored == 2);
  CHECK(ckpt::load(directory.at("plain"), adam.view, ckpt::cold_slots)->slots_cold == 2);
  for (const std::byte b : adam.payload(2, 0)) CHECK(b == std::byte{0});
}

TEST_CASE("B1 every cut of a file is refused by load and by map, and nothing is touched") {
  scratch directory;
  const std::string path = directory.at("cut.ckpt");
  const test::bytes file = fixture::adam();
  adam_state state;
  state.fill(9);
  const auto before = state.memory;
  const auto training = state.view.training;
  for (std::size_t size = 0; size < file.size(); ++size) {
    CAPTURE(size);
    ckpt_test::put(path,
                   test::bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
    const errc wanted = size == 0 ? errc::empty_file : errc::truncated;
    for (const bool staged : {false, true}) {
      const auto loaded = ckpt::load(path, state.view, {ckpt::read_options{}, staged});
      CHECK(loaded.error().kind == wanted);
      CHECK(loaded.error().found == size);
      CHECK(loaded.error().expected > size);
      CHECK(test::mentions(loaded.message(), path));
    }
    CHECK(ckpt::map<three, ckpt::adam>(path).error().kind == wanted);
  }
  CHECK(state.memory == before);
  CHECK(state.view.training == training);
}

TEST_CASE("B12 B13 paths that are no checkpoint each have their own answer, at once") {
  scratch directory;
  adam_state state;
  const auto kind = [&](const std::string& path) {
    return ckpt::load(path, state.view).error().kind;
  };
  const auto started = std::chrono::steady_clock::now();
  CHECK(kind("") == errc::empty_path);
  CHECK(kind(directory.at("nothing")) == errc::not_found);
  CHECK(kind(directory.root()) == errc::not_a_regular_file);
  ckpt_test::put(directory.at("empty"), {});
  CHECK(kind(directory.at("empty")) == errc::empty_file);
  REQUIRE(::mkfifo(directory.at("fifo").c_str(), 0600) == 0);
  CHECK(kind(directory.at("fifo")) == errc::not_a_regular_file);
  CHECK(kind("/dev/zero") == errc::not_a_regular_file);
  CHECK(kind("/proc/self/status") == errc::not_a_regular_file);
  CHECK(ckpt_test::within_a_second(started));
  CHECK(test::mentions(ckpt::load(directory.at("nothing"), state.view).message(), "nothing"));
  CHECK(ckpt::map<three, ckpt::adam>(directory.at("empty")).error().kind == errc::empty_file);
}

TEST_CASE("B12 a file that may not be read says so") {
  scratch directory;
  const std::string path = directory.at("private");
  ckpt_test::put(path, fixture::adam());
  ::chmod(path.c_str(), 0);
  const int code = ckpt_test::in_child([&] {
    if (!ckpt_test::drop_privileges()) return 0;
    adam_state state;
    return ckpt::load(path, state.view).error().kind == errc::permission_denied ? 0 : 1;
  });
  CHECK(code == 0);
}

TEST_CASE("B2 B3 a huge count costs no memory") {
  scratch directory;
  const std::string path = directory.at("huge.ckpt");
  adam_state state;
  for (const std::uint32_t count : {0xFFFFFFFFU, 0x40000000U}) {
    test::bytes file = fixture::adam();
    test::put_u32(file, 16, count);
    ckpt_test::put(path, file);
    test::watch_allocations();
    CHECK(ckpt::load(path, state.view).error().kind == errc::truncated);
    CHECK(test::peak_allocation() < 8192);
  }
}

TEST_CASE("J1 a model beyond 4 GiB is refused before a byte is written") {
  scratch directory;
  const std::string path = directory.at("old.ckpt");
  ckpt_test::put(path, fixture::adam());
  const std::uint64_t elements = std::uint64_t{3} << 27;
  const ckpt::tensor_spec specs[] = {
      {dtype::f32, {elements}}, {dtype::f32, {elements}}, {dtype::f32, {elements}}};
  const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
  std::byte* pointers[3] = {};
  ckpt::state_view<ckpt::dynamic_model, ckpt::sgd> state(model, pointers);
  ckpt_test::reset();
  test::watch_allocations();
  const auto saved = save_counted(path, state);
  CHECK(saved.error().kind == errc::too_large);
  CHECK(test::mentions(saved.message(), "4 GiB"));
  CHECK(test::peak_allocation() < 4096);
  CHECK(ckpt_test::now.journal.empty());
  CHECK(test::read_file(path) == fixture::adam());
}

TEST_CASE("E5 a counter that does not fit is refused and no file is touched") {
  scratch directory;
  adam_state state;
  state.view.training.step = std::uint64_t{1} << 32;
  CHECK(ckpt::save(directory.at("new.ckpt"), state.view).error().kind ==
        errc::counter_out_of_range);
  CHECK(directory.names().empty());
}

TEST_CASE("G6 a large static or a run-time model with a name twice is refused on save") {
  scratch directory;
  const ckpt::tensor_spec specs[] = {{"w", dtype::f32, {1}}, {"w", dtype::f32, {1}}};
  test::owned_state<ckpt::dynamic_model, ckpt::sgd> state(
      ckpt::model_view{ckpt::span<const ckpt::tensor_spec>(specs), {}});
  const auto saved = ckpt::save(directory.at("a.ckpt"), state.view);
  CHECK(saved.error().kind == errc::duplicate_name);
  CHECK(test::mentions(saved.message(), "'w'"));
}

namespace {

constexpr std::size_t many_count = 600;
struct many {
  static constexpr auto make() {
    ckpt::tensor_table<many_count> table{};
    for (std::size_t i = 0; i < many_count; ++i)
      table.specs[i] =
          ckpt::tensor_spec::named(ckpt::name_view(&letters[i % 26], 1), dtype::u8, {1});
    return table;
  }
  static constexpr char letters[] = "abcdefghijklmnopqrstuvwxyz";
};
struct many_twice {
  static constexpr auto tensors = many::make();
};

}  // namespace

TEST_CASE("names beyond what the compiler compares are compared on save") {
  static_assert(many_count > ckpt::names_checked_by_compiler);
  scratch directory;
  test::owned_state<many_twice, ckpt::sgd> state;
  CHECK(ckpt::save(directory.at("a.ckpt"), state.view).error().kind == errc::duplicate_name);
}

TEST_CASE("a tensor that is not bound is found before the disk is touched") {
  scratch directory;
  ckpt::state_view<three, ckpt::adam> nothing;
  ckpt_test::reset();
  const auto saved = save_counted(directory.at("a.ckpt"), nothing);
  CHECK(saved.error().kind == errc::unbound_tensor);
  CHECK(ckpt_test::now.journal.empty());
  CHECK(test::mentions(saved.message(), "'a'"));
  CHECK(directory.names().empty());
  ckpt_test::put(directory.at("b.ckpt"), fixture::adam());
  CHECK(ckpt::load(directory.at("b.ckpt"), nothing).error().kind == errc::unbound_tensor);
}

TEST_CASE("MobileNetV2 with Adam, 41.8 MB, is saved and loaded in a handful of calls") {
  scratch directory;
  const std::string path = directory.at("mobilenet.ckpt");
  ckpt::state<mobilenet_v2, ckpt::adam> state;
  test::random_numbers numbers(3);
  for (std::size_t i = 0; i < 110; ++i)
    for (std::byte& b : state.weight_bytes(i)) b = static_cast<std::byte>(numbers.next());
  state.training = {77, 3};

  ckpt_test::reset();
  test::watch_allocations();
  const auto saved = ckpt::detail::save_with<full_size, ckpt::onert>(path, state, {});
  const std::size_t save_memory = test::peak_allocation();
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(saved->file_bytes == 41843548);
  if constexpr (writes_in_place) {
    CHECK(ckpt_test::now.count(call::write) <= 12);
    CHECK(save_memory <= 64 * 1024);
  }

  ckpt::state<mobilenet_v2, ckpt::adam> loaded;
  ckpt_test::reset();
  test::watch_allocations();
  const auto report = ckpt::detail::load_with<full_size, ckpt::onert>(path, loaded, {});
  const std::size_t load_memory = test::peak_allocation();
  REQUIRE_MESSAGE(report.ok(), report.message());
  CHECK(ckpt_test::now.count(call::read) <= 12);
  CHECK(load_memory <= 64 * 1024);
  MESSAGE("write calls and peak allocation of the save: "
          << saved->file_bytes << " bytes, " << save_memory << "; read calls of the load: "
          << ckpt_test::now.count(call::read) << ", allocation " << load_memory);
  CHECK(ckpt_test::now.open_handles == 0);
  CHECK(loaded.training == state.training);
  for (std::size_t i = 0; i < 110; ++i)
    CHECK(std::memcmp(loaded.weight_bytes(i).data(), state.weight_bytes(i).data(),
                      state.weight_bytes(i).size()) == 0);
  CHECK(std::filesystem::file_size(path) == 41843548);

  const auto mapped = ckpt::map<mobilenet_v2, ckpt::adam>(path);
  REQUIRE(mapped.ok());
  test::bytes copy(5120000);
  REQUIRE((*mapped)->copy_weight(104, {copy.data(), copy.size()}).ok());
  CHECK(std::memcmp(copy.data(), state.weight_bytes(104).data(), copy.size()) == 0);
}

TEST_CASE("MobileNetV2 with SGD has no slot bytes") {
  scratch directory;
  ckpt::state<mobilenet_v2, ckpt::sgd> state;
  const auto saved = ckpt::save(directory.at("sgd.ckpt"), state);
  REQUIRE(saved.ok());
  CHECK(saved->file_bytes == 13947868);
  CHECK(std::filesystem::file_size(directory.at("sgd.ckpt")) == 13947868);
}

TEST_CASE("J3 no call asks for more than the cap, and short counts are gone on with") {
  scratch directory;
  const std::string path = directory.at("capped.ckpt");
  ckpt::state<mobilenet_v2, ckpt::sgd> state;
  test::random_numbers numbers(4);
  for (std::size_t i = 0; i < 110; ++i)
    for (std::byte& b : state.weight_bytes(i)) b = static_cast<std::byte>(numbers.next());
  ckpt_test::reset();
  ckpt_test::now.longest_move = 777777;
  ckpt_test::now.interrupt_every = 3;
  REQUIRE(save_counted(path, state).ok());
  CHECK(ckpt_test::now.largest_ask <= ckpt_test::mebibyte);
  ckpt::state<mobilenet_v2, ckpt::sgd> loaded;
  ckpt_test::reset();
  ckpt_test::now.longest_move = 777777;
  ckpt_test::now.interrupt_every = 3;
  REQUIRE(load_counted(path, loaded).ok());
  CHECK(ckpt_test::now.largest_ask <= ckpt_test::mebibyte);
  for (std::size_t i = 0; i < 110; ++i)
    CHECK(std::memcmp(loaded.weight_bytes(i).data(), state.weight_bytes(i).data(),
                      state.weight_bytes(i).size()) == 0);
}

TEST_CASE("J6 ten thousand small tensors need few calls, in index order and in any other") {
  scratch directory;
  const std::string path = directory.at("small.ckpt");
  std::vector<ckpt::tensor_spec> specs(10001, ckpt::tensor_spec(dtype::f32, {4}));
  specs[0] = ckpt::tensor_spec(dtype::f32, {4}, ckpt::role::absent);
  std::vector<std::uint32_t> visits;
  for (std::size_t i = specs.size() - 1; i > 0; --i)
    visits.push_back(static_cast<std::uint32_t>(i));
  const ckpt::model_view view{ckpt::span<const ckpt::tensor_spec>(specs), visits};
  test::owned_state<ckpt::dynamic_model, ckpt::adam> state(view);
  state.fill(6);
  ckpt_test::reset();
  REQUIRE(save_counted(path, state.view).ok());
  if constexpr (writes_in_place) CHECK(ckpt_test::now.count(call::write) <= 64);
  test::owned_state<ckpt::dynamic_model, ckpt::adam> loaded(view);
  ckpt_test::reset();
  REQUIRE(load_counted(path, loaded.view).ok());
  CHECK(ckpt_test::now.count(call::read) <= 128);
  CHECK(loaded.memory == state.memory);

  REQUIRE(ckpt::save<ckpt::onert_micro>(path, state.view).ok());
  test::owned_state<ckpt::dynamic_model, ckpt::adam> backwards(view);
  ckpt_test::reset();
  const auto read = ckpt::detail::load_with<counted, ckpt::onert_micro>(path, backwards.view, {});
  REQUIRE_MESSAGE(read.ok(), read.message());
  CHECK(ckpt_test::now.count(call::read) <= 128);
  CHECK(backwards.memory == state.memory);
}

TEST_CASE("A5 a durable save writes all, syncs, renames, and syncs the directory, in this order") {
  scratch directory;
  adam_state state;
  state.fill(2);
  ckpt_test::reset();
  REQUIRE(save_counted(directory.at("a.ckpt"), state.view).ok());
  std::vector<call> steps;
  for (const call step : ckpt_test::now.journal)
    if (step == call::write || step == call::sync || step == call::rename ||
        step == call::sync_directory)
      if (steps.empty() || steps.back() != step) steps.push_back(step);
  CHECK(steps == std::vector<call>{call::write, call::sync, call::rename, call::sync_directory});

  ckpt_test::reset();
  REQUIRE(ckpt::detail::save_with<counted, ckpt::onert>(directory.at("a.ckpt"), state.view,
                                                        {/*durable=*/false})
              .ok());
  CHECK(ckpt_test::now.count(call::sync) == 0);
  CHECK(ckpt_test::now.count(call::sync_directory) == 0);
}

TEST_CASE("a save sets its room aside before it writes") {
  scratch directory;
  adam_state state;
  ckpt_test::reset();
  REQUIRE(save_counted(directory.at("a.ckpt"), state.view).ok());
  CHECK(ckpt_test::now.count(call::reserve) == 1);
  ckpt_test::now.journal.clear();
  ckpt_test::now.fail_kind = call::reserve;
  ckpt_test::now.fail_at = 2;
  ckpt_test::now.fail_error = ENOSPC;
  CHECK(save_counted(directory.at("b.ckpt"), state.view).error().kind == errc::no_space);
  CHECK(directory.names() == std::vector<std::string>{"a.ckpt"});
}

TEST_CASE("C13 a file without tensors can be mapped") {
  scratch directory;
  ckpt_test::put(directory.at("empty.ckpt"), fixture::empty());
  CHECK(ckpt::map<fixture::no_tensors, ckpt::sgd>(directory.at("empty.ckpt")).ok());
}

TEST_CASE("C16 the published file, 41.8 MB of which only header and tables are there, is read") {
  using layout = ckpt::layout<mobilenet_v2, ckpt::adam>;
  scratch directory;
  const std::string path = directory.at("sparse.ckpt");
  {
    std::ofstream file(path, std::ios::binary);
    for (std::size_t s = 0; s < 3; ++s) {
      const ckpt::bytes_view head = layout::view().head(s);
      file.seekp(static_cast<std::streamoff>(layout::bounds(s).begin));
      file.write(reinterpret_cast<const char*>(head.data()),
                 static_cast<std::streamsize>(head.size()));
    }
  }
  std::filesystem::resize_file(path, layout::file_bytes);
  const auto mapping = ckpt::native_mapping::open(path);
  REQUIRE(mapping.ok());
  const ckpt::description said = ckpt::verify(mapping->bytes());
  CHECK(said.error.ok());
  CHECK(said.map.tensor_count == 110);
  CHECK(said.map.footer == 41843540);
  for (std::size_t s = 0; s < 3; ++s)
    CHECK(said.map.sections[s].end - said.map.sections[s].table == 13947840);
  ckpt::state<mobilenet_v2, ckpt::adam> state;
  test::watch_allocations();
  CHECK(ckpt::load(path, state).ok());
  CHECK(test::peak_allocation() < 64 * 1024);
}

TEST_CASE("a wrong kind of file with more tensors than the model is named as from memory") {
  scratch directory;
  const test::bytes wof = test::read_golden("wof/wof_cnn.wof");
  ckpt_test::put(directory.at("a.wof"), wof);
  test::owned_state<fixture::no_tensors, ckpt::sgd> state;
  CHECK(ckpt::load(directory.at("a.wof"), state.view).error().kind == errc::unsupported_dialect);
}

TEST_CASE("onert-micro in an unknown order is loaded and mapped in time n log n") {
  scratch directory;
  const std::string path = directory.at("micro.ckpt");
  std::vector<ckpt::tensor_spec> specs(40000, ckpt::tensor_spec(dtype::u8, {4}));
  specs[0] = ckpt::tensor_spec(dtype::u8, {4}, ckpt::role::absent);
  std::vector<std::uint32_t> backwards;
  for (std::size_t i = specs.size() - 1; i > 0; --i)
    backwards.push_back(static_cast<std::uint32_t>(i));
  test::owned_state<ckpt::dynamic_model, ckpt::adam> state(ckpt::model_view{specs, backwards});
  state.fill(1);
  REQUIRE(ckpt::save<ckpt::onert_micro>(path, state.view).ok());
  const ckpt::dynamic_model unordered(specs);
  test::owned_state<ckpt::dynamic_model, ckpt::adam> loaded(unordered.view());
  const auto report = ckpt::load(path, loaded.view);
  REQUIRE_MESSAGE(report.ok(), report.message());
  CHECK(loaded.memory == state.memory);
  CHECK(ckpt::map<ckpt::adam>(path, unordered).ok());
}

TEST_CASE("A8 the temporary file lies beside the target, wherever TMPDIR points") {
  scratch directory;
  scratch elsewhere;
  ::setenv("TMPDIR", elsewhere.root().c_str(), 1);
  adam_state state;
  CHECK(ckpt::save(directory.at("a.ckpt"), state.view).ok());
  ::unsetenv("TMPDIR");
  CHECK(elsewhere.names().empty());
  CHECK(directory.names() == std::vector<std::string>{"a.ckpt"});
}

namespace {

/// Saves under a umask and gives the mode of the file.
unsigned mode_under(mode_t mask, const std::string& path) {
  adam_state state;
  const mode_t old = ::umask(mask);
  CHECK(ckpt::save(path, state.view).ok());
  ::umask(old);
  return ckpt_test::mode_of(path);
}

}  // namespace

TEST_CASE("A9 a new file has the mode that the umask leaves") {
  scratch directory;
  CHECK(mode_under(0027, directory.at("a")) == 0640);
  CHECK(mode_under(0002, directory.at("b")) == 0664);
}

TEST_CASE("A10 a file that is replaced keeps the mode that its owner has set") {
  scratch directory;
  CHECK(mode_under(0022, directory.at("a")) == 0644);
  ::chmod(directory.at("a").c_str(), 0600);
  CHECK(mode_under(0022, directory.at("a")) == 0600);
}

TEST_CASE("F19 a target of the wrong kind is refused and left alone") {
  scratch directory;
  adam_state state;
  std::filesystem::create_directory(directory.at("folder"));
  CHECK(ckpt::save(directory.at("folder"), state.view).error().kind == errc::not_a_regular_file);
  CHECK(ckpt::save(directory.at("no/such/file"), state.view).error().kind == errc::not_found);
  if (std::filesystem::is_character_file("/dev/full"))
    CHECK(ckpt::save("/dev/full", state.view).error().kind == errc::not_a_regular_file);
  CHECK(ckpt::save("", state.view).error().kind == errc::empty_path);
  CHECK(directory.names() == std::vector<std::string>{"folder"});
}

TEST_CASE("A3 a file size limit makes the save fail and leaves nothing") {
  scratch directory;
  const std::string path = directory.at("limited.ckpt");
  for (const rlim_t limit : {0U, 1U, 19U, 20U, 31U, 59U, 147U}) {
    CAPTURE(limit);
    const int code = ckpt_test::in_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit bound{limit, limit};
      if (::setrlimit(RLIMIT_FSIZE, &bound) != 0) return 2;
      adam_state state;
      return ckpt::save(path, state.view).ok() ? 1 : 0;
    });
    CHECK(code == 0);
    CHECK(directory.names().empty());
  }
}

TEST_CASE("M1 a mapped file keeps its contents while another is saved under its name") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  adam_state old;
  old.fill(1);
  REQUIRE(ckpt::save(path, old.view).ok());
  const auto mapped = ckpt::map<three, ckpt::adam>(path);
  REQUIRE(mapped.ok());
  adam_state fresh;
  fresh.fill(2);
  REQUIRE(ckpt::save(path, fresh.view).ok());
  const ckpt::bytes_view seen = (*mapped)->weight_bytes(0);
  CHECK(test::bytes(seen.begin(), seen.end()) == old.payload(0, 0));
  adam_state loaded;
  REQUIRE(ckpt::load(path, loaded.view).ok());
  CHECK(loaded.memory == fresh.memory);
}

TEST_CASE("M2 the views of a mapped file can be saved over that very file") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  ckpt_test::put(path, fixture::adam());
  const auto mapped = ckpt::map<three, ckpt::adam>(path);
  REQUIRE(mapped.ok());
  ckpt::const_state_view<three, ckpt::adam> views;
  const ckpt::status bound = (*mapped)->bind_to(views);
  if constexpr (ckpt::host_byte_order == ckpt::byte_order::big) {
    CHECK(bound.kind == errc::foreign_byte_order);
    return;
  }
  REQUIRE(bound.ok());
  REQUIRE(ckpt::save(path, views).ok());
  CHECK(test::read_file(path) == fixture::adam());
  const test::bytes changed(8, std::byte{0x55});
  REQUIRE(views.bind_weight(1, test::view(changed)).ok());
  REQUIRE(ckpt::save(path, views).ok());
  CHECK(test::read_file(path)[48] == std::byte{0x55});
  CHECK((*mapped)->weight_bytes(1)[0] == std::byte{0x11});
}

TEST_CASE("M4 a failing map is a typed error and leaks nothing") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  ckpt_test::put(path, fixture::adam());
  using mapped = ckpt::mapped_checkpoint<three, ckpt::adam, ckpt::onert, counted>;
  for (const int error : {ENOMEM, ENODEV}) {
    ckpt_test::reset();
    ckpt_test::now.fail_kind = call::map;
    ckpt_test::now.fail_at = 1;
    ckpt_test::now.fail_error = error;
    const auto opened = mapped::open(path, ckpt::view_of<three>(), {});
    CHECK(opened.error().kind == (error == ENOMEM ? errc::no_memory : errc::input_output));
    CHECK(opened.error().os_code == error);
    CHECK(ckpt_test::now.open_handles == 0);
  }
  ckpt_test::reset();
  { CHECK(mapped::open(path, ckpt::view_of<three>(), {}).ok()); }
  CHECK(ckpt_test::now.mapped == 0);
}

TEST_CASE("N5 a big-endian host saves and loads the same file") {
  if constexpr (ckpt::host_byte_order == ckpt::byte_order::little) {
    scratch directory;
    constexpr auto big = ckpt::byte_order::big;
    using native = ckpt::native;
    const ckpt::tensor_spec specs[] = {
        {dtype::f32, {300}}, {dtype::f64, {9}}, {dtype::u8, {5}}, {dtype::i16, {2, 3}}};
    const ckpt::model_view view{ckpt::span<const ckpt::tensor_spec>(specs), {}};
    test::owned_state<ckpt::dynamic_model, ckpt::adam> little(view);
    little.fill(4);
    test::owned_state<ckpt::dynamic_model, ckpt::adam> foreign(view);
    foreign.fill(4);
    for (std::size_t s = 0; s < 3; ++s)
      for (std::size_t i = 0; i < 4; ++i)
        ckpt::reverse_elements({foreign.payload(s, i).data(), foreign.payload(s, i).size()},
                               ckpt::byte_width(specs[i].type()));
    const std::string path = directory.at("big.ckpt");
    REQUIRE(ckpt::detail::save_with<native, ckpt::onert, big>(path, foreign.view, {}).ok());
    test::owned_state<ckpt::dynamic_model, ckpt::adam> loaded(view);
    REQUIRE(ckpt::load(path, loaded.view).ok());
    CHECK(loaded.memory == little.memory);
    for (const bool staged : {false, true}) {
      test::owned_state<ckpt::dynamic_model, ckpt::adam> back(view);
      const ckpt::load_options options(ckpt::read_options{}, staged);
      REQUIRE(ckpt::detail::load_with<native, ckpt::onert, big>(path, back.view, options).ok());
      CHECK(back.memory == foreign.memory);
    }
  }
}

#if CKPT_EXCEPTIONS
TEST_CASE("or_throw names the file") {
  adam_state state;
  try {
    ckpt::load("/no/such/file.ckpt", state.view).or_throw();
    FAIL("nothing was thrown");
  } catch (const ckpt::failure& caught) {
    CHECK(caught.reason().kind == errc::not_found);
    CHECK(test::mentions(caught.what(), "/no/such/file.ckpt"));
  }
}
#endif
