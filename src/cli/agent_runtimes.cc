#include "cli/agent_runtimes.h"

#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/agent_settings.h"
#include "cli/api_settings.h"
#include "cli/drive.h"
#include "cli/run_settings.h"
#include "core/unpriced.h"

namespace baton::cli {
namespace {

bool is_program(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// What an agent is to do, as opposed to a command, a gate and the like.
bool is_agents(const Step& step) {
  return step.work != nullptr && !step.work->is_command() && !step.work->is_nothing();
}

/// Each runtime that steps name (empty: the run's own), with the first step that does.
void collect(const std::vector<Step>& steps, std::map<std::string, std::string>& wanted) {
  for (const Step& s : steps) {
    if (s.flow != nullptr) collect(s.flow->body, wanted);
    if (!is_agents(s)) continue;
    wanted.try_emplace(s.work->runtime, s.id);
  }
}

std::string first_found(const Config& config) {
  for (const std::string& name : agent_programs()) {
    if (!find_on_path(command_of(config, name).front()).empty()) return name;
  }
  for (const std::string& name : api_runtimes()) {
    if (api_key(config, name)) return name;
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

bool has_runtime(const std::string& runtime) {
  return asks_api(runtime) || std::ranges::find(agent_programs(), runtime) != agent_programs().end();
}

/// `who`: the step that it is named by, or where else.
Fault unknown_runtime(const std::string& who, const std::string& name) {
  std::vector<std::string> all = agent_programs();
  all.insert(all.end(), api_runtimes().begin(), api_runtimes().end());
  const std::string near = nearest(name, all);
  return {"unknown-runtime", fmt::format("{}: there is no runtime '{}'", who, name),
          fmt::format("{}this version has {}, 'command' (a step's own command) and --rehearse",
                      near.empty() ? "" : fmt::format("did you mean '{}'? ", near), join(all, ", "))};
}

void check_program(const std::string& name, const std::string& step, const Config& config, Faults& faults) {
  const std::string program = command_of(config, name).front();
  if (!find_on_path(program).empty()) return;
  faults.push_back({"runtime-not-found",
                    fmt::format("step '{}' goes to '{}', and there is no program '{}'", step, name, program),
                    fmt::format("install it, put it on PATH, or set runtime.{}.command; --rehearse needs none", name)});
}

void check_runtime(const std::string& name, const std::string& step, const Config& config, Faults& faults) {
  if (!asks_api(name)) return check_program(name, step, config, faults);
  for (Fault& f : api_faults(config, name)) {
    if (f.code == "runtime-not-found") f.message = fmt::format("step '{}' goes to '{}', and {}", step, name, f.message);
    faults.push_back(std::move(f));
  }
}

/// The steps that a model's API is asked for, those of bodies too, each with its runtime.
template <class Visit>
void each_asked(const std::vector<Step>& steps, const std::string& own, const Visit& visit) {
  for (const Step& s : steps) {
    if (s.flow != nullptr) each_asked(s.flow->body, own, visit);
    if (!is_agents(s)) continue;
    const std::string& runtime = s.work->runtime.empty() ? own : s.work->runtime;
    if (asks_api(runtime)) visit(s, runtime);
  }
}

/// A program has a model of its own; an API has none. One mention of each runtime is enough.
void check_models(const Plan& plan, const std::string& own, const RunOptions& options, const Config& config,
                  Faults& faults) {
  // The task files of a session and the roles of a team name theirs when their turn comes.
  if (!options.model.empty() || plan.dialect == "session" || plan.dialect == "team") return;
  std::vector<std::string> said;
  each_asked(plan.steps, own, [&](const Step& s, const std::string& runtime) {
    if (!s.work->model.empty() || !api_model(config, runtime).empty()) return;
    if (std::ranges::find(said, runtime) != said.end()) return;
    said.push_back(runtime);
    faults.push_back({"no-model", fmt::format("step '{}' goes to '{}', and no model is named", s.id, runtime),
                      fmt::format("give --model, the step's 'model' or runtime.{}.model; 'baton models' shows what "
                                  "there is",
                                  runtime)});
  });
}

/// A skill's tools may be meant for another runtime: that is told, and keeps nobody from starting.
void check_skill_tools(const Plan& plan, const std::string& own, const Config& config, Faults& faults) {
  std::vector<std::string> said;
  each_asked(plan.steps, own, [&](const Step& s, const std::string& runtime) {
    const std::string& skill = s.work->skill;
    const std::vector<std::string> names = tools_not_there(config, skill);
    if (names.empty() || std::ranges::find(said, skill) != said.end()) return;
    said.push_back(skill);
    const std::string key = "skills." + skill + ".tools";
    faults.push_back(
        {"unknown-tool",
         fmt::format("'{}' has no tool '{}': the skill '{}' goes without", runtime, join(names, "', '"), skill),
         fmt::format("tools of model APIs are {}", join(api::tool_words(), ", ")), config.all().at(key).place,
         Severity::warning});
  });
}

bool is_runtime_name(const std::string& name) {
  return name.empty() || has_runtime(name) || name == "command" || name == "rehearsal";
}

/// One that no step goes to: a slip of the pen would show only once there is an agent.
void check_unused(const std::string& given, const Config& config, Faults& faults) {
  if (!given.empty()) return check_runtime_name(given, faults);
  const std::string name = config.text("runtime.default").value_or("");
  if (!is_runtime_name(name)) faults.push_back(unknown_runtime("runtime.default", name));
}

/// Of the settings of skills those that none of the `wanted` steps has.
void check_skill_runtimes(const std::map<std::string, std::string>& wanted, const Config& config, Faults& faults) {
  for (const auto& [key, setting] : config.all()) {
    if (!key.starts_with("skills.") || !key.ends_with(".runtime")) continue;
    if (is_runtime_name(setting.value) || wanted.contains(setting.value)) continue;
    faults.push_back(unknown_runtime(key, setting.value));
    faults.back().place = setting.place;
  }
}

}  // namespace

void check_runtime_name(const std::string& given, Faults& faults) {
  if (!is_runtime_name(given)) faults.push_back(unknown_runtime("--runtime", given));
}

Faults runtime_name_faults(const std::vector<Step>& steps, const Config& config) {
  Faults faults;
  std::map<std::string, std::string> wanted;
  collect(steps, wanted);
  for (const auto& [name, step] : wanted) {
    if (!name.empty() && !has_runtime(name)) faults.push_back(unknown_runtime(fmt::format("step '{}'", step), name));
  }
  check_unused({}, config, faults);
  check_skill_runtimes(wanted, config, faults);
  return faults;
}

Faults batch_faults(const std::vector<Step>& steps, const std::string& own, const Config& config) {
  Faults faults;
  const auto refuse = [&](const Step& s, const std::string& why, const std::string& help) {
    faults.push_back({"no-batches", fmt::format("step '{}' is to be asked in a batch, and {}", s.id, why), help});
  };
  for (const Step& s : steps) {
    if (s.flow != nullptr) {
      Faults below = batch_faults(s.flow->body, own, config);
      std::ranges::move(below, std::back_inserter(faults));
    }
    if (s.work == nullptr || s.work->is_nothing()) continue;
    if (s.work->is_command()) {
      if (s.work->mode == "batch") refuse(s, "it is a command", "take 'mode: batch' away");
      continue;
    }
    const std::string& runtime = s.work->runtime.empty() ? own : s.work->runtime;
    if (runtime.empty()) continue;
    const std::string set = config.text("runtime." + runtime + ".mode").value_or("");
    if ((s.work->mode.empty() ? set : s.work->mode) != "batch") continue;
    if (!asks_api(runtime) || api::protocol_of(runtime) != api::Protocol::messages) {
      refuse(s, fmt::format("'{}' has none", runtime),
             fmt::format("take {} away, or let the runtime 'anthropic' do it",
                         s.work->mode.empty() ? fmt::format("runtime.{}.mode", runtime) : "'mode: batch'"));
    } else if (!api_settings(config, runtime, s.work->skill).tools.empty()) {
      faults.push_back({"batch-without-tools",
                        fmt::format("step '{}' is asked in a batch, where nobody uses tools: it goes without", s.id),
                        "take 'mode: batch' away if it needs them",
                        {},
                        Severity::warning});
    }
  }
  return faults;
}

Faults unpriced_faults(const std::vector<Step>& steps, const RunSettings& settings, bool in_workspace,
                       const Config& config) {
  if (unpriced_of(settings) != Unpriced::refused || settings.options.contains("rehearse")) return {};
  const auto option = [&](const char* key) {
    const auto found = settings.options.find(key);
    return found == settings.options.end() ? std::string{} : found->second;
  };
  const SharedLimits shared = shared_limits(config);
  const Prices prices = project_prices().value_or(Prices::built_in());
  Faults faults;
  std::set<std::pair<std::string, std::string>> said;
  each_asked(steps, option("runtime"), [&](const Step& s, const std::string& runtime) {
    std::string model = s.work->model.empty() ? option("model") : s.work->model;
    if (model.empty()) model = api_model(config, runtime);
    const std::string cap = dollar_cap(settings, *s.work, in_workspace, shared);
    if (model.empty() || cap.empty() || prices.price_of(model) != nullptr) return;
    if (said.emplace(runtime, model).second) faults.push_back(unpriced_model(s.id, runtime, model, cap));
  });
  return faults;
}

Faults unpriced_faults(const Project& project, const Run& run, const RunSettings& settings,
                       std::optional<StepIndex> again) {
  if (run.plan().dialect == "session") return {};  // its task files name theirs when their turn comes
  std::vector<Step> open;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    const bool is_done = run.of(i).state.is_replaced() || run.of(i).state == StepState::completed;
    if (!is_done || again == i) open.push_back(run.step(i));
  }
  const auto config = project.config_with(recorded_sets(settings));
  return unpriced_faults(open, settings, run.plan().dialect == "workspace", config ? *config : project.config());
}

int retries_of(const Config& config, const std::string& runtime, const std::string& own, int usual) {
  constexpr int of_model_apis = 2;
  const bool is_api = asks_api(runtime.empty() ? own : runtime);
  return config.integer("limits.retries").value_or(is_api ? of_model_apis : usual);
}

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

std::string own_runtime(const Config& config, const std::string& given) {
  if (!given.empty()) return given;
  std::string set = config.text("runtime.default").value_or("");
  return set.empty() ? first_found(config) : set;
}

void choose_runtimes(const Plan& plan, const RunOptions& options, const Config& config, RunSettings& settings,
                     Faults& faults) {
  if (options.rehearse) return;
  std::map<std::string, std::string> wanted;
  collect(plan.steps, wanted);
  std::string own = options.runtime;
  if (own.empty()) own = config.text("runtime.default").value_or("");
  if (wanted.contains("")) {
    own = own_runtime(config, own);
  } else {
    check_unused(options.runtime, config, faults);
  }
  check_skill_runtimes(wanted, config, faults);
  if (!own.empty()) settings.options["runtime"] = own;
  std::ranges::move(batch_faults(plan.steps, own, config), std::back_inserter(faults));
  check_models(plan, own, options, config, faults);
  check_skill_tools(plan, own, config, faults);
  // The task files of a session name theirs when their turn comes, and are looked at then.
  if (plan.dialect != "session") {
    std::ranges::move(unpriced_faults(plan.steps, settings, plan.dialect == "workspace", config),
                      std::back_inserter(faults));
  }
  for (const auto& [name, step] : wanted) {
    const std::string& runtime = name.empty() ? own : name;
    if (!runtime.empty() && !has_runtime(runtime)) {
      faults.push_back(unknown_runtime(fmt::format("step '{}'", step), runtime));
      continue;
    }
    if (!runtime.empty()) {
      check_runtime(runtime, step, config, faults);
      continue;
    }
    faults.push_back({"no-runtime", fmt::format("step '{}' needs an agent runtime, and none is there", step),
                      fmt::format("looked at the step's 'runtime', --runtime, runtime.default, for {} on PATH and for "
                                  "ANTHROPIC_API_KEY and OPENAI_API_KEY; --rehearse needs none of it",
                                  looked_for(config))});
  }
}

}  // namespace baton::cli
