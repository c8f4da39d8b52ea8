#include "ckpt/interop/safetensors.hpp"

#include <clocale>
#include <locale>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/ckpt.hpp"
#include "fixtures.hpp"
#include "interop/sample_contents.hpp"
#include "scaled_native.hpp"
#include "scratch.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::role;
namespace safetensors = ckpt::safetensors;

namespace {

test::bytes written(const ckpt::contents_view& given) {
  test::bytes file;
  ckpt::vector_sink sink(file);
  const ckpt::status done = safetensors::write(given, sink);
  REQUIRE_MESSAGE(done.ok(), test::words(done.message()));
  return file;
}

ckpt::status write_status(const ckpt::contents_view& given) {
  test::bytes file;
  ckpt::vector_sink sink(file);
  const ckpt::status done = safetensors::write(given, sink);
  CHECK(file.empty());
  return done;
}

std::string header_of(const test::bytes& file) {
  const auto size = ckpt::load_little<std::uint64_t>(file.data());
  return {reinterpret_cast<const char*>(file.data()) + 8, static_cast<std::size_t>(size)};
}

/// A file of a header and of so many bytes of data.
test::bytes file_of(const std::string& header, std::size_t data_bytes) {
  test::bytes file(8 + header.size());
  ckpt::store_little(file.data(), std::uint64_t{header.size()});
  std::memcpy(file.data() + 8, header.data(), header.size());
  for (std::size_t i = 0; i < data_bytes; ++i) file.push_back(static_cast<std::byte>(i));
  return file;
}

/// The kind of failure of a file, and its message.
errc kind_of(const std::string& header, std::size_t data_bytes, std::string* message = nullptr) {
  const test::bytes file = file_of(header, data_bytes);
  const auto opened = safetensors::parse(test::view(file));
  if (message != nullptr) *message = opened.message();
  return opened.error().kind;
}

std::string tensor(const std::string& name, const std::string& type, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":[" + shape +
         "],\"data_offsets\":[" + offsets + "]}";
}

/// The file with one part of its header changed, and the length put right.
test::bytes with_header(const test::bytes& file, const std::string& from, const std::string& to) {
  std::string header = header_of(file);
  const std::size_t at = header.find(from);
  REQUIRE(at != std::string::npos);
  const std::size_t data = 8 + header.size();
  header.replace(at, from.size(), to);
  test::bytes made = file_of(header, 0);
  made.insert(made.end(), file.begin() + static_cast<std::ptrdiff_t>(data), file.end());
  return made;
}

/// The same without the checksum of the header.
test::bytes without_checksum(const test::bytes& file) {
  const std::string header = header_of(file);
  const std::size_t at = header.find(",\"ckpt.crc32c\":\"");
  REQUIRE(at != std::string::npos);
  return with_header(file, header.substr(at, std::strlen(",\"ckpt.crc32c\":\"12345678\"")), "");
}

errc kind_of(const test::bytes& file) {
  return safetensors::parse(test::view(file)).error().kind;
}

}  // namespace

TEST_CASE("a safetensors file of ours, byte by byte") {
  ckpt::contents made;
  made.set_optimizer("momentum", {"velocity"});
  test::add(made, "w", dtype::f32, {2});
  made.training.step = 12;
  const test::bytes file = written(made.view());
  const std::string header = header_of(file);
  CHECK(header.substr(0, header.find(",\"ckpt.crc32c\"")) ==
        "{\"__metadata__\":{\"ckpt.format\":\"1\",\"ckpt.model\":\"w f32 2\\n\","
        "\"ckpt.step\":\"12\",\"ckpt.epoch\":\"0\",\"ckpt.optimizer\":\"momentum\","
        "\"ckpt.slots\":\"velocity velocity/\\n\"");
  const std::string tensors =
      "},\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
      "\"velocity/w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}";
  const std::size_t at = header.find(tensors);
  REQUIRE(at != std::string::npos);
  CHECK(header.find_first_not_of(' ', at + tensors.size()) == std::string::npos);
  const std::size_t data = 8 + header.size();
  CHECK(data % 64 == 0);
  REQUIRE(file.size() == data + 16);
  CHECK(test::same_bytes(ckpt::bytes_view(file.data() + data, 8), made.view().bytes(0, 0)));
  CHECK(test::same_bytes(ckpt::bytes_view(file.data() + data + 8, 8), made.view().bytes(1, 0)));
}

