#include "ckpt/store/trainer_arguments.hpp"

#include <doctest/doctest.h>

#include <clocale>
#include <cstdint>
#include <limits>
#include <string>

using ckpt::errc;
using ckpt::trainer_arguments;

TEST_CASE("arguments are lines of key and value, epoch and step first") {
  trainer_arguments arguments;
  arguments.step = 120;
  arguments.epoch = 3;
  REQUIRE(arguments.set_text("host", "node 7").ok());
  REQUIRE(arguments.set_integer("cursor", -5).ok());
  REQUIRE(arguments.set_real("loss", 0.25).ok());
  CHECK(arguments.encode() == "epoch=3\nstep=120\nhost=node 7\ncursor=-5\nloss=0.25\n");
  const auto read = trainer_arguments::decode(arguments.encode());
  REQUIRE(read.ok());
  CHECK(read->step == 120);
  CHECK(read->epoch == 3);
  CHECK(*read->text("host") == "node 7");
  CHECK(*read->integer("cursor") == -5);
  CHECK(*read->real("loss") == 0.25);
  CHECK(read->text("other").error().kind == errc::no_such_value);
  CHECK(read->integer("host").error().kind == errc::wrong_value_type);
  CHECK(read->real("host").error().kind == errc::wrong_value_type);
}

TEST_CASE("any text comes back as it was, and a value is replaced in its place") {
  trainer_arguments arguments;
  const std::string odd = "a=b\nc\\n\r\xFF\x01 ";
  REQUIRE(arguments.set_text("odd", "first").ok());
  REQUIRE(arguments.set_text("empty", "").ok());
  REQUIRE(arguments.set_text("odd", odd).ok());
  const auto read = trainer_arguments::decode(arguments.encode());
  REQUIRE(read.ok());
  CHECK(read->size() == 2);
  CHECK(*read->text("odd") == odd);
  CHECK(read->text("empty")->empty());
  CHECK(read->values().front().first == "odd");
}

TEST_CASE("keys that would not be read again are refused") {
  trainer_arguments arguments;
  for (const char* key : {"", "step", "epoch", "a=b", "a\nb", " a", "a ", "a\tb"}) {
    INFO(key);
    CHECK(arguments.set_text(key, "x").kind == errc::invalid_name);
  }
  CHECK(arguments.size() == 0);
}

TEST_CASE("arguments that are cut or garbled are refused with the byte of the line") {
  for (const char* lines :
       {"", "epoch=1\n", "epoch=1\nstep=2", "step=2\nepoch=1\n", "epoch=-1\nstep=2\n",
        "epoch=1\nstep=18446744073709551616\n", "epoch=1\nstep=2\nx\n", "epoch=1\nstep=2\n=3\n",
        "epoch=1\nstep=2\na=1\na=2\n", "epoch=1\nstep=2\na=\\\n", "epoch=1\nstep=2\na=\\t\n",
        "epoch=1\nstep=2\nstep=3\n", "epoch=1\nstep=2\n\n"}) {
    INFO(lines);
    CHECK(trainer_arguments::decode(lines).error().kind == errc::bad_syntax);
  }
  CHECK(trainer_arguments::decode("epoch=1\nstep=2\na=1\nb\n").error().offset == 19);
}

TEST_CASE("counters of 64 bits come back") {
  trainer_arguments arguments;
  arguments.step = (std::numeric_limits<std::uint64_t>::max)();
  arguments.epoch = std::uint64_t{1} << 32;
  const auto read = trainer_arguments::decode(arguments.encode());
  REQUIRE(read.ok());
  CHECK(read->step == arguments.step);
  CHECK(read->epoch == arguments.epoch);
}

TEST_CASE("reals come back to the last bit, also in a locale with a comma") {
  const char* const locales[] = {"C", "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
  const double numbers[] = {0.1,
                            1.0 / 3.0,
                            -0.0,
                            1e-310,
                            1.7976931348623157e308,
                            123456.75,
                            std::numeric_limits<double>::infinity()};
  for (const char* locale : locales) {
    if (std::setlocale(LC_ALL, locale) == nullptr) continue;
    for (const double number : numbers) {
      trainer_arguments arguments;
      REQUIRE(arguments.set_real("x", number).ok());
      CHECK(arguments.text("x")->find(',') == std::string_view::npos);
      const auto read = trainer_arguments::decode(arguments.encode());
      REQUIRE(read.ok());
      CHECK(*read->real("x") == number);
    }
  }
  std::setlocale(LC_ALL, "C");
  trainer_arguments arguments;
  REQUIRE(arguments.set_real("x", std::numeric_limits<double>::quiet_NaN()).ok());
  CHECK(*arguments.real("x") != *arguments.real("x"));
}
