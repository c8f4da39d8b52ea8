#include "ckpt/store/names.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ckpt::detail;

TEST_CASE("F18 only names of the exact own pattern are those of checkpoints") {
  CHECK(serial_of("checkpoint_0") == 0);
  CHECK(serial_of("checkpoint_10") == 10);
  CHECK(serial_of("checkpoint_999999999999999999") == max_serial);
  for (const char* foreign : {"checkpoint_0010",
                              "checkpoint_10-merged",
                              "checkpoint_10 (copy)",
                              "checkpoint_-5",
                              "checkpoint_+5",
                              "checkpoint_",
                              "checkpoint_00",
                              "checkpoint_12345678901234567890",
                              "checkpoint_1000000000000000000",
                              "checkpoint",
                              "checkpoint-10",
                              "Checkpoint_10",
                              "bar_77",
                              "foo",
                              "foo_bar_1",
                              "",
                              " checkpoint_1",
                              "checkpoint_1 ",
                              "checkpoint_1/",
                              "checkpoint_1e3",
                              "checkpoint_0x10",
                              ".checkpoint_1"}) {
    INFO(foreign);
    CHECK_FALSE(serial_of(foreign).has_value());
  }
}

TEST_CASE("working names are told from those of whole checkpoints") {
  CHECK(working_name(7) == ".checkpoint_7.ckpt-tmp");
  CHECK(working_serial_of(working_name(7)) == 7);
  CHECK_FALSE(serial_of(working_name(7)).has_value());
  CHECK_FALSE(working_serial_of("checkpoint_7").has_value());
  CHECK_FALSE(working_serial_of(".checkpoint_07.ckpt-tmp").has_value());
  CHECK_FALSE(working_serial_of(".ckpt-tmp").has_value());
  CHECK_FALSE(working_serial_of(".checkpoint_7.ckpt-tmp.bak").has_value());
}

TEST_CASE("parts of a checkpoint and what killed writers leave of them are known by name") {
  for (const char* part : {"model.ckpt", "_SUCCESS", "trainer_0", "trainer_4294967294"}) {
    INFO(part);
    CHECK(is_part_name(part));
    CHECK(is_left_over_name("." + std::string(part) + ".0.ckpt-tmp"));
  }
  for (const char* foreign : {"model.ckpt.bak", "trainer_", "trainer_01", "trainer_4294967295",
                              "notes.txt", "_success", ""}) {
    INFO(foreign);
    CHECK_FALSE(is_part_name(foreign));
    CHECK_FALSE(is_left_over_name("." + std::string(foreign) + ".0.ckpt-tmp"));
  }
  CHECK_FALSE(is_left_over_name(".model.ckpt.ckpt-tmp"));
  CHECK_FALSE(is_left_over_name("model.ckpt"));
}
