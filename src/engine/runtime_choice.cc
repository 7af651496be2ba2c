#include "engine/runtime_choice.h"

#include "base/ensure.h"
#include "runtime/command.h"
#include "runtime/rehearsal.h"

namespace baton {
namespace {

const std::string* option(const Run& run, const std::string& key) {
  const auto found = run.settings().options.find(key);
  return found == run.settings().options.end() ? nullptr : &found->second;
}

}  // namespace

const std::shared_ptr<const RehearsalScript>& RuntimeChoice::script_of(const Run& run) const {
  const auto known = scripts_.find(&run);
  if (known != scripts_.end()) return known->second;
  RehearsalScript script;
  if (const std::string* text = option(run, "rehearsal_script")) {
    // It was read without faults when the run was made, and the journal keeps it as it was.
    if (auto read = read_rehearsal_script(*text, "rehearsal script")) script = std::move(*read);
  }
  return scripts_.emplace(&run, std::make_shared<const RehearsalScript>(std::move(script))).first->second;
}

std::string RuntimeChoice::name_for(const Run& run, const Step& step) const {
  const bool rehearse = option(run, "rehearse") != nullptr;
  if (step.work->is_command()) return !rehearse || script_of(run)->wants_real(step.id) ? "command" : "rehearsal";
  if (rehearse) return "rehearsal";
  if (!step.work->runtime.empty()) return step.work->runtime;
  const std::string* chosen = option(run, "runtime");
  return chosen != nullptr ? *chosen : "claude";
}

std::string RuntimeChoice::model_for(const Run& run, const Step& step) const {
  if (!step.work->model.empty()) return step.work->model;
  if (step.work->is_command()) return {};
  if (const std::string* chosen = option(run, "model")) return *chosen;
  return agents_.model_of(run, name_for(run, step));
}

std::unique_ptr<Runtime> RuntimeChoice::make(const Run& run, const Step& step, const std::string& name) const {
  if (name == "command") return std::make_unique<CommandRuntime>();
  if (name == "claude") return std::make_unique<ClaudeRuntime>(agents_.claude(run, step), agents_.prices());
  BATON_ENSURE(name == "rehearsal", "no such runtime", name);
  return std::make_unique<Rehearsal>(script_of(run));
}

bool RuntimeChoice::has_provider(const std::string& name) const { return name != "command" && name != "rehearsal"; }

bool RuntimeChoice::is_held(const std::string& name) const { return name != "rehearsal"; }

}  // namespace baton
