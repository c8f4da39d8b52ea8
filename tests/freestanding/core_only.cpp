// Everything of the core that a firmware uses, in one object file: it may not ask for a heap, for
// exceptions, for stdio or for run-time type information.
#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors =
      ckpt::tensors({{"w", ckpt::dtype::f32, {4, 3}}, {"b", ckpt::dtype::f32, {4}}});
};

using layout = ckpt::layout<model, ckpt::adam>;
using state = ckpt::state_view<model, ckpt::adam>;

bool save_to(const state& from, ckpt::bytes_span memory);
bool load_from(ckpt::bytes_view file, state& to);
bool load_dynamic(ckpt::bytes_view file, ckpt::span<const ckpt::tensor_spec> specs,
                  ckpt::span<std::uint32_t> words);
bool is_sound(ckpt::bytes_view file, ckpt::span<ckpt::table_entry> entries, ckpt::text& message);
bool save_named(const state& from, ckpt::bytes_span memory);
bool load_named(ckpt::bytes_view file, state& to);
bool load_by_name(const ckpt::contents_view& from, state& to, ckpt::span<ckpt::match_entry> memory);

bool save_to(const state& from, ckpt::bytes_span memory) {
  return ckpt::writer<model, ckpt::adam>().write_to(from, memory).ok();
}

bool load_from(ckpt::bytes_view file, state& to) {
  const auto opened = ckpt::reader<model, ckpt::adam>::open(file);
  return opened.ok() && opened->load_into(to).ok();
}

bool load_dynamic(ckpt::bytes_view file, ckpt::span<const ckpt::tensor_spec> specs,
                  ckpt::span<std::uint32_t> words) {
  const ckpt::dynamic_model live(specs);
  const auto made = ckpt::layout<ckpt::dynamic_model, ckpt::sgd>::make(live, words);
  return made.ok() && ckpt::reader<ckpt::dynamic_model, ckpt::sgd>::open(*made, file).ok();
}

bool is_sound(ckpt::bytes_view file, ckpt::span<ckpt::table_entry> entries, ckpt::text& message) {
  const ckpt::description said = ckpt::verify(file);
  if (said.is_named) ckpt::list_entries(file, said.map, 0, entries);
  message = said.error.message();
  return said.error.ok();
}

bool save_named(const state& from, ckpt::bytes_span memory) {
  return ckpt::writer<model, ckpt::adam, ckpt::onert_plus>().write_to(from, memory).ok() &&
         ckpt::writer<model, ckpt::adam, ckpt::v2>().write_to(from, memory).ok();
}

bool load_named(ckpt::bytes_view file, state& to) {
  const auto opened = ckpt::reader<model, ckpt::adam, ckpt::v2>::open(file);
  return opened.ok() && opened->load_into(to).ok();
}

bool load_by_name(const ckpt::contents_view& from, state& to,
                  ckpt::span<ckpt::match_entry> memory) {
  return ckpt::load_by_name(from, to, ckpt::common_names, memory).ok();
}
