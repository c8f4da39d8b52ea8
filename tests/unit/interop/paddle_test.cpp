#include "ckpt/interop/paddle.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/base/buffer.hpp"
#include "ckpt/io/memory.hpp"
#include "interop/sample.hpp"
#include "support.hpp"

namespace {

using namespace ckpt_test;
using ckpt::dtype;
using ckpt::errc;
using ckpt::tensor_form;
namespace paddle = ckpt::paddle;
namespace fs = std::filesystem;
using counted = scaled_native<>;
using names = std::vector<std::string>;

ckpt::bytes_view view(const bytes& data) {
  return {data.data(), data.size()};
}

bytes variable(const tensor_form& form, const bytes& elements) {
  bytes made;
  ckpt::vector_sink to(made);
  const ckpt::status done = paddle::write_variable(to, form, view(elements));
  REQUIRE_MESSAGE(done.ok(), test::words(done.message()));
  return made;
}

ckpt::status parse(const bytes& data) {
  // Memory of exactly this size, so that a sanitizer sees every byte too many.
  const std::unique_ptr<std::byte[]> copy(new std::byte[data.size()]);
  if (!data.empty()) std::memcpy(copy.get(), data.data(), data.size());
  return paddle::parse_variable(ckpt::bytes_view(copy.get(), data.size())).error();
}
/// A file with this description and these elements.
ckpt::status parse(const std::string& description, const bytes& elements) {
  const bytes inner = hex(description);
  bytes data = hex("00000000 0000000000000000 00000000 00000000");
  ckpt::store_little(data.data() + 16, static_cast<std::uint32_t>(inner.size()));
  data.insert(data.end(), inner.begin(), inner.end());
  data.insert(data.end(), elements.begin(), elements.end());
  return parse(data);
}

errc open_kind(const std::string& directory, const paddle::open_options& how = {}) {
  return paddle::open(directory, how).error().kind;
}
errc save_kind(const std::string& directory, const ckpt::contents& from,
               const paddle::save_options& how = {}) {
  return paddle::save(directory, from.view(), how).error().kind;
}

template <class Optimizer>
void check_round_trip() {
  const scratch dir;
  const ckpt::contents saved = sample<Optimizer>();
  const auto done = paddle::save(dir.at("vars"), saved.view());
  REQUIRE_MESSAGE(done.ok(), done.message());
  CHECK(done->variables == 5 + 3 * Optimizer::slot_count);
  const auto opened = paddle::open(dir.at("vars"));
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  CHECK(same(saved, *opened));
}

const bytes six_floats =
    hex("0000803f 00000040 00004040"    // 1 2 3
        "00008040 000000bf 0000c07f");  // 4 -0.5 NaN
const bytes golden =
    hex("00000000"                    // version
        "0000000000000000"            // levels of detail
        "00000000"                    // version of the tensor
        "06000000"                    // bytes of the description
        "08 05"                       // data_type: FP32
        "10 02  10 03"                // dims: 2, 3
        "0000803f 00000040 00004040"  // elements
        "00008040 000000bf 0000c07f");

}  // namespace

TEST_CASE("paddle: a variable file is the one that fluid writes, and is read again") {
  CHECK(variable({dtype::f32, {2, 3}}, six_floats) == golden);
  const auto parsed = paddle::parse_variable(view(golden));
  REQUIRE(parsed.ok());
  CHECK(parsed->form.type() == dtype::f32);
  CHECK(parsed->form.extents() == ckpt::shape{2, 3});
  CHECK(bytes(parsed->bytes.begin(), parsed->bytes.end()) == six_floats);
}

