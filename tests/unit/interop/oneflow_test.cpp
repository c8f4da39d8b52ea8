#include "ckpt/interop/oneflow.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interop/sample.hpp"
#include "support.hpp"

namespace {

using namespace ckpt_test;
using ckpt::dtype;
using ckpt::errc;
using ckpt::tensor_form;
namespace oneflow = ckpt::oneflow;
namespace fs = std::filesystem;
using counted = scaled_native<>;
using names = std::vector<std::string>;

names list(const std::string& directory) {
  const auto listed = ckpt::list_directory(directory);
  return listed.ok() ? *listed : names{"not listed"};
}

errc meta_kind(const std::string& meta) {
  return oneflow::parse_meta(meta).error().kind;
}

/// Puts a variable into a tree by hand.
void put_variable(const std::string& tree, const std::string& name, const std::string& meta,
                  const bytes& data) {
  fs::create_directories(tree + "/" + name);
  if (!meta.empty()) put(tree + "/" + name + "/meta", as_bytes(meta));
  put(tree + "/" + name + "/out", data);
}
const std::string two_floats = "shape {\n  dim: 2\n}\ndata_type: kFloat\n";
const std::string one_long = "shape {\n  dim: 1\n}\ndata_type: kInt64\n";

errc open_kind(const std::string& tree, const oneflow::open_options& how = {}) {
  return oneflow::open(tree, how).error().kind;
}
oneflow::open_options unfinished() {
  oneflow::open_options how;
  how.unfinished = true;
  return how;
}
errc save_kind(const std::string& tree, const ckpt::contents& from,
               const oneflow::save_options& how = {}) {
  return oneflow::save(tree, from.view(), how).error().kind;
}

template <class Optimizer>
void check_round_trip() {
  const scratch dir;
  const ckpt::contents saved = sample<Optimizer>();
  const auto done = oneflow::save(dir.at("tree"), saved.view());
  REQUIRE_MESSAGE(done.ok(), done.message());
  CHECK(done->variables == 5 + 3 * Optimizer::slot_count);
  const auto opened = oneflow::open(dir.at("tree"));
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  CHECK(same(saved, *opened));
}

}  // namespace

TEST_CASE("oneflow: meta text is the one that protobuf writes") {
  CHECK(oneflow::meta_text({dtype::f32, {784, 10}}) ==
        "shape {\n  dim: 784\n  dim: 10\n}\ndata_type: kFloat\n");
  CHECK(oneflow::meta_text({dtype::i64, {1}}) == "shape {\n  dim: 1\n}\ndata_type: kInt64\n");
  CHECK(oneflow::meta_text({dtype::f16, {}}) == "shape {\n}\ndata_type: kFloat16\n");
  CHECK(oneflow::meta_text({dtype::u8, {0, 3}}) ==
        "shape {\n  dim: 0\n  dim: 3\n}\ndata_type: kUInt8\n");
}

TEST_CASE("oneflow: meta text is read in every spelling that its grammar has") {
  const tensor_form expected(dtype::f64, {3, 4, 5});
  for (const char* text :
       {"shape {\n  dim: 3\n  dim: 4\n  dim: 5\n}\ndata_type: kDouble\n",
        "shape { dim: 3 dim: 4 dim: 5 } data_type: kDouble",
        "data_type:kDouble shape:{dim:[3,4] dim:5}", "shape{dim:3,dim:4;dim:5};data_type:kDouble,",
        " \r\n\tshape { dim : [ 3 , 4 , 5 ] dim : [ ] } data_type : kDouble "}) {
    CAPTURE(text);
    const auto parsed = oneflow::parse_meta(std::string(text));
    REQUIRE(parsed.ok());
    CHECK(parsed->type() == expected.type());
    CHECK(parsed->extents() == expected.extents());
  }
}

