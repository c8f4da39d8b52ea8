// Macros that a careless system header defines; ckpt must neither need nor touch these names. (The
// standard headers come first: some of them take such macros away.)
#include "all_standard_headers.hpp"
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#include "all_headers.hpp"
#if !defined(min) || !defined(max)
#error "a header has removed a macro of its user"
#endif
#undef min
#undef max

#include "shared_model.hpp"

int main() {
  shared_state state;
  state.weight<0>()[5] = 1.5F;
  state.training = {3, 1};
  const std::vector<std::byte> file = written_elsewhere(state);
  const auto opened =
      ckpt::reader<shared_model, ckpt::adam>::open(ckpt::bytes_view(file.data(), file.size()));
  shared_state loaded;
  if (!opened.ok() || !opened->load_into(loaded).ok()) return 1;
  return loaded.weight<0>()[5] == 1.5F && loaded.training == state.training ? 0 : 1;
}
