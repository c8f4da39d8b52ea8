// Checkpoints are the same in every locale, and their directories may have any name.
#include <doctest/doctest.h>

#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <string>
#include <vector>

#include "ckpt/store/trainer_member.hpp"
#include "sample.hpp"

using namespace ckpt_test;
using serials = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

namespace {

/// Puts the locale back.
class locale_keeper {
 public:
  locale_keeper() = default;
  locale_keeper(const locale_keeper&) = delete;
  locale_keeper& operator=(const locale_keeper&) = delete;
  ~locale_keeper() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
  }

 private:
  std::locale before_ = std::locale::classic();
};

bool has_comma() {
  return std::string(std::localeconv()->decimal_point) == ",";
}

/// Takes a locale with a decimal comma: one that is installed, or one made for the purpose.
bool take_locale_with_comma(const scratch& here) {
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "German"})
    if (std::setlocale(LC_ALL, name) != nullptr && has_comma()) return true;
#if defined(__linux__)
  const std::string make =
      "localedef -i de_DE -f UTF-8 '" + here.at("de_DE.UTF-8") + "' >/dev/null 2>&1";
  if (std::system(make.c_str()) != 0) return false;
  ::setenv("LOCPATH", here.root().c_str(), 1);
  const bool is_taken = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr && has_comma();
  ::unsetenv("LOCPATH");
  return is_taken;
#else
  static_cast<void>(here);
  return false;
#endif
}

/// Digits in groups, as streams and nothing else would write them.
struct grouped_digits : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

ckpt::trainer_arguments with_loss(double loss) {
  ckpt::trainer_arguments arguments;
  REQUIRE(arguments.set_real("loss", loss).ok());
  return arguments;
}

/// Makes three checkpoints and gives all of their texts.
std::string texts_of_a_run(const std::string& directory) {
  auto settings = keeping(directory, 1);
  settings.best = {"loss", ckpt::better::lower, 1};
  auto manager = small_manager::open(settings).or_throw();
  REQUIRE(manager.save(state_of(1234567, 1000), with_loss(1.25)).ok());
  REQUIRE(manager.save(state_of(1234568, 1000), with_loss(1.75)).ok());
  REQUIRE(manager.save(state_of(1234569, 1000), with_loss(1.5)).ok());
  CHECK(serials_in(manager) == serials{0, 2});
  std::string texts;
  for (const char* name : {"checkpoint_0/trainer_0", "checkpoint_0/_SUCCESS",
                           "checkpoint_2/trainer_0", "checkpoint_2/_SUCCESS"})
    texts += get_text(directory + "/" + name);
  return texts;
}

void check_readable(const std::string& directory) {
  const auto latest = ckpt::checkpoint_directory::open(directory)->latest();
  REQUIRE_MESSAGE(latest.ok(), latest.message());
  CHECK(latest->entry.step == 1234569);
  CHECK(*latest->entry.arguments.real("loss") == 1.5);
  CHECK(*latest->entry.arguments.text("loss") == "1.5");
}

}  // namespace

TEST_CASE("a checkpoint is the same to the last byte in a locale with a comma") {
  const scratch here;
  const locale_keeper after;
  const std::string plain = texts_of_a_run(here.at("plain"));
  if (!take_locale_with_comma(here)) {
    MESSAGE("no locale with a decimal comma on this system");
    return;
  }
  CHECK(texts_of_a_run(here.at("local")) == plain);
  check_readable(here.at("plain"));
  std::setlocale(LC_ALL, "C");
  check_readable(here.at("local"));
}

TEST_CASE("streams that group digits change nothing, nor messages with numbers") {
  const scratch here;
  const locale_keeper after;
  const std::string plain = texts_of_a_run(here.at("plain"));
  std::locale::global(std::locale(std::locale::classic(), new grouped_digits));
  CHECK(texts_of_a_run(here.at("local")) == plain);
  check_readable(here.at("local"));
  const auto missing = ckpt::checkpoint_directory::open(here.at("local"))->check(1234567);
  CHECK(missing.message().find("checkpoint_1234567") != std::string::npos);
}

TEST_CASE("trainers join in a directory of any name, and messages have that name in them") {
  const scratch here;
  std::vector<std::string> names = {
      "\xE8\xA8\x93\xE7\xB7\xB4", " ", "it's", "%s%n", "-rf", "checkpoint_3"};
#if defined(__linux__)
  names.insert(names.end(), {"\xFF", "a\nb", "\\", "*"});
#endif
  for (const std::string& name : names) {
    CAPTURE(name);
    auto settings = keeping(here.at(name), 1);
    settings.trainer_count = 2;
    settings.announce = [&](std::uint64_t serial) {
      const auto member = ckpt::trainer_member::open(here.at(name), 1).or_throw();
      CHECK(member.write(serial, {}).ok());
    };
    auto manager = small_manager::open(settings).or_throw();
    REQUIRE(manager.save(state_of(1)).ok());
    const auto member = ckpt::trainer_member::open(here.at(name), 1).or_throw();
    CHECK(member.load(0).ok());
    for (const std::string& message :
         {member.load(9).message(), member.write(9, {}).message(),
          manager.directory().check(9).message(), small_manager::open(settings).message()})
      CHECK(message.find(here.at(name)) != std::string::npos);
    REQUIRE(manager.clear_and_close().ok());
  }
  CHECK(here.names().empty());
}

TEST_CASE("values of trainers are any bytes, and keys may be in any language") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte += static_cast<char>(i);
  ckpt::trainer_arguments arguments;
  REQUIRE(arguments.set_text("\xE9\x8D\xB5", every_byte).ok());
  REQUIRE(arguments.set_text("broken \xFF", "").ok());
  REQUIRE(manager.save(state_of(1), arguments).ok());
  const auto latest = manager.latest().or_throw();
  CHECK(*latest.entry.arguments.text("\xE9\x8D\xB5") == every_byte);
  CHECK(latest.entry.arguments.text("broken \xFF")->empty());
}

TEST_CASE("names of entries that are no text are passed over") {
#if defined(__linux__)
  const scratch here;
  const std::vector<std::string> foreign = {"\xFF", "checkpoint_\xFF", "checkpoint_1\xFF",
                                            ".checkpoint_\xFF.ckpt-tmp", "checkpoint_\xD9\xA1"};
  for (const std::string& name : foreign) {
    fs::create_directories(here.at("run/" + name));
    put(here.at("run/" + name + "/model.ckpt"), bytes(4));
  }
  auto manager = small_manager::open(keeping(here.at("run"), 1)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  REQUIRE(manager.save(state_of(2)).ok());
  CHECK(serials_in(manager) == serials{1});
  CHECK(manager.latest().or_throw().skipped.size() == 3);
  REQUIRE(manager.clear().ok());
  for (const std::string& name : foreign) CHECK(fs::exists(here.at("run/" + name + "/model.ckpt")));
#endif
}
