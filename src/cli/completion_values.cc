#include "cli/completion_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/api_settings.h"
#include "cli/chains.h"
#include "cli/context.h"
#include "cli/definition.h"
#include "cli/load_run.h"
#include "cli/project_skills.h"
#include "cli/session/session_files.h"
#include "config/keys.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;
using Paths = Completion::Paths;

/// Answers for one line. What cannot be read is as if it were not there: a person who types is not to be disturbed.
class Values {
 public:
  explicit Values(const TypedLine& line) : line_(line) {
    Common common;
    common.directory = line.value_of("-C");
    common.state_dir = line.value_of("--state-dir");
    if (auto project = Project::open(common)) project_ = std::move(*project);
  }

  Completion of(const OptionShape& option) {
    for (const std::string& choice : option.choices) add(choice);
    if (!option.choices.empty()) return std::move(all_);
    if (add_by_name(option)) return std::move(all_);
    const auto found = by_kind().find(option.value);
    if (found != by_kind().end()) (this->*found->second)();
    return std::move(all_);
  }

 private:
  using Adder = void (Values::*)();

  /// By the word that help shows for the value.
  static const std::map<std::string, Adder, std::less<>>& by_kind() {
    static const std::map<std::string, Adder, std::less<>> table{
        {"RUN", &Values::add_runs},          {"STEP", &Values::add_steps},       {"TARGET", &Values::add_targets},
        {"NAME", &Values::add_skills},       {"FILE", &Values::add_files},       {"DIR", &Values::add_folders},
        {"RULES-JSON", &Values::add_files},  {"ID", &Values::add_sandboxes},     {"KEY=VALUE", &Values::add_settings},
        {"NAME=VALUE", &Values::add_inputs}, {"SESSION", &Values::add_sessions},
    };
    return table;
  }

  /// Options whose value has a word that says too little.
  bool add_by_name(const OptionShape& option) {
    const auto is = [&](std::string_view name) { return std::ranges::find(option.names, name) != option.names.end(); };
    if (is("--runtime")) return add_runtimes(""), true;
    if (is("--model")) return add_models(""), true;
    if (is("--rehearse")) return add_files(), true;
    return false;
  }

  void add(std::string value, std::string about = {}) {
    all_.candidates.push_back({std::move(value), std::move(about)});
  }
  void add_files() { all_.paths = Paths::files; }
  void add_folders() { all_.paths = Paths::folders; }

  void add_runtimes(const std::string& lead) {
    for (const std::string& name : agent_programs()) add(lead + name);
    for (const std::string& name : api_runtimes()) add(lead + name);
  }

  void add_models(const std::string& lead) {
    const auto prices = project_prices();
    const Prices& table = prices ? *prices : Prices::built_in();
    for (const auto& [alias, id] : table.aliases()) add(lead + alias, id);
    for (const auto& [id, price] : table.models()) {
      if (!id.ends_with('*')) add(lead + id);
    }
  }

  void add_sessions() {
    if (!project_) return;
    for (const session::FoundSession& s : session::discover(list_sessions(project_->root())).sessions) {
      if (s.place != session::SessionPlace::archived) add(s.id, s.folder);
    }
  }

  void add_targets() {
    all_.paths = Paths::files;
    if (!project_) return;
    for (const FoundWorkflow& w : find_workflows(*project_)) {
      if (!w.shadowed) add(w.name, project_->shown(w.path));
    }
    for (const auto& [name, chain] : find_chains(*project_)) {
      if (chain.shadowed_by.empty()) add(name, join(chain.skills, " > "));
    }
    add_sessions();
  }

  void add_skills() {
    if (!project_) return;
    ProjectSkills skills{*project_};
    for (const std::string& name : skills.names()) {
      const auto found = skills.registry().find(name);
      add(name, found ? found->skill.description : std::string{});
    }
  }

  void add_sandboxes() {
    if (!project_) return;
    std::error_code error;
    for (fs::directory_iterator it{project_->root() + "/sandbox", error}, end; !error && it != end;
         it.increment(error)) {
      if (it->is_directory(error)) add(it->path().filename().string());
    }
    std::ranges::sort(all_.candidates, {}, &Completion::Candidate::value);
  }

