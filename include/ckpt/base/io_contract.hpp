#ifndef CKPT_BASE_IO_CONTRACT_HPP
#define CKPT_BASE_IO_CONTRACT_HPP

#include <cstdint>
#include <type_traits>
#include <utility>

#include "ckpt/base/span.hpp"
#include "ckpt/base/status.hpp"

/// The two contracts through which checkpoints meet bytes. They are duck-typed: any class with
/// these members will do.
///
/// A *sink* takes a checkpoint from its first byte to its last:
/// - `status append(bytes_view)`: the next bytes. The sink may keep the view until `flush()`.
/// - `status flush()`: nothing given so far is needed any more.
///
/// A *source* gives bytes from anywhere:
/// - `std::uint64_t size() const`: how many there are.
/// - `status read_at(std::uint64_t offset, bytes_span)`: fills the span.
namespace ckpt {

namespace detail {

template <class T, class = void>
struct sink_test : std::false_type {};
template <class T>
struct sink_test<T, std::void_t<decltype(status(std::declval<T&>().append(bytes_view{}))),
                                decltype(status(std::declval<T&>().flush()))>> : std::true_type {};

template <class T, class = void>
struct source_test : std::false_type {};
template <class T>
struct source_test<
    T, std::void_t<decltype(static_cast<std::uint64_t>(std::declval<T&>().size())),
                   decltype(status(std::declval<T&>().read_at(std::uint64_t{}, bytes_span{})))>>
    : std::true_type {};

}  // namespace detail

/// Whether `T` has the members of a sink.
template <class T>
inline constexpr bool is_sink_v = detail::sink_test<T>::value;
/// Whether `T` has the members of a source.
template <class T>
inline constexpr bool is_source_v = detail::source_test<T>::value;

}  // namespace ckpt

#endif  // CKPT_BASE_IO_CONTRACT_HPP
