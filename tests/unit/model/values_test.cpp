#include "ckpt/model/values.hpp"

#include <algorithm>
#include <limits>

#include "format/handmade.hpp"
#include "support.hpp"

using ckpt::errc;
using ckpt::name_view;
using ckpt::value_kind;
using ckpt::values_view;

namespace {

test::bytes encoded(const values_view& values) {
  const ckpt::bytes_view bytes = values.encoded();
  return {bytes.begin(), bytes.end()};
}

/// One record as ckpt/model/values.hpp pictures it.
test::bytes record(const std::string& key, unsigned kind, const test::bytes& data) {
  handmade::out to;
  to.u16(key.size()).u8(kind).u8(0).u32(data.size()).text(key).add(data);
  return to.pad(4).data;
}
test::bytes integer(std::uint64_t number) {
  return handmade::out{}.u64(number).data;
}
test::bytes text(const char* characters) {
  return handmade::out{}.text(characters).data;
}
test::bytes joined(const std::vector<test::bytes>& records) {
  test::bytes all;
  for (const test::bytes& one : records) all.insert(all.end(), one.begin(), one.end());
  return all;
}

bool is_sound(const test::bytes& data) {
  return values_view::open(test::view(data)).ok();
}

}  // namespace

TEST_CASE("values are found again by key, with their type") {
  ckpt::value_storage<512> values;
  CHECK(values.empty());
  CHECK(values.capacity() == 512);
  REQUIRE(values.set_integer("step of the sampler", std::numeric_limits<std::int64_t>::min()).ok());
  REQUIRE(values.set_real("loss", -0.0).ok());
  REQUIRE(values.set_text("run", "gr\xC3\xBCn").ok());
  REQUIRE(values.set_text("nothing", "").ok());
  const std::byte raw[] = {std::byte{0}, std::byte{0xFF}, std::byte{7}};
  REQUIRE(values.set_bytes("generator", ckpt::bytes_view(raw)).ok());

  CHECK(*values.integer("step of the sampler") == std::numeric_limits<std::int64_t>::min());
  CHECK(handmade::bits_of(*values.real("loss")) == 0x8000000000000000);
  CHECK(*values.text("run") == name_view("gr\xC3\xBCn"));
  CHECK(values.text("nothing")->empty());
  CHECK(values.bytes("generator")->size() == 3);
  CHECK((*values.bytes("generator"))[1] == std::byte{0xFF});
  CHECK_FALSE(values.empty());

  CHECK(values.integer("absent").error().kind == errc::no_such_value);
  CHECK(values.integer("").error().kind == errc::no_such_value);
  CHECK(values.integer("los").error().kind == errc::no_such_value);
  CHECK(values.integer("loss ").error().kind == errc::no_such_value);
  const ckpt::status wrong = values.integer("loss").error();
  CHECK(wrong.kind == errc::wrong_value_type);
  CHECK(wrong.expected == 1);
  CHECK(wrong.found == 2);
  CHECK(values.real("run").error().kind == errc::wrong_value_type);
  CHECK(values.text("generator").error().kind == errc::wrong_value_type);
  CHECK(values.bytes("run").error().kind == errc::wrong_value_type);
}

TEST_CASE("every number comes back to the bit") {
  ckpt::value_storage<64> values;
  for (const std::uint64_t bits :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x7FF8000000000001},
        std::uint64_t{0xFFF0000000000001}, std::uint64_t{0x8000000000000000}, ~std::uint64_t{0}}) {
    double real = 0;
    std::memcpy(&real, &bits, sizeof real);
    REQUIRE(values.set_real("r", real).ok());
    CHECK(handmade::bits_of(*values.real("r")) == bits);
    REQUIRE(values.set_integer("i", static_cast<std::int64_t>(bits)).ok());
    CHECK(*values.integer("i") == static_cast<std::int64_t>(bits));
  }
}

TEST_CASE("values are encoded as their picture says, in the order of their keys") {
  ckpt::value_storage<256> values;
  REQUIRE(values.set_text("b", "xyz").ok());
  REQUIRE(values.set_integer("ab", -1).ok());
  REQUIRE(values.set_real("a", 1.0).ok());
  REQUIRE(values.set_text("\xC3\xA4", "").ok());
  CHECK(encoded(values) == joined({record("a", 2, integer(0x3FF0000000000000)),
                                   record("ab", 1, integer(~std::uint64_t{0})),
                                   record("b", 3, text("xyz")), record("\xC3\xA4", 3, {})}));
}