TEST_CASE("paddle: scalars, no elements, long extents and all dtypes with a number come back") {
  for (std::size_t i = 0; i < ckpt::dtype_count; ++i) {
    const auto type = static_cast<dtype>(i);
    if (type == dtype::u16 || type == dtype::u32 || type == dtype::u64) continue;
    for (const ckpt::shape& extents :
         {ckpt::shape{}, ckpt::shape{0}, ckpt::shape{300, 1}, ckpt::shape{1, 1, 1, 2, 1, 1, 1, 2},
          ckpt::shape{0, 0x7FFFFFFFFFFFFFFF}}) {
      const tensor_form form(type, extents);
      const bytes elements = pattern(static_cast<std::size_t>(form.byte_size()));
      const bytes data = variable(form, elements);
      const auto parsed = paddle::parse_variable(view(data));
      REQUIRE(parsed.ok());
      CHECK(parsed->form.type() == type);
      CHECK(parsed->form.extents() == extents);
      CHECK(bytes(parsed->bytes.begin(), parsed->bytes.end()) == elements);
    }
  }
  CHECK(variable({dtype::bf16, {}}, bytes(2)) ==
        hex("00000000 0000000000000000 00000000 02000000 0816 0000"));
}

TEST_CASE("paddle: what has no number, no sign to spare or another size is not written") {
  bytes made;
  ckpt::vector_sink to(made);
  for (const dtype type : {dtype::u16, dtype::u32, dtype::u64})
    CHECK(paddle::write_variable(to, {type, {}}, view(bytes(ckpt::byte_width(type)))).kind ==
          errc::unsupported_dtype);
  CHECK(paddle::write_variable(to, {dtype::f32, {2}}, view(bytes(7))).kind == errc::size_mismatch);
  CHECK(paddle::write_variable(to, {dtype::f32, {0, ~std::uint64_t{0}}}, {}).kind ==
        errc::invalid_shape);
  CHECK(paddle::write_variable(to, {dtype::f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}}, {}).kind ==
        errc::invalid_shape);
  CHECK(made.empty());
  std::byte memory[30];
  ckpt::buffer_sink small{ckpt::bytes_span(memory)};
  CHECK(paddle::write_variable(small, {dtype::f32, {2}}, view(bytes(8))).kind ==
        errc::buffer_too_small);
}

TEST_CASE("paddle: a description is read in any order, packed or not") {
  const bytes elements(24);
  for (const char* text : {"0805 1002 1003", "1002 1003 0805", "1002 0805 1003", "0805 12 02 02 03",
                           "12 01 02 12 01 03 0805", "0805 12 00 1002 12 01 03",
                           "0805 10 8200 1003", "8800 05 1002 1003"}) {
    CAPTURE(text);
    CHECK(parse(text, elements).ok());
  }
  CHECK(parse("0813 1003", elements).ok());  // SIZE_T of a host with 64 bits
}

TEST_CASE("paddle: a description that is none is refused") {
  const bytes elements(24);
  const auto kind = [&](const char* text) { return parse(text, elements).kind; };
  for (const char* text : {"",
                           "1002 1003",
                           "08",
                           "0805 10",
                           "0805 1002 10",
                           "0805 0805 1006",
                           "0805 12 03 02 03",
                           "0805 12 02 02",
                           "0805 12 02 02 83",
                           "0805 12",
                           "0805 12 01 80 03",
                           "0d 05000000 1006",
                           "0805 1802",
                           "0805 1a 00",
                           "00",
                           "0805 10 80808080808080808002",
                           "0805 10 8080808080808080808001",
                           "0805 12 ffffffffffffffffff01 06",
                           "0805 12 ffffffff0f 06",
                           "0b 0c",
                           "0805 ff"}) {
    CAPTURE(text);
    CHECK(kind(text) == errc::bad_header);
  }
  CHECK(kind("0807 1006") == errc::unsupported_dtype);  // LOD_TENSOR
  CHECK(kind("0817 1003") == errc::unsupported_dtype);  // COMPLEX64
  CHECK(kind("08ffffffffffffffffff01 1006") == errc::unsupported_dtype);
  CHECK(kind("0805 10ffffffffffffffffff01 1006") == errc::invalid_shape);  // -1
  CHECK(kind("0805 1001 1001 1001 1001 1001 1001 1001 1001 1006") == errc::invalid_shape);
  CHECK(kind("0805 10ffffffffffffffff7f 1004") == errc::invalid_shape);
  CHECK(kind("0805 10ffffffffffffffff7f") == errc::invalid_shape);
  CHECK(kind("0815 10ffffffffffffffff7f") == errc::truncated);
  CHECK(parse("0805 1802", elements).offset == 23);
}

