#ifndef CKPT_TOOL_CONVERT_HPP
#define CKPT_TOOL_CONVERT_HPP

#include <optional>
#include <string>

#include "arrangement.hpp"
#include "command_line.hpp"
#include "exit_status.hpp"
#include "formats.hpp"
#include "held_json.hpp"
#include "section_names.hpp"
#include "target_path.hpp"
#include "write_output.hpp"

/// `ckpt convert IN OUT`
namespace tool {

/// A conversion, step by step.
class conversion {
 public:
  conversion(const request& asked, const hints& said) : asked_(asked), said_(said) {}

  int run() {
    ckpt::status done = choose_format();
    if (done.ok())
      done = check_target(out(), in(), asked_.force, is_directory_format(*to_, out()), words_);
    if (done.ok()) done = convert();
    if (asked_.json) {
      put_json(done);
    } else if (done.ok()) {
      put_text();
    }
    if (!done.ok()) complain("ckpt: " + shown(words_) + "\n");
    return is_usage_ ? exit_trouble : exit_code_of(done);
  }

 private:
  [[nodiscard]] const std::string& in() const { return asked_.words[0]; }
  [[nodiscard]] const std::string& out() const { return asked_.words[1]; }

  ckpt::status misused(const std::string& why) {
    is_usage_ = true;
    words_ = why;
    return ckpt::fail(ckpt::errc::invalid_rules);
  }

  ckpt::status choose_format() {
    to_ = asked_.to.empty() ? format_of_file(out()) : format_named(asked_.to);
    if (!asked_.to.empty() && !to_)
      return misused("--to takes one of " + format_list() + ", not " + asked_.to);
    if (!to_)
      return misused("the name '" + out() + "' does not say which format is wanted: --to takes " +
                     "one of " + format_list());
    if (asked_.slots.find("zero") != std::string::npos && asked_.optimizer.empty())
      return misused("--slots zero needs --optimizer, which says what slots there are");
    return {};
  }

  ckpt::status convert() {
    auto opened = open_source(in(), said_);
    if (!opened.ok()) return failed(opened.error(), opened.message());
    from_ = &*opened;
    if (opened->names == naming::positions) complain("ckpt: " + naming_note(in()) + "\n");
    if (!opened->has_counters)
      complain("ckpt: '" + shown(in()) + "' has no step and no epoch; both are 0 from now on\n");
    wishes wanted;
    if (const ckpt::status understood = understand(wanted); !understood.ok()) return understood;
    arrangement arranged(*opened, wanted);
    if (const ckpt::status made = arranged.run(); !made.ok()) return failed(made, arranged.words());
    output_writer writer(out(), arranged.view(), asked_.drop_training_state);
    const ckpt::status written = writer.write(*to_);
    if (!written.ok()) return failed(written, writer.words());
    remember(arranged.view(), writer.bytes());
    return {};
  }

  /// What the options mean for the file that is open.
  ckpt::status understand(wishes& wanted) {
    if (!asked_.map.empty()) {
      auto map = open_map(asked_.map);
      if (!map.ok()) return failed(map.error(), map.message());
      wanted.map = std::move(*map);
    }
    const bool has_own_names = from_->names == naming::file;
    if (has_own_names && !asked_.model.empty()) wanted.model = said_.model;
    if (!asked_.optimizer.empty()) wanted.slots.optimizer = said_.optimizer;
    wanted.slots.drop = asked_.slots.find("drop") != std::string::npos;
    wanted.slots.zero = asked_.slots.find("zero") != std::string::npos;
    wanted.drop_training_state = asked_.drop_training_state;
    return {};
  }

  ckpt::status failed(const ckpt::status& error, const std::string& why) {
    words_ = why;
    return error;
  }

  /// Keeps what is told of a conversion that is done.
  void remember(const ckpt::contents_view& view, std::uint64_t bytes) {
    from_format_ = from_->format;
    names_ = from_->names;
    slots_ = slot_list(view);
    for (std::size_t s = 0; s < view.optimizer.slot_count; ++s)
      slot_names_.push_back(slot_text(view, s));
    optimizer_ = string_of(view.optimizer.name);
    tensors_ = view.model.size();
    training_ = view.training;
    bytes_ = bytes;
  }

  void put_text() const {
    put(shown(in()) + " (" + from_format_ + ") -> " + shown(out()) + " (" +
        std::string(name(*to_)) + "): " + counted(tensors_, "tensor") + ", slots " + slots_ +
        ", step " + grouped(training_.step) + ", " + size_words(bytes_) + "\n");
  }

  void put_json(const ckpt::status& done) const {
    json_writer json;
    json.object();
    json.member("input", in());
    json.member("output", out());
    json.member("converted", done.ok());
    if (done.ok()) {
      json.member("input_format", from_format_);
      json.member("output_format", name(*to_));
      json.member("names", name(names_));
      json.member("tensor_count", tensors_);
      json.member("optimizer", optimizer_);
      json.array("slots", json_writer::style::one_line);
      for (const std::string& slot : slot_names_) json.element(slot);
      json.end();
      json.member("step", training_.step);
      json.member("epoch", training_.epoch);
      json.member("bytes", bytes_);
    } else {
      put_json_error(json, done, words_);
    }
    json.end();
  }

  const request& asked_;
  const hints& said_;
  std::optional<format> to_;
  const source* from_ = nullptr;
  bool is_usage_ = false;
  std::string words_;
  std::string from_format_;
  naming names_ = naming::file;
  std::string slots_;
  std::vector<std::string> slot_names_;
  std::string optimizer_;
  std::size_t tensors_ = 0;
  ckpt::training_state training_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace tool

#endif  // CKPT_TOOL_CONVERT_HPP
