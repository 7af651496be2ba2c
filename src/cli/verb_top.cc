// top: the dashboard.
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.h"
#include "cli/chains.h"
#include "cli/definition.h"
#include "cli/reporter.h"
#include "cli/session/session_files.h"
#include "cli/verbs.h"
#include "dialect/session/discovery.h"
#include "host/program_path.h"
#include "tui/dashboard.h"
#include "view/words.h"

namespace baton::cli {
namespace {

/// What can be started, as the form for a new run wants it.
std::vector<top::WorkflowChoice> workflow_choices(const Project& project) {
  std::vector<top::WorkflowChoice> all;
  for (const FoundWorkflow& found : find_workflows(project)) {
    if (found.shadowed) continue;
    top::WorkflowChoice choice{.name = found.name};
    if (auto workflow = read_definition(project, found, stand_in_binding(), SkillNews::untold)) {
      choice.about = workflow->description;
      for (const InputDecl& input : workflow->inputs) {
        choice.inputs.push_back({input.name, input.required && !input.default_value, input.description});
      }
      if (workflow->inputs.empty()) choice.inputs.push_back({"content", false, "a file for it to work on, if it does"});
    } else {
      choice.about = fmt::format("has {}: 'baton check {}'", counted(workflow.error().size(), "fault"), found.name);
    }
    all.push_back(std::move(choice));
  }
  for (const auto& [name, chain] : find_chains(project)) {
    if (chain.shadowed_by.empty()) all.push_back({.name = name, .about = join(chain.skills, " > ")});
  }
  for (const session::FoundSession& s : session::discover(list_sessions(project.root())).sessions) {
    if (s.place == session::SessionPlace::active) {
      all.push_back({.name = s.id, .about = "the session in " + s.folder, .takes_task = false});
    }
  }
  return all;
}

top::Notify notify_of(const Config& config) {
  const std::string word = config.text("top.notify").value_or("off");
  if (word == "bell") return top::Notify::bell;
  return word == "desktop" ? top::Notify::desktop : top::Notify::off;
}

void tell_what_goes_on(const Common& common, const std::vector<std::string>& going) {
  if (going.empty()) return;
  const std::string all = going.size() <= 8 ? ": " + join(going, ", ") : std::string{};
  say(common, fmt::format("{} {} on without the dashboard{}", counted(going.size(), "run"),
                          going.size() == 1 ? "goes" : "go", all));
}

}  // namespace

int top_verb(const Common& common) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  // A journal that cannot be read is said before the screen is taken; one that is not there yet may come.
  if (auto journal = project->journal_to_read(); !journal && journal.error().code != "journal-missing") {
    return print(common, journal.error()), exit_refused;
  }
  tui::Setup setup;
  setup.root = project->root();
  setup.state_dir = project->state_dir();
  setup.program = sibling_program("baton");
  setup.sets = common.sets;
  setup.notify = notify_of(project->config());
  setup.open_journal = [&] { return project->journal_to_read(); };
  setup.workflows = [&] { return workflow_choices(*project); };
  tui::Left left;
  {
    auto terminal = tui::open_terminal(use_color(common, STDOUT_FILENO));
    if (!terminal) return print(common, terminal.error()), exit_refused;
    left = tui::run_dashboard(setup, **terminal);
  }
  tell_what_goes_on(common, left.going);
  return left.signal == 0 ? int{exit_done} : 128 + left.signal;
}

}  // namespace baton::cli
