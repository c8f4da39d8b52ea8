// A program whose own names are those of ckpt's vocabulary, at global scope, gets no warning from
// the headers: GCC looks at global names when it instantiates a template, and would say that ours
// shadow them.
#include "all_headers.hpp"

struct model {
  static constexpr auto tensors =
      ckpt::tensors({{"w", ckpt::dtype::f32, {4, 3}}, {"b", ckpt::dtype::f32, {4}}});
};
using layout = ckpt::layout<model, ckpt::adam>;
using optimizer = ckpt::adam;
using format = ckpt::onert;

static ckpt::state<model, optimizer> state;
static ckpt::state_view<model, optimizer> view;
static const ckpt::writer<model, optimizer> writer;
static const char* const path = "names_of_users.ckpt";
static std::byte file[layout::file_bytes];
static int reader, mapped, mapping, sink, source, target, options, slot, section, step, epoch;
static int bytes, memory, elements, size, count, offset, tensor, weight, weights, slots, table;
static int header, footer, status, result, value, report, message, data, buffer, checkpoint;

int main() {
  view.training = state.training;
  state.weight<0>()[0] = 1.0F;
  if (!writer.write_to(state, ckpt::bytes_span(file)).ok()) return 1;
  const auto opened = ckpt::reader<model, optimizer, format>::open(ckpt::bytes_view(file));
  if (!opened.ok() || !opened->load_into(state).ok()) return 1;
  if (!opened->weight_as<float>(0).ok() && !opened->slot_as<float>(0, 0).ok()) return 1;
  ckpt::const_state_view<model, optimizer> views;
  if (!opened->bind_to(views).ok()) return 1;
  if (!ckpt::save(path, state).ok() || !ckpt::load(path, state, ckpt::cold_slots).ok()) return 1;
  if (!ckpt::map<model, optimizer>(path).ok()) return 1;
  std::remove(path);
  const ckpt::dynamic_model live(ckpt::view_of<model>().tensors);
  ckpt::state<ckpt::dynamic_model, optimizer> dynamic(live);
  if (!ckpt::save(path, dynamic).ok() || !ckpt::load(path, dynamic).ok()) return 1;
  std::remove(path);
  return reader + mapped + mapping + sink + source + target + options + slot + section + step +
         epoch + bytes + memory + elements + size + count + offset + tensor + weight + weights +
         slots + table + header + footer + status + result + value + report + message + data +
         buffer + checkpoint;
}