TEST_CASE("oneflow: every data type that has a name comes back, later names are read") {
  for (std::size_t i = 0; i < ckpt::dtype_count; ++i) {
    const auto type = static_cast<dtype>(i);
    if (oneflow::data_type_name(type).empty()) continue;
    const auto parsed = oneflow::parse_meta(oneflow::meta_text({type, {7}}));
    REQUIRE(parsed.ok());
    CHECK(parsed->type() == type);
  }
  CHECK(oneflow::parse_meta("shape{} data_type: kBFloat16")->type() == dtype::bf16);
  CHECK(oneflow::parse_meta("shape{} data_type: kBool")->type() == dtype::boolean);
  CHECK(oneflow::data_type_name(dtype::bf16).empty());
  CHECK(oneflow::data_type_name(dtype::u16).empty());
}

TEST_CASE("oneflow: meta text that is not exactly a meta is refused") {
  for (const char* text : {"",
                           "shape {}",
                           "data_type: kFloat",
                           "shape {} shape {} data_type: kFloat",
                           "shape {} data_type: kFloat data_type: kFloat",
                           "shape { data_type: kFloat",
                           "shape } data_type: kFloat",
                           "shape {} data_type kFloat",
                           "shape {} data_type: 2",
                           "shape {} data_type: \"kFloat\"",
                           "shape { dim 3 } data_type: kFloat",
                           "shape { dim: } data_type: kFloat",
                           "shape { dim: 3x } data_type: kFloat",
                           "shape { dim: 3dim: 4 } data_type: kFloat",
                           "shape { dim: 03 } data_type: kFloat",
                           "shape { dim: 0x3 } data_type: kFloat",
                           "shape { dim: 3.0 } data_type: kFloat",
                           "shape { dim: +3 } data_type: kFloat",
                           "shape { dim: [3 4] } data_type: kFloat",
                           "shape { dim: [3,] } data_type: kFloat",
                           "shape { dim: [3 } data_type: kFloat",
                           "shape { dim: 9223372036854775808 } data_type: kInt8",
                           "shape { dim: 99999999999999999999 } data_type: kInt8",
                           "shape {} data_type: kFloat }",
                           "shape {} data_type: kFloat x",
                           "shape { dims: 3 } data_type: kFloat",
                           "shape {} data_type: kFloat # no",
                           "shape <> data_type: kFloat",
                           "Shape {} data_type: kFloat",
                           "shape {},, data_type: kFloat",
                           "version: 1 shape {} data_type: kFloat"}) {
    CAPTURE(text);
    CHECK(meta_kind(text) == errc::bad_syntax);
  }
  CHECK(meta_kind(std::string("shape {}\0 data_type: kFloat", 28)) == errc::bad_syntax);
  CHECK(meta_kind("shape {} data_type: kFlaot") == errc::unsupported_dtype);
  CHECK(meta_kind("shape {} data_type: kOFRecord") == errc::unsupported_dtype);
  CHECK(meta_kind("shape { dim: -1 } data_type: kFloat") == errc::invalid_shape);
  CHECK(meta_kind("shape { dim: [1,1,1,1,1,1,1,1,1] } data_type: kFloat") == errc::invalid_shape);
  CHECK(meta_kind("shape { dim: 9223372036854775807 dim: 3 } data_type: kInt8") ==
        errc::invalid_shape);
  CHECK(meta_kind("shape { dim: 9223372036854775807 } data_type: kFloat") == errc::invalid_shape);
  CHECK(meta_kind("shape {} stride {} data_type: kFloat") == errc::unsupported_feature);
  CHECK(oneflow::parse_meta("shape {} data_typo: kFloat").error().offset == 9);
}