TEST_CASE("everything that contents hold goes to safetensors and back") {
  const ckpt::contents sample = test::sample_contents();
  const test::bytes file = written(sample.view());
  const auto opened = safetensors::parse(test::view(file));
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  test::check_same(opened->view(), sample.view());
  CHECK(written(opened->view()) == file);
}

TEST_CASE("contents without an optimizer, without slots and without tensors survive, too") {
  ckpt::contents empty;
  const test::bytes none = written(empty.view());
  const auto nothing = safetensors::parse(test::view(none));
  REQUIRE_MESSAGE(nothing.ok(), nothing.message());
  test::check_same(nothing->view(), empty.view());

  ckpt::contents sgd;
  sgd.set_optimizer("sgd", {});
  test::add(sgd, "w", dtype::i64, {3});
  const test::bytes file = written(sgd.view());
  const auto opened = safetensors::parse(test::view(file));
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  test::check_same(opened->view(), sgd.view());

  ckpt::contents nameless;
  nameless.set_optimizer("", {"", ""});
  test::add(nameless, "w", dtype::f32, {3});
  const test::bytes slots = written(nameless.view());
  CHECK(test::mentions(header_of(slots), "\"slot.1/w\""));
  const auto again = safetensors::parse(test::view(slots));
  REQUIRE_MESSAGE(again.ok(), again.message());
  test::check_same(again->view(), nameless.view());
}

TEST_CASE("every dtype has its name of the specification") {
  for (std::size_t i = 0; i < ckpt::dtype_count; ++i) {
    const auto type = static_cast<dtype>(i);
    ckpt::contents made;
    test::add(made, "w", type, {2, 2});
    const test::bytes file = written(made.view());
    const std::string name(safetensors::dtype_name(type));
    CHECK(test::mentions(header_of(file), "\"dtype\":\"" + name + "\""));
    const auto opened = safetensors::parse(test::view(file));
    REQUIRE(opened.ok());
    test::check_same(opened->view(), made.view());
  }
}

TEST_CASE("T2: FX-ADAM goes to safetensors and back without a byte lost") {
  const test::bytes original = fixture::adam();
  const auto from = ckpt::reader<fixture::three, ckpt::adam>::open(ckpt::bytes_view(original));
  REQUIRE(from.ok());
  ckpt::contents given;
  given.set_optimizer("adam", {"m", "v"});
  for (std::size_t i = 0; i < 3; ++i) {
    const ckpt::tensor_spec& spec = fixture::three::tensors.specs[i];
    given.add(std::string(spec.name()), spec.form(), role::trainable, from->weight_bytes(i));
    for (std::size_t s = 0; s < 2; ++s) given.set_slot(s, i, spec.form(), from->slot_bytes(s, i));
  }
  given.training = from->training();

  const ckpt_test::scratch dir;
  const std::string name = dir.at("fx.safetensors");
  const auto saved = safetensors::save(name, given.view());
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(saved->file_bytes == ckpt_test::get(name).size());
  const auto opened = safetensors::open(name);
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  const ckpt::contents_view back = opened->view();
  test::check_same(back, given.view());

  std::vector<ckpt::tensor_spec> specs(back.model.begin(), back.model.end());
  const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
  const std::byte* pointers[9] = {};
  ckpt::state_view<ckpt::dynamic_model, ckpt::adam, const std::byte> state(model, pointers);
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(state.bind_weight(i, back.bytes(0, i)).ok());
    REQUIRE(state.bind_slot(0, i, back.bytes(1, i)).ok());
    REQUIRE(state.bind_slot(1, i, back.bytes(2, i)).ok());
  }
  state.training = back.training;
  REQUIRE(ckpt::save(dir.at("back.ckpt"), state).ok());
  CHECK(ckpt_test::get(dir.at("back.ckpt")) == original);
}

