// Cases of kind W: paths and directories of any name, and a process that moves about.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cases.hpp"
#include "ckpt/codec/verify.hpp"

using ckpt::errc;
using namespace ckpt_test;
namespace fs = std::filesystem;

namespace {

/// Russian, Chinese, an emoji, a space, quotes, and a byte that is in no UTF-8.
const std::vector<std::string> strange_names = {"\xD0\xBC\xD0\xBE\xD0\xB4\xD0\xB5\xD0\xBB\xD1\x8C",
                                                "\xE6\xA8\xA1\xE5\x9E\x8B",
                                                "\xF0\x9F\x98\x80",
                                                "a b",
                                                "a'\"b",
                                                "\xFF"};

/// Saves, loads, maps and looks into a file in this directory.
void use_a_file(const fs::path& directory) {
  const fs::path file = directory / "a.ckpt";
  REQUIRE(ckpt::save(file, state_of(7)).ok());
  small_state loaded;
  REQUIRE(ckpt::load(file, loaded).ok());
  CHECK(is_of(loaded, 7));
  CHECK(ckpt::map<small, ckpt::adam>(file).ok());
  const auto mapping = ckpt::native_mapping::open(file);
  REQUIRE(mapping.ok());
  const ckpt::description said = ckpt::verify(mapping->bytes());
  CHECK(said.error.ok());
  CHECK(said.map.tensor_count == small::tensors.size());
}

/// The same for a managed run in it.
void use_a_manager(const fs::path& directory) {
  ckpt::manager_settings settings;
  settings.directory = directory / "run";
  settings.max_to_keep = 2;
  auto manager = small_manager::open(settings).or_throw();
  save_each(manager, {1, 2, 3});
  CHECK(fs::path(manager.directory().name().native()) == directory / "run");
  CHECK(serials_in(manager) == counters{1, 2});
  CHECK(manager.latest().or_throw().entry.step == 3);
  small_state loaded;
  REQUIRE(manager.load_latest(loaded).ok());
  CHECK(is_of(loaded, 3));
  const fs::path model(manager.directory().model_path(2).native());
  CHECK(model == directory / "run" / "checkpoint_2" / "model.ckpt");
  CHECK(fs::is_regular_file(model));
}

}  // namespace

TEST_CASE("W1 directories of any script, with spaces, quotes or a byte FF, come back unchanged") {
  const scratch here;
  for (const std::string& name : strange_names) {
    CAPTURE(name);
    const fs::path directory = fs::path(here.root()) / name;
    std::error_code refused;
    if (!fs::create_directory(directory, refused)) {
      MESSAGE("SKIP: this file system has no such names");
      continue;
    }
    use_a_file(directory);
    use_a_manager(directory);
    CHECK(fs::exists(directory));
    const auto found = here.names();
    CHECK(std::find(found.begin(), found.end(), name) != found.end());
    const auto absent = ckpt::load(directory / "absent.ckpt", *std::make_unique<small_state>());
    CHECK(absent.message().find(name) != std::string::npos);
  }
}

TEST_CASE("W3 four spellings mean one directory, wherever the process goes") {
  const scratch here;
  fs::create_directory(here.at("home"));
  fs::create_directory(here.at("away"));
  const int code = in_child([&] {
    std::uint64_t step = 1;
    for (const char* spelling : {"runs/a", "runs/a/", "./runs/a", "runs//a"}) {
      if (::chdir(here.at("home").c_str()) != 0) return 1;
      auto manager = small_manager::open(keeping(spelling, 9)).or_throw();
      const auto reader = reader_of(spelling);
      if (small_manager::open(keeping("runs/a", 9)).error().kind != errc::busy) return 2;
      if (::chdir(here.at("away").c_str()) != 0) return 3;
      if (manager.save(state_of(step)).or_throw().serial != step - 1) return 4;
      if (manager.latest().or_throw().entry.step != step) return 5;
      if (reader.latest().or_throw().entry.step != step) return 6;
      if (manager.directory().name().to_utf8() != here.at("home/runs/a")) return 7;
      ++step;
    }
    return 0;
  });
  CHECK(code == 0);
  CHECK(steps_in(here.at("home/runs/a")) == counters{1, 2, 3, 4});
  CHECK(fs::is_empty(here.at("away")));
  CHECK(std::distance(fs::directory_iterator(here.at("home")), {}) == 1);
  CHECK(std::distance(fs::directory_iterator(here.at("home/runs")), {}) == 1);
}
