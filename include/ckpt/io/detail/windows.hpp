#ifndef CKPT_IO_DETAIL_WINDOWS_HPP
#define CKPT_IO_DETAIL_WINDOWS_HPP

// Lean, without the macros min and max, and leaving the macros of the user as they are.
#if !defined(WIN32_LEAN_AND_MEAN)
#define WIN32_LEAN_AND_MEAN
#define CKPT_DETAIL_UNDEFINE_LEAN
#endif
#if !defined(NOMINMAX)
#define NOMINMAX
#define CKPT_DETAIL_UNDEFINE_NOMINMAX
#endif
#include <windows.h>
#if defined(CKPT_DETAIL_UNDEFINE_LEAN)
#undef WIN32_LEAN_AND_MEAN
#undef CKPT_DETAIL_UNDEFINE_LEAN
#endif
#if defined(CKPT_DETAIL_UNDEFINE_NOMINMAX)
#undef NOMINMAX
#undef CKPT_DETAIL_UNDEFINE_NOMINMAX
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cwchar>
#include <memory>
#include <new>

#include "ckpt/base/errc.hpp"
#include "ckpt/io/detail/native_types.hpp"

namespace ckpt {

namespace detail {

/// The calls of Windows, in the same shape as those of POSIX. Paths are UTF-16.
struct windows_native {
  struct piece {
    std::byte* data;
    std::size_t size;
  };

  static constexpr std::size_t max_pieces = 1;  // ReadFileScatter wants whole pages
  static constexpr std::uint64_t max_call_bytes = std::uint64_t{1} << 30;

  static piece make_piece(std::byte* data, std::size_t size) noexcept { return {data, size}; }
  static piece make_piece(const std::byte* data, std::size_t size) noexcept {
    return {const_cast<std::byte*>(data), size};
  }
  static std::byte* piece_data(const piece& of) noexcept { return of.data; }
  static std::size_t piece_size(const piece& of) noexcept { return of.size; }