TEST_CASE("T2: data is in order, without holes, at a multiple of 64, keys are unique") {
  const ckpt::contents sample = test::sample_contents();
  const test::bytes file = written(sample.view());
  const auto header = safetensors::read_header(test::view(file));
  REQUIRE(header.ok());
  CHECK(header->data_offset % 64 == 0);
  std::uint64_t at = 0;
  for (const safetensors::entry& entry : header->tensors) {
    CHECK(entry.begin == at);
    at = entry.end;
  }
  CHECK(header->data_offset + at == file.size());
}

TEST_CASE("G6: a name that is there twice is refused, both ways") {
  ckpt::contents made;
  test::add(made, "w", dtype::f32, {1});
  test::add(made, "b", dtype::f32, {1});
  test::add(made, "w", dtype::f32, {1});
  const ckpt::status refused = write_status(made.view());
  CHECK(refused.kind == errc::duplicate_name);
  CHECK(refused.tensor == 2);
  const ckpt_test::scratch dir;
  const auto saved = safetensors::save(dir.at("a"), made.view());
  CHECK(test::mentions(saved.message(), "'w'"));
  CHECK(dir.names().empty());

  std::string message;
  const std::string header =
      "{" + tensor("w", "F32", "1", "0,4") + "," + tensor("w", "F32", "1", "4,8") + "}";
  CHECK(kind_of(header, 8, &message) == errc::duplicate_name);
  CHECK(test::mentions(message, "duplicate name 'w'"));
}

TEST_CASE("keys are compared as what they say, not as they are written") {
  CHECK(kind_of(
            "{" + tensor("w", "F32", "1", "0,4") + "," + tensor("\\u0077", "F32", "1", "4,8") + "}",
            8) == errc::duplicate_name);
  CHECK(kind_of("{\"__metadata__\":{},\"__metadata__\":{}}", 0) == errc::duplicate_name);
  CHECK(kind_of("{\"__metadata__\":{},\"\\u005f_metadata__\":{}}", 0) == errc::duplicate_name);
  CHECK(kind_of("{\"__metadata__\":{\"a\":\"1\",\"b\":\"2\",\"a\":\"1\"}}", 0) ==
        errc::duplicate_name);
  CHECK(kind_of("{\"w\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]"
                "}}",
                4) == errc::duplicate_name);
}

TEST_CASE("G10: tensors without elements keep name, place and neighbours") {
  for (std::size_t empty = 0; empty < 3; ++empty) {
    CAPTURE(empty);
    ckpt::contents made;
    made.set_optimizer("adam", {"m", "v"});
    const char* const names[] = {"a", "b", "c"};
    for (std::size_t i = 0; i < 3; ++i)
      test::add(made, names[i], dtype::f32, {i == empty ? std::uint64_t{0} : 3, 2});
    const test::bytes file = written(made.view());
    const auto opened = safetensors::parse(test::view(file));
    REQUIRE_MESSAGE(opened.ok(), opened.message());
    test::check_same(opened->view(), made.view());
  }
}

TEST_CASE("N1: no bit changes on the way") {
  ckpt::contents made;
  std::vector<test::bytes> patterns;
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    patterns.push_back(test::special_patterns(type));
    const ckpt::bytes_view data = made.keep(test::bytes(patterns.back()));
    made.add(std::string(ckpt::name(type)), {type, {8}}, role::trainable, data);
  }
  const ckpt_test::scratch dir;
  REQUIRE(safetensors::save(dir.at("a"), made.view()).ok());
  const auto opened = safetensors::open(dir.at("a"));
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  for (std::size_t i = 0; i < patterns.size(); ++i)
    CHECK(test::same_bytes(opened->view().bytes(0, i), test::view(patterns[i])));
}

TEST_CASE("N7: the locale changes no byte") {
  struct with_comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  ckpt::contents made = test::sample_contents();
  made.training.step = 1234567;
  made.training.best_metric = 0.5;
  const test::bytes expected = written(made.view());
  const std::locale before = std::locale::global(std::locale(std::locale(), new with_comma));
  const std::string c_before = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // where there is one
  const test::bytes file = written(made.view());
  const auto opened = safetensors::parse(test::view(file));
  std::setlocale(LC_ALL, c_before.c_str());
  std::locale::global(before);
  CHECK(file == expected);
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  test::check_same(opened->view(), made.view());
  CHECK(test::mentions(header_of(file), "\"ckpt.step\":\"1234567\""));
  CHECK(test::mentions(header_of(file), "\"ckpt.best_metric\":\"3fe0000000000000\""));
}

