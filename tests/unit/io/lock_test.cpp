#include "ckpt/io/lock.hpp"

#include <doctest/doctest.h>

#if !defined(_WIN32)
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "scaled_native.hpp"
#endif

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/io/native.hpp"
#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::errc;
using lock = ckpt::file_lock;
using names = std::vector<std::string>;

errc acquire_kind(const ckpt::path& name) {
  return lock::acquire(name).error().kind;
}

}  // namespace

TEST_CASE("a lock is held by one object at a time, also within a process") {
  const scratch dir;
  auto held = lock::acquire(dir.at("lock"));
  REQUIRE(held.ok());
  CHECK(held->is_held());
  CHECK(acquire_kind(dir.at("lock")) == errc::busy);
  CHECK(acquire_kind(dir.at("other")) == errc::ok);
  held->release();
  CHECK_FALSE(held->is_held());
  CHECK(dir.names() == names{"lock", "other"});
  CHECK(get(dir.at("lock")).empty());
  auto again = lock::acquire(dir.at("lock"));
  CHECK(again.ok());
  held->release();  // nothing is held by it any more
  CHECK(acquire_kind(dir.at("lock")) == errc::busy);
}

TEST_CASE("the end of an object releases its lock and leaves the file") {
  const scratch dir;
  { CHECK(lock::acquire(dir.at("lock")).ok()); }
  CHECK(dir.names() == names{"lock"});
  CHECK(acquire_kind(dir.at("lock")) == errc::ok);
}

TEST_CASE("a file that is there already is locked as it is") {
  const scratch dir;
  put(dir.at("lock"), pattern(10));
  { CHECK(lock::acquire(dir.at("lock")).ok()); }
  CHECK(get(dir.at("lock")) == pattern(10));
}

TEST_CASE("a lock moves with its object") {
  const scratch dir;
  auto first = lock::acquire(dir.at("a"));
  auto second = lock::acquire(dir.at("b"));
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  *first = std::move(*second);
  CHECK(acquire_kind(dir.at("a")) == errc::ok);  // was given up for the other
  CHECK(acquire_kind(dir.at("b")) == errc::busy);
  lock third(std::move(*first));
  CHECK_FALSE(first->is_held());
  CHECK(acquire_kind(dir.at("b")) == errc::busy);
  CHECK(third.remove_and_release().ok());
  CHECK(dir.names() == names{"a"});
}

TEST_CASE("a lock can be removed with its file, once") {
  const scratch dir;
  auto held = lock::acquire(dir.at("lock"));
  REQUIRE(held.ok());
  CHECK(held->remove_and_release().ok());
  CHECK(dir.names().empty());
  CHECK_FALSE(held->is_held());
  CHECK(held->remove_and_release().kind == errc::not_found);
  CHECK(lock().remove_and_release().kind == errc::not_found);
  CHECK(acquire_kind(dir.at("lock")) == errc::ok);
}

TEST_CASE("what is no lock file is refused at once and left alone") {
  const scratch dir;
  REQUIRE(std::filesystem::create_directory(dir.at("d")));
  put(dir.at("f"), pattern(3));
  CHECK(acquire_kind("") == errc::empty_path);
  CHECK(acquire_kind(std::string("a\0b", 3)) == errc::invalid_path);
  CHECK(acquire_kind(dir.at("d")) == errc::not_a_regular_file);
  CHECK(acquire_kind(dir.at("none/lock")) == errc::not_found);
  CHECK(dir.names() == names{"d", "f"});
}

#if !defined(_WIN32)

namespace {

using scaled = ckpt::basic_file_lock<scaled_native<>>;

/// Takes the lock as soon as it is free; busy if it is not for a minute.
ckpt::result<lock> wait_for_lock(const std::string& name) {
  const auto since = std::chrono::steady_clock::now();
  for (;;) {
    auto tried = lock::acquire(name);
    if (tried.ok() || tried.error().kind != errc::busy) return tried;
    if (std::chrono::steady_clock::now() - since > std::chrono::minutes(1)) return tried;
    ::sched_yield();
  }
}

/// Takes and gives up a lock, and says whether anybody else held it in the meantime.
int take_turns(const scratch& dir, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    auto held = wait_for_lock(dir.at("lock"));
    if (!held.ok()) return 2;
    const int marker = ::open(dir.at("marker").c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (marker < 0) return 1;
    if (round % 7 == 0) ::sched_yield();
    ::close(marker);
    if (::unlink(dir.at("marker").c_str()) != 0) return 1;
    if (round % 2 == 0) held->release();
    if (round % 2 != 0 && !held->remove_and_release().ok()) return 3;
  }
  return 0;
}

/// A process that takes a lock, says so, and then does nothing.
pid_t start_holder(const std::string& name) {
  int ready[2] = {};
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = start_child([&] {
    const auto held = lock::acquire(name);
    if (!held.ok() || ::write(ready[1], "x", 1) != 1) return 1;
    for (;;) ::pause();
  });
  ::close(ready[1]);
  char said = 0;
  CHECK(::read(ready[0], &said, 1) == 1);
  ::close(ready[0]);
  return child;
}

}  // namespace

