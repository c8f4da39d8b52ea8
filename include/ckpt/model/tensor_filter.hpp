#ifndef CKPT_MODEL_TENSOR_FILTER_HPP
#define CKPT_MODEL_TENSOR_FILTER_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ckpt/base/errc.hpp"
#include "ckpt/base/name.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/model/model.hpp"
#include "ckpt/model/tensor_spec.hpp"
#include "ckpt/model/tensors.hpp"

/// A filter says which tensors of a model are in a checkpoint at all. It is an empty struct; one of
/// yours is equal to ours:
///
///     struct without_caches {
///       static constexpr bool keeps(const ckpt::tensor_spec& spec) noexcept {
///         return !ckpt::contains(spec.name(), ".cache");
///       }
///     };
///
/// What a filter leaves out is neither saved nor touched by loading. It is asked about absent
/// tensors too. The others move up: their indices, and the file, are those of a model that never
/// had what is left out. A filter that keeps nothing of a model that has tensors is taken for a
/// mistake.
namespace ckpt {

/// Whether `part` stands anywhere in `name`.
[[nodiscard]] constexpr bool contains(name_view name, name_view part) noexcept {
  if (part.empty()) return true;
  if (part.size() > name.size()) return false;
  const std::size_t last = name.size() - part.size();
  const char* const data = name.data();
  const char first = part[0];
  for (std::size_t i = 0; i <= last; ++i)
    if (data[i] == first &&
        detail::compare_characters({data + i, part.size()}, part, part.size()) == 0)
      return true;
  return false;
}

/// Keeps every tensor. The filter where nobody asks for another.
struct keep_all {
  static constexpr bool keeps(const tensor_spec&) noexcept { return true; }
};

/// What PaddlePaddle's checkpoints of 2018 leave out by name: gradients, and what distributed
/// training adds. The rule looks at the whole name, so it drops a user's `head.block1.w` without a
/// word; take it only for names that PaddlePaddle has made.
/// @source PaddlePaddle: python/paddle/fluid/io.py (_is_checkpoint_var)
struct paddle_filter {
  static constexpr bool keeps(const tensor_spec& spec) noexcept {
    const name_view name = spec.name();
    return !contains(name, "@GRAD") && !contains(name, ".trainer_") && !contains(name, ".block");
  }
};

namespace detail {

template <class T, class = void>
struct has_keeps : std::false_type {};
template <class T>
struct has_keeps<
    T, std::void_t<decltype(static_cast<bool>(T::keeps(std::declval<const tensor_spec&>())))>>
    : std::true_type {};

/// The number that a filter gives to a tensor it leaves out. No model has such an index.
inline constexpr std::uint32_t left_out = no_tensor;

/// Gives each tensor its index among those that are kept, and returns how many those are.
/// @param numbers  memory for one word a tensor
template <class Filter>
constexpr std::size_t number_kept(span<const tensor_spec> specs, std::uint32_t* numbers) noexcept {
  std::uint32_t next = 0;
  const std::size_t total = specs.size();
  for (std::size_t i = 0; i < total; ++i) numbers[i] = Filter::keeps(specs[i]) ? next++ : left_out;
  return next;
}

/// Copies the tensors that have a number.
constexpr void pick_tensors(span<const tensor_spec> specs, const std::uint32_t* numbers,
                            tensor_spec* kept) noexcept {
  const std::size_t total = specs.size();
  for (std::size_t i = 0; i < total; ++i)
    if (numbers[i] != left_out) kept[numbers[i]] = specs[i];
}

/// Copies the visits of tensors that have a number, renumbered, and returns how many those are. A
/// visit of what the model does not have remains one, so that it is found by whoever checks.
/// @param kept  null: only count
constexpr std::size_t pick_visits(const model_view& from, const std::uint32_t* numbers,
                                  std::uint32_t* kept) noexcept {
  std::size_t picked = 0;
  for (std::size_t k = 0; k < from.visits.size(); ++k) {
    const std::uint32_t index = from.visits[k];
    const bool exists = index < from.size();
    if (exists && numbers[index] == left_out) continue;
    if (kept != nullptr) kept[picked] = exists ? numbers[index] : no_tensor;
    ++picked;
  }
  return picked;
}

}  // namespace detail

/// Whether `T` is a filter.
template <class T>
inline constexpr bool is_filter_v = std::is_empty_v<T>&& detail::has_keeps<T>::value;

namespace detail {

template <std::size_t Count>
struct number_table {
  std::uint32_t numbers[Count + 1];
  std::size_t kept;
};

/// Compilers limit how long they calculate at a stretch. So many tensors a filter may look at.
inline constexpr std::size_t filter_block = 256;

/// The numbers of one block of tensors, counted from 0.
template <class Model, class Filter, std::size_t Block>
inline constexpr auto block_numbers = [] {
  number_table<filter_block> made{};
  constexpr std::size_t first = Block * filter_block;
  constexpr std::size_t rest = Model::tensors.size() - first;
  made.kept = number_kept<Filter>(
      view_of<Model>().tensors.part(first, rest < filter_block ? rest : filter_block),
      made.numbers);
  return made;
}();

/// The numbers of all tensors, block behind block.
template <class Model, class Filter, std::size_t... Block>
[[nodiscard]] constexpr auto join_numbers(std::index_sequence<Block...>) noexcept {
  constexpr std::size_t total = Model::tensors.size();
  const number_table<filter_block>* const blocks[] = {&block_numbers<Model, Filter, Block>...,
                                                      nullptr};
  number_table<total> made{};
  for (std::size_t first = 0; first < total; first += filter_block) {
    const number_table<filter_block>& block = *blocks[first / filter_block];
    for (std::size_t i = 0; i < filter_block && first + i < total; ++i)
      made.numbers[first + i] = block.numbers[i] == left_out
                                    ? left_out
                                    : static_cast<std::uint32_t>(made.kept + block.numbers[i]);
    made.kept += block.kept;
  }
  return made;
}

/// What a filter keeps of a static model.
template <class Model, class Filter>
struct kept_tensors {
  static_assert(is_filter_v<Filter>,
                "ckpt: Filter must be an empty struct with `static constexpr bool keeps(const "
                "ckpt::tensor_spec&) noexcept` (see ckpt/model/tensor_filter.hpp)");