TEST_CASE("a weight may have the name of a slot") {
  ckpt::contents made;
  made.set_optimizer("odd", {"m", "m", "m~", "m/m"});
  for (const char* const name : {"w", "m/w", "m~/w", "m~~/m", "m/m/w", "slot.0/w"})
    test::add(made, name, dtype::f32, {2});
  const test::bytes file = written(made.view());
  const auto header = safetensors::read_header(test::view(file));
  REQUIRE_MESSAGE(header.ok(), header.message());
  CHECK(header->tensors.size() == 30);
  const auto opened = safetensors::parse(test::view(file));
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  test::check_same(opened->view(), made.view());
}

TEST_CASE("the name of a slot may begin like that of another") {
  for (const bool shorter_first : {true, false}) {
    ckpt::contents made;
    made.set_optimizer("odd", shorter_first ? std::vector<std::string>{"a", "a/b"}
                                            : std::vector<std::string>{"a/b", "a"});
    for (const char* const name : {"w", "b/w"}) test::add(made, name, dtype::f32, {2});
    const test::bytes file = written(made.view());
    const auto opened = safetensors::parse(test::view(file));
    REQUIRE_MESSAGE(opened.ok(), opened.message());
    test::check_same(opened->view(), made.view());
  }
}

TEST_CASE("a file of others has weights, in the order of their data") {
  const std::string header =
      "{ \"__metadata__\" : {\"format\":\"pt\"},\n" + tensor("b", "BF16", "2, 1", "8, 12") + "," +
      tensor("z", "F64", "", "0,8") + "," + tensor("e", "I32", "0,7", "8,8") + "}   ";
  const test::bytes file = file_of(header, 12);
  const auto opened = safetensors::parse(test::view(file));
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  const ckpt::contents_view view = opened->view();
  REQUIRE(view.model.size() == 3);
  CHECK(view.optimizer.slot_count == 0);
  CHECK(test::text_of(view.model[0].name()) == "z");
  CHECK(view.model[0].extents() == ckpt::shape{});
  CHECK(test::text_of(view.model[1].name()) == "e");
  CHECK(view.bytes(0, 1).empty());
  CHECK(test::text_of(view.model[2].name()) == "b");
  CHECK(view.model[2].type() == dtype::bf16);
  CHECK(view.model[2].purpose() == role::trainable);
  CHECK(view.bytes(0, 2).data() == file.data() + file.size() - 4);
  CHECK(view.training == ckpt::training_state{});
}

TEST_CASE("T4: a dtype without a counterpart is refused, naming the tensor") {
  for (const char* const type : {"F8_E4M3", "F8_E5M2", "q4_9", "f32", "F32 ", "C64", ""}) {
    CAPTURE(type);
    std::string message;
    CHECK(kind_of("{" + tensor("a", "U8", "1", "0,1") + "," + tensor("b", type, "4", "1,5") + "}",
                  5, &message) == errc::unsupported_dtype);
    CHECK(test::mentions(message, "tensor 'b'"));
    CHECK(test::mentions(message, "'" + std::string(type) + "'"));
  }
}

TEST_CASE("T4: f32 for a tensor of 10 bytes is refused, and no file appears") {
  ckpt::contents made;
  test::add(made, "a", dtype::f32, {2});
  made.add("b", {dtype::f32, {2}}, role::trainable, test::kept(made, 10, 1));
  const ckpt_test::scratch dir;
  const auto saved = safetensors::save(dir.at("a"), made.view());
  CHECK(saved.error().kind == errc::size_mismatch);
  CHECK(saved.error().tensor == 1);
  CHECK(test::mentions(saved.message(), "'b'"));
  CHECK(dir.names().empty());
}