TEST_CASE("oneflow: no cut and no changed byte of a meta leads beyond it") {
  const std::string whole = oneflow::meta_text({dtype::f64, {12, 3}});
  const auto parse_copy = [](const std::string& text) {
    // Memory of exactly this size, so that a sanitizer sees every byte too many.
    const std::unique_ptr<char[]> copy(new char[text.size()]);
    for (std::size_t i = 0; i < text.size(); ++i) copy[i] = text[i];
    return oneflow::parse_meta(ckpt::name_view(copy.get(), text.size()));
  };
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(parse_copy(whole.substr(0, size)).ok());
  }
  std::size_t read = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(value);
      if (parse_copy(damaged).ok()) ++read;
    }
  }
  CHECK(read > whole.size());      // the same byte, other digits, other space
  CHECK(read < 4 * whole.size());  // and nothing else
}

TEST_CASE("oneflow: contents come back from their tree, whatever the optimizer") {
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

TEST_CASE("oneflow: the tree has the names and the bytes that OneFlow gives it") {
  const scratch dir;
  ckpt::contents saved;
  saved.set_optimizer("adam", {"m", "v"});
  const bytes weight = hex("0000803f 00000040");
  const std::size_t w = saved.add("w", {dtype::f32, {2}}, ckpt::role::trainable,
                                  ckpt::bytes_view(weight.data(), weight.size()));
  const bytes first = hex("0000003f 0000803e");
  const bytes second = hex("000080bf 0000c07f");
  saved.set_slot(0, w, {dtype::f32, {2}}, ckpt::bytes_view(first.data(), first.size()));
  saved.set_slot(1, w, {dtype::f32, {2}}, ckpt::bytes_view(second.data(), second.size()));
  saved.training.step = 300;
  const auto done = oneflow::save(dir.at("t"), saved.view());
  REQUIRE_MESSAGE(done.ok(), done.message());
  CHECK(done->variables == 4);
  CHECK(done->bytes == 3 * 8 + 8);
  CHECK(list(dir.at("t")) ==
        names{"System-Train-TrainStep-train_job", "snapshot_done", "w", "w-m", "w-v"});
  for (const char* variable : {"System-Train-TrainStep-train_job", "w", "w-m", "w-v"})
    CHECK(list(dir.at("t/") + variable) == names{"meta", "out"});
  CHECK(get(dir.at("t/w/out")) == weight);
  CHECK(get(dir.at("t/w-m/out")) == first);
  CHECK(get(dir.at("t/w-v/out")) == second);
  CHECK(get(dir.at("t/w/meta")) ==
        hex("73 68 61 70 65 20 7b 0a"                                   // shape {
            "20 20 64 69 6d 3a 20 32 0a"                                //   dim: 2
            "7d 0a"                                                     // }
            "64 61 74 61 5f 74 79 70 65 3a 20 6b 46 6c 6f 61 74 0a"));  // data_type: kFloat
  CHECK(get(dir.at("t/System-Train-TrainStep-train_job/out")) == hex("2c01000000000000"));
  CHECK(get(dir.at("t/System-Train-TrainStep-train_job/meta")) == as_bytes(one_long));
  CHECK(get(dir.at("t/snapshot_done")).empty());
}

TEST_CASE("oneflow: slots have the suffixes of OneFlow's optimizers, others their own name") {
  const scratch dir;
  CHECK(oneflow::save(dir.at("a"), sample<ckpt::momentum>().view()).ok());
  CHECK(ckpt::is_directory(dir.at("a/scale-momentum")));
  CHECK_FALSE(ckpt::is_directory(dir.at("a/nothing-momentum")));
  CHECK(oneflow::save(dir.at("b"), sample<ckpt::rmsprop_centred>().view()).ok());
  CHECK(ckpt::is_directory(dir.at("b/scale-mean_square")));
  CHECK(ckpt::is_directory(dir.at("b/scale-mean_gradient")));
  CHECK(oneflow::save(dir.at("c"), sample<ckpt::adagrad>().view()).ok());
  CHECK(ckpt::is_directory(dir.at("c/scale-accumulator")));
}

TEST_CASE("oneflow: an empty directory is taken, anything else in the way is left alone") {
  const scratch dir;
  const ckpt::contents saved = sample<ckpt::adam>();
  fs::create_directory(dir.at("empty"));
  CHECK(save_kind(dir.at("empty"), saved) == errc::ok);
  CHECK(save_kind(dir.at("empty"), saved) == errc::already_exists);
  CHECK(open_kind(dir.at("empty")) == errc::ok);
  fs::create_directory(dir.at("full"));
  put(dir.at("full/x"), pattern(3));
  CHECK(save_kind(dir.at("full"), saved) == errc::already_exists);
  CHECK(list(dir.at("full")) == names{"x"});
  put(dir.at("file"), pattern(3));
  CHECK(save_kind(dir.at("file"), saved) == errc::already_exists);
  CHECK(get(dir.at("file")) == pattern(3));
  CHECK(save_kind(dir.at("missing/tree"), saved) == errc::not_found);
  CHECK(save_kind("", saved) == errc::empty_path);
  CHECK(save_kind(dir.at("file/tree"), saved) == errc::invalid_path);
}

TEST_CASE("oneflow: names that lead elsewhere or are lost somewhere are refused, nothing is made") {
  const scratch dir;
  names refused = hostile_names();
  refused.push_back("snapshot_done");
  refused.push_back("out");
  for (const std::string& name : refused) {
    CAPTURE(name);
    const auto done = oneflow::save(dir.at("t"), one(name, {dtype::f32, {1}}).view());
    CHECK(done.error().kind == errc::invalid_name);
    CHECK(done.error().tensor == 0);
    oneflow::save_options how;
    how.job = "/" + name;
    CHECK(save_kind(dir.at("t"), sample<ckpt::sgd>(), how) == errc::invalid_name);
  }
  CHECK(save_kind(dir.at("t"), one("", {dtype::f32, {1}})) == errc::no_names);
  CHECK(dir.names().empty());
  for (const char* fine : {"a", ".a", "a b", "w.0", "console", "com", "com10", "\xC3\xA4"})
    CHECK(ckpt::detail::is_component(std::string(fine)));
}

TEST_CASE("oneflow: a weight that is called as a slot or as the step is refused") {
  const scratch dir;
  ckpt::contents saved = sample<ckpt::adam>();
  const auto zeros = saved.keep(bytes(4));
  saved.add("scale-m", {dtype::f32, {}}, ckpt::role::frozen, zeros);
  CHECK(save_kind(dir.at("t"), saved) == errc::duplicate_name);
  const auto step = one("System-Train-TrainStep-train_job", {dtype::f32, {1}});
  const auto done = oneflow::save(dir.at("t"), step.view());
  CHECK(done.error().kind == errc::duplicate_name);
  CHECK(done.error().tensor == 0);
  CHECK(dir.names().empty());
}

TEST_CASE("oneflow: a dtype without a name is refused before anything is made") {
  const scratch dir;
  for (const dtype type :
       {dtype::bf16, dtype::boolean, dtype::i16, dtype::u16, dtype::u32, dtype::u64}) {
    ckpt::contents saved = sample<ckpt::adam>();
    const auto zeros = saved.keep(bytes(8));
    const tensor_form form(type, {8 / ckpt::byte_width(type)});
    saved.add("zz", form, ckpt::role::frozen, zeros);
    const auto done = oneflow::save(dir.at("t"), saved.view());
    CHECK(done.error().kind == errc::unsupported_dtype);
    CHECK(done.error().tensor == 4);
    CHECK(test::mentions(done.message(), "'zz'"));
  }
  CHECK(dir.names().empty());
}

TEST_CASE("oneflow: training state without a place is refused unless it is dropped on purpose") {
  const scratch dir;
  ckpt::contents saved = sample<ckpt::sgd>();
  saved.training.epoch = 3;
  CHECK(save_kind(dir.at("t"), saved) == errc::unstorable_values);
  saved.training.epoch = 0;
  saved.training.learning_rate = 0.1;
  CHECK(save_kind(dir.at("t"), saved) == errc::unstorable_values);
  oneflow::save_options how;
  how.drop_training_state = true;
  CHECK(save_kind(dir.at("t"), saved, how) == errc::ok);
  CHECK(oneflow::open(dir.at("t"))->training.step == saved.training.step);

  ckpt::contents late = sample<ckpt::sgd>();
  late.training.step = ~std::uint64_t{0};
  CHECK(save_kind(dir.at("u"), late) == errc::counter_out_of_range);
  oneflow::save_options without;
  without.job.clear();
  CHECK(save_kind(dir.at("u"), sample<ckpt::sgd>(), without) == errc::unstorable_values);
  without.drop_training_state = true;
  CHECK(save_kind(dir.at("u"), sample<ckpt::sgd>(), without) == errc::ok);
  CHECK(oneflow::open(dir.at("u"))->training.step == 0);
}

TEST_CASE("oneflow: wrong payloads and shapes without bytes are refused") {
  const scratch dir;
  ckpt::contents saved = one("w", {dtype::f32, {2}});
  saved.add("x", {dtype::f32, {3}}, ckpt::role::trainable, {});
  CHECK(save_kind(dir.at("t"), saved) == errc::size_mismatch);
  CHECK(save_kind(dir.at("t"), one("w", {dtype::f32, {0, ~std::uint64_t{0}}})) ==
        errc::invalid_shape);
  CHECK(dir.names().empty());
}

TEST_CASE("oneflow: whatever fails, nothing is left and no mark was there") {
  const ckpt::contents saved = sample<ckpt::momentum>();
  const auto save = [&saved](const std::string& directory) {
    return oneflow::detail::save_with<counted>(directory, saved.view(), {});
  };
  fail_every_call(6, save, [](const auto& done, const scratch& dir) {
    CHECK(test::mentions(done.message(), dir.root()));
  });
}

TEST_CASE("oneflow: the mark is made when all else is on the disk, and nothing waits if told so") {
  const scratch dir;
  reset();
  const ckpt::contents saved = sample<ckpt::momentum>();
  REQUIRE(oneflow::detail::save_with<counted>(dir.at("t"), saved.view(), {}).ok());
  std::size_t creates = 0;
  std::size_t syncs = 0;
  std::size_t directory_syncs = 0;
  for (const call made : now.journal) {
    if (made == call::create && ++creates == 2 * 8 + 1) {
      CHECK(syncs == 2 * 8);
      CHECK(directory_syncs == 8 + 1);
    }
    if (made == call::sync) ++syncs;
    if (made == call::sync_directory) ++directory_syncs;
  }
  CHECK(creates == 2 * 8 + 1);
  CHECK(syncs == 2 * 8 + 1);
  CHECK(directory_syncs == 8 + 3);
  reset();
  oneflow::save_options how;
  how.durable = false;
  REQUIRE(oneflow::detail::save_with<counted>(dir.at("u"), saved.view(), how).ok());
  CHECK(now.count(call::sync) + now.count(call::sync_directory) == 0);
  reset();
}

TEST_CASE("oneflow: short and interrupted writes give the same tree") {
  const scratch dir;
  reset();
  now.longest_move = 3;
  now.interrupt_every = 4;
  const ckpt::contents saved = sample<ckpt::adam>();
  CHECK(oneflow::detail::save_with<counted>(dir.at("t"), saved.view(), {}).ok());
  reset();
  CHECK(same(saved, *oneflow::open(dir.at("t"))));
}

namespace {

/// Dies at the n-th time that a file is given to the disk.
struct dying_native : ckpt::native {
  static inline int syncs_left = 0;
  static ckpt::detail::native_result sync(ckpt::detail::native_handle handle) noexcept {
    if (--syncs_left == 0) std::raise(SIGKILL);
    return ckpt::native::sync(handle);
  }
};

}  // namespace

TEST_CASE("oneflow: a killed save leaves no mark, and a tree with the mark is whole") {
  const ckpt::contents saved = sample<ckpt::adam>();
  int deaths = 0;
  for (int at = 1;; ++at) {
    const scratch dir;
    const int code = in_child([&]() -> int {
      dying_native::syncs_left = at;
      return oneflow::detail::save_with<dying_native>(dir.at("t"), saved.view(), {}).ok() ? 0 : 1;
    });
    if (code == 0) break;
    CHECK(code == -SIGKILL);
    ++deaths;
    const auto opened = oneflow::open(dir.at("t"));
    CHECK((opened.error().kind == errc::not_finished || same(saved, *opened)));
    CHECK(save_kind(dir.at("t"), saved) == errc::already_exists);
  }
  CHECK(deaths == 2 * (4 + 3 * 2 + 1) + 1);
}

TEST_CASE("oneflow: a tree without the mark is opened on request only") {
  const scratch dir;
  put_variable(dir.root(), "w", two_floats, pattern(8));
  CHECK(open_kind(dir.root()) == errc::not_finished);
  const auto opened = oneflow::open(dir.root(), unfinished());
  REQUIRE(opened.ok());
  CHECK(opened->size() == 1);
  fs::create_directory(dir.at("snapshot_done"));  // the seed calls it a folder
  CHECK(open_kind(dir.root()) == errc::ok);
  CHECK(open_kind(dir.at("missing")) == errc::not_found);
  CHECK(open_kind("") == errc::empty_path);
}

TEST_CASE("oneflow: other entries and directories without out are left aside") {
  const scratch dir;
  put(dir.at("snapshot_done"), {});
  put(dir.at("README"), pattern(10));
  put_variable(dir.root(), "w", two_floats, pattern(8));
  fs::create_directories(dir.at("nested/w2"));
  put(dir.at("nested/meta"), pattern(1));
  put_variable(dir.at("nested"), "w3", two_floats, pattern(8));
  const auto opened = oneflow::open(dir.root());
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  REQUIRE(opened->size() == 1);
  CHECK(opened->view().model[0].name() == ckpt::name_view("w"));
  CHECK(opened->training.step == 0);
}

TEST_CASE("oneflow: out must be as large as its meta says") {
  const scratch dir;
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{9}}) {
    put_variable(dir.root(), "w", two_floats, pattern(size));
    const auto opened = oneflow::open(dir.root(), unfinished());
    CHECK(opened.error().kind == errc::size_mismatch);
    CHECK(opened.error().expected == 8);
    CHECK(opened.error().found == size);
    CHECK(test::mentions(opened.message(), "w/out"));
  }
}

