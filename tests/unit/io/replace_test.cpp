#include "ckpt/io/replace.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/io/file.hpp"
#include "scaled_native.hpp"
#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::errc;
using scaled = ckpt::basic_replacement<scaled_native<>>;
using names = std::vector<std::string>;

template <class Replacement = ckpt::native_replacement>
ckpt::status save(const ckpt::path& target, const bytes& content, bool durable = false) {
  auto replacement = Replacement::begin(target);
  if (!replacement) return replacement.error();
  if (const ckpt::status status = replacement->writer().append(content); !status) return status;
  return replacement->commit(durable);
}

/// A process that dies in the middle of a save.
void killed_save(const ckpt::path& target) {
  CHECK(in_child([&]() -> int {
          auto replacement = ckpt::native_replacement::begin(target);
          const bytes content = pattern(100);
          if (!replacement || !replacement->writer().append(content) ||
              !replacement->writer().flush())
            return 1;
          return ::raise(SIGKILL);
        }) == -SIGKILL);
}

/// Sets the umask for a while.
class with_umask {
 public:
  explicit with_umask(mode_t mask) : old_(::umask(mask)) {}
  with_umask(const with_umask&) = delete;
  with_umask& operator=(const with_umask&) = delete;
  ~with_umask() { ::umask(old_); }

 private:
  mode_t old_;
};

}  // namespace

TEST_CASE("a committed replacement is the file, new or instead of the old one") {
  const scratch dir;
  for (const bool durable : {false, true}) {
    for (const std::size_t size : {std::size_t{100}, std::size_t{5000}, std::size_t{0}}) {
      CHECK(save(dir.at("f"), pattern(size), durable).ok());
      CHECK(get(dir.at("f")) == pattern(size));
      CHECK(dir.names() == names{"f"});
    }
  }
}