TEST_CASE("shapes and offsets must agree with the data to the byte") {
  const auto one = [](const std::string& shape, const std::string& offsets, std::size_t data,
                      const std::string& type = "F32") {
    return kind_of("{" + tensor("w", type, shape, offsets) + "}", data);
  };
  CHECK(one("2", "0,8", 8) == errc::ok);
  CHECK(one("2", "0,8", 9) == errc::trailing_bytes);
  CHECK(one("2", "0,8", 7) == errc::truncated);
  CHECK(one("2", "0,4", 4) == errc::size_mismatch);
  CHECK(one("2", "8,0", 8) == errc::bad_order);
  CHECK(one("2", "1,9", 9) == errc::unclaimed_bytes);
  CHECK(one("1,1,1,1,1,1,1,1,2", "0,8", 8) == errc::invalid_shape);
  CHECK(one("4294967296,4294967296", "0,0", 0) == errc::limit_exceeded);
  CHECK(one("4294967296,4294967296,0", "0,0", 0) == errc::ok);
  CHECK(one("4611686018427387904", "0,0", 0) == errc::limit_exceeded);
  CHECK(one("4611686018427387904", "0,0", 0, "U8") == errc::size_mismatch);
  CHECK(one("18446744073709551615", "0,18446744073709551615", 0, "U8") == errc::limit_exceeded);
  CHECK(one("18446744073709551614", "0,18446744073709551614", 4, "U8") == errc::truncated);
  CHECK(one("18446744073709551616", "0,0", 0) == errc::limit_exceeded);
  CHECK(one("2", "18446744073709551608,18446744073709551616", 8) == errc::limit_exceeded);
  CHECK(one("2", "18446744073709551608,0", 8) == errc::bad_order);
  CHECK(one("-2", "0,8", 8) == errc::bad_syntax);
  CHECK(one("2.0", "0,8", 8) == errc::bad_syntax);
  CHECK(one("2", "0,8,8", 8) == errc::bad_syntax);
  CHECK(one("2", "0", 8) == errc::bad_syntax);
  CHECK(one("[2]", "0,8", 8) == errc::bad_syntax);
}

TEST_CASE("holes and overlaps are refused, naming the tensor") {
  const auto two = [](const std::string& a, const std::string& b, std::size_t data,
                      std::string* message) {
    return kind_of("{" + tensor("a", "U8", "4", a) + "," + tensor("b", "U8", "4", b) + "}", data,
                   message);
  };
  std::string message;
  CHECK(two("0,4", "4,8", 8, &message) == errc::ok);
  CHECK(two("4,8", "0,4", 8, &message) == errc::ok);
  CHECK(two("0,4", "5,9", 9, &message) == errc::unclaimed_bytes);
  CHECK(test::mentions(message, "'b'"));
  CHECK(two("0,4", "3,7", 7, &message) == errc::bad_order);
  CHECK(two("0,4", "0,4", 4, &message) == errc::bad_order);
  CHECK(two("1,5", "5,9", 9, &message) == errc::unclaimed_bytes);
  CHECK(kind_of("{" + tensor("a", "U8", "8", "0,8") + "," + tensor("b", "U8", "0", "4,4") + "}",
                8) == errc::bad_order);
}

TEST_CASE("the header is where and as long as it may be") {
  test::bytes file = file_of("{}", 0);
  CHECK(kind_of(file) == errc::ok);
  ckpt::store_little(file.data(), std::uint64_t{3});
  CHECK(kind_of(file) == errc::truncated);
  for (const std::uint64_t size : {std::uint64_t{100000001}, ~std::uint64_t{0}}) {
    ckpt::store_little(file.data(), size);
    CHECK(kind_of(file) == errc::limit_exceeded);
  }
  ckpt::store_little(file.data(), std::uint64_t{100000000});
  CHECK(kind_of(file) == errc::truncated);
  CHECK(kind_of(std::string(), 0) == errc::bad_syntax);
  CHECK(kind_of("{}  ", 0) == errc::ok);
  for (const char* const header :
       {" {}", "\n{}", "{}\n", "{} \n ", "{}\t", "[]", "{}{}", "{}x", "{", "{} }", "null",
        "{\"a\":1}", "{\"a\":null}", "{\"__metadata__\":null}", "{\"__metadata__\":{\"a\":1}}",
        "{\"__metadata__\":{\"a\":{}}}", "{\"a\":{}}", "\xEF\xBB\xBF{}"}) {
    CAPTURE(header);
    CHECK(kind_of(header, 0) == errc::bad_syntax);
  }
  CHECK(kind_of(std::string("{}\0", 3), 0) == errc::bad_syntax);
  CHECK(kind_of("{" + tensor("", "U8", "", "0,1") + "}", 1) == errc::invalid_name);
  CHECK(kind_of("{" + tensor("a\\u0000b", "U8", "", "0,1") + "}", 1) == errc::invalid_name);
  CHECK(kind_of("{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0],\"x\":[]}}", 0) ==
        errc::bad_syntax);
  CHECK(kind_of("{\"a\":{\"dtype\":\"U8\",\"shape\":[0]}}", 0) == errc::bad_syntax);
}

