#include "ckpt/codec/verify.hpp"

#include "format/handmade.hpp"
#include "support.hpp"

using ckpt::errc;
using handmade::tensor;

namespace {

using visit_order = std::vector<std::uint32_t>;

/// A file of tensors of one byte, put together by hand.
test::bytes file_of(const std::vector<tensor>& tensors, const visit_order& visits,
                    ckpt::dialect kind) {
  handmade::file holds;
  holds.says.tensors = tensors;
  holds.says.visits = visits;
  holds.says.optimizer = "sgd";
  for (const tensor& t : tensors) holds.payloads.emplace_back(t.role == 2 ? 0 : 1);
  const bool is_wide = kind == ckpt::dialect::v2;
  holds.footer = is_wide ? handmade::state_section({}, 88) : handmade::footer(1, 2);
  if (is_wide) return handmade::v2(holds, 1);
  return handmade::schema1_plus(holds, kind == ckpt::dialect::onert_micro_plus);
}

constexpr ckpt::dialect all_kinds[] = {ckpt::dialect::onert_micro_plus, ckpt::dialect::onert_plus,
                                       ckpt::dialect::v2};

/// What is wrong with a visit order, in every format that keeps one.
ckpt::status why(const std::vector<tensor>& tensors, const visit_order& visits) {
  ckpt::status first;
  for (const ckpt::dialect kind : all_kinds) {
    const ckpt::description said = ckpt::verify(test::view(file_of(tensors, visits, kind)));
    CHECK(said.map.kind == kind);
    if (kind == all_kinds[0]) first = said.error;
    CHECK(said.error.kind == first.kind);
    CHECK(said.error.tensor == first.tensor);
  }
  return first;
}

const std::vector<tensor> graph = {
    {"input", 5, {1}, 2}, {"w", 5, {1}}, {"hidden", 5, {1}, 2}, {"b", 5, {1}}};

/// So many tensors; the first is absent.
std::vector<tensor> many(std::size_t count) {
  std::vector<tensor> made(count, {"", 5, {1}});
  made[0].role = 2;
  return made;
}
visit_order backwards(std::size_t count) {
  visit_order order;
  for (std::size_t i = count; i-- > 1;) order.push_back(static_cast<std::uint32_t>(i));
  return order;
}

}  // namespace

TEST_CASE("verify takes a visit order in which every stored tensor comes once or more often") {
  CHECK(why(graph, {}).ok());
  CHECK(why(graph, {1, 3}).ok());
  CHECK(why(graph, {3, 1, 3, 3}).ok());
  CHECK(why({{"input", 5, {1}, 2}}, {}).ok());
}

TEST_CASE("verify refuses a visit order that names an absent tensor") {
  const ckpt::status first = why(graph, {3, 0, 1});
  CHECK(first.kind == errc::invalid_visits);
  CHECK(first.part == ckpt::section::manifest);
  CHECK(first.tensor == 0);
  CHECK(why(graph, {3, 1, 2}).tensor == 2);
}

TEST_CASE("verify refuses a visit order that leaves a stored tensor out") {
  const ckpt::status last = why(graph, {1});
  CHECK(last.kind == errc::invalid_visits);
  CHECK(last.part == ckpt::section::manifest);
  CHECK(last.tensor == 3);
  // As many visits as stored tensors prove nothing.
  CHECK(why(graph, {1, 1}).tensor == 3);
  CHECK(why(graph, {3, 3}).tensor == 1);
}

TEST_CASE("verify looks at the visits of more tensors than it has room to mark") {
  constexpr std::size_t window = ckpt::detail::visit_check::window_tensors;
  for (const std::size_t count : {window, window + 1, 2 * window + 3}) {
    CAPTURE(count);
    const auto order = backwards(count);
    const auto check = [count](const visit_order& visits) {
      const auto kind = ckpt::dialect::onert_micro_plus;
      return ckpt::verify(test::view(file_of(many(count), visits, kind))).error;
    };
    CHECK(check(order).ok());
    for (const std::size_t lost : {std::size_t{1}, window - 1, count - 1}) {
      visit_order without = order;
      without[count - 1 - lost] = order[lost == 1 ? 0 : count - 2];  // another one twice
      CHECK(check(without).kind == errc::invalid_visits);
      CHECK(check(without).tensor == lost);
    }
    visit_order with_absent = order;
    with_absent.push_back(0);
    CHECK(check(with_absent).tensor == 0);
  }
}

TEST_CASE("verify takes the visits of very many tensors on trust, as its description says") {
  constexpr std::size_t most = ckpt::detail::visit_check::max_tensors;
  static_assert(most == 131072);
  const auto check = [](std::size_t count) {
    const auto kind = ckpt::dialect::onert_micro_plus;
    return ckpt::verify(test::view(file_of(many(count), {1}, kind))).error;
  };
  CHECK(check(most).kind == errc::invalid_visits);
  CHECK(check(most).tensor == 2);
  CHECK(check(most + 1).ok());
}

TEST_CASE("verify takes it on trust that no name comes twice, as its description says") {
  for (const ckpt::dialect kind : all_kinds)
    CHECK(ckpt::verify(test::view(file_of({{"w", 5, {1}}, {"w", 5, {1}}}, {}, kind))).error.ok());
}
