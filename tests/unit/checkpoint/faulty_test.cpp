#include "allocations.hpp"
#include "ckpt/ckpt.hpp"
#include "fixtures.hpp"
#include "scaled_native.hpp"
#include "scratch.hpp"
#include "support.hpp"

using ckpt::errc;
using ckpt_test::call;
using ckpt_test::scratch;
using fixture::three;

namespace {

using counted = ckpt_test::scaled_native<>;
using adam_state = test::owned_state<three, ckpt::adam>;

constexpr call kinds[] = {call::open_read, call::create,        call::open_lock,      call::close,
                          call::describe,  call::describe_path, call::describe_link,  call::read,
                          call::write,     call::sync,          call::sync_directory, call::rename,
                          call::set_mode,  call::lock};

/// What a check of one failing call needs to know.
struct fault {
  call kind;
  std::size_t number;
  int error;
};

void arm(const fault& planned) {
  ckpt_test::reset();
  ckpt_test::now.fail_kind = planned.kind;
  ckpt_test::now.fail_at = planned.number;
  ckpt_test::now.fail_error = planned.error;
}

bool was_hit(const fault& planned) {
  return ckpt_test::now.count(planned.kind) >= planned.number;
}

/// Every read from the first payload on finds the end of the file.
struct shrinking : counted {
  static result read_at(handle h, std::uint64_t at, const piece* p, std::size_t n) noexcept {
    return at == 32 ? result{0, 0} : counted::read_at(h, at, p, n);
  }
};

}  // namespace

TEST_CASE("a save whose every call fails in turn leaves the old file or the new one") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  adam_state state;
  state.fill(1);
  const test::bytes fresh = test::written<ckpt::onert>(state.view);
  std::size_t survived = 0;
  for (const call kind : kinds) {
    for (const int error : {EIO, ENOSPC, EDQUOT, EACCES, ENOMEM}) {
      for (std::size_t number = 1; number < 20; ++number) {
        CAPTURE(static_cast<int>(kind));
        CAPTURE(error);
        CAPTURE(number);
        ckpt_test::put(path, fixture::adam());
        const fault planned{kind, number, error};
        arm(planned);
        const auto saved = ckpt::detail::save_with<counted, ckpt::onert>(path, state.view, {});
        if (!was_hit(planned)) break;
        const test::bytes now = test::read_file(path);
        CHECK((now == fixture::adam() || now == fresh));
        if (saved.ok()) CHECK(now == fresh);
        if (!saved.ok()) CHECK(test::mentions(saved.message(), path));
        // Only a file whose lock could not be judged may stay behind, never the caller's data.
        CHECK(directory.names().size() <= 2);
        CHECK(ckpt_test::now.open_handles == 0);
        ckpt_test::reset();
        REQUIRE(ckpt::detail::save_with<counted, ckpt::onert>(path, state.view, {}).ok());
        ++survived;
        for (const std::string& name : directory.names())
          if (name != "a.ckpt") std::filesystem::remove(directory.at(name));
      }
    }
  }
  MESSAGE("failing calls survived by save: " << survived);
  CHECK(survived > 30);
}

TEST_CASE("a write error is always reported, whichever write it is") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  adam_state state;
  for (const call kind : {call::write, call::sync, call::close, call::rename}) {
    CAPTURE(static_cast<int>(kind));
    arm({kind, 1, ENOSPC});
    const auto saved = ckpt::detail::save_with<counted, ckpt::onert>(path, state.view, {});
    CHECK(saved.error().kind == errc::no_space);
    CHECK(saved.error().os_code == ENOSPC);
    CHECK(directory.names().empty());
    CHECK(ckpt_test::now.open_handles == 0);
  }
}

TEST_CASE("a failing sync of the directory is reported although the new file is in place") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  ckpt_test::put(path, fixture::adam());
  adam_state state;
  state.fill(3);
  arm({call::sync_directory, 1, EIO});
  CHECK(ckpt::detail::save_with<counted, ckpt::onert>(path, state.view, {}).error().kind ==
        errc::input_output);
  CHECK(test::read_file(path) == test::written<ckpt::onert>(state.view));
}

TEST_CASE("B15 a load whose every call fails in turn says whether the state can be used") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  ckpt_test::put(path, fixture::adam());
  for (const bool staged : {false, true}) {
    for (const call kind : {call::open_read, call::describe, call::read}) {
      for (std::size_t number = 1; number < 20; ++number) {
        CAPTURE(staged);
        CAPTURE(static_cast<int>(kind));
        CAPTURE(number);
        adam_state state;
        state.fill(2);
        const auto before = state.memory;
        const auto training = state.view.training;
        const fault planned{kind, number, EIO};
        arm(planned);
        const ckpt::load_options options(ckpt::read_options{}, staged);
        const auto loaded =
            ckpt::detail::load_with<counted, ckpt::onert>(path, state.view, options);
        if (!was_hit(planned)) break;
        CHECK_FALSE(loaded.ok());
        CHECK(ckpt_test::now.open_handles == 0);
        CHECK(state.view.training == training);
        if (staged) CHECK_FALSE(loaded.error().indeterminate);
        if (!loaded.error().indeterminate) CHECK(state.memory == before);
        if (loaded.error().indeterminate)
          CHECK(test::mentions(loaded.message(), "mix of old and new"));
      }
    }
  }
}

TEST_CASE("a file that shrinks while it is read is reported as truncated") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  ckpt_test::put(path, fixture::adam());
  adam_state state;
  state.fill(2);
  ckpt_test::reset();
  const auto loaded = ckpt::detail::load_with<shrinking, ckpt::onert>(path, state.view, {});
  CHECK(loaded.error().kind == errc::truncated);
  CHECK(loaded.error().indeterminate);
}

TEST_CASE("short reads, short writes and interruptions at every byte change nothing") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  adam_state state;
  state.fill(7);
  for (std::size_t longest = 1; longest < 40; ++longest) {
    for (const std::size_t every : {0U, 2U, 3U}) {
      CAPTURE(longest);
      CAPTURE(every);
      ckpt_test::reset();
      ckpt_test::now.longest_move = longest;
      ckpt_test::now.interrupt_every = every;
      REQUIRE(ckpt::detail::save_with<counted, ckpt::onert>(path, state.view, {}).ok());
      CHECK(test::read_file(path) == test::written<ckpt::onert>(state.view));
      adam_state loaded;
      REQUIRE(ckpt::detail::load_with<counted, ckpt::onert>(path, loaded.view, {}).ok());
      CHECK(loaded.memory == state.memory);
    }
  }
}

TEST_CASE("memory that runs out during a load is a status, and nothing is touched") {
  scratch directory;
  const ckpt::path path(directory.at("a.ckpt"));
  ckpt_test::put(directory.at("a.ckpt"), fixture::adam());
  adam_state state;
  state.fill(1);
  const auto before = state.memory;
  ckpt_test::reset();
  for (const std::size_t limit : {50U, 100U}) {
    test::limit_allocations(limit);
    const auto loaded = ckpt::detail::load_state<counted, ckpt::onert, ckpt::host_byte_order>(
        path, state.view, {ckpt::read_options{}, true});
    test::limit_allocations(0);
    CHECK(loaded.error().kind == errc::no_memory);
    CHECK(state.memory == before);
    CHECK(ckpt_test::now.open_handles == 0);
  }
}