TEST_CASE("deep nesting is refused at once") {
  const std::string deep(1000000, '[');
  CHECK(kind_of("{\"a\":" + deep, 0) == errc::bad_syntax);
  CHECK(kind_of("{\"a\":{\"dtype\":\"U8\",\"shape\":" + deep, 0) == errc::bad_syntax);
  std::string objects = "{";
  for (int i = 0; i < 100000; ++i) objects += "\"a\":{";
  CHECK(kind_of(objects, 0) == errc::bad_syntax);
}

TEST_CASE("every truncation of a file is refused") {
  const ckpt::contents sample = test::sample_contents();
  const test::bytes file = written(sample.view());
  for (std::size_t size = 0; size < file.size(); ++size) {
    // A buffer of its own, so that a sanitizer sees every byte too many.
    const test::bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    CAPTURE(size);
    CHECK(kind_of(part) == errc::truncated);
  }
}

TEST_CASE("every damaged byte of a header is refused or changes nothing") {
  const ckpt::contents sample = test::sample_contents();
  const test::bytes file = written(sample.view());
  const std::size_t data = 8 + header_of(file).size();
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < data; ++at) {
    std::vector<int> values = {'"', '\\', '{', '}', '[', ']', ',', ':', ' ', '0', '9', 'x', 0, 255};
    for (int bit = 0; bit < 8; ++bit) values.push_back(static_cast<int>(file[at]) ^ (1 << bit));
    for (const int value : values) {
      test::bytes damaged = file;
      damaged[at] = static_cast<std::byte>(value);
      const auto opened = safetensors::parse(test::view(damaged));
      if (damaged == file || !opened.ok()) continue;
      CAPTURE(at);
      CAPTURE(value);
      ++accepted;
      test::check_same(opened->view(), sample.view());
    }
  }
  CHECK(accepted > 0);  // a key of metadata that is ours no more
}

TEST_CASE("no damaged byte of a foreign header does harm") {
  const test::bytes file = file_of(
      "{" + tensor("a", "F32", "2", "0,8") + "," + tensor("b", "U8", "3", "8,11") + "}  ", 11);
  for (std::size_t at = 0; at < file.size() - 11; ++at) {
    for (int value = 0; value < 256; ++value) {
      test::bytes damaged = file;
      damaged[at] = static_cast<std::byte>(value);
      const auto opened = safetensors::parse(test::view(damaged));
      if (!opened.ok()) continue;
      CHECK(opened->size() == 2);
      CHECK(opened->view().check().ok());
    }
  }
}

