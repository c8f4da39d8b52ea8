#ifndef CKPT_IO_DETAIL_POSIX_HPP
#define CKPT_IO_DETAIL_POSIX_HPP

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "ckpt/base/errc.hpp"
#include "ckpt/io/detail/errno_kind.hpp"
#include "ckpt/io/detail/native_types.hpp"

// 32-bit glibc has 64-bit offsets under other names; on 64-bit hosts both names are the same call.
#if defined(__GLIBC__) && defined(_LARGEFILE64_SOURCE)
#define CKPT_DETAIL_LARGE(name) name##64
#define CKPT_DETAIL_O_LARGE O_LARGEFILE
#else
#define CKPT_DETAIL_LARGE(name) name
#define CKPT_DETAIL_O_LARGE 0
#endif

// macOS before 11 and Android before 7 have no preadv.
#if defined(__APPLE__)
#if defined(__MAC_OS_X_VERSION_MIN_REQUIRED)
#if __MAC_OS_X_VERSION_MIN_REQUIRED >= 110000
#define CKPT_DETAIL_PREADV
#endif
#endif
#elif defined(__ANDROID_API__)
#if __ANDROID_API__ >= 24
#define CKPT_DETAIL_PREADV
#endif
#elif defined(__linux__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || \
    defined(__DragonFly__)
#define CKPT_DETAIL_PREADV
#endif

namespace ckpt {

namespace detail {

/// The calls of POSIX systems, one system call a function. Nothing is retried here, so that a test
/// can put any outcome in the place of any call.
struct posix_native {
  using piece = ::iovec;

#if defined(IOV_MAX)
  static constexpr std::size_t max_pieces = IOV_MAX < 1024 ? IOV_MAX : 1024;
#else
  static constexpr std::size_t max_pieces = 16;  // what POSIX promises
#endif
  // Linux moves at most 0x7ffff000 bytes a call, macOS and the BSDs refuse more than INT_MAX.
  static constexpr std::uint64_t max_call_bytes = std::uint64_t{1} << 30;

  static piece make_piece(std::byte* data, std::size_t size) noexcept {
    return {data, size};
  }
  static piece make_piece(const std::byte* data, std::size_t size) noexcept {
    return {const_cast<std::byte*>(data), size};
  }
  static std::byte* piece_data(const piece& of) noexcept {
    return static_cast<std::byte*>(of.iov_base);
  }
  static std::size_t piece_size(const piece& of) noexcept {
    return of.iov_len;
  }

  static native_result open_read(const char* path) noexcept {
    // Without O_NONBLOCK, a FIFO without a writer would block.
    return outcome(::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | common_flags));
  }
  static native_result create_exclusive(const char* path, std::uint32_t mode) noexcept {
    return outcome(
        ::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | common_flags, to_mode(mode)));
  }
  static native_result open_existing_for_lock(const char* path) noexcept {
    const int flags = O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | common_flags;
    const native_result opened = outcome(::open(path, O_RDWR | flags));
    // NFS locks only what is open for writing; a read-only temporary cannot be opened so.
    return opened.error == EACCES ? outcome(::open(path, O_RDONLY | flags)) : opened;
  }
  /// Opens a file that is there only to be locked, or makes it.
  static native_result open_lock_file(const char* path) noexcept {
    const int flags = O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | common_flags;
    const native_result opened = outcome(::open(path, O_RDWR | O_CREAT | flags, to_mode(0666U)));
    if (opened.error != EACCES) return opened;
    // Somebody else's may be read-only, or in a sticky directory, where Linux refuses O_CREAT.
    const native_result existing = open_existing_for_lock(path);
    return existing.ok() ? existing : opened;
  }
  static native_result duplicate(native_handle handle) noexcept {
    return outcome(::fcntl(to_fd(handle), F_DUPFD_CLOEXEC, 0));
  }
  static native_result close(native_handle handle) noexcept {
    return outcome(::close(to_fd(handle)));
  }

  static native_result describe(native_handle handle, file_facts& facts) noexcept {
    stat_record record{};
    const native_result done = outcome(::CKPT_DETAIL_LARGE(fstat)(to_fd(handle), &record));
    if (done.ok()) facts = facts_of(record);
    return done;
  }
  static native_result describe_path(const char* path, file_facts& facts) noexcept {
    stat_record record{};
    const native_result done = outcome(::CKPT_DETAIL_LARGE(stat)(path, &record));
    if (done.ok()) facts = facts_of(record);
    return done;
  }
  /// The same, of a symbolic link itself.
  static native_result describe_link(const char* path, file_facts& facts) noexcept {
    stat_record record{};
    const native_result done = outcome(::CKPT_DETAIL_LARGE(lstat)(path, &record));
    if (done.ok()) facts = facts_of(record);
    return done;
  }

