#include "ckpt/interop/npy.hpp"

#include <clocale>
#include <locale>
#include <string>
#include <vector>

#include "ckpt/interop/npy_directory.hpp"
#include "ckpt/io/memory.hpp"
#include "interop/sample_contents.hpp"
#include "scaled_native.hpp"
#include "scratch.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::role;
using ckpt::tensor_form;
namespace npy = ckpt::npy;

namespace {

test::bytes written(const tensor_form& form, const test::bytes& data) {
  test::bytes file;
  ckpt::vector_sink sink(file);
  const ckpt::status done = npy::write(form, test::view(data), sink);
  REQUIRE_MESSAGE(done.ok(), test::words(done.message()));
  return file;
}

/// A file of version 1.0, or a later one, with this dictionary and so many bytes of data.
test::bytes file_of(const std::string& text, std::size_t data_bytes, unsigned major = 1) {
  const std::size_t width = major == 1 ? 2 : 4;
  std::string front = std::string("\x93NUMPY") + static_cast<char>(major) + '\0';
  for (std::size_t k = 0; k < width; ++k)
    front.push_back(static_cast<char>((text.size() >> (8 * k)) & 0xFFU));
  front += text;
  test::bytes file(front.size() + data_bytes);
  std::memcpy(file.data(), front.data(), front.size());
  return file;
}

errc kind_of(const test::bytes& file, std::string* message = nullptr) {
  const auto opened = npy::parse(test::view(file));
  if (message != nullptr) *message = opened.message();
  return opened.error().kind;
}

/// The same for a dictionary in front of 24 bytes.
errc kind_of(const std::string& text, std::string* message = nullptr) {
  return kind_of(file_of(text, 24), message);
}

std::string dictionary(const std::string& descr, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
}

ckpt::contents weights(const std::vector<std::string>& names) {
  ckpt::contents made;
  for (const std::string& name : names) test::add(made, name, dtype::f32, {2});
  return made;
}

}  // namespace