TEST_CASE("metadata that contradict the tensors are refused") {
  const ckpt::contents sample = test::sample_contents();
  const test::bytes file = without_checksum(written(sample.view()));
  REQUIRE(kind_of(file) == errc::ok);
  const auto changed = [&](const std::string& from, const std::string& to) {
    return kind_of(with_header(file, from, to));
  };
  CHECK(changed("fc.weight f32", "fc.w f32") == errc::missing_tensor);
  CHECK(changed("fc.weight f32", "fc.weight i32") == errc::dtype_mismatch);
  CHECK(changed("fc.weight f32 3x2", "fc.weight f32 2x3") == errc::shape_mismatch);
  CHECK(changed("scalar f64 scalar\\n", "") == errc::invalid_visits);
  CHECK(changed("f64 scalar\\n", "f64 scalar frozen\\n") == errc::unexpected_tensor);
  CHECK(changed("u8 5 frozen", "u8 5") == errc::missing_tensor);
  CHECK(changed("row row~/", "row rod~/") == errc::missing_tensor);
  CHECK(changed("row row~/", "row column/") == errc::missing_tensor);
  CHECK(changed("column column/\\n", "") == errc::bad_syntax);  // a form of a slot that is no more
  CHECK(changed("column column/\\n", "column column/ x\\n") == errc::bad_syntax);
  CHECK(changed("\"1 2 i64 0", "\"1 9 i64 0") == errc::no_such_tensor);
  CHECK(changed("\"1 2 i64 0", "\"1 1 i64 0") == errc::no_such_tensor);
  CHECK(changed("\"1 2 i64 0", "\"9 2 i64 0") == errc::bad_syntax);
  CHECK(changed("\"1 2 i64 0", "\"1 2 q4 0") == errc::unsupported_dtype);
  CHECK(changed("\"ckpt.format\":\"1\"", "\"ckpt.format\":\"2\"") == errc::unsupported_version);
  CHECK(changed("\"ckpt.format\":\"1\",", "") == errc::unsupported_version);
  CHECK(changed("ckpt.values", "ckpt.valves") == errc::unsupported_feature);
  CHECK(changed("\"ckpt.epoch\":\"7\"", "\"ckpt.epoch\":\"\"") == errc::bad_syntax);
  CHECK(changed("\"ckpt.epoch\":\"7\",", "") == errc::bad_syntax);
  CHECK(changed("\"ckpt.epoch\":\"7\"", "\"ckpt.epoch\":\"-7\"") == errc::bad_syntax);
  CHECK(changed("\"ckpt.step\":\"18446744073709551615\"",
                "\"ckpt.step\":\"18446744073709551616\"") == errc::limit_exceeded);
  CHECK(changed("\"1 0 18446744073709551615 4\"", "\"1 0 4\"") == errc::bad_syntax);
  CHECK(changed("\"1 0 18446744073709551615 4\"", "\"1 0 3 4 5\"") == errc::bad_syntax);
  CHECK(changed("7ff0000000000001", "7FF0000000000001") == errc::bad_syntax);
  CHECK(changed("7ff0000000000001", "0.5") == errc::bad_syntax);
  CHECK(changed("\"ckpt.values\":\"0", "\"ckpt.values\":\"") == errc::bad_syntax);
  CHECK(changed("\"ckpt.values\":\"0400", "\"ckpt.values\":\"ff00") == errc::bad_training_state);
  CHECK(changed("adafactor", "ada\\u0000factor") == errc::invalid_name);
}

TEST_CASE("edited metadata are noticed, unless their checksum is taken away") {
  ckpt::contents made;
  test::add(made, "w", dtype::f32, {1});
  made.training.step = 5;
  const test::bytes file = written(made.view());
  CHECK(kind_of(with_header(file, "\"ckpt.step\":\"5\"", "\"ckpt.step\":\"6\"")) ==
        errc::checksum_mismatch);
  const test::bytes edited =
      with_header(without_checksum(file), "\"ckpt.step\":\"5\"", "\"ckpt.step\":\"6\"");
  const auto opened = safetensors::parse(test::view(edited));
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  CHECK(opened->training.step == 6);
}

TEST_CASE("a small file cannot ask for much memory") {
  std::string model;
  std::string slots;
  for (int i = 0; i < 10000; ++i) model += "t" + std::to_string(i) + " f32 1 absent\\n";
  for (int i = 0; i < 1000; ++i) slots += "s s/\\n";
  const std::string header =
      "{\"__metadata__\":{\"ckpt.format\":\"1\",\"ckpt.step\":\"0\","
      "\"ckpt.epoch\":\"0\",\"ckpt.model\":\"" +
      model + "\",\"ckpt.slots\":\"" + slots + "\"}}";
  CHECK(kind_of(header, 0) == errc::limit_exceeded);
  ckpt::contents many;
  many.set_optimizer("o", std::vector<std::string>(1025, "s"));
  CHECK(write_status(many.view()).kind == errc::limit_exceeded);
  ckpt::contents most;
  most.set_optimizer("o", std::vector<std::string>(1024, "s"));
  const test::bytes file = written(most.view());
  CHECK(kind_of(file) == errc::ok);
}

