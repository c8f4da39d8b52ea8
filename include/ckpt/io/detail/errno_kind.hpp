#ifndef CKPT_IO_DETAIL_ERRNO_KIND_HPP
#define CKPT_IO_DETAIL_ERRNO_KIND_HPP

#include <cerrno>

#include "ckpt/base/errc.hpp"

namespace ckpt {

namespace detail {

/// The kind of an errno. What is about neither a place, a right nor a resource is input_output.
[[nodiscard]] constexpr errc errno_kind(int os_error) noexcept {
  switch (os_error) {
    case 0: return errc::ok;
    case ENOENT: return errc::not_found;
    case EACCES:
    case EPERM:
    case EROFS: return errc::permission_denied;
    case ENOSPC: return errc::no_space;
#ifdef EDQUOT
    case EDQUOT: return errc::no_space;
#endif
    case ENOMEM: return errc::no_memory;
    case EISDIR: return errc::not_a_regular_file;
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG: return errc::invalid_path;
    case EEXIST: return errc::already_exists;
    case EAGAIN:
    case EBUSY: return errc::busy;
#ifdef ETXTBSY
    case ETXTBSY: return errc::busy;
#endif
    default: return errc::input_output;
  }
}

/// The same for calls that take a path: there, these numbers speak of the path.
[[nodiscard]] constexpr errc errno_path_kind(int os_error) noexcept {
  switch (os_error) {
    case EINVAL:
    case EILSEQ: return errc::invalid_path;
    case ENXIO:  // a socket, or a device that is not there
    case ENODEV:
    case EOPNOTSUPP: return errc::not_a_regular_file;
    default: return errno_kind(os_error);
  }
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_DETAIL_ERRNO_KIND_HPP