TEST_CASE("an .npy file, byte by byte") {
  const test::bytes data(24, std::byte{7});
  const test::bytes file = written({dtype::f32, {2, 3}}, data);
  const std::string front(reinterpret_cast<const char*>(file.data()), 128);
  CHECK(front.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(front.substr(10, 59) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  CHECK(front.substr(69) == std::string(58, ' ') + "\n");
  REQUIRE(file.size() == 128 + 24);
  CHECK(file[128] == std::byte{7});
}

TEST_CASE("every dtype and rank goes to .npy and back") {
  for (std::size_t i = 0; i < ckpt::dtype_count; ++i) {
    for (const ckpt::shape& extents :
         {ckpt::shape{}, ckpt::shape{5}, ckpt::shape{0}, ckpt::shape{3, 0, 2},
          ckpt::shape{1, 2, 1, 2, 1, 2, 1, 2}, ckpt::shape{0, ~std::uint64_t{0}}}) {
      const tensor_form form(static_cast<dtype>(i), extents);
      const test::bytes data = ckpt_test::pattern(static_cast<std::size_t>(form.byte_size()));
      const test::bytes file = written(form, data);
      CHECK((file.size() - data.size()) % 64 == 0);
      const auto opened = npy::parse(test::view(file), npy::two_bytes::bf16);
      REQUIRE_MESSAGE(opened.ok(), opened.message());
      test::check_same_form(opened->form, form);
      CHECK(test::same_bytes(opened->data, test::view(data)));
    }
  }
}

TEST_CASE("the longest header of eight extents still is of version 1.0") {
  const std::uint64_t most = ~std::uint64_t{0};
  const test::bytes file = written({dtype::f32, {most, most, most, most, most, most, most, 0}}, {});
  CHECK(file[6] == std::byte{1});
  CHECK(file.size() == 256);
  CHECK(kind_of(file) == errc::ok);
}

TEST_CASE("N1: no bit changes on the way through .npy") {
  const ckpt_test::scratch dir;
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    const test::bytes data = test::special_patterns(type);
    REQUIRE(npy::save(dir.at("a.npy"), {type, {8}}, test::view(data)).ok());
    const auto opened = npy::open(dir.at("a.npy"), npy::two_bytes::bf16);
    REQUIRE_MESSAGE(opened.ok(), opened.message());
    CHECK(opened->form.type() == type);
    CHECK(test::same_bytes(opened->data, test::view(data)));
  }
}

TEST_CASE("N7: the locale changes no byte of an .npy file") {
  struct grouped : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const test::bytes data(1234567);
  const test::bytes expected = written({dtype::u8, {1234567}}, data);
  const std::locale before = std::locale::global(std::locale(std::locale(), new grouped));
  const test::bytes file = written({dtype::u8, {1234567}}, data);
  const errc kind = kind_of(file);
  std::locale::global(before);
  CHECK(file == expected);
  CHECK(kind == errc::ok);
}

TEST_CASE("G10: .npy files without elements keep their shape") {
  const test::bytes file = written({dtype::f32, {3, 0}}, {});
  const auto opened = npy::parse(test::view(file));
  REQUIRE(opened.ok());
  CHECK(opened->form.extents() == ckpt::shape{3, 0});
  CHECK(opened->data.empty());
}

TEST_CASE("headers that others write are read: versions, order of the keys, spaces, quotes") {
  CHECK(kind_of(dictionary("'<f4'", "(2, 3)")) == errc::ok);
  CHECK(kind_of(file_of(dictionary("'<f4'", "(2, 3)"), 24, 2)) == errc::ok);
  CHECK(kind_of(file_of(dictionary("'<f4'", "(2, 3)"), 24, 3)) == errc::ok);
  CHECK(kind_of("{'shape':(6,),'fortran_order':False,'descr':'<f4'}\n") == errc::ok);
  CHECK(kind_of("{ \"descr\" : \"<f4\" , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) }   \n") ==
        errc::ok);
  CHECK(kind_of(dictionary("'<u1'", "(24,)")) == errc::ok);
  CHECK(kind_of(dictionary("'|b1'", "(24,)")) == errc::ok);
}

TEST_CASE("headers that are not exactly this dictionary are refused") {
  for (const char* const text :
       {"",
        "\n",
        "{}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), } \n\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }x\n",
        "{'descr': '<f4', 'fortran_order': False, }\n",
        "{'descr': '<f4', 'shape': (6,), }\n",
        "{'fortran_order': False, 'shape': (6,), }\n",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}\n",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (6,), }\n",
        "{'descr': '<f4',, 'fortran_order': False, 'shape': (6,), }\n",
        "{, 'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n",
        "{'descr\": '<f4', 'fortran_order': False, 'shape': (6,), }\n",
        "{'de\\x73cr': '<f4', 'fortran_order': False, 'shape': (6,), }\n",
        "{'descr': <f4, 'fortran_order': False, 'shape': (6,), }\n",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (6,), }\n",
        "{'descr': '<f4', 'fortran_order': false, 'shape': (6,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 6, }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [6], }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-6,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (06,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6L,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6.0,), }\n",
        "\t{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n"}) {
    CAPTURE(text);
    CHECK(kind_of(std::string(text)) == errc::bad_syntax);
  }
}

TEST_CASE("what the elements cannot be is refused by name") {
  std::string message;
  CHECK(kind_of(dictionary("'>f4'", "(6,)"), &message) == errc::unsupported_dtype);
  CHECK(test::mentions(message, "big-endian"));
  for (const char* const descr : {"'=f4'", "'f4'", "'<f16'", "'<c8'", "'|O'", "'<U3'", "'|S3'",
                                  "'<M8[ns]'", "''", "'float32'", "'>u1'", "'|f4'"}) {
    CAPTURE(descr);
    CHECK(kind_of(dictionary(descr, "(6,)"), &message) == errc::unsupported_dtype);
    CHECK(test::mentions(message, descr));
  }
  CHECK(kind_of(dictionary("[('a', '<f4')]", "(6,)"), &message) == errc::unsupported_dtype);
  CHECK(test::mentions(message, "records"));
  CHECK(kind_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", &message) ==
        errc::unsupported_feature);
  CHECK(test::mentions(message, "fortran_order"));
}