  static constexpr auto table = join_numbers<Model, Filter>(
      std::make_index_sequence<(Model::tensors.size() + filter_block - 1) / filter_block>{});
  static_assert(table.kept > 0 || Model::tensors.size() == 0,
                "ckpt: the filter keeps no tensor of the model, so a checkpoint would hold nothing "
                "but step and epoch (see ckpt/model/tensor_filter.hpp)");

  static constexpr std::size_t visit_count = pick_visits(view_of<Model>(), table.numbers, nullptr);

  static constexpr tensor_table<table.kept> tensors() noexcept {
    tensor_table<table.kept> made{};
    if constexpr (table.kept > 0) pick_tensors(view_of<Model>().tensors, table.numbers, made.specs);
    return made;
  }
  static constexpr auto visits() noexcept {
    visit_table<visit_count> made{};
    pick_visits(view_of<Model>(), table.numbers, made.indices);
    return made;
  }
};

template <class Kept, bool HasVisits = (Kept::visit_count > 0)>
struct kept_visits {};
template <class Kept>
struct kept_visits<Kept, true> {
  static constexpr auto visits = Kept::visits();
};

}  // namespace detail

/// The static model of the tensors that a filter keeps of another, with its visits if it has any.
template <class Model, class Filter>
struct filtered_model : detail::kept_visits<detail::kept_tensors<Model, Filter>> {
  static constexpr auto tensors = detail::kept_tensors<Model, Filter>::tensors();
};

/// The model that a filter makes of another: `filtered_model` of a static one, the same type of a
/// run-time one. `keep_all` makes none, it leaves the model itself.
template <class Model, class Filter>
using filtered_model_t =
    std::conditional_t<std::is_same_v<Filter, keep_all> || is_dynamic_model_v<Model>, Model,
                       filtered_model<Model, Filter>>;

}  // namespace ckpt

#endif  // CKPT_MODEL_TENSOR_FILTER_HPP