  static native_result read_at(native_handle handle, std::uint64_t offset, const piece* pieces,
                               std::size_t count) noexcept {
    if (offset > max_offset) return {};  // no file reaches so far
    const auto from = static_cast<file_offset>(offset);
#if defined(CKPT_DETAIL_PREADV)
    return outcome(
        ::CKPT_DETAIL_LARGE(preadv)(to_fd(handle), pieces, static_cast<int>(count), from));
#else
    if (count == 0) return {};
    return outcome(
        ::CKPT_DETAIL_LARGE(pread)(to_fd(handle), pieces->iov_base, pieces->iov_len, from));
#endif
  }
  static native_result write_at(native_handle handle, std::uint64_t offset, const piece* pieces,
                                std::size_t count) noexcept {
    if (offset > max_offset) return {0, EFBIG};
    const auto to = static_cast<file_offset>(offset);
#if defined(CKPT_DETAIL_PREADV)
    return outcome(
        ::CKPT_DETAIL_LARGE(pwritev)(to_fd(handle), pieces, static_cast<int>(count), to));
#else
    if (count == 0) return {};
    return outcome(
        ::CKPT_DETAIL_LARGE(pwrite)(to_fd(handle), pieces->iov_base, pieces->iov_len, to));
#endif
  }
  /// Sets blocks of the disk aside; the size of the file stays.
  static native_result reserve(native_handle handle, std::uint64_t bytes) noexcept {
#if defined(__linux__) && defined(FALLOC_FL_KEEP_SIZE)
    if (bytes == 0 || bytes > max_offset) return {};
    return outcome(::CKPT_DETAIL_LARGE(fallocate)(to_fd(handle), FALLOC_FL_KEEP_SIZE, 0,
                                                  static_cast<file_offset>(bytes)));
#else
    static_cast<void>(handle);
    static_cast<void>(bytes);
    return {};
#endif
  }

  static native_result sync(native_handle handle) noexcept {
#if defined(__APPLE__) && defined(F_FULLFSYNC)
    // fsync of macOS leaves the bytes in the cache of the disk.
    const native_result full = outcome(::fcntl(to_fd(handle), F_FULLFSYNC));
    if (!is_unsupported(full.error) && full.error != ENOTTY) return full;
#endif
    return outcome(::fsync(to_fd(handle)));
  }
  static native_result sync_directory(const char* path) noexcept {
    const native_result opened = outcome(::open(path, O_RDONLY | O_DIRECTORY | common_flags));
    if (!opened.ok()) return opened;
    const native_result synced = sync(static_cast<native_handle>(opened.value));
    const native_result closed = close(static_cast<native_handle>(opened.value));
    return synced.ok() ? closed : synced;
  }

  /// Gives the file behind `handle` another name, whose former file is gone in the same instant.
  static native_result rename(native_handle handle, const char* from, const char* to) noexcept {
    static_cast<void>(handle);  // Windows needs it
    return outcome(::rename(from, to));
  }
  /// Removes the name `path` of the file behind `handle`.
  static native_result remove(native_handle handle, const char* path) noexcept {
    static_cast<void>(handle);  // Windows needs it
    return outcome(::unlink(path));
  }
  /// The same for what nobody holds open.
  static native_result move(const char* from, const char* to) noexcept {
    return outcome(::rename(from, to));
  }
  static native_result remove_file(const char* path) noexcept {
    return outcome(::unlink(path));
  }
  static native_result make_directory(const char* path) noexcept {
    return outcome(::mkdir(path, 0777));
  }
  static native_result remove_directory(const char* path) noexcept {
    return outcome(::rmdir(path));
  }
  /// Calls `visit(name)` for every entry, "." and ".." too, until it returns false.
  template <class Visit>
  static native_result list_directory(const char* path, Visit visit) noexcept {
    ::DIR* const stream = ::opendir(path);
    if (stream == nullptr) return {0, errno};
    errno = 0;  // the end is told from a failure by this alone
    auto* entry = ::CKPT_DETAIL_LARGE(readdir)(stream);
    while (entry != nullptr && visit(static_cast<const char*>(entry->d_name))) {
      errno = 0;
      entry = ::CKPT_DETAIL_LARGE(readdir)(stream);
    }
    const native_result read{0, entry == nullptr ? errno : 0};
    const native_result closed = outcome(::closedir(stream));
    return read.ok() ? closed : read;
  }
  /// Writes the name that `path` has from the root, without a zero. The value is its length; more
  /// than `room` if it wants so much and nothing useful was written.
  static native_result full_path(const char* path, char* to, std::size_t room) noexcept {
    std::size_t size = 0;
    if (path[0] != '/') {
      if (::getcwd(to, room) == nullptr) {
        if (errno != ERANGE) return {0, errno};
        return {static_cast<std::int64_t>(room * 2), 0};
      }
      if (to[0] != '/') return {0, ENOENT};  // Linux: "(unreachable)/..."
      size = std::string_view(to).size();
      to[size++] = '/';  // instead of the zero
    }
    const std::string_view rest = path;
    if (rest.size() <= room - size) rest.copy(to + size, rest.size());
    return {static_cast<std::int64_t>(size + rest.size()), 0};
  }
  static native_result set_mode(native_handle handle, std::uint32_t mode) noexcept {
    return outcome(::fchmod(to_fd(handle), to_mode(mode)));
  }
  static native_result try_lock(native_handle handle) noexcept {
    return outcome(::flock(to_fd(handle), LOCK_EX | LOCK_NB));
  }