TEST_CASE("oneflow: a damaged, huge or misplaced meta is named") {
  const scratch dir;
  put_variable(dir.root(), "w", "shape {", pattern(8));
  const auto opened = oneflow::open(dir.root(), unfinished());
  CHECK(opened.error().kind == errc::bad_syntax);
  CHECK(test::mentions(opened.message(), "w/meta"));
  put(dir.at("w/meta"), bytes(70000));
  CHECK(open_kind(dir.root(), unfinished()) == errc::limit_exceeded);
  fs::remove(dir.at("w/meta"));
  fs::create_directory(dir.at("w/meta"));
  CHECK(open_kind(dir.root(), unfinished()) == errc::not_a_regular_file);
  fs::remove(dir.at("w/meta"));
  fs::remove(dir.at("w/out"));
  fs::create_directory(dir.at("w/out"));
  put(dir.at("w/meta"), as_bytes(two_floats));
  CHECK(open_kind(dir.root(), unfinished()) == errc::not_a_regular_file);
}

TEST_CASE("oneflow: hostile names of directories are refused") {
  for (const char* name : {"a\\b", "a\nb", "\xFF"}) {
    const scratch dir;
    put_variable(dir.root(), name, two_floats, pattern(8));
    CHECK(open_kind(dir.root(), unfinished()) == errc::invalid_name);
  }
}