TEST_CASE("100,000 tensors are read in no time, whatever they are called") {
  std::string header = "{";
  for (int i = 0; i < 100000; ++i) {
    const std::string at = std::to_string(i);
    header += (i > 0 ? "," : "") + tensor("t" + at, "U8", "", at + "," + std::to_string(i + 1));
  }
  CHECK(kind_of(header + "}", 100000) == errc::ok);
  CHECK(kind_of(header + "," + tensor("t7", "U8", "0", "0,0") + "}", 100000) ==
        errc::duplicate_name);
}

TEST_CASE("contents that safetensors cannot hold are refused before anything is written") {
  const auto refused = [](const std::string& name, role purpose = role::trainable) {
    ckpt::contents made;
    test::add(made, name, dtype::f32, {1}, purpose);
    return write_status(made.view()).kind;
  };
  CHECK(refused("") == errc::no_names);
  CHECK(refused("__metadata__") == errc::invalid_name);
  CHECK(refused("\xFF") == errc::invalid_name);
  CHECK(refused(std::string("a\0b", 3)) == errc::invalid_name);
  ckpt::contents slots;
  slots.set_optimizer("o", {"\xC3"});
  test::add(slots, "w", dtype::f32, {1});
  CHECK(write_status(slots.view()).kind == errc::invalid_name);
  ckpt::contents visits;
  test::add(visits, "w", dtype::f32, {1});
  visits.visit(3);
  CHECK(write_status(visits.view()).kind == errc::invalid_visits);
  ckpt::contents shape;
  shape.add("w", {dtype::f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}}, role::trainable, {});
  CHECK(write_status(shape.view()).kind == errc::invalid_shape);
}

TEST_CASE("a save that fails leaves what was there, and nothing else") {
  const ckpt::contents sample = test::sample_contents();
  const ckpt_test::scratch dir;
  const std::string name = dir.at("a.safetensors");
  ckpt_test::put(name, ckpt_test::pattern(100));
  for (const ckpt_test::call kind : {ckpt_test::call::create, ckpt_test::call::write,
                                     ckpt_test::call::sync, ckpt_test::call::rename}) {
    ckpt_test::reset();
    ckpt_test::now.fail_kind = kind;
    ckpt_test::now.fail_at = 1;
    const auto saved =
        safetensors::detail::save_with<ckpt_test::scaled_native<>>(name, sample.view(), {});
    CHECK_FALSE(saved.ok());
    CHECK(test::mentions(saved.message(), "a.safetensors"));
    CHECK(ckpt_test::get(name) == ckpt_test::pattern(100));
    CHECK(dir.names().size() == 1);
  }
  ckpt_test::reset();
  CHECK(safetensors::save(name, sample.view()).ok());
  const auto opened = safetensors::open(name);
  REQUIRE(opened.ok());
  test::check_same(opened->view(), sample.view());
}

TEST_CASE("opened contents keep their file, even when they move") {
  const ckpt_test::scratch dir;
  const std::string name = dir.at("a");
  ckpt::contents kept;
  {
    const ckpt::contents sample = test::sample_contents();
    REQUIRE(safetensors::save(name, sample.view()).ok());
    auto opened = safetensors::open(name);
    REQUIRE(opened.ok());
    kept = std::move(*opened);
  }
  REQUIRE(safetensors::save(name, ckpt::contents().view()).ok());  // replaces, does not overwrite
  const ckpt::contents sample = test::sample_contents();
  test::check_same(kept.view(), sample.view());
}

TEST_CASE("opening says the file and what is wrong with it") {
  const ckpt_test::scratch dir;
  CHECK(safetensors::open(dir.at("none")).error().kind == errc::not_found);
  ckpt_test::put(dir.at("empty"), {});
  CHECK(safetensors::open(dir.at("empty")).error().kind == errc::empty_file);
  ckpt_test::put(dir.at("bad"), file_of("{\"a\":1}", 0));
  const auto opened = safetensors::open(dir.at("bad"));
  CHECK(opened.error().offset == 13);
  CHECK(test::mentions(opened.message(), "bad'"));
  CHECK(test::mentions(opened.message(), "tensor 'a'"));
}