  static native_result open_read(const wchar_t* path) noexcept {
    // A reader must not stand in the way of a replacement. BACKUP_SEMANTICS opens directories too,
    // which are then refused as what they are instead of with ERROR_ACCESS_DENIED.
    return open(path, GENERIC_READ, share_all, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  }
  static native_result create_exclusive(const wchar_t* path, std::uint32_t /*mode*/) noexcept {
    // As nobody may share the right to delete it, an open temporary is a locked one.
    const native_result made = open(path, GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_READ,
                                    CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
    if (made.error != static_cast<int>(ERROR_ACCESS_DENIED)) return made;
    // Nobody gets a file that is being deleted; where the directory is what denies, there is none.
    file_facts facts;
    const native_result there = describe_link(path, facts);
    if (error_kind(there.error) == errc::not_found) return made;
    return {0, static_cast<int>(ERROR_FILE_EXISTS)};
  }
  static native_result open_existing_for_lock(const wchar_t* path) noexcept {
    return open(path, DELETE | FILE_READ_ATTRIBUTES, FILE_SHARE_DELETE, OPEN_EXISTING,
                FILE_FLAG_OPEN_REPARSE_POINT);
  }
  /// Opens a file that is there only to be locked, or makes it. As nobody may share it, an open one
  /// is a locked one.
  static native_result open_lock_file(const wchar_t* path) noexcept {
    const native_result opened = open(path, GENERIC_READ | GENERIC_WRITE | DELETE, 0, OPEN_ALWAYS,
                                      FILE_FLAG_OPEN_REPARSE_POINT);
    if (opened.error != static_cast<int>(ERROR_ACCESS_DENIED)) return opened;
    // Nobody gets a file that is being removed, not even its facts: its holder is about to go.
    file_facts facts;
    const native_result there = describe_link(path, facts);
    const bool is_going = there.error == static_cast<int>(ERROR_ACCESS_DENIED);
    return is_going ? native_result{0, static_cast<int>(ERROR_SHARING_VIOLATION)} : opened;
  }
  static native_result duplicate(native_handle handle) noexcept {
    HANDLE copy = nullptr;
    if (::DuplicateHandle(::GetCurrentProcess(), to_os(handle), ::GetCurrentProcess(), &copy, 0,
                          FALSE, DUPLICATE_SAME_ACCESS) == 0)
      return last_error();
    return {from_os(copy), 0};
  }
  static native_result close(native_handle handle) noexcept {
    return outcome(::CloseHandle(to_os(handle)));
  }

  static native_result describe(native_handle handle, file_facts& facts) noexcept {
    facts = file_facts{};
    if (::GetFileType(to_os(handle)) != FILE_TYPE_DISK) return {};
    BY_HANDLE_FILE_INFORMATION record{};
    if (::GetFileInformationByHandle(to_os(handle), &record) == 0) return last_error();
    const bool directory = (record.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    facts.kind = directory ? file_kind::directory : file_kind::regular;
    facts.size = joined(record.nFileSizeHigh, record.nFileSizeLow);
    facts.device = record.dwVolumeSerialNumber;
    facts.inode = joined(record.nFileIndexHigh, record.nFileIndexLow);
    facts.link_count = record.nNumberOfLinks;
    return {};
  }
  static native_result describe_path(const wchar_t* path, file_facts& facts) noexcept {
    return describe_named(path, FILE_FLAG_BACKUP_SEMANTICS, facts);
  }
  static native_result describe_link(const wchar_t* path, file_facts& facts) noexcept {
    return describe_named(path, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, facts);
  }

  static native_result read_at(native_handle handle, std::uint64_t offset, const piece* pieces,
                               std::size_t count) noexcept {
    if (count == 0) return {};
    OVERLAPPED place = at(offset);
    DWORD moved = 0;
    if (::ReadFile(to_os(handle), pieces->data, static_cast<DWORD>(pieces->size), &moved, &place))
      return {static_cast<std::int64_t>(moved), 0};
    const native_result failed = last_error();
    return failed.error == static_cast<int>(ERROR_HANDLE_EOF) ? native_result{} : failed;
  }
  static native_result write_at(native_handle handle, std::uint64_t offset, const piece* pieces,
                                std::size_t count) noexcept {
    if (count == 0) return {};
    OVERLAPPED place = at(offset);
    DWORD moved = 0;
    if (::WriteFile(to_os(handle), pieces->data, static_cast<DWORD>(pieces->size), &moved, &place))
      return {static_cast<std::int64_t>(moved), 0};
    return last_error();
  }
  static native_result reserve(native_handle, std::uint64_t) noexcept { return {}; }

  static native_result sync(native_handle handle) noexcept {
    return outcome(::FlushFileBuffers(to_os(handle)));
  }
  /// NTFS journals names itself, and a directory cannot be flushed without further privileges.
  static native_result sync_directory(const wchar_t*) noexcept { return {}; }

  /// Renames by handle, so that the file stays locked until it has its name.
  static native_result rename(native_handle handle, const wchar_t*, const wchar_t* to) noexcept {
    const std::size_t name_bytes = std::wcslen(to) * sizeof(wchar_t);
    const std::size_t bytes = sizeof(rename_request) + name_bytes;
    const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]());
    if (!memory) return {0, static_cast<int>(ERROR_NOT_ENOUGH_MEMORY)};
    rename_request request{};
    request.flags = replace_if_exists | posix_semantics;
    request.name_bytes = static_cast<DWORD>(name_bytes);
    std::memcpy(memory.get(), &request, sizeof request);
    std::memcpy(memory.get() + offsetof(rename_request, name), to, name_bytes);
    const native_result modern = set_information(handle, rename_class_ex, memory.get(), bytes);
    if (modern.ok() || !is_unsupported(modern.error)) return why_refused(modern, to);
    request.flags = replace_if_exists;  // the same byte as the older BOOLEAN
    std::memcpy(memory.get(), &request, offsetof(rename_request, name));
    return why_refused(set_information(handle, rename_class, memory.get(), bytes), to);
  }
  static native_result remove(native_handle handle, const wchar_t*) noexcept {
    DWORD how = delete_file | posix_semantics;  // gone when this handle is closed
    const native_result modern = set_information(handle, disposition_class_ex, &how, sizeof how);
    if (modern.ok() || !is_unsupported(modern.error)) return modern;
    BOOLEAN gone = TRUE;  // when the last handle is closed
    return set_information(handle, disposition_class, &gone, sizeof gone);
  }
  /// The same for what nobody holds open.
  static native_result move(const wchar_t* from, const wchar_t* to) noexcept {
    const DWORD flags = FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS;
    const native_result opened = open(from, DELETE, share_all, OPEN_EXISTING, flags);
    if (!opened.ok()) return opened;
    const auto handle = static_cast<native_handle>(opened.value);
    const native_result done = rename(handle, from, to);
    static_cast<void>(close(handle));
    return done;
  }
  static native_result remove_file(const wchar_t* path) noexcept {
    const native_result opened =
        open(path, DELETE, share_all, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT);
    if (!opened.ok()) return opened;
    const auto handle = static_cast<native_handle>(opened.value);
    const native_result done = remove(handle, path);
    static_cast<void>(close(handle));
    return done;
  }
  static native_result make_directory(const wchar_t* path) noexcept {
    return outcome(::CreateDirectoryW(path, nullptr));
  }
  static native_result remove_directory(const wchar_t* path) noexcept {
    return outcome(::RemoveDirectoryW(path));
  }
  /// Calls `visit(name)` for every entry, "." and ".." too, until it returns false.
  template <class Visit>
  static native_result list_directory(const wchar_t* path, Visit visit) noexcept {
    std::size_t length = std::wcslen(path);
    const std::unique_ptr<wchar_t[]> pattern(new (std::nothrow) wchar_t[length + 3]);
    if (!pattern) return {0, static_cast<int>(ERROR_NOT_ENOUGH_MEMORY)};
    std::wmemcpy(pattern.get(), path, length);
    if (length > 0 && (path[length - 1] == L'\\' || path[length - 1] == L'/')) --length;
    std::wmemcpy(pattern.get() + length, L"\\*", 3);
    WIN32_FIND_DATAW found{};
    const HANDLE search = ::FindFirstFileW(pattern.get(), &found);
    if (search == INVALID_HANDLE_VALUE) {
      const native_result failed = last_error();  // the root of an empty drive has no entry at all
      return failed.error == static_cast<int>(ERROR_FILE_NOT_FOUND) ? native_result{} : failed;
    }
    bool more = visit(static_cast<const wchar_t*>(found.cFileName));
    while (more && ::FindNextFileW(search, &found) != 0)
      more = visit(static_cast<const wchar_t*>(found.cFileName));
    const native_result ended = more ? last_error() : native_result{};
    ::FindClose(search);
    return ended.error == static_cast<int>(ERROR_NO_MORE_FILES) ? native_result{} : ended;
  }
  /// Writes the name that `path` has from the root, without a zero. The value is its length; more
  /// than `room` if it wants so much and nothing useful was written.
  static native_result full_path(const wchar_t* path, wchar_t* to, std::size_t room) noexcept {
    const DWORD size = ::GetFullPathNameW(path, static_cast<DWORD>(room), to, nullptr);
    return size == 0 ? last_error() : native_result{static_cast<std::int64_t>(size), 0};
  }
  static native_result set_mode(native_handle, std::uint32_t) noexcept { return {}; }
  static native_result try_lock(native_handle) noexcept { return {}; }

  static native_result map(native_handle handle, std::size_t size, const std::byte*& at) noexcept {
    const HANDLE mapping =
        ::CreateFileMappingW(to_os(handle), nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (mapping == nullptr) return last_error();
    const void* const view = ::MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size);
    const native_result failed = view == nullptr ? last_error() : native_result{};
    ::CloseHandle(mapping);  // the view keeps it alive
    at = static_cast<const std::byte*>(view);
    return failed;
  }
  static native_result unmap(const std::byte* at, std::size_t) noexcept {
    return outcome(::UnmapViewOfFile(at));
  }

  static constexpr bool is_interrupted(int) noexcept { return false; }
  static constexpr bool is_lock_held(int error) noexcept { return error_kind(error) == errc::busy; }
  static constexpr bool is_unsupported(int error) noexcept {
    const auto code = static_cast<DWORD>(error);
    return code == ERROR_INVALID_PARAMETER || code == ERROR_NOT_SUPPORTED ||
           code == ERROR_INVALID_FUNCTION;
  }
  /// Whether a directory was not removed because something is in it.
  static constexpr bool is_not_empty(int error) noexcept {
    return static_cast<DWORD>(error) == ERROR_DIR_NOT_EMPTY;
  }
  static constexpr errc error_kind(int error) noexcept {
    switch (static_cast<DWORD>(error)) {
      case ERROR_SUCCESS: return errc::ok;
      case ERROR_FILE_NOT_FOUND:
      case ERROR_PATH_NOT_FOUND:
      case ERROR_INVALID_DRIVE:
      case ERROR_BAD_NETPATH:
      case ERROR_BAD_NET_NAME: return errc::not_found;
      case ERROR_ACCESS_DENIED:
      case ERROR_WRITE_PROTECT: return errc::permission_denied;
      case ERROR_SHARING_VIOLATION:
      case ERROR_LOCK_VIOLATION:
      case ERROR_USER_MAPPED_FILE: return errc::busy;
      case ERROR_DISK_FULL:
      case ERROR_HANDLE_DISK_FULL: return errc::no_space;
      case ERROR_NOT_ENOUGH_MEMORY:
      case ERROR_OUTOFMEMORY:
      case ERROR_COMMITMENT_LIMIT: return errc::no_memory;
      case ERROR_INVALID_NAME:
      case ERROR_BAD_PATHNAME:
      case ERROR_DIRECTORY:
      case ERROR_FILENAME_EXCED_RANGE: return errc::invalid_path;
      case ERROR_FILE_EXISTS:
      case ERROR_ALREADY_EXISTS: return errc::already_exists;
      default: return errc::input_output;
    }
  }
  static constexpr errc path_error_kind(int error) noexcept { return error_kind(error); }

 private:
  // FILE_RENAME_INFO, FileRenameInfo and the rest, which old SDKs and some versions of MinGW lack.
  struct rename_request {
    DWORD flags;
    HANDLE root;
    DWORD name_bytes;
    wchar_t name[1];
  };
  static constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  static constexpr DWORD replace_if_exists = 1;
  static constexpr DWORD delete_file = 1;
  static constexpr DWORD posix_semantics = 2;  // also while readers have the old file open
  static constexpr int rename_class = 3;
  static constexpr int disposition_class = 4;
  static constexpr int disposition_class_ex = 21;
  static constexpr int rename_class_ex = 22;

  static HANDLE to_os(native_handle handle) noexcept { return reinterpret_cast<HANDLE>(handle); }
  static native_handle from_os(HANDLE handle) noexcept {
    return reinterpret_cast<native_handle>(handle);
  }
  static native_result last_error() noexcept { return {0, static_cast<int>(::GetLastError())}; }
  static native_result outcome(BOOL done) noexcept {
    return done != 0 ? native_result{} : last_error();
  }
  static std::uint64_t joined(DWORD high, DWORD low) noexcept {
    return (std::uint64_t{high} << 32) | low;
  }
  static OVERLAPPED at(std::uint64_t offset) noexcept {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(offset & 0xFFFFFFFFU);
    place.OffsetHigh = static_cast<DWORD>(offset >> 32);
    return place;
  }
  static native_result open(const wchar_t* path, DWORD access, DWORD share, DWORD disposition,
                            DWORD flags) noexcept {
    const native_handle opened =
        from_os(::CreateFileW(path, access, share, nullptr, disposition, flags, nullptr));
    return opened == no_handle ? last_error() : native_result{opened, 0};
  }
  static native_result describe_named(const wchar_t* path, DWORD flags,
                                      file_facts& facts) noexcept {
    const native_result opened = open(path, FILE_READ_ATTRIBUTES, share_all, OPEN_EXISTING, flags);
    if (!opened.ok()) return opened;
    const auto handle = static_cast<native_handle>(opened.value);
    const native_result done = describe(handle, facts);
    static_cast<void>(close(handle));
    return done;
  }
  /// Windows calls it denied as well when only somebody's handle forbids to replace a file; before
  /// Windows 10, and on FAT, any handle does.
  static native_result why_refused(const native_result& renamed, const wchar_t* to) noexcept {
    if (renamed.error != static_cast<int>(ERROR_ACCESS_DENIED)) return renamed;
    const DWORD attributes = ::GetFileAttributesW(to);
    if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_READONLY) != 0)
      return renamed;
    const native_result opened =
        open(to, DELETE, share_all, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT);
    if (opened.ok()) static_cast<void>(close(static_cast<native_handle>(opened.value)));
    const bool is_held = opened.ok() || error_kind(opened.error) == errc::busy;
    return is_held ? native_result{0, static_cast<int>(ERROR_SHARING_VIOLATION)} : renamed;
  }
  static native_result set_information(native_handle handle, int information, void* request,
                                       std::size_t bytes) noexcept {
    return outcome(::SetFileInformationByHandle(to_os(handle),
                                                static_cast<FILE_INFO_BY_HANDLE_CLASS>(information),
                                                request, static_cast<DWORD>(bytes)));
  }
};

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_DETAIL_WINDOWS_HPP