TEST_CASE("two bytes without a meaning are bfloat16 only if that is asked for") {
  const test::bytes file = written({dtype::bf16, {3}}, test::bytes(6));
  std::string message;
  CHECK(kind_of(file, &message) == errc::unsupported_dtype);
  CHECK(test::mentions(message, "bfloat16"));
  CHECK(npy::parse(test::view(file), npy::two_bytes::bf16).ok());
  const test::bytes other = file_of(dictionary("'<V2'", "(12,)"), 24);
  const auto opened = npy::parse(test::view(other), npy::two_bytes::bf16);
  REQUIRE(opened.ok());
  CHECK(opened->form.type() == dtype::bf16);
}

TEST_CASE("sizes must agree to the byte, and fit 64 bits") {
  CHECK(kind_of(dictionary("'<f4'", "(5,)")) == errc::trailing_bytes);
  CHECK(kind_of(dictionary("'<f4'", "(7,)")) == errc::truncated);
  CHECK(kind_of(dictionary("'<f4'", "(18446744073709551616,)")) == errc::limit_exceeded);
  CHECK(kind_of(dictionary("'<f4'", "(4294967296, 4294967296)")) == errc::limit_exceeded);
  CHECK(kind_of(dictionary("'<f4'", "(4611686018427387904,)")) == errc::limit_exceeded);
  CHECK(kind_of(dictionary("'<f4'", "(1, 1, 1, 1, 1, 1, 1, 1, 6)")) == errc::invalid_shape);
  test::bytes file = file_of(dictionary("'<f4'", "(6,)"), 24);
  file[0] = std::byte{0x92};
  CHECK(kind_of(file) == errc::bad_syntax);
  file = file_of(dictionary("'<f4'", "(6,)"), 24, 4);
  CHECK(kind_of(file) == errc::unsupported_version);
  file = file_of(dictionary("'<f4'", "(6,)"), 24);
  file[7] = std::byte{1};
  CHECK(kind_of(file) == errc::unsupported_version);
  file = file_of(dictionary("'<f4'", "(6,)"), 24, 2);
  file[10] = std::byte{1};  // 65,536 bytes more
  CHECK(kind_of(file) == errc::limit_exceeded);
  CHECK(kind_of(test::bytes()) == errc::truncated);
}

TEST_CASE("every truncation of an .npy file is refused") {
  const test::bytes file = written({dtype::f32, {2, 3}}, test::bytes(24));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const test::bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK(kind_of(part) == errc::truncated);
  }
}

TEST_CASE("no damaged byte of an .npy header does harm") {
  for (const unsigned major : {1U, 2U}) {
    const test::bytes file = file_of(dictionary("'<f4'", "(2, 3)"), 24, major);
    for (std::size_t at = 0; at < file.size() - 24; ++at) {
      for (int value = 0; value < 256; ++value) {
        test::bytes damaged = file;
        damaged[at] = static_cast<std::byte>(value);
        const auto opened = npy::parse(test::view(damaged), npy::two_bytes::bf16);
        if (!opened.ok()) continue;
        CHECK(opened->data.size() == 24);
        CHECK(opened->form.byte_size() == 24);
      }
    }
  }
}

TEST_CASE("T4: bytes that are not of the dtype and shape are refused, and no file appears") {
  const ckpt_test::scratch dir;
  const test::bytes data(10);
  const auto saved = npy::save(dir.at("a.npy"), {dtype::f32, {2}}, test::view(data));
  CHECK(saved.error().kind == errc::size_mismatch);
  CHECK(saved.error().expected == 8);
  CHECK(saved.error().found == 10);
  CHECK(npy::save(dir.at("a.npy"), {dtype::f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}}, {}).error().kind ==
        errc::invalid_shape);
  CHECK(dir.names().empty());
}

TEST_CASE("an .npy file is opened by its path, and kept") {
  const ckpt_test::scratch dir;
  CHECK(npy::open(dir.at("none")).error().kind == errc::not_found);
  const test::bytes data = ckpt_test::pattern(24);
  const auto saved = npy::save(dir.at("a.npy"), {dtype::f32, {6}}, test::view(data));
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(saved->file_bytes == 152);
  auto opened = npy::open(dir.at("a.npy"));
  REQUIRE(opened.ok());
  const npy::array moved = std::move(*opened);
  CHECK(test::same_bytes(moved.data, test::view(data)));
  CHECK(reinterpret_cast<std::uintptr_t>(moved.data.data()) % 64 == 0);
  ckpt_test::put(dir.at("b.npy"), ckpt_test::pattern(24));
  CHECK(test::mentions(npy::open(dir.at("b.npy")).message(), "b.npy"));
}