TEST_CASE("paddle: versions, levels and lengths are checked") {
  const auto with = [](std::size_t at, unsigned value) {
    bytes data = golden;
    data[at] = static_cast<std::byte>(value);
    return parse(data);
  };
  CHECK(with(0, 1).kind == errc::unsupported_version);
  CHECK(with(0, 1).offset == 0);
  CHECK(with(12, 7).kind == errc::unsupported_version);
  CHECK(with(12, 7).found == 7);
  CHECK(with(4, 2).kind == errc::unsupported_feature);
  CHECK(with(11, 1).kind == errc::unsupported_feature);
  CHECK(with(19, 0x80).kind == errc::bad_header);
  CHECK(with(18, 1).kind == errc::limit_exceeded);
  CHECK(with(16, 200).kind == errc::truncated);
  CHECK(with(23, 3).kind == errc::truncated);
  CHECK(with(23, 3).expected == golden.size() + 12);
  CHECK(with(23, 1).kind == errc::trailing_bytes);
  CHECK(with(23, 1).expected == golden.size() - 12);
}

TEST_CASE("paddle: no cut, no longer file and no changed byte leads beyond it") {
  for (std::size_t size = 0; size < golden.size(); ++size) {
    CAPTURE(size);
    const ckpt::status cut = parse(bytes(golden.begin(), golden.begin() + static_cast<int>(size)));
    CHECK(cut.kind == errc::truncated);
    CHECK(cut.found == size);
  }
  bytes longer = golden;
  longer.push_back(std::byte{0});
  CHECK(parse(longer).kind == errc::trailing_bytes);
  std::size_t read = 0;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    for (unsigned value = 0; value < 256; ++value) {
      bytes damaged = golden;
      damaged[i] = static_cast<std::byte>(value);
      const bool is_element = i >= 26;
      const bool ok = parse(damaged).ok();
      CHECK((ok || !is_element));
      if (ok && !is_element) ++read;
    }
  }
  // The 26 bytes as they are, and FP32 made INT32: all else changes what the file must hold.
  CHECK(read == 26 + 1);
}

TEST_CASE("paddle: contents come back from their directory, whatever the optimizer") {
  check_round_trip<ckpt::sgd>();
  check_round_trip<ckpt::momentum>();
  check_round_trip<ckpt::adam>();
  check_round_trip<ckpt::rmsprop>();
  check_round_trip<ckpt::rmsprop_centred>();
  check_round_trip<ckpt::adagrad>();
  check_round_trip<ckpt::amsgrad>();
  check_round_trip<ckpt::adafactor>();
  check_round_trip<ckpt::lamb>();
}

TEST_CASE("paddle: files have the names that fluid gives variables and accumulators") {
  const scratch dir;
  REQUIRE(paddle::save(dir.at("a"), sample<ckpt::adam>().view()).ok());
  CHECK(*ckpt::list_directory(dir.at("a")) ==
        names{"@STEP_COUNTER@", "_SUCCESS", "dense1-bias", "dense1-bias_moment1_0",
              "dense1-bias_moment2_0", "dense1-weight", "dense1-weight_moment1_0",
              "dense1-weight_moment2_0", "nothing", "scale", "scale_moment1_0", "scale_moment2_0"});
  CHECK(get(dir.at("a/@STEP_COUNTER@")) == hex("00000000 0000000000000000 00000000 04000000"
                                               "0803 1001 0504030201000000"));
  CHECK(get(dir.at("a/_SUCCESS")).empty());
  REQUIRE(paddle::save(dir.at("b"), sample<ckpt::momentum>().view()).ok());
  CHECK(*ckpt::entry_at(dir.at("b/scale_velocity_0")) == ckpt::entry_kind::file);
  REQUIRE(paddle::save(dir.at("c"), sample<ckpt::adagrad>().view()).ok());
  CHECK(*ckpt::entry_at(dir.at("c/scale_moment_0")) == ckpt::entry_kind::file);
  REQUIRE(paddle::save(dir.at("d"), sample<ckpt::rmsprop_centred>().view()).ok());
  CHECK(*ckpt::entry_at(dir.at("d/scale_mean_grad_0")) == ckpt::entry_kind::file);
}