TEST_CASE("oneflow: a path with out in it is that one variable") {
  const scratch dir;
  put_variable(dir.root(), "w", two_floats, pattern(8));
  for (const char* end : {"w", "w/", "w//"}) {
    const auto opened = oneflow::open(dir.at(end));
    REQUIRE_MESSAGE(opened.ok(), opened.message());
    const ckpt::contents_view seen = opened->view();
    REQUIRE(seen.model.size() == 1);
    CHECK(seen.model[0].name() == ckpt::name_view("w"));
    CHECK(seen.bytes(0, 0).size() == 8);
  }
  CHECK(oneflow::open(dir.at("w/."))->view().model[0].name() == ckpt::name_view("variable"));
}

TEST_CASE("oneflow: without meta the model says shape and dtype, of slots by their weight") {
  const scratch dir;
  put(dir.at("snapshot_done"), {});
  put_variable(dir.root(), "w", "", pattern(8, 1));
  put_variable(dir.root(), "w-m", "", pattern(8, 2));
  put_variable(dir.root(), "w-v", "", pattern(8, 3));
  put_variable(dir.root(), "System-Train-TrainStep-a", "", hex("0700000000000000"));
  const auto refused = oneflow::open(dir.root());
  CHECK(refused.error().kind == errc::not_found);
  CHECK(test::mentions(refused.message(), "w/meta"));
  const ckpt::tensor_spec specs[] = {{"other", dtype::f32, {1}}, {"w", dtype::f32, {2}}};
  oneflow::open_options how;
  how.model.tensors = specs;
  const auto opened = oneflow::open(dir.root(), how);
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  const ckpt::contents_view seen = opened->view();
  REQUIRE(seen.model.size() == 1);
  CHECK(seen.optimizer.slot_count == 2);
  CHECK(seen.check().ok());
  CHECK(seen.training.step == 7);
  put_variable(dir.root(), "unknown", "", pattern(4));
  CHECK(open_kind(dir.root(), how) == errc::not_found);
}