TEST_CASE("another process finds the lock busy until its holder releases it") {
  const scratch dir;
  const auto kind_in_child = [&] {
    return static_cast<errc>(in_child([&] { return static_cast<int>(acquire_kind(dir.at("l"))); }));
  };
  auto held = lock::acquire(dir.at("l"));
  REQUIRE(held.ok());
  CHECK(kind_in_child() == errc::busy);
  held->release();
  CHECK(kind_in_child() == errc::ok);
}

TEST_CASE("a lock dies with its holder, however that ends") {
  const scratch dir;
  for (const int signal : {SIGKILL, SIGHUP}) {
    const pid_t holder = start_holder(dir.at("lock"));
    CHECK(acquire_kind(dir.at("lock")) == errc::busy);
    ::kill(holder, signal);
    CHECK(wait_for(holder) == -signal);
    CHECK(acquire_kind(dir.at("lock")) == errc::ok);
  }
  CHECK(in_child([&] {
          static auto held = lock::acquire(dir.at("lock"));
          return held.ok() ? 0 : 1;
        }) == 0);
  CHECK(acquire_kind(dir.at("lock")) == errc::ok);
}

TEST_CASE("a program that the holder starts does not keep the lock") {
  const scratch dir;
  auto held = lock::acquire(dir.at("lock"));
  REQUIRE(held.ok());
  int running[2] = {};
  REQUIRE(::pipe(running) == 0);
  const pid_t child = start_child([&] {
    ::dup2(running[0], 0);
    ::close(running[1]);
    ::execl("/bin/cat", "cat", static_cast<char*>(nullptr));
    return 1;
  });
  ::close(running[0]);
  CHECK(::write(running[1], "\n", 1) == 1);
  held->release();
  auto again = wait_for_lock(dir.at("lock"));  // until exec has closed the copy
  CHECK(again.ok());
  ::close(running[1]);
  CHECK(wait_for(child) == 0);
}

TEST_CASE("there are never two holders, though names go and come 2,000 times") {
  const scratch dir;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(start_child([&] { return take_turns(dir, 500); }));
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
}

TEST_CASE("holders that are killed at any moment leave a lock that can be taken") {
  const scratch dir;
  const pid_t steady = start_child([&] {
    for (int round = 0; round < 300; ++round)
      if (!wait_for_lock(dir.at("lock")).ok()) return 1;
    return 0;
  });
  for (int i = 0; i < 40; ++i) {
    const pid_t victim = start_child([&] {
      for (;;)
        if (!wait_for_lock(dir.at("lock")).ok()) return 1;
    });
    ::usleep(static_cast<useconds_t>(200 + 137 * i));
    ::kill(victim, SIGKILL);
    CHECK(wait_for(victim) == -SIGKILL);
  }
  CHECK(wait_for(steady) == 0);
  CHECK(acquire_kind(dir.at("lock")) == errc::ok);
}

