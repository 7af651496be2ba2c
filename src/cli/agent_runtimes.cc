#include "cli/agent_runtimes.h"

#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/text.h"

namespace baton::cli {
namespace {

bool is_program(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// Each runtime that steps name (empty: the run's own), with the first step that does.
void collect(const std::vector<Step>& steps, std::map<std::string, std::string>& wanted) {
  for (const Step& s : steps) {
    if (s.flow != nullptr) collect(s.flow->body, wanted);
    if (s.work == nullptr || s.work->is_command() || s.work->is_nothing()) continue;
    wanted.try_emplace(s.work->runtime, s.id);
  }
}

std::string first_found(const Config& config) {
  for (const std::string& name : agent_programs()) {
    if (!find_on_path(command_of(config, name).front()).empty()) return name;
  }
  return {};
}

/// The programs looked for, as the configuration has them.
std::string looked_for(const Config& config) {
  std::vector<std::string> names;
  for (const std::string& name : agent_programs()) {
    const std::string program = command_of(config, name).front();
    names.push_back(program == name ? name : fmt::format("{} ('{}')", name, program));
  }
  return join(names, ", ");
}

void check_runtime(const std::string& name, const std::string& step, const Config& config, Faults& faults) {
  if (std::ranges::find(agent_programs(), name) == agent_programs().end()) {
    const std::string near = nearest(name, agent_programs());
    faults.push_back(
        {"unknown-runtime", fmt::format("step '{}': there is no runtime '{}'", step, name),
         fmt::format("{}this version has {}, 'command' (a step's own command) and --rehearse",
                     near.empty() ? "" : fmt::format("did you mean '{}'? ", near), join(agent_programs(), ", "))});
    return;
  }
  const std::string program = command_of(config, name).front();
  if (!find_on_path(program).empty()) return;
  faults.push_back({"runtime-not-found",
                    fmt::format("step '{}' goes to '{}', and there is no program '{}'", step, name, program),
                    fmt::format("install it, put it on PATH, or set runtime.{}.command; --rehearse needs none", name)});
}

}  // namespace

const std::vector<std::string>& agent_programs() {
  static const std::vector<std::string> programs = {"claude"};
  return programs;
}

std::string find_on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return is_program(program) ? program : std::string{};
  const char* path = std::getenv("PATH");
  for (const auto folder : split(path == nullptr ? "" : path, ':')) {
    const std::string full = std::string{folder} + "/" + program;
    if (!folder.empty() && is_program(full)) return full;
  }
  return {};
}

std::vector<std::string> command_of(const Config& config, const std::string& runtime) {
  std::vector<std::string> words = config.list("runtime." + runtime + ".command");
  return words.empty() ? std::vector{runtime} : words;
}

void choose_runtimes(const Plan& plan, const RunOptions& options, const Config& config, RunSettings& settings,
                     Faults& faults) {
  if (options.rehearse) return;
  std::map<std::string, std::string> wanted;
  collect(plan.steps, wanted);
  std::string own = options.runtime;
  if (own.empty()) own = config.text("runtime.default").value_or("");
  if (own.empty() && wanted.contains("")) own = first_found(config);
  if (!own.empty()) settings.options["runtime"] = own;
  for (const auto& [name, step] : wanted) {
    const std::string& runtime = name.empty() ? own : name;
    if (!runtime.empty()) {
      check_runtime(runtime, step, config, faults);
      continue;
    }
    faults.push_back({"no-runtime", fmt::format("step '{}' needs an agent runtime, and none is there", step),
                      fmt::format("looked at the step's 'runtime', --runtime, runtime.default and for {} on PATH; "
                                  "--rehearse needs none of it",
                                  looked_for(config))});
  }
}

}  // namespace baton::cli
