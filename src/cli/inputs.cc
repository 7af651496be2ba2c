#include "cli/inputs.h"

#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/boost_json.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/random.h"
#include "cli/sandboxes.h"
#include "cli/standard_input.h"
#include "engine/real_files.h"
#include "text/place.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

/// Only a whole JSON object or list counts: `{production}.json` is a file's name.
bool is_inline_json(std::string_view value) {
  const std::string_view text = trim(value);
  if (!text.starts_with('{') && !text.starts_with('[')) return false;
  boost::system::error_code error;
  boost::json::parse(text, error);
  return !error;
}

/// Where the text stops being JSON and why, in words; nullopt if it never does.
std::optional<std::string> find_json_stop(std::string_view text) {
  text = without_byte_order_mark(text);
  boost::json::stream_parser parser;
  boost::system::error_code error;
  std::size_t read = parser.write_some(text.data(), text.size(), error);
  std::string why = error ? error.message() : "";
  if (!error && read < text.size()) why = "something follows the value";
  if (why.empty()) parser.finish(error);
  if (why.empty() && error) why = "it ends too early";
  if (why.empty()) return std::nullopt;
  return fmt::format("{}: {}", place_in_words(text, read), why);
}

const InputDecl* declared(const Workflow& workflow, const std::string& name) {
  const auto found = std::ranges::find(workflow.inputs, name, &InputDecl::name);
  return found == workflow.inputs.end() ? nullptr : &*found;
}

bool is_declared_json(const Workflow& workflow, const std::string& name) {
  const InputDecl* input = declared(workflow, name);
  return input != nullptr && input->type == "json";
}

void check_is_json(const std::string& name, const std::string& from, std::string_view text, const Place& place,
                   Faults& faults) {
  const auto stop = find_json_stop(text);
  if (!stop) return;
  faults.push_back({"input-not-json", fmt::format("input '{}' has to be JSON: {} is not, at {}", name, from, *stop),
                    "mend it there, or declare the input without 'type: json'", place});
}

Expected<std::string> content_of(const GivenInput& input) {
  if (input.is_json || input.is_piped) return input.value;
  auto text = RealFiles{}.read(input.value, Limits::output_bytes_max);
  if (!text) return std::unexpected(text.error());
  if (!*text) return fault("input-not-found", fmt::format("there is no file '{}'", input.value));
  return std::move(**text);
}

Fault bad_input(std::string message, std::string help) { return {"bad-input", std::move(message), std::move(help)}; }

}  // namespace

std::vector<GivenInput> parse_inputs(const std::vector<std::string>& given, const std::string& file, Faults& faults) {
  std::vector<std::string> all = given;
  if (!file.empty()) all.insert(all.begin(), "content=" + file);
  std::vector<GivenInput> inputs;
  for (const std::string& text : all) {
    const auto equals = text.find('=');
    const std::string help = "write --input NAME=VALUE, where VALUE is a file, inline JSON, or - for standard input";
    if (equals == std::string::npos) {
      faults.push_back(bad_input(fmt::format("'{}' has no '='", text), help));
      continue;
    }
    GivenInput input{text.substr(0, equals), text.substr(equals + 1)};
    if (input.name.empty()) {
      faults.push_back(bad_input(fmt::format("'{}' has no name before the '='", text), help));
    } else if (input.value.empty()) {
      faults.push_back(bad_input(fmt::format("input '{}' has no value after the '='", input.name), help));
    } else if (!is_id(input.name)) {
      faults.push_back(bad_input(fmt::format("'{}' cannot be an input's name", input.name),
                                 "a name has letters, digits, '_', '-' and '.'"));
    } else if (std::ranges::any_of(inputs, [&](const GivenInput& i) { return i.name == input.name; })) {
      faults.push_back(
          {"duplicate-input", fmt::format("input '{}' is given twice", input.name), "give each input once"});
    } else {
      input.is_json = is_inline_json(input.value);
      input.is_piped = input.value == "-";
      inputs.push_back(std::move(input));
    }
  }
  return inputs;
}

void read_piped(std::vector<GivenInput>& given, const std::vector<std::string>& others, Faults& faults) {
  std::vector<std::string> wanting = others;
  GivenInput* reader = nullptr;
  for (GivenInput& input : given) {
    if (!input.is_piped) continue;
    wanting.push_back(fmt::format("input '{}'", input.name));
    reader = &input;
  }
  if (wanting.size() > 1) {
    faults.push_back({"stdin-used-twice",
                      fmt::format("standard input can be read once, but is given for {}", join(wanting, " and ")),
                      "give a file for all but one of them"});
    return;
  }
  if (reader == nullptr || has_errors(faults)) return;
  auto text = read_standard_input(Limits::output_bytes_max);
  if (text) {
    reader->value = std::move(*text);
    return;
  }
  text.error().message = fmt::format("input '{}': {}", reader->name, text.error().message);
  faults.push_back(std::move(text.error()));
}

