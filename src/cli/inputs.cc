#include "cli/inputs.h"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/limits.h"
#include "base/text.h"
#include "cli/random.h"
#include "engine/real_files.h"

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

Fault bad_input(std::string message, std::string help) { return {"bad-input", std::move(message), std::move(help)}; }

}  // namespace

std::vector<GivenInput> parse_inputs(const std::vector<std::string>& given, const std::string& file, Faults& faults) {
  std::vector<std::string> all = given;
  if (!file.empty()) all.insert(all.begin(), "content=" + file);
  std::vector<GivenInput> inputs;
  for (const std::string& text : all) {
    const auto equals = text.find('=');
    const std::string help = "write --input NAME=VALUE, where VALUE is a file or inline JSON";
    if (equals == std::string::npos) {
      faults.push_back(bad_input(fmt::format("'{}' has no '='", text), help));
      continue;
    }
    GivenInput input{text.substr(0, equals), text.substr(equals + 1), false};
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
      inputs.push_back(std::move(input));
    }
  }
  return inputs;
}

void check_inputs(const Workflow& workflow, const std::vector<GivenInput>& given, Faults& faults) {
  std::vector<std::string> declared;
  for (const InputDecl& d : workflow.inputs) declared.push_back(d.name);
  for (const GivenInput& input : given) {
    const bool known =
        std::ranges::find(declared, input.name) != declared.end() || (declared.empty() && input.name == "content");
    if (!known) {
      const std::string near = nearest(input.name, declared);
      faults.push_back(
          {"unknown-input", fmt::format("workflow '{}' declares no input '{}'", workflow.plan.workflow, input.name),
           declared.empty()
               ? "it declares none; --file (or -i content=F) is always taken"
               : fmt::format("{}declared inputs: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                             join(declared, ", "))});
    }
    std::error_code error;
    if (!input.is_json && !fs::is_regular_file(input.value, error)) {
      faults.push_back({"input-not-found", fmt::format("input '{}': there is no file '{}'", input.name, input.value),
                        "give a file's path, or inline JSON"});
    }
  }
  for (const InputDecl& d : workflow.inputs) {
    const bool has = std::ranges::any_of(given, [&](const GivenInput& i) { return i.name == d.name; });
    if (has || !d.required || d.default_value) continue;
    faults.push_back({"missing-input", fmt::format("input '{}' is required", d.name),
                      fmt::format("give it with --input {}=FILE{}", d.name,
                                  d.description.empty() ? "" : fmt::format(" ({})", d.description)),
                      d.place});
  }
}

std::string new_sandbox_id(const Project& project, const std::string& workflow, const std::vector<GivenInput>& given,
                           const std::string& file, Time now) {
  std::string source = workflow;
  if (!file.empty()) {
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

namespace {

bool declared_as_json(const Workflow& workflow, const std::string& name) {
  return std::ranges::any_of(workflow.inputs, [&](const InputDecl& d) { return d.name == name && d.type == "json"; });
}

}  // namespace

Status fill_sandbox(const Project& project, const std::string& sandbox, const Workflow& workflow,
                    const std::vector<GivenInput>& given) {
  RealFiles files;
  const std::string folder = project.root() + "/sandbox/" + sandbox;
  for (const char* part : {"inputs", "outputs", "logs"}) {
    std::error_code error;
    fs::create_directories(folder + "/" + part, error);
    if (error) return fault("file-failed", fmt::format("cannot make {}/{}: {}", folder, part, error.message()));
  }
  for (const GivenInput& input : given) {
    std::string content = input.value;
    if (!input.is_json) {
      auto text = files.read(input.value, Limits::output_bytes_max);
      if (!text) return std::unexpected(text.error());
      if (!*text) return fault("input-not-found", fmt::format("there is no file '{}'", input.value));
      content = std::move(**text);
    }
    if (auto wrote =
            files.write(project.root() + "/" +
                            input_path(sandbox, input.name, input.is_json || declared_as_json(workflow, input.name)),
                        content);
        !wrote)
      return wrote;
  }
  for (const InputDecl& d : workflow.inputs) {
    const bool has = std::ranges::any_of(given, [&](const GivenInput& i) { return i.name == d.name; });
    if (has || !d.default_value) continue;
    if (auto wrote =
            files.write(project.root() + "/" + input_path(sandbox, d.name, d.type == "json"), *d.default_value);
        !wrote)
      return wrote;
  }
  return {};
}

}  // namespace baton::cli