TEST_CASE("links, pipes, sockets and devices are no lock files, and nobody waits for them") {
  const scratch dir;
  put(dir.at("f"), pattern(3));
  REQUIRE(::symlink("f", dir.at("link").c_str()) == 0);
  REQUIRE(::symlink("missing", dir.at("dangling").c_str()) == 0);
  REQUIRE(::mkfifo(dir.at("fifo").c_str(), 0666) == 0);
  ::sockaddr_un address{};
  address.sun_family = AF_UNIX;
  dir.at("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(listener, reinterpret_cast<const ::sockaddr*>(&address), sizeof address) == 0);
  const auto since = std::chrono::steady_clock::now();
  for (const char* const name : {"link", "dangling", "fifo", "socket"}) {
    CAPTURE(name);
    CHECK(acquire_kind(dir.at(name)) == errc::not_a_regular_file);
  }
  CHECK(acquire_kind("/dev/null") == errc::not_a_regular_file);
  CHECK(acquire_kind(dir.at("f/lock")) == errc::invalid_path);
  CHECK(acquire_kind(dir.at(std::string(256, 'n'))) == errc::invalid_path);
  CHECK(within_a_second(since));
  CHECK(dir.names() == names{"dangling", "f", "fifo", "link", "socket"});
  ::close(listener);
}

TEST_CASE("the file is made for whom the umask lets in, and others can take the lock, too") {
  const scratch dir;
  const mode_t before = ::umask(0002);
  CHECK(acquire_kind(dir.at("lock")) == errc::ok);
  CHECK(mode_of(dir.at("lock")) == 0664);
  ::umask(before);
  CHECK(in_child([&] {
          if (!drop_privileges()) return 77;
          return acquire_kind(dir.at("lock")) == errc::ok ? 0 : 1;  // may only read it
        }) == 0);
}

TEST_CASE("a file in a sticky directory that belongs to somebody else can be taken") {
  const scratch dir;
  REQUIRE(::chmod(dir.root().c_str(), 01777) == 0);
  const mode_t before = ::umask(0);
  CHECK(in_child([&] { return drop_privileges() && lock::acquire(dir.at("lock")).ok() ? 0 : 1; }) ==
        0);
  ::umask(before);
  CHECK(acquire_kind(dir.at("lock")) == errc::ok);  // the kernel may refuse O_CREAT here
}

TEST_CASE("what may not be opened or made is permission_denied") {
  const scratch dir;
  put(dir.at("closed"), {});
  ::chmod(dir.at("closed").c_str(), 0);
  REQUIRE(::mkdir(dir.at("d").c_str(), 0555) == 0);
  CHECK(in_child([&] {
          if (!drop_privileges()) return 77;
          if (acquire_kind(dir.at("closed")) != errc::permission_denied) return 1;
          return acquire_kind(dir.at("d/lock")) == errc::permission_denied ? 0 : 2;
        }) == 0);
}

TEST_CASE("a lock whose name changed hands before it was taken is worth nothing") {
  const scratch dir;
  static std::string name;
  static ckpt::result<lock>* other;
  name = dir.at("lock");
  ckpt::result<lock> none = ckpt::fail(errc::not_found);
  other = &none;
  reset();
  // Between being opened and being locked, the holder removes the file and another makes its own.
  struct overtaken : scaled_native<> {
    static result open_lock_file(const char* path) noexcept {
      const result opened = scaled_native<>::open_lock_file(path);
      if (now.count(call::open_lock_file) > 1) return opened;
      ::unlink(name.c_str());
      static ckpt::result<lock> made = lock::acquire(name);
      other = &made;
      return opened;
    }
  };
  CHECK(ckpt::basic_file_lock<overtaken>::acquire(name).error().kind == errc::busy);
  CHECK(now.count(call::open_lock_file) == 2);
  (*other)->release();
  // Nobody makes another one: the second attempt does.
  reset();
  struct removed : scaled_native<> {
    static result try_lock(handle h) noexcept {
      if (now.count(call::lock) == 0) ::unlink(name.c_str());
      return scaled_native<>::try_lock(h);
    }
  };
  {
    const auto held = ckpt::basic_file_lock<removed>::acquire(name);
    CHECK(held.ok());
    CHECK(now.count(call::open_lock_file) == 2);
    CHECK(acquire_kind(name) == errc::busy);
  }
  CHECK(now.open_handles == 0);
  // Somebody removes it again and again.
  reset();
  struct doomed : scaled_native<> {
    static result try_lock(handle h) noexcept {
      ::unlink(name.c_str());
      return scaled_native<>::try_lock(h);
    }
  };
  CHECK(ckpt::basic_file_lock<doomed>::acquire(name).error().kind == errc::busy);
  CHECK(now.open_handles == 0);
}

TEST_CASE("a name that leads to somebody else's lock is not removed") {
  const scratch dir;
  auto held = lock::acquire(dir.at("lock"));
  REQUIRE(held.ok());
  ::unlink(dir.at("lock").c_str());
  CHECK(lock::acquire(dir.at("lock")).ok());
  CHECK(held->remove_and_release().kind == errc::not_found);
  CHECK(dir.names() == names{"lock"});
}

TEST_CASE("whichever call fails, it is reported and no handle stays open") {
  const scratch dir;
  for (std::size_t kind = 0; kind < call_kinds; ++kind) {
    for (std::size_t at = 1;; ++at) {
      for (const int error : {EIO, ENOLCK, EACCES, ENOENT}) {
        CAPTURE(kind);
        CAPTURE(at);
        CAPTURE(error);
        reset();
        now.fail_kind = static_cast<call>(kind);
        now.fail_at = at;
        now.fail_error = error;
        auto held = scaled::acquire(dir.at("lock"));
        const ckpt::status done = held.ok() ? held->remove_and_release() : held.error();
        const bool failed = now.count(now.fail_kind) >= at;
        CHECK(now.open_handles == 0);
        // That the name leads nowhere is an answer, and a file that is only locked closes well.
        const bool is_answer = now.fail_kind == call::describe_link && error == ENOENT;
        if (failed && !is_answer && now.fail_kind != call::close) CHECK(done.os_code == error);
        if (!failed) CHECK(done.ok());
        CHECK(acquire_kind(dir.at("lock")) == errc::ok);
      }
      if (now.count(static_cast<call>(kind)) < at) break;  // no such call any more
    }
  }
}

TEST_CASE("a file system without locks is input_output with the code of the system") {
  const scratch dir;
  for (const int error : {ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL}) {
    CAPTURE(error);
    reset();
    now.fail_kind = call::lock;
    now.fail_at = 1;
    now.fail_error = error;
    const ckpt::status refused = scaled::acquire(dir.at("lock")).error();
    CHECK(refused.kind == errc::input_output);
    CHECK(refused.os_code == error);
  }
}

TEST_CASE("interrupted calls are made again") {
  const scratch dir;
  reset();
  now.interrupt_every = 2;
  auto held = scaled::acquire(dir.at("lock"));
  REQUIRE(held.ok());
  CHECK(held->remove_and_release().ok());
  CHECK(now.open_handles == 0);
  CHECK(dir.names().empty());
  reset();
}

#endif
