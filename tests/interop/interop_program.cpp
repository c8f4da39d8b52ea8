// Writes and reads others' containers for the checks beside it, which are written in Python and
// know nothing of ckpt:
//   write_npy DIRECTORY            a file for each dtype and for some shapes, by
//   ckpt::npy::save_all read_npy FILE                  dtype, shape and bytes, or exit status 1 and
//   a message write_safetensors FILE         a checkpoint with slots, a frozen and an absent tensor
//   read_safetensors FILE          the same for every tensor of every section, then the counters
//   copy_safetensors FROM TO       there and back
#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include "ckpt/interop/npy.hpp"
#include "ckpt/interop/npy_directory.hpp"
#include "ckpt/interop/safetensors.hpp"

namespace {

using ckpt::dtype;
using ckpt::role;

/// 0, 1, 2, 3, 4, 5 as elements of a dtype; booleans are false, then true.
std::vector<std::byte> first_six(dtype type) {
  constexpr std::uint64_t halves[] = {0, 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500};
  constexpr std::uint64_t brains[] = {0, 0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0};
  std::vector<std::byte> made;
  for (std::size_t i = 0; i < 6; ++i) {
    std::uint64_t word = i;
    if (type == dtype::boolean) word = i > 0 ? 1 : 0;
    if (type == dtype::f16) word = halves[i];
    if (type == dtype::bf16) word = brains[i];
    if (type == dtype::f32) word = brains[i] << 16U;
    if (type == dtype::f64) {
      const auto number = static_cast<double>(i);
      std::memcpy(&word, &number, sizeof word);
    }
    for (std::size_t k = 0; k < ckpt::byte_width(type); ++k)
      made.push_back(static_cast<std::byte>((word >> (8 * k)) & 0xFFU));
  }
  return made;
}

/// Adds a tensor whose elements count on from `first`, as bytes.
void add(ckpt::contents& to, const char* name, dtype type, const ckpt::shape& extents,
         role purpose) {
  const ckpt::tensor_form form(type, extents);
  const std::size_t index = to.size();
  const auto bytes_of = [&](std::size_t section) {
    std::vector<std::byte> made(static_cast<std::size_t>(form.byte_size()));
    for (std::size_t k = 0; k < made.size(); ++k)
      made[k] = static_cast<std::byte>((k * 7 + index * 31 + section * 101) & 0xFFU);
    return to.keep(std::move(made));
  };
  to.add(name, form, purpose, purpose == role::absent ? ckpt::bytes_view() : bytes_of(0));
  for (std::size_t s = 0; s < to.slot_count() && purpose == role::trainable; ++s)
    to.set_slot(s, index, form, bytes_of(1 + s));
}

ckpt::contents sample() {
  ckpt::contents made;
  made.set_optimizer("adam", {"m", "v"});
  add(made, "input", dtype::f32, {1, 4}, role::absent);
  add(made, "fc.weight", dtype::f32, {4, 3}, role::trainable);
  add(made, "fc.bias", dtype::f16, {3}, role::trainable);
  add(made, "m/fc.bias", dtype::u8, {3}, role::trainable);
  add(made, "table \"\xC3\xA4\"", dtype::i64, {}, role::frozen);
  add(made, "nothing", dtype::bf16, {2, 0}, role::trainable);
  made.training.step = 1234;
  made.training.epoch = 7;
  made.training.learning_rate = 0.001;
  return made;
}

void print_tensor(const std::string& head, const ckpt::tensor_form& form, ckpt::bytes_view data) {
  std::string line = head + std::string(ckpt::name(form.type())) + " ";
  ckpt::detail::append_shape(line, form.extents());
  line += " ";
  for (const std::byte b : data) ckpt::detail::append_hex(line, static_cast<std::uint64_t>(b), 2);
  std::puts(line.c_str());
}

int failed(const std::string& message) {
  std::puts(message.c_str());
  return 1;
}

int write_npy(const char* directory) {
  ckpt::contents made;
  for (std::size_t i = 0; i < ckpt::dtype_count; ++i) {
    const auto type = static_cast<dtype>(i);
    made.add(std::string(ckpt::name(type)), {type, {2, 3}}, role::trainable,
             made.keep(first_six(type)));
  }
  add(made, "scalar", dtype::f32, {}, role::trainable);
  add(made, "line", dtype::f64, {5}, role::trainable);
  add(made, "nothing", dtype::i16, {3, 0, 2}, role::trainable);
  add(made, "deep", dtype::u8, {1, 2, 1, 2, 1, 2, 1, 2}, role::trainable);
  const auto saved = ckpt::npy::save_all(directory, made.view());
  return saved.ok() ? 0 : failed(saved.message());
}

int read_npy(const char* name) {
  const auto opened = ckpt::npy::open(name, ckpt::npy::two_bytes::bf16);
  if (!opened.ok()) return failed(opened.message());
  print_tensor("", opened->form, opened->data);
  return 0;
}

int read_safetensors(const char* name) {
  const auto opened = ckpt::safetensors::open(name);
  if (!opened.ok()) return failed(opened.message());
  const ckpt::contents_view view = opened->view();
  for (std::size_t s = 0; s < view.section_count(); ++s) {
    for (std::size_t i = 0; i < view.model.size(); ++i) {
      std::string head = std::to_string(s) + " ";
      ckpt::json::append_string(head, view.model[i].name());
      print_tensor(head + " ", view.form(s, i), view.bytes(s, i));
    }
  }
  std::printf("step %" PRIu64 " epoch %" PRIu64 "\n", view.training.step, view.training.epoch);
  return 0;
}

int copy_safetensors(const char* from, const char* to) {
  const auto opened = ckpt::safetensors::open(from);
  if (!opened.ok()) return failed(opened.message());
  const auto saved = ckpt::safetensors::save(to, opened->view());
  return saved.ok() ? 0 : failed(saved.message());
}

int write_safetensors(const char* name) {
  const auto saved = ckpt::safetensors::save(name, sample().view());
  return saved.ok() ? 0 : failed(saved.message());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  if (argc == 3 && task == "write_npy") return write_npy(argv[2]);
  if (argc == 3 && task == "read_npy") return read_npy(argv[2]);
  if (argc == 3 && task == "write_safetensors") return write_safetensors(argv[2]);
  if (argc == 3 && task == "read_safetensors") return read_safetensors(argv[2]);
  if (argc == 4 && task == "copy_safetensors") return copy_safetensors(argv[2], argv[3]);
  std::puts("usage: interop_program write_npy|read_npy|write_safetensors|read_safetensors FILE");
  return 2;
}
