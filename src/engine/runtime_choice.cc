#include "engine/runtime_choice.h"

#include "base/ensure.h"
#include "runtime/api/families.h"
#include "runtime/command.h"
#include "runtime/rehearsal.h"

namespace baton {
namespace {

const std::string* option(const Run& run, const std::string& key) {
  const auto found = run.settings().options.find(key);
  return found == run.settings().options.end() ? nullptr : &found->second;
}

}  // namespace

std::shared_ptr<const RehearsalScript> RuntimeChoice::script_of(const Run& run) const {
  constexpr std::size_t kept_max = 16;
  static const auto nothing_said = std::make_shared<const RehearsalScript>();
  const std::string* text = option(run, "rehearsal_script");
  if (text == nullptr) return nothing_said;
  if (const auto known = scripts_.find(*text); known != scripts_.end()) return known->second;
  if (scripts_.size() >= kept_max) scripts_.clear();
  // It was read without faults when the run was made, and the journal keeps it as it was.
  auto read = read_rehearsal_script(*text, "rehearsal script");
  return scripts_.emplace(*text, std::make_shared<const RehearsalScript>(read ? std::move(*read) : RehearsalScript{}))
      .first->second;
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
  if (step.work->is_command()) return step.work->model;
  const std::string runtime = name_for(run, step);
  std::string model = step.work->model;
  if (const std::string* chosen = option(run, "model"); model.empty() && chosen != nullptr) model = *chosen;
  if (model.empty()) model = agents_.model_of(run, runtime);
  if (!is_told_all(runtime)) return model;
  // A program knows its own aliases; of an API the id is on record.
  const Prices::Aliases& aliases = agents_.prices()->aliases();
  const auto alias = aliases.find(model);
  return alias == aliases.end() ? model : alias->second;
}

std::unique_ptr<Runtime> RuntimeChoice::make(const Run& run, const Step& step, const std::string& name) const {
  if (name == "command") return std::make_unique<CommandRuntime>();
  if (name == "claude") return std::make_unique<ClaudeRuntime>(agents_.claude(run, step), agents_.prices());
  if (is_told_all(name)) {
    return std::make_unique<ApiRuntime>(agents_.api(run, step, name), agents_.prices(), known_answers_);
  }
  BATON_ENSURE(name == "rehearsal", "no such runtime", name);
  return std::make_unique<Rehearsal>(script_of(run));
}

bool RuntimeChoice::has_provider(const std::string& name) const { return name != "command" && name != "rehearsal"; }

std::string RuntimeChoice::governed_by(const Run& run, const Step& step, const std::string& runtime,
                                       const std::string& model) const {
  if (!is_told_all(runtime)) return {};
  const ApiSettings settings = agents_.api(run, step, runtime);
  return api::governed_name(settings.protocol, settings.base_url, model);
}

bool RuntimeChoice::knows_cost(const std::string& runtime, const std::string& model) const {
  return !is_told_all(runtime) || model.empty() || agents_.prices()->price_of(model) != nullptr;
}

bool RuntimeChoice::is_told_all(const std::string& name) const { return asks_api(name); }

bool RuntimeChoice::acts(const Run& run, const Step& step, const std::string& name) const {
  return !is_told_all(name) || !agents_.api(run, step, name).tools.empty();
}

bool RuntimeChoice::is_held(const std::string& name) const { return name != "rehearsal"; }

}  // namespace baton