TEST_CASE("oneflow: a variable is a slot only where its weight and all of its slots are there") {
  const scratch dir;
  for (const char* name : {"a", "a-m", "a-v", "b", "b-m", "c-m", "c-v"})
    put_variable(dir.root(), name, two_floats, pattern(8));
  put_variable(dir.root(), "d", two_floats, pattern(8));
  put_variable(dir.root(), "d-m", "shape { dim: 2 } data_type: kInt32", pattern(8));
  put_variable(dir.root(), "d-v", two_floats, pattern(8));
  const auto opened = oneflow::open(dir.root(), unfinished());
  REQUIRE_MESSAGE(opened.ok(), opened.message());
  const ckpt::contents_view seen = opened->view();
  CHECK(seen.check().ok());
  CHECK(seen.optimizer.slot_count == 2);
  names found;
  for (const ckpt::tensor_spec& tensor : seen.model) {
    found.emplace_back(std::string(tensor.name()));
    CHECK((tensor.purpose() == ckpt::role::trainable) == (found.back() == "a"));
  }
  CHECK(found == names{"a", "b", "b-m", "c-m", "c-v", "d", "d-m", "d-v"});

  oneflow::open_options plain = unfinished();
  plain.find_slots = false;
  const auto all = oneflow::open(dir.root(), plain);
  CHECK(all->size() == 10);
  CHECK(all->view().optimizer.slot_count == 0);
}