TEST_CASE("paddle: one file is one variable") {
  const scratch dir;
  put(dir.at("fc_0.w_0"), golden);
  const auto opened = paddle::open(dir.at("fc_0.w_0"));
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  const ckpt::contents_view seen = opened->view();
  REQUIRE(seen.model.size() == 1);
  CHECK(seen.model[0].name() == ckpt::name_view("fc_0.w_0"));
  CHECK(seen.model[0].purpose() == ckpt::role::trainable);
  CHECK(seen.bytes(0, 0).size() == 24);
  CHECK(open_kind(dir.at("missing")) == errc::not_found);
  CHECK(open_kind("") == errc::empty_path);
  CHECK(open_kind("/dev/null") == errc::not_a_regular_file);
  put(dir.at("empty"), {});
  CHECK(open_kind(dir.at("empty")) == errc::truncated);
}

TEST_CASE("paddle: directories, the mark and the program are left aside, strangers are named") {
  const scratch dir;
  put(dir.at("w"), golden);
  put(dir.at("__model__"), pattern(99));
  put(dir.at("_SUCCESS"), as_bytes("Sun Jun 10 12:00:00 2018"));
  fs::create_directory(dir.at("trainer_0"));
  CHECK(paddle::open(dir.root())->size() == 1);
  put(dir.at("stranger"), pattern(99));
  const auto refused = paddle::open(dir.root());
  CHECK(refused.error().kind == errc::unsupported_version);
  CHECK(test::mentions(refused.message(), "stranger"));
  fs::remove(dir.at("stranger"));
  put(dir.at("a\\b"), golden);
  CHECK(open_kind(dir.root()) == errc::invalid_name);
}

TEST_CASE("paddle: the mark is asked for on request, and can be left out") {
  const scratch dir;
  paddle::save_options how;
  how.mark = false;
  REQUIRE(save_kind(dir.at("t"), sample<ckpt::adam>(), how) == errc::ok);
  CHECK(open_kind(dir.at("t")) == errc::ok);
  paddle::open_options strict;
  strict.require_mark = true;
  CHECK(open_kind(dir.at("t"), strict) == errc::not_finished);
  put(dir.at("t/_SUCCESS"), {});
  CHECK(open_kind(dir.at("t"), strict) == errc::ok);
}

TEST_CASE("paddle: fluid's other variables of Adam stay tensors of their own") {
  const scratch dir;
  put(dir.at("w"), golden);
  put(dir.at("w_moment1_0"), golden);
  put(dir.at("w_moment2_0"), golden);
  put(dir.at("w_beta1_pow_acc_0"), variable({dtype::f32, {1}}, bytes(4)));
  put(dir.at("@LR_DECAY_COUNTER@"), variable({dtype::i64, {1}}, bytes(8)));
  const auto opened = paddle::open(dir.root());
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  const ckpt::contents_view seen = opened->view();
  CHECK(seen.optimizer.name == ckpt::name_view("adam"));
  REQUIRE(seen.model.size() == 3);
  CHECK(seen.model[0].purpose() == ckpt::role::frozen);
  CHECK(seen.model[1].purpose() == ckpt::role::trainable);
  CHECK(seen.model[2].purpose() == ckpt::role::frozen);
  CHECK(seen.check().ok());
  paddle::open_options plain;
  plain.find_slots = false;
  CHECK(paddle::open(dir.root(), plain)->size() == 5);
}