TEST_CASE("until the commit the old file stays, and without one nothing is left") {
  const scratch dir;
  put(dir.at("f"), pattern(10));
  {
    auto replacement = ckpt::native_replacement::begin(dir.at("f"));
    REQUIRE(replacement.ok());
    const bytes content = pattern(99);
    CHECK(replacement->writer().append(content).ok());
    CHECK(replacement->writer().flush().ok());
    CHECK(get(dir.at("f")) == pattern(10));
    CHECK(dir.names() == names{".f.0.ckpt-tmp", "f"});
  }
  CHECK(get(dir.at("f")) == pattern(10));
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("the temporary is made in the directory of the target, not in TMPDIR") {
  const scratch dir;
  const scratch elsewhere;
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", elsewhere.root().c_str(), 1);
  auto replacement = ckpt::native_replacement::begin(dir.at("f"));
  CHECK(dir.names().size() == 1);
  CHECK(elsewhere.names().empty());
  CHECK(replacement->commit(true).ok());
  CHECK(elsewhere.names().empty());
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

TEST_CASE("a name without a directory is saved in the current one") {
  const scratch dir;
  CHECK(in_child([&] {
          if (::chdir(dir.root().c_str()) != 0) return 1;
          return save("f", pattern(10), true).ok() ? 0 : 2;
        }) == 0);
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("targets that cannot be replaced are refused at once and not touched") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  REQUIRE(::mkdir(dir.at("d").c_str(), 0777) == 0);
  REQUIRE(::mkfifo(dir.at("fifo").c_str(), 0666) == 0);
  REQUIRE(::symlink("/dev/full", dir.at("link").c_str()) == 0);
  const names before = dir.names();
  const auto since = std::chrono::steady_clock::now();
  const auto kind = [](const ckpt::path& target) { return save(target, {}).kind; };
  CHECK(kind("") == errc::empty_path);
  CHECK(kind(std::string("a\0b", 3)) == errc::invalid_path);
  CHECK(kind(dir.at("none/f")) == errc::not_found);
  CHECK(kind(dir.at("none/")) == errc::invalid_path);
  CHECK(kind(dir.at("f/x")) == errc::invalid_path);
  CHECK(kind(dir.at(std::string(256, 'n'))) == errc::invalid_path);
  CHECK(kind(dir.at("d")) == errc::not_a_regular_file);
  CHECK(kind(dir.at("d/")) == errc::not_a_regular_file);
  CHECK(kind(dir.at("fifo")) == errc::not_a_regular_file);
  CHECK(kind(dir.at("link")) == errc::not_a_regular_file);
  CHECK(kind("/dev/full") == errc::not_a_regular_file);
  CHECK(kind("/dev/null") == errc::not_a_regular_file);
  CHECK(kind(".") == errc::not_a_regular_file);
  CHECK(within_a_second(since));
  CHECK(dir.names() == before);
}

TEST_CASE("a directory that may not be written is permission_denied") {
  const scratch dir;
  REQUIRE(::mkdir(dir.at("d").c_str(), 0755) == 0);
  put(dir.at("d/f"), pattern(1));
  ::chmod(dir.at("d").c_str(), 0555);
  CHECK(in_child([&] {
          if (!drop_privileges()) return 77;
          return save(dir.at("d/f"), pattern(2)).kind == errc::permission_denied ? 0 : 1;
        }) == 0);
  ::chmod(dir.at("d").c_str(), 0755);
  CHECK(get(dir.at("d/f")) == pattern(1));
}

TEST_CASE("a symbolic link is replaced and what it leads to stays") {
  const scratch dir;
  put(dir.at("old"), pattern(10));
  REQUIRE(::symlink("old", dir.at("f").c_str()) == 0);
  CHECK(save(dir.at("f"), pattern(20)).ok());
  CHECK(get(dir.at("old")) == pattern(10));
  CHECK(get(dir.at("f")) == pattern(20));
}

TEST_CASE("a new file has the mode that the umask says") {
  struct rule {
    mode_t mask;
    unsigned mode;
  };
  for (const rule& is : {rule{0027, 0640}, {0002, 0664}, {0022, 0644}, {0077, 0600}}) {
    CAPTURE(is.mask);
    const scratch dir;
    const with_umask set(is.mask);
    CHECK(save(dir.at("f"), pattern(10)).ok());
    CHECK(mode_of(dir.at("f")) == is.mode);
  }
}

TEST_CASE("a replaced file keeps its mode, and a private one is never open to others") {
  for (const unsigned mode : {0600U, 0640U, 0666U, 0755U, 0444U, 0000U}) {
    CAPTURE(mode);
    const scratch dir;
    const with_umask set(0022);
    put(dir.at("f"), pattern(1));
    ::chmod(dir.at("f").c_str(), mode);
    auto replacement = ckpt::native_replacement::begin(dir.at("f"));
    REQUIRE(replacement.ok());
    CHECK((mode_of(dir.at(".f.0.ckpt-tmp")) & ~(mode | 0600U)) == 0);
    CHECK(replacement->commit(false).ok());
    CHECK(mode_of(dir.at("f")) == mode);
  }
}

TEST_CASE("the temporary of a private file is made private") {
  const scratch dir;
  const with_umask set(0);
  put(dir.at("f"), pattern(1));
  ::chmod(dir.at("f").c_str(), 0600);
  reset();
  now.fail_kind = call::set_mode;
  now.fail_at = 1;
  CHECK(save<scaled>(dir.at("f"), pattern(2)).ok());
  CHECK(now.count(call::set_mode) == 0);  // right from the first moment
  CHECK(mode_of(dir.at("f")) == 0600);
}

TEST_CASE("a durable save writes, syncs, closes, renames and syncs the directory in this order") {
  const scratch dir;
  reset();
  CHECK(save<scaled>(dir.at("f"), pattern(3 * mebibyte), true).ok());
  std::vector<call> order;
  for (const call made : now.journal)
    for (const call of_interest :
         {call::write, call::sync, call::close, call::rename, call::sync_directory})
      if (made == of_interest) order.push_back(made);
  CHECK(order == std::vector<call>{call::write, call::write, call::write, call::sync, call::close,
                                   call::rename, call::close, call::sync_directory});
  reset();
  CHECK(save<scaled>(dir.at("f"), pattern(10), false).ok());
  CHECK(now.count(call::sync) == 0);
  CHECK(now.count(call::sync_directory) == 0);
}

TEST_CASE("whichever call fails, the name holds the old file or the new one and nothing is left") {
  const bytes old = pattern(1000, 1);
  const bytes fresh = pattern(3 * mebibyte, 2);
  for (const bool existed : {false, true}) {
    const scratch dir;
    for (std::size_t kind = 0; kind < call_kinds; ++kind) {
      for (std::size_t at = 1;; ++at) {
        for (const int error : {EIO, ENOSPC, EACCES}) {
          CAPTURE(existed);
          CAPTURE(kind);
          CAPTURE(at);
          CAPTURE(error);
          if (existed) put(dir.at("f"), old);
          if (existed) ::chmod(dir.at("f").c_str(), 0640);
          if (!existed) ::unlink(dir.at("f").c_str());
          reset();
          now.fail_kind = static_cast<call>(kind);
          now.fail_at = at;
          now.fail_error = error;
          const ckpt::status status = save<scaled>(dir.at("f"), fresh, true);
          const bool renamed = status.ok() || now.fail_kind == call::sync_directory;
          CHECK(get(dir.at("f")) == (renamed ? fresh : existed ? old : bytes{}));
          CHECK(dir.names() == (renamed || existed ? names{"f"} : names{}));
          CHECK(now.open_handles == 0);
          if (!status) CHECK(status.os_code == error);
        }
        if (now.count(static_cast<call>(kind)) < at) break;  // no such call any more
      }
    }
  }
}

TEST_CASE("each step that matters reports its failure by kind") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  ::chmod(dir.at("f").c_str(), 0640);
  const auto kind = [&](call failing, int error, std::size_t at = 1) {
    reset();
    now.fail_kind = failing;
    now.fail_at = at;
    now.fail_error = error;
    return save<scaled>(dir.at("f"), pattern(10), true).kind;
  };
  CHECK(kind(call::write, ENOSPC) == errc::no_space);
  CHECK(kind(call::write, EDQUOT) == errc::no_space);
  CHECK(kind(call::write, EIO) == errc::input_output);
  CHECK(kind(call::sync, EIO) == errc::input_output);
  CHECK(kind(call::sync, ENOSPC) == errc::no_space);
  CHECK(kind(call::duplicate, EMFILE) == errc::input_output);
  CHECK(kind(call::close, EIO) == errc::input_output);
  CHECK(kind(call::close, EDQUOT) == errc::no_space);
  CHECK(kind(call::rename, EACCES) == errc::permission_denied);
  CHECK(kind(call::rename, EISDIR) == errc::not_a_regular_file);
  CHECK(kind(call::set_mode, EPERM) == errc::permission_denied);
  CHECK(kind(call::create, EROFS) == errc::permission_denied);
  CHECK(kind(call::describe_path, EACCES) == errc::permission_denied);
  CHECK(get(dir.at("f")) == pattern(1));
}

TEST_CASE("a directory that cannot be synced is reported with the new file in place") {
  const scratch dir;
  const auto kind = [&](int error) {
    reset();
    now.fail_kind = call::sync_directory;
    now.fail_at = 1;
    now.fail_error = error;
    return save<scaled>(dir.at("f"), pattern(10), true).kind;
  };
  CHECK(kind(EIO) == errc::input_output);
  CHECK(get(dir.at("f")) == pattern(10));
  CHECK(kind(EACCES) == errc::input_output);
  CHECK(kind(EINVAL) == errc::ok);  // a file system without such a thing
  CHECK(kind(ENOTSUP) == errc::ok);
}

TEST_CASE("a save goes on after short counts and interruptions of every call") {
  const scratch dir;
  for (const std::size_t every : {std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
    CAPTURE(every);
    put(dir.at("f"), pattern(1));
    ::chmod(dir.at("f").c_str(), 0640);
    killed_save(dir.at("f"));
    reset();
    now.interrupt_every = every;
    now.longest_move = 777;
    CHECK(save<scaled>(dir.at("f"), pattern(100000), true).ok());
    CHECK(get(dir.at("f")) == pattern(100000));
    CHECK(dir.names() == names{"f"});
    CHECK(now.open_handles == 0);
  }
}

TEST_CASE("a failed write cannot be committed even if nobody looked at it") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  reset();
  now.fail_kind = call::write;
  now.fail_at = 1;
  now.fail_error = ENOSPC;
  auto replacement = scaled::begin(dir.at("f"));
  REQUIRE(replacement.ok());
  const bytes content = pattern(10);
  static_cast<void>(replacement->writer().append(content));
  static_cast<void>(replacement->writer().flush());
  CHECK(replacement->commit(true).kind == errc::no_space);
  CHECK(get(dir.at("f")) == pattern(1));
  CHECK(replacement->commit(true).kind == errc::not_found);
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("reserving is a hint unless the disk is full") {
  const scratch dir;
  const auto kind = [&](int error) {
    reset();
    now.fail_kind = call::reserve;
    now.fail_at = 1;
    now.fail_error = error;
    return scaled::begin(dir.at("f"))->reserve(1000).kind;
  };
  CHECK(kind(EOPNOTSUPP) == errc::ok);
  CHECK(kind(ENOSPC) == errc::no_space);
  auto replacement = ckpt::native_replacement::begin(dir.at("f"));
  CHECK(replacement->reserve(1 << 20).ok());
  const bytes content = pattern(100);
  CHECK(replacement->writer().append(content).ok());
  CHECK(replacement->commit(false).ok());
  CHECK(get(dir.at("f")) == content);  // the size is what was written
}

TEST_CASE("what is not begun or committed already cannot be committed") {
  const scratch dir;
  ckpt::native_replacement none;
  CHECK(none.commit(true).kind == errc::not_found);
  auto replacement = ckpt::native_replacement::begin(dir.at("f"));
  CHECK(replacement->commit(false).ok());
  CHECK(replacement->commit(false).kind == errc::not_found);
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("replacements own their temporary through every move") {
  const scratch dir;
  reset();
  const bytes content = pattern(10);
  {
    auto first = scaled::begin(dir.at("a"));
    auto second = scaled::begin(dir.at("b"));
    CHECK(second->writer().append(content).ok());
    *first = std::move(*second);
    CHECK(dir.names() == names{".b.0.ckpt-tmp"});
    scaled& same = *first;
    *first = std::move(same);
    scaled third(std::move(*first));
    CHECK(third.commit(false).ok());
  }
  CHECK(get(dir.at("b")) == content);
  CHECK(dir.names() == names{"b"});
  CHECK(now.open_handles == 0);
}

TEST_CASE("what a killed process leaves is bounded, and gone with the next save") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  for (int i = 0; i < 20; ++i) {
    killed_save(dir.at("f"));
    CHECK(dir.names() == names{".f.0.ckpt-tmp", "f"});
    CHECK(get(dir.at("f")) == pattern(1));
  }
  CHECK(save(dir.at("f"), pattern(2)).ok());
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("what is left at higher numbers is found again as well") {
  const scratch dir;
  {
    const auto first = ckpt::native_replacement::begin(dir.at("f"));
    const auto second = ckpt::native_replacement::begin(dir.at("f"));
    killed_save(dir.at("f"));
    CHECK(dir.names() == names{".f.0.ckpt-tmp", ".f.1.ckpt-tmp", ".f.2.ckpt-tmp"});
  }
  CHECK(dir.names() == names{".f.2.ckpt-tmp"});
  put(dir.at(".f.0.ckpt-tmp"), {});
  put(dir.at(".f.1.ckpt-tmp"), {});
  CHECK(save(dir.at("f"), pattern(2)).ok());
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("a stale temporary that may only be read is reclaimed by its owner") {
  const scratch dir;
  CHECK(in_child([&] {
          if (!drop_privileges()) return 77;
          put(dir.at("f"), pattern(1));
          put(dir.at(".f.0.ckpt-tmp"), {});
          ::chmod(dir.at("f").c_str(), 0444);
          ::chmod(dir.at(".f.0.ckpt-tmp").c_str(), 0444);
          if (!save(dir.at("f"), pattern(2))) return 1;
          return dir.names() == names{"f"} ? 0 : 2;
        }) == 0);
}

TEST_CASE("two writers at a time never share a temporary, and both finish") {
  const scratch dir;
  const bytes a = pattern(100, 1);
  const bytes b = pattern(200, 2);
  auto first = ckpt::native_replacement::begin(dir.at("f"));
  auto second = ckpt::native_replacement::begin(dir.at("f"));
  REQUIRE(second.ok());
  CHECK(dir.names() == names{".f.0.ckpt-tmp", ".f.1.ckpt-tmp"});
  CHECK(first->writer().append(a).ok());
  CHECK(second->writer().append(b).ok());
  CHECK(first->commit(false).ok());
  CHECK(get(dir.at("f")) == a);
  CHECK(second->commit(false).ok());
  CHECK(get(dir.at("f")) == b);
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("something else under the name of a temporary is left alone") {
  const scratch dir;
  put(dir.at("victim"), pattern(5));
  REQUIRE(::mkdir(dir.at(".f.0.ckpt-tmp").c_str(), 0777) == 0);
  REQUIRE(::symlink("victim", dir.at(".f.1.ckpt-tmp").c_str()) == 0);
  REQUIRE(::mkfifo(dir.at(".f.2.ckpt-tmp").c_str(), 0666) == 0);
  const auto since = std::chrono::steady_clock::now();
  CHECK(save(dir.at("f"), pattern(10)).ok());
  CHECK(within_a_second(since));
  CHECK(get(dir.at("f")) == pattern(10));
  CHECK(get(dir.at("victim")) == pattern(5));
  CHECK(dir.names() == names{".f.0.ckpt-tmp", ".f.1.ckpt-tmp", ".f.2.ckpt-tmp", "f", "victim"});
}

TEST_CASE("without locks a made file is ours and one that is there is not") {
  const scratch dir;
  put(dir.at(".f.0.ckpt-tmp"), pattern(7));
  reset();
  now.fail_kind = call::lock;
  now.fail_at = 1;
  now.fail_on = true;
  now.fail_error = ENOLCK;
  CHECK(save<scaled>(dir.at("f"), pattern(10)).ok());
  CHECK(get(dir.at("f")) == pattern(10));
  CHECK(dir.names() == names{".f.0.ckpt-tmp", "f"});
}

TEST_CASE("a file that was taken for a dead one before it was locked is made again") {
  const scratch dir;
  static std::string temporary;
  static bool doomed;
  temporary = dir.at(".f.0.ckpt-tmp");
  doomed = false;
  reset();
  // The reclaimer holds the lock of the file that was just made, and removes it a little later.
  struct reclaimed_once : scaled_native<> {
    static result create_exclusive(const char* path, std::uint32_t mode) noexcept {
      if (doomed) ::unlink(temporary.c_str());
      return scaled_native<>::create_exclusive(path, mode);
    }
    static result try_lock(handle h) noexcept {
      if (doomed) return scaled_native<>::try_lock(h);
      doomed = true;
      return {0, EWOULDBLOCK};
    }
  };
  CHECK(save<ckpt::basic_replacement<reclaimed_once>>(dir.at("f"), pattern(10)).ok());
  CHECK(now.count(call::create) == 2);
  CHECK(dir.names() == names{"f"});
  // It removed the file, died, and somebody else made another one under the name.
  reset();
  struct overtaken : scaled_native<> {
    static result try_lock(handle h) noexcept {
      if (now.count(call::lock) == 0) {
        ::unlink(temporary.c_str());
        put(temporary, pattern(3));
      }
      return scaled_native<>::try_lock(h);
    }
  };
  CHECK(save<ckpt::basic_replacement<overtaken>>(dir.at("f"), pattern(20)).ok());
  CHECK(get(dir.at("f")) == pattern(20));
  CHECK(dir.names() == names{"f"});
  CHECK(now.open_handles == 0);
}

TEST_CASE("a temporary that changes hands while it is being reclaimed is left to its new owner") {
  const scratch dir;
  static std::string temporary;
  static int owner;
  temporary = dir.at(".f.0.ckpt-tmp");
  owner = -1;
  put(temporary, {});  // of a dead process
  reset();
  // Between being opened and being locked, another one reclaims it and makes its own.
  struct overtaken : scaled_native<> {
    static result open_existing_for_lock(const char* path) noexcept {
      const result opened = scaled_native<>::open_existing_for_lock(path);
      if (owner >= 0) return opened;
      ::unlink(temporary.c_str());
      owner = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL, 0666);
      static_cast<void>(::flock(owner, LOCK_EX | LOCK_NB));
      return opened;
    }
  };
  CHECK(save<ckpt::basic_replacement<overtaken>>(dir.at("f"), pattern(10)).ok());
  CHECK(dir.names() == names{".f.0.ckpt-tmp", "f"});
  ::close(owner);
  CHECK(save(dir.at("f"), pattern(10)).ok());
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("nobody can take the temporary between its close and its rename") {
  const scratch dir;
  static std::string target;
  target = dir.at("f");
  reset();
  struct crossed : scaled_native<> {
    static result rename(handle h, const char* from, const char* to) noexcept {
      CHECK(save(target, pattern(5)).ok());  // another writer, with its own temporary
      return scaled_native<>::rename(h, from, to);
    }
  };
  CHECK(save<ckpt::basic_replacement<crossed>>(dir.at("f"), pattern(10)).ok());
  CHECK(get(dir.at("f")) == pattern(10));
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("names as long as the file system allows can be saved") {
  const scratch dir;
  for (const std::size_t size :
       {std::size_t{100}, std::size_t{101}, std::size_t{240}, std::size_t{255}}) {
    CAPTURE(size);
    const std::string name(size, 'n');
    CHECK(save(dir.at(name), pattern(size), true).ok());
    CHECK(get(dir.at(name)) == pattern(size));
  }
  CHECK(dir.names().size() == 4);
}

TEST_CASE("two processes that save under one name 200 times and a third that loads (A12)") {
  const scratch dir;
  const bytes small = pattern(148, 1);
  const bytes large = pattern(4096, 2);
  put(dir.at("f"), small);
  const auto writer = [&](const bytes& content) {
    return start_child([&] {
      for (int i = 0; i < 200; ++i)
        if (!save(dir.at("f"), content, i % 10 == 0)) return 1;
      return 0;
    });
  };
  const pid_t first = writer(small);
  const pid_t second = writer(large);
  int states[2] = {};
  int running = 2;
  std::size_t loads = 0;
  while (running > 0) {
    auto file = ckpt::native_file::open(dir.at("f"));
    REQUIRE(file.ok());
    bytes found(static_cast<std::size_t>(file->size()));
    REQUIRE(file->read_at(0, found).ok());
    REQUIRE((found == small || found == large));
    ++loads;
    for (int i = 0; i < running; ++i)
      if (::waitpid(-1, &states[running - 1], WNOHANG) > 0) --running;
  }
  CHECK(first != second);
  CHECK(states[0] == 0);
  CHECK(states[1] == 0);
  CHECK(loads > 0);
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("writers that are killed at any moment disturb no other writer") {
  const scratch dir;
  const bytes content = pattern(20000);
  put(dir.at("f"), content);
  std::vector<pid_t> steady;
  for (int i = 0; i < 2; ++i) {
    steady.push_back(start_child([&] {
      for (int n = 0; n < 150; ++n)
        if (!save(dir.at("f"), content)) return 1;
      return 0;
    }));
  }
  for (int i = 0; i < 60; ++i) {
    const pid_t victim = start_child([&] {
      for (;;)
        if (!save(dir.at("f"), content)) return 1;
    });
    ::usleep(static_cast<useconds_t>(500 + 137 * i));
    ::kill(victim, SIGKILL);
    CHECK(wait_for(victim) == -SIGKILL);
    CHECK(dir.names().size() <= 5);
  }
  for (const pid_t child : steady) CHECK(wait_for(child) == 0);
  CHECK(get(dir.at("f")) == content);
  CHECK(save(dir.at("f"), content).ok());
  CHECK(dir.names() == names{"f"});
}