TEST_CASE("oneflow: a slot has no slots of its own") {
  const scratch dir;
  for (const char* name : {"w", "w-m", "w-v", "w-m-m", "w-m-v"})
    put_variable(dir.root(), name, two_floats, pattern(8));
  const auto opened = oneflow::open(dir.root(), unfinished());
  REQUIRE(opened.ok());
  CHECK(opened->size() == 3);
  CHECK(opened->view().check().ok());
}

TEST_CASE("oneflow: the optimizer is the one that explains the slots of the most variables") {
  const scratch dir;
  for (const char* name : {"a", "a-momentum", "b", "b-momentum", "c", "c-m", "c-v"})
    put_variable(dir.root(), name, two_floats, pattern(8));
  CHECK(oneflow::open(dir.root(), unfinished())->view().optimizer.name ==
        ckpt::name_view("momentum"));
  for (const char* name : {"d", "d-m", "d-v"})
    put_variable(dir.root(), name, two_floats, pattern(8));
  const auto opened = oneflow::open(dir.root(), unfinished());
  CHECK(opened->view().optimizer.name == ckpt::name_view("adam"));
  CHECK(opened->size() == 6);
}

TEST_CASE("oneflow: slots of an optimizer of one's own are found when it is named") {
  const scratch dir;
  for (const char* name : {"w", "w-trace"}) put_variable(dir.root(), name, two_floats, pattern(8));
  CHECK(oneflow::open(dir.root(), unfinished())->size() == 2);
  const ckpt::name_view slot_names[] = {"trace"};
  oneflow::open_options how = unfinished();
  how.optimizer.slot_count = 1;
  how.optimizer.name = "own";
  how.optimizer.slot_names = slot_names;
  const auto opened = oneflow::open(dir.root(), how);
  CHECK(opened->size() == 1);
  CHECK(opened->view().slot_name(0) == ckpt::name_view("trace"));
  how.optimizer = ckpt::view_of_optimizer<ckpt::adam>();
  CHECK(oneflow::open(dir.root(), how)->view().optimizer.slot_count == 0);
}