TEST_CASE("paddle: a step that is no step is refused, another counter can be named") {
  const scratch dir;
  put(dir.at("w"), golden);
  put(dir.at("@STEP_COUNTER@"), variable({dtype::i32, {1}}, bytes(4)));
  CHECK(open_kind(dir.root()) == errc::bad_training_state);
  put(dir.at("@STEP_COUNTER@"), variable({dtype::i64, {1}}, bytes(8, std::byte{0xFF})));
  CHECK(open_kind(dir.root()) == errc::bad_training_state);
  put(dir.at("mine"), variable({dtype::i64, {1}}, hex("0900000000000000")));
  paddle::open_options how;
  how.step_counter = "mine";
  const auto opened = paddle::open(dir.root(), how);
  CHECK(opened->training.step == 9);
  CHECK(opened->size() == 2);
  how.step_counter.clear();
  CHECK(paddle::open(dir.root(), how)->size() == 3);
}

TEST_CASE("paddle: what cannot be saved is refused before anything is made") {
  const scratch dir;
  names refused = hostile_names();
  refused.push_back("_SUCCESS");
  refused.push_back("__model__");
  for (const std::string& name : refused) {
    CAPTURE(name);
    const auto done = paddle::save(dir.at("t"), one(name, {dtype::f32, {1}}).view());
    CHECK(done.error().kind == errc::invalid_name);
    CHECK(done.error().tensor == 0);
  }
  for (const dtype type : {dtype::u16, dtype::u32, dtype::u64}) {
    const auto done = paddle::save(dir.at("t"), one("w", {type, {2}}).view());
    CHECK(done.error().kind == errc::unsupported_dtype);
    CHECK(test::mentions(done.message(), "'w'"));
  }
  CHECK(save_kind(dir.at("t"), one("", {dtype::f32, {1}})) == errc::no_names);
  CHECK(save_kind(dir.at("t"), one("@STEP_COUNTER@", {dtype::f32, {1}})) == errc::duplicate_name);
  paddle::save_options how;
  how.step_counter = "../up";
  CHECK(save_kind(dir.at("t"), sample<ckpt::adam>(), how) == errc::invalid_name);
  how.step_counter.clear();
  CHECK(save_kind(dir.at("t"), sample<ckpt::adam>(), how) == errc::unstorable_values);
  ckpt::contents saved = sample<ckpt::adam>();
  saved.training.best_metric = 0.5;
  CHECK(save_kind(dir.at("t"), saved) == errc::unstorable_values);
  CHECK(dir.names().empty());
  how.drop_training_state = true;
  CHECK(save_kind(dir.at("t"), saved, how) == errc::ok);
  CHECK(paddle::open(dir.at("t"))->training == ckpt::training_state{});
}

TEST_CASE("paddle: what is in the way is left alone") {
  const scratch dir;
  put(dir.at("x"), pattern(3));
  CHECK(save_kind(dir.root(), sample<ckpt::adam>()) == errc::already_exists);
  CHECK(save_kind(dir.at("x"), sample<ckpt::adam>()) == errc::already_exists);
  CHECK(dir.names() == names{"x"});
  CHECK(get(dir.at("x")) == pattern(3));
}

TEST_CASE("paddle: whatever fails, nothing is left") {
  const ckpt::contents saved = sample<ckpt::adam>();
  const auto save = [&saved](const std::string& directory) {
    return paddle::detail::save_with<counted>(directory, saved.view(), {});
  };
  fail_every_call(1, save, [](const auto&, const scratch&) {});
}

TEST_CASE("paddle: an existing empty directory stays when a save into it fails") {
  const scratch dir;
  reset();
  now.fail_kind = call::write;
  now.fail_at = 3;
  CHECK(paddle::detail::save_with<counted>(dir.root(), sample<ckpt::adam>().view(), {})
            .error()
            .kind == errc::input_output);
  reset();
  CHECK(ckpt::is_directory(dir.root()));
  CHECK(dir.names().empty());
}