void check_given(const Workflow& workflow, const std::vector<GivenInput>& given, Faults& faults) {
  std::vector<std::string> names;
  for (const InputDecl& d : workflow.inputs) names.push_back(d.name);
  for (const GivenInput& input : given) {
    const InputDecl* declaration = declared(workflow, input.name);
    if (declaration == nullptr && !(names.empty() && input.name == "content")) {
      const std::string near = nearest(input.name, names);
      faults.push_back(
          {"unknown-input", fmt::format("workflow '{}' declares no input '{}'", workflow.plan.workflow, input.name),
           names.empty()
               ? "it declares none; --file (or -i content=F) is always taken"
               : fmt::format("{}declared inputs: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                             join(names, ", "))});
    }
    std::error_code error;
    const bool is_file = !input.is_json && !input.is_piped;
    if (is_file && !fs::is_regular_file(input.value, error)) {
      const bool is_folder = fs::is_directory(input.value, error);
      faults.push_back({"input-not-found",
                        is_folder ? fmt::format("input '{}': '{}' is a folder, not a file", input.name, input.value)
                                  : fmt::format("input '{}': there is no file '{}'", input.name, input.value),
                        "give a file's path, or inline JSON"});
    } else if (declaration != nullptr && declaration->type == "json" && !input.is_json) {
      const auto text = content_of(input);
      if (!text) {
        faults.push_back(text.error());
      } else {
        check_is_json(input.name, is_file ? fmt::format("'{}'", input.value) : "what came on standard input", *text, {},
                      faults);
      }
    }
  }
}

void check_required(const Workflow& workflow, const std::vector<GivenInput>& given,
                    const std::map<std::string, std::string>& there, Faults& faults) {
  for (const InputDecl& d : workflow.inputs) {
    const bool has =
        there.contains(d.name) || std::ranges::any_of(given, [&](const GivenInput& i) { return i.name == d.name; });
    if (has) continue;
    if (d.default_value) {
      if (d.type == "json") check_is_json(d.name, "its default", *d.default_value, d.place, faults);
    } else if (d.required) {
      faults.push_back({"missing-input", fmt::format("input '{}' is required", d.name),
                        fmt::format("give it with --input {}=FILE{}", d.name,
                                    d.description.empty() ? "" : fmt::format(" ({})", d.description)),
                        d.place});
    }
  }
}

void refuse_replaced(const std::string& sandbox, const std::vector<GivenInput>& given,
                     const std::map<std::string, std::string>& there, Faults& faults) {
  for (const GivenInput& input : given) {
    if (!there.contains(input.name)) continue;
    faults.push_back({"input-already-there",
                      fmt::format("sandbox '{}' has its input '{}' already", sandbox, input.name),
                      fmt::format("leave it out to go on with that one, or start anew without --sandbox-id; it is {}",
                                  there.at(input.name))});
  }
}

std::string new_sandbox_id(const Project& project, const std::string& workflow, const std::vector<GivenInput>& given,
                           const std::string& file, Time now) {
  std::string source = workflow;
  if (!file.empty() && file != "-") {
    source = fs::path{file}.stem().string();
  } else if (!given.empty()) {
    source = given.front().name;
  }
  std::string name = slug(source);
  if (name.empty()) name = "run";
  for (;;) {
    std::string id = fmt::format("{}-{}-{}", name, rfc3339(now).substr(0, 10), random_word(4));
    std::error_code error;
    if (!fs::exists(fs::path{project.root()} / "sandbox" / id, error)) return id;
  }
}

std::string input_path(const std::string& sandbox, const std::string& name, bool is_json) {
  return fmt::format("sandbox/{}/inputs/{}.{}", sandbox, name, is_json ? "json" : "md");
}

std::optional<std::string> GivenValues::input(const std::string& name) const {
  const auto [known, is_new] = texts_.try_emplace(name);
  if (is_new) known->second = read(name);
  return known->second;
}

std::string GivenValues::path_of_input(const std::string& name) const {
  const auto there = there_.find(name);
  if (there != there_.end()) return there->second;
  const auto given = std::ranges::find(given_, name, &GivenInput::name);
  return given == given_.end() ? std::string{} : input_path(sandbox_, name, given->is_json);
}

std::optional<std::string> GivenValues::read(const std::string& name) const {
  if (const auto there = there_.find(name); there != there_.end()) {
    auto text = RealFiles{}.read(project_.root() + "/" + there->second, Limits::output_bytes_max);
    return text ? *text : std::nullopt;
  }
  const auto given = std::ranges::find(given_, name, &GivenInput::name);
  if (given == given_.end() || given->is_piped) return std::nullopt;
  auto text = content_of(*given);
  return text ? std::optional{std::move(*text)} : std::nullopt;
}

bool is_file_of(const std::vector<GivenInput>& given, const std::string& sandbox, const std::string& path) {
  return std::ranges::any_of(given, [&](const GivenInput& input) {
    return path == input_path(sandbox, input.name, false) || path == input_path(sandbox, input.name, true);
  });
}

Status copy_inputs(const Project& project, const std::string& sandbox, const Workflow& workflow,
                   const std::vector<GivenInput>& given, Ending ending) {
  for (const GivenInput& input : given) {
    const auto content = content_of(input);
    if (!content) return std::unexpected(content.error());
    const bool is_json = is_declared_json(workflow, input.name) || (ending == Ending::as_given && input.is_json);
    const std::string path = project.root() + "/" + input_path(sandbox, input.name, is_json);
    if (auto wrote = RealFiles{}.write(path, *content); !wrote) return wrote;
  }
  return {};
}

Status fill_sandbox(const Project& project, const std::string& sandbox, const Workflow& workflow,
                    const std::vector<GivenInput>& given) {
  const std::string folder = project.root() + "/sandbox/" + sandbox;
  for (const char* part : {"inputs", "outputs", "logs"}) {
    std::error_code error;
    fs::create_directories(folder + "/" + part, error);
    if (error) return fault("file-failed", fmt::format("cannot make {}/{}: {}", folder, part, error.message()));
  }
  if (auto copied = copy_inputs(project, sandbox, workflow, given, Ending::as_given); !copied) return copied;
  for (const InputDecl& d : workflow.inputs) {
    if (!d.default_value || input_in(project, sandbox, d.name)) continue;
    const std::string path = project.root() + "/" + input_path(sandbox, d.name, d.type == "json");
    if (auto wrote = RealFiles{}.write(path, *d.default_value); !wrote) return wrote;
  }
  return {};
}

}  // namespace baton::cli