  static native_result map(native_handle handle, std::size_t size, const std::byte*& at) noexcept {
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, to_fd(handle), 0);
    if (mapped == map_failed()) return {0, errno};
    at = static_cast<const std::byte*>(mapped);
    return {};
  }
  static native_result unmap(const std::byte* at, std::size_t size) noexcept {
    return outcome(::munmap(const_cast<std::byte*>(at), size));
  }

  static constexpr bool is_interrupted(int error) noexcept {
    return error == EINTR;
  }
  static constexpr bool is_lock_held(int error) noexcept {
    return error == EWOULDBLOCK;
  }
  /// Whether the file system just cannot do that, which is no failure of this file.
  static constexpr bool is_unsupported(int error) noexcept {
    constexpr int known[] = {EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS};  // two are often the same
    for (const int unsupported : known)
      if (error == unsupported) return true;
    return false;
  }
  /// Whether a directory was not removed because something is in it.
  static constexpr bool is_not_empty(int error) noexcept {
    return error == ENOTEMPTY || error == EEXIST;
  }
  static constexpr errc error_kind(int error) noexcept {
    return errno_kind(error);
  }
  static constexpr errc path_error_kind(int error) noexcept {
    return errno_path_kind(error);
  }

 private:
  using stat_record = struct ::CKPT_DETAIL_LARGE(stat);
  using file_offset = decltype(stat_record::st_size);

  static constexpr auto max_offset =
      static_cast<std::uint64_t>((std::numeric_limits<file_offset>::max)());
#if defined(O_BINARY)
  static constexpr int common_flags = O_CLOEXEC | CKPT_DETAIL_O_LARGE | O_BINARY;
#else
  static constexpr int common_flags = O_CLOEXEC | CKPT_DETAIL_O_LARGE;
#endif

  template <class Returned>
  static native_result outcome(Returned returned) noexcept {
    if (returned < 0) return {0, errno};
    return {static_cast<std::int64_t>(returned), 0};
  }
  static int to_fd(native_handle handle) noexcept {
    return static_cast<int>(handle);
  }
  static ::mode_t to_mode(std::uint32_t mode) noexcept {
    return static_cast<::mode_t>(mode);
  }
  // MAP_FAILED is a C cast, which some system headers do not hide from the warnings of the user.
  static void* map_failed() noexcept {
    return reinterpret_cast<void*>(std::intptr_t{-1});
  }

  static file_facts facts_of(const stat_record& record) noexcept {
    file_facts facts;
    if (S_ISREG(record.st_mode)) facts.kind = file_kind::regular;
    if (S_ISDIR(record.st_mode)) facts.kind = file_kind::directory;
    facts.mode = static_cast<std::uint32_t>(record.st_mode) & 0777U;
    facts.size = static_cast<std::uint64_t>(record.st_size);
    facts.device = static_cast<std::uint64_t>(record.st_dev);
    facts.inode = static_cast<std::uint64_t>(record.st_ino);
    facts.link_count = static_cast<std::uint64_t>(record.st_nlink);
    return facts;
  }
};

}  // namespace detail

}  // namespace ckpt

#undef CKPT_DETAIL_LARGE
#undef CKPT_DETAIL_O_LARGE
#undef CKPT_DETAIL_PREADV

#endif  // CKPT_IO_DETAIL_POSIX_HPP