TEST_CASE("oneflow: LAMB is told by the powers of its betas, which stay tensors") {
  const scratch dir;
  for (const char* name : {"w", "w-m", "w-v"})
    put_variable(dir.root(), name, two_floats, pattern(8));
  const std::string power = "shape {\n  dim: 1\n}\ndata_type: kFloat\n";
  put_variable(dir.root(), "w-beta1_t", power, pattern(4));
  put_variable(dir.root(), "w-beta2_t", power, pattern(4));
  const auto opened = oneflow::open(dir.root(), unfinished());
  CHECK(opened->view().optimizer.name == ckpt::name_view("lamb"));
  CHECK(opened->size() == 3);
  CHECK(opened->view().model[1].purpose() == ckpt::role::frozen);
}

TEST_CASE("oneflow: the step is that of the only job, or of the one that is asked for") {
  const scratch dir;
  put_variable(dir.root(), "w", two_floats, pattern(8));
  put_variable(dir.root(), "System-Train-TrainStep-a", one_long, hex("0100000000000000"));
  CHECK(oneflow::open(dir.root(), unfinished())->training.step == 1);
  put_variable(dir.root(), "System-Train-TrainStep-b", one_long, hex("0200000000000000"));
  CHECK(open_kind(dir.root(), unfinished()) == errc::bad_training_state);
  oneflow::open_options how = unfinished();
  how.job = "b";
  const auto opened = oneflow::open(dir.root(), how);
  REQUIRE(opened.ok());
  CHECK(opened->training.step == 2);
  CHECK(opened->size() == 2);  // the other job's step is kept
  CHECK(opened->view().model[0].purpose() == ckpt::role::frozen);
  put_variable(dir.root(), "System-Train-TrainStep-b", one_long, hex("00000000000000ff"));
  CHECK(open_kind(dir.root(), how) == errc::bad_training_state);
  put_variable(dir.root(), "System-Train-TrainStep-b", two_floats, bytes(8));
  CHECK(open_kind(dir.root(), how) == errc::bad_training_state);
}

TEST_CASE("oneflow: what is opened survives a move and the removal of the tree") {
  const scratch dir;
  const ckpt::contents saved = sample<ckpt::adam>();
  REQUIRE(oneflow::save(dir.at("t"), saved.view()).ok());
  auto opened = oneflow::open(dir.at("t"));
  REQUIRE(opened.ok());
  const ckpt::contents moved = std::move(*opened);
  fs::remove_all(dir.at("t"));
  CHECK(same(saved, moved));
}