TEST_CASE("a directory of .npy files has one for each weight that is stored") {
  const ckpt_test::scratch dir;
  const ckpt::contents sample = [] {
    ckpt::contents made;
    made.set_optimizer("adam", {"m", "v"});
    test::add(made, "", dtype::f32, {1}, role::absent);
    test::add(made, "fc.weight", dtype::f32, {3, 2});
    test::add(made, "fc bias", dtype::i8, {3}, role::frozen);
    return made;
  }();
  const auto saved = npy::save_all(dir.at("out"), sample.view());
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(dir.names() == std::vector<std::string>{"out"});
  CHECK(saved->file_bytes == 128 + 24 + 128 + 3);
  for (const std::size_t index : {std::size_t{1}, std::size_t{2}}) {
    const std::string name(sample.view().model[index].name());
    const auto opened = npy::open(dir.at("out/" + name + ".npy"));
    REQUIRE_MESSAGE(opened.ok(), opened.message());
    test::check_same_form(opened->form, sample.view().form(0, index));
    CHECK(test::same_bytes(opened->data, sample.view().bytes(0, index)));
  }
  const auto again = npy::save_all(dir.at("out"), sample.view());
  CHECK(again.error().kind == errc::already_exists);
}

TEST_CASE("a target that is not empty, or no directory, is left alone") {
  const ckpt_test::scratch dir;
  ckpt_test::put(dir.at("x"), ckpt_test::pattern(3));
  const ckpt::contents made = weights({"a"});
  CHECK(npy::save_all(dir.root(), made.view()).error().kind == errc::already_exists);
  CHECK(npy::save_all(dir.at("x"), made.view()).error().kind == errc::already_exists);
  CHECK(npy::save_all(dir.at("no/such"), made.view()).error().kind == errc::not_found);
  CHECK(dir.names() == std::vector<std::string>{"x"});
  std::filesystem::create_directory(dir.at("empty"));
  CHECK(npy::save_all(dir.at("empty"), made.view()).ok());
}

TEST_CASE("names that would leave the directory, or collide, are refused before it is made") {
  const ckpt_test::scratch dir;
  for (const char* const name : {"../up", "a/b", "/etc/x", "..\\up", "a\\b", "C:x", "nul", "COM1",
                                 "a\nb", "a\x7F", "a*", "a?", "\xFF"}) {
    CAPTURE(name);
    const ckpt::contents made = weights({"fine", name});
    const auto saved = npy::save_all(dir.at("out"), made.view());
    CHECK(saved.error().kind == errc::invalid_name);
    CHECK(saved.error().tensor == 1);
  }
  const ckpt::contents long_name = weights({std::string(252, 'a')});
  CHECK(npy::save_all(dir.at("out"), long_name.view()).error().kind == errc::invalid_name);
  const ckpt::contents twice = weights({"w", "b", "w"});
  CHECK(npy::save_all(dir.at("out"), twice.view()).error().kind == errc::duplicate_name);
  const ckpt::contents cases = weights({"Weight", "weight"});
  CHECK(npy::save_all(dir.at("out"), cases.view()).error().kind == errc::duplicate_name);
  const ckpt::contents nameless = weights({""});
  CHECK(npy::save_all(dir.at("out"), nameless.view()).error().kind == errc::no_names);
  CHECK(dir.names().empty());
}

TEST_CASE("a save of a directory that fails removes what it has made") {
  const ckpt_test::scratch dir;
  const ckpt::contents made = weights({"a", "b", "c"});
  for (const ckpt_test::call kind :
       {ckpt_test::call::create, ckpt_test::call::write, ckpt_test::call::sync}) {
    for (const std::size_t nth : {std::size_t{1}, std::size_t{3}}) {
      ckpt_test::reset();
      ckpt_test::now.fail_kind = kind;
      ckpt_test::now.fail_at = nth;
      const auto saved =
          npy::detail::save_all_with<ckpt_test::scaled_native<>>(dir.at("out"), made.view(), {});
      CHECK_FALSE(saved.ok());
      CHECK(dir.names().empty());
    }
  }
  ckpt_test::reset();
}