TEST_CASE("the order in which values are set leaves no trace") {
  const std::string keys[] = {"a", "aa", "b", "ba", "\xFF"};
  std::vector<std::size_t> order = {0, 1, 2, 3, 4};
  test::bytes first;
  do {
    ckpt::value_storage<256> values;
    for (const std::size_t k : order)
      REQUIRE(
          values
              .set_integer(name_view(keys[k].data(), keys[k].size()), static_cast<std::int64_t>(k))
              .ok());
    if (first.empty()) first = encoded(values);
    CHECK(encoded(values) == first);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("a value is replaced by another of any size and type, its neighbours stay") {
  ckpt::value_storage<256> values;
  REQUIRE(values.set_text("a", "first").ok());
  REQUIRE(values.set_text("b", "middle").ok());
  REQUIRE(values.set_text("c", "last").ok());
  const auto neighbours_stay = [&values] {
    return *values.text("a") == name_view("first") && *values.text("c") == name_view("last");
  };
  REQUIRE(values.set_text("b", "a much longer text than before").ok());
  CHECK(*values.text("b") == name_view("a much longer text than before"));
  CHECK(neighbours_stay());
  REQUIRE(values.set_integer("b", 7).ok());
  CHECK(*values.integer("b") == 7);
  CHECK(neighbours_stay());
  REQUIRE(values.set_text("b", "").ok());
  CHECK(values.text("b")->empty());
  CHECK(neighbours_stay());
  CHECK(encoded(values) ==
        joined({record("a", 3, text("first")), record("b", 3, {}), record("c", 3, text("last"))}));
}

namespace {

void set_three(ckpt::values& values) {
  REQUIRE(values.set_text("a", "first").ok());
  REQUIRE(values.set_text("b", "the one in the middle").ok());
  REQUIRE(values.set_integer("c", -3).ok());
}

/// What three values become in `room` bytes when a part of their bytes is used as key or data.
template <class Change>
test::bytes after(std::size_t room, Change change) {
  test::bytes memory(room);
  ckpt::values values{ckpt::bytes_span(memory.data(), memory.size())};
  set_three(values);
  REQUIRE(change(values).ok());
  return encoded(values);
}

name_view characters(ckpt::bytes_view data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

}  // namespace

TEST_CASE("a value may be set from another of the same store") {
  ckpt::value_storage<128> values;
  set_three(values);
  // Longer than what was there, in front of and behind it.
  REQUIRE(values.set_text("a", *values.text("b")).ok());
  CHECK(*values.text("a") == name_view("the one in the middle"));
  CHECK(*values.text("b") == name_view("the one in the middle"));
  CHECK(*values.integer("c") == -3);
  // As long, then shorter.
  REQUIRE(values.set_text("b", "THE ONE IN THE MIDDLE").ok());
  REQUIRE(values.set_text("a", *values.text("b")).ok());
  CHECK(*values.text("a") == name_view("THE ONE IN THE MIDDLE"));
  REQUIRE(values.set_text("c", "end").ok());
  REQUIRE(values.set_text("a", *values.text("c")).ok());
  CHECK(*values.text("a") == name_view("end"));
  CHECK(*values.text("b") == name_view("THE ONE IN THE MIDDLE"));
  // A part of itself.
  const name_view own = *values.text("b");
  REQUIRE(values.set_text("b", name_view(own.data() + 4, 3)).ok());
  CHECK(*values.text("b") == name_view("ONE"));
  CHECK(*values.text("c") == name_view("end"));
}

TEST_CASE("a value may be set to any bytes of its own store, in just as much memory as it takes") {
  const test::bytes before = after(96, [](ckpt::values&) { return ckpt::status{}; });
  std::size_t wrong = 0;
  const name_view keys[] = {"0", "a", "aa", "b", "bb", "c", "d"};
  for (const name_view key : keys) {
    for (std::size_t first = 0; first <= before.size(); ++first) {
      for (std::size_t size = 0; size <= before.size() - first; ++size) {
        const test::bytes copy(before.begin() + static_cast<std::ptrdiff_t>(first),
                               before.begin() + static_cast<std::ptrdiff_t>(first + size));
        const test::bytes wanted = after(
            256, [&](ckpt::values& values) { return values.set_bytes(key, test::view(copy)); });
        const std::size_t room = (std::max)(wanted.size(), before.size());
        const test::bytes found = after(room, [&](ckpt::values& values) {
          return values.set_bytes(key, values.encoded().part(first, size));
        });
        wrong += found == wanted ? 0U : 1U;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a key may be any bytes of the store, and its data too") {
  const test::bytes before = after(96, [](ckpt::values&) { return ckpt::status{}; });
  std::size_t wrong = 0;
  for (std::size_t first = 0; first < before.size(); ++first) {
    for (std::size_t size = 1; size <= before.size() - first; ++size) {
      const test::bytes copy(before.begin() + static_cast<std::ptrdiff_t>(first),
                             before.begin() + static_cast<std::ptrdiff_t>(first + size));
      for (const std::size_t data : {std::size_t{0}, first / 2, before.size() - 9}) {
        const test::bytes wanted = after(256, [&](ckpt::values& values) {
          return values.set_bytes(characters(test::view(copy)), test::view(before).part(data, 9));
        });
        const std::size_t room = (std::max)(wanted.size(), before.size());
        const test::bytes found = after(room, [&](ckpt::values& values) {
          const ckpt::bytes_view own = values.encoded();
          return values.set_bytes(characters(own.part(first, size)), own.part(data, 9));
        });
        wrong += found == wanted ? 0U : 1U;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a value is erased, and erasing nothing does no harm") {
  ckpt::value_storage<128> values;
  REQUIRE(values.set_integer("a", 1).ok());
  REQUIRE(values.set_integer("b", 2).ok());
  REQUIRE(values.set_integer("c", 3).ok());
  values.erase("absent");
  values.erase("");
  values.erase("zzz");
  CHECK(encoded(values).size() == 3 * 20);
  values.erase("b");
  CHECK(values.integer("b").error().kind == errc::no_such_value);
  CHECK(*values.integer("a") == 1);
  CHECK(*values.integer("c") == 3);
  values.erase("c");
  values.erase("a");
  CHECK(values.empty());
  values.erase("a");
  CHECK(values.empty());
  REQUIRE(values.set_integer("a", 4).ok());
  CHECK(*values.integer("a") == 4);
}

TEST_CASE("what does not fit is refused and leaves everything as it was") {
  ckpt::value_storage<40> values;
  REQUIRE(values.set_integer("a", 1).ok());  // 20 bytes each
  REQUIRE(values.set_integer("b", 2).ok());
  const test::bytes before = encoded(values);
  const ckpt::status full = values.set_integer("c", 3);
  CHECK(full.kind == errc::buffer_too_small);
  CHECK(full.expected == 60);
  CHECK(full.found == 40);
  CHECK(values.set_text("b", "one byte too many").kind == errc::buffer_too_small);
  CHECK(encoded(values) == before);
  // In the place of the old value the new one fits.
  CHECK(values.set_text("b", "eleven char").ok());
  CHECK(encoded(values).size() == 40);

  ckpt::values nowhere{ckpt::bytes_span{}};
  CHECK(nowhere.empty());
  CHECK(nowhere.set_integer("a", 1).kind == errc::buffer_too_small);
  nowhere.erase("a");
  CHECK(nowhere.integer("a").error().kind == errc::no_such_value);
}

TEST_CASE("a key is 1 to 65,535 bytes long") {
  test::bytes memory(70000);
  ckpt::values values{ckpt::bytes_span(memory.data(), memory.size())};
  const std::string longest(65535, 'k');
  CHECK(values.set_integer("", 1).kind == errc::invalid_name);
  CHECK(values.set_integer(name_view(longest.data(), longest.size()), 1).ok());
  CHECK(*values.integer(name_view(longest.data(), longest.size())) == 1);
  CHECK(is_sound(encoded(values)));
  const std::string longer(65536, 'k');
  const ckpt::status refused = values.set_integer(name_view(longer.data(), longer.size()), 1);
  CHECK(refused.kind == errc::invalid_name);
  CHECK(refused.found == 65536);
}

TEST_CASE("values are taken over by another, if they fit") {
  ckpt::value_storage<64> from;
  REQUIRE(from.set_text("k", "some text").ok());
  ckpt::value_storage<64> to;
  REQUIRE(to.set_integer("old", 1).ok());
  REQUIRE(to.assign(from).ok());
  CHECK(encoded(to) == encoded(from));
  REQUIRE(to.set_integer("j", 2).ok());
  CHECK(*to.text("k") == name_view("some text"));
  CHECK(from.integer("j").error().kind == errc::no_such_value);
  REQUIRE(to.assign(to).ok());
  CHECK(*to.integer("j") == 2);

  ckpt::value_storage<16> small;
  REQUIRE(small.set_text("x", "y").ok());
  CHECK(small.assign(from).kind == errc::buffer_too_small);
  CHECK(*small.text("x") == name_view("y"));
  REQUIRE(small.assign(values_view{}).ok());
  CHECK(small.empty());
}

TEST_CASE("values are listed in the order of their keys") {
  ckpt::value_storage<128> values;
  REQUIRE(values.set_text("t", "abc").ok());
  REQUIRE(values.set_integer("i", 258).ok());
  std::string seen;
  values.for_each([&seen](const ckpt::value_entry& entry) {
    seen += handmade::text_of(entry.key) + ":" + std::to_string(static_cast<unsigned>(entry.kind)) +
            ":" + std::to_string(entry.data.size()) + " ";
    if (entry.kind == value_kind::integer) CHECK(entry.data[0] == std::byte{2});
  });
  CHECK(seen == "i:1:8 t:3:3 ");
}

TEST_CASE("an encoding is read back only if every record is sound") {
  const test::bytes good = joined({record("a", 1, integer(5)), record("b", 3, text("xy")),
                                   record("c", 4, {}), record("d", 2, integer(0))});
  const auto opened = values_view::open(test::view(good));
  REQUIRE(opened.ok());
  CHECK(*opened->integer("a") == 5);
  CHECK(*opened->text("b") == name_view("xy"));
  CHECK(opened->bytes("c")->empty());
  CHECK(is_sound({}));

  for (std::size_t size = 1; size < good.size(); ++size) {
    CAPTURE(size);
    const test::bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    // Between two records a cut leaves fewer of them.
    const bool is_between = size == 20 || size == 32 || size == 44;
    CHECK(is_sound(cut) == is_between);
  }
  test::bytes longer = good;
  longer.resize(good.size() + 4);
  CHECK_FALSE(is_sound(longer));
}

TEST_CASE("hostile encodings are refused") {
  const auto broken = [](const test::bytes& data) {
    const auto opened = values_view::open(test::view(data));
    return opened.error().kind == errc::bad_training_state;
  };
  // Kinds that there are not, and numbers of another size.
  for (const unsigned kind : {0U, 5U, 255U}) CHECK(broken(record("a", kind, integer(1))));
  for (const unsigned kind : {1U, 2U}) {
    CHECK(broken(record("a", kind, {})));
    CHECK(broken(record("a", kind, test::bytes(7))));
    CHECK(broken(record("a", kind, test::bytes(9))));
  }
  // A key of no bytes, one that comes twice, and keys in the wrong order.
  CHECK(broken(record("", 3, text("x"))));
  CHECK(broken(joined({record("a", 3, {}), record("a", 3, {})})));
  CHECK(broken(joined({record("b", 3, {}), record("a", 3, {})})));
  CHECK(broken(joined({record("ab", 3, {}), record("a", 3, {})})));
  CHECK(broken(joined({record("\xFF", 3, {}), record("a", 3, {})})));
  // Zeros that are not zero.
  test::bytes used = record("a", 3, text("xy"));
  used[3] = std::byte{1};
  CHECK(broken(used));
  used = record("a", 3, text("xy"));
  used.back() = std::byte{1};
  CHECK(broken(used));
  // Lengths that leave the bytes, or wrap.
  for (const std::uint64_t size : {4U, 100U, 0x7FFFFFFFU, 0xFFFFFFF0U, 0xFFFFFFF5U, 0xFFFFFFFFU}) {
    CAPTURE(size);
    test::bytes data = record("a", 3, text("xyz"));
    handmade::set(data, 4, size, 4);
    CHECK(broken(data));
  }
  test::bytes long_key = record("a", 3, text("xyz"));
  handmade::set(long_key, 0, 0xFFFF, 2);
  CHECK(broken(long_key));
}

TEST_CASE("no bytes make a reader of values read outside of them") {
  test::random_numbers numbers(7);
  const test::bytes good = joined({record("a", 1, integer(5)), record("bb", 3, text("xyz")),
                                   record("c", 4, test::bytes(9)), record("d", 2, integer(0))});
  for (int round = 0; round < 20000; ++round) {
    test::bytes data = good;
    for (std::uint64_t change = 0; change <= numbers.below(3); ++change)
      data[static_cast<std::size_t>(numbers.below(data.size()))] =
          static_cast<std::byte>(numbers.next());
    data.resize(static_cast<std::size_t>(numbers.below(data.size() + 1)));
    data.shrink_to_fit();
    const auto opened = values_view::open(test::view(data));
    if (!opened.ok()) continue;
    std::size_t size = 0;
    opened->for_each([&size](const ckpt::value_entry& entry) {
      for (const std::byte b : entry.data) size += static_cast<std::size_t>(b) & 1U;
      size += entry.key.size();
    });
    CHECK(size <= data.size());
    static_cast<void>(opened->integer("a"));
    static_cast<void>(opened->text("zz"));
  }
}