  void add_runs() {
    auto journal = open_journal();
    if (!journal) return;
    auto runs = journal->list();
    if (!runs || runs->empty()) return;
    add("last", "the newest");
    for (const RunSummary& r : *runs) {
      add(r.id, fmt::format("{}, {}, {}/{} steps", r.workflow, name(r.state), r.done, r.total));
    }
  }

  /// Of the run that stands before it; else of the workflow.
  void add_steps() {
    if (line_.arguments.empty()) return;
    const std::string& subject = line_.arguments.front();
    if (line_.verb->arguments.front().value != "RUN") {
      if (const auto workflow = read_workflow(subject)) {
        for (const Step& s : workflow->plan.steps) add(s.id);
      }
      return;
    }
    auto journal = open_journal();
    if (!journal) return;
    const auto run = resolve_run(*journal, subject);
    const auto loaded = run ? load_run(*journal, *run) : std::unexpected(run.error());
    if (!loaded) return;
    constexpr std::size_t offered_max = 1000;
    for (std::size_t i = 0; i < loaded->step_count() && all_.candidates.size() < offered_max; ++i) {
      const std::string& id = loaded->step(step_index(i)).id;
      if (id.starts_with(line_.current)) add(id);
    }
  }

  void add_inputs() {
    all_.open_ended = true;
    if (line_.current.find('=') != std::string::npos) return add_files();
    if (line_.arguments.empty()) return;
    const auto workflow = read_workflow(line_.arguments.front());
    if (!workflow) return;
    for (const InputDecl& input : workflow->inputs) add(input.name + "=", input.description);
    if (workflow->inputs.empty()) add("content=");
  }

  void add_settings() {
    const auto equals = line_.current.find('=');
    if (equals != std::string::npos) return add_setting_values(line_.current.substr(0, equals));
    all_.open_ended = true;
    for (const KeySpec& key : known_keys()) {
      for (const std::string& name : keys_of(key)) add(name + "=", std::string{key.explanation});
    }
  }

  /// A key with every name that is known to fit its `*`.
  std::vector<std::string> keys_of(const KeySpec& key) {
    const std::string pattern{key.pattern};
    const auto star = pattern.find('*');
    if (star == std::string::npos) return {pattern};
    std::vector<std::string> names;
    if (pattern.starts_with("runtime.")) names = agent_programs();
    if (pattern.starts_with("skills.") && project_) names = ProjectSkills{*project_}.names();
    if (pattern == "workflows.*" && project_) {
      for (const auto& [name, chain] : find_chains(*project_)) names.push_back(name);
    }
    for (std::string& name : names)
      name = fmt::format("{}{}{}", pattern.substr(0, star), name, pattern.substr(star + 1));
    return names;
  }

  void add_setting_values(const std::string& key) {
    const KeySpec* spec = find_key(key);
    if (spec == nullptr) return;
    const std::string lead = key + "=";
    if (key == "runtime.default" || key.ends_with(".runtime")) return add_runtimes(lead);
    if (key.ends_with(".model")) return add_models(lead);
    if (spec->kind == KeyKind::boolean) add(lead + "true"), add(lead + "false");
    if (spec->kind != KeyKind::choice) return;
    for (const std::string_view choice : split(spec->choices, '|')) add(lead + std::string{choice});
  }

  std::unique_ptr<SqliteJournal> open_journal() {
    if (!project_) return nullptr;
    auto journal = project_->journal_to_read();
    return journal ? std::move(*journal) : nullptr;
  }

  std::optional<Workflow> read_workflow(const std::string& target) {
    if (!project_) return std::nullopt;
    const auto found = find_target(*project_, target);
    if (!found) return std::nullopt;
    auto workflow = read_definition(*project_, *found, stand_in_binding(), SkillNews::untold);
    return workflow ? std::optional{std::move(*workflow)} : std::nullopt;
  }

  const TypedLine& line_;
  std::optional<Project> project_;
  Completion all_;
};

}  // namespace

Completion values_of(const OptionShape& option, const TypedLine& line) { return Values{line}.of(option); }

}  // namespace baton::cli
