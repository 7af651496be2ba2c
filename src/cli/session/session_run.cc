#include "cli/session/session_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "cli/agent_runtimes.h"
#include "cli/session/prepare_task.h"
#include "cli/session/task_briefing.h"
#include "core/facts.h"
#include "dialect/session/agents.h"
#include "dialect/session/reconcile.h"
#include "dialect/session/session_plan.h"
#include "dialect/session/turn_line.h"
#include "runtime/api/families.h"

namespace baton::cli {
namespace {

/// A tick reads so many task files at most: what else has to be done does not wait for a long list.
constexpr int files_at_once = 32;

bool is_agent_program(const std::string& runtime) {
  return std::ranges::find(agent_programs(), runtime) != agent_programs().end();
}

/// What the files say of a task whose turn has come.
session::TaskRecord record_of(const SessionFiles& files, const session::Task& task, session::BoxState box) {
  return {task.id, box, session::TaskRecord::File::read, task.status, files.has_summary(task.id)};
}

/// Its file says that it is done, and the list did not. Read strictly, nobody asked the list.
void tell_disagreement(const SessionFiles& files, const session::Task& task, session::DonePolicy policy,
                       Faults& warnings) {
  if (policy == session::DonePolicy::strict) return;
  const auto found = session::disagreements({record_of(files, task, session::BoxState::pending)}, policy);
  std::ranges::move(session::to_faults(found, files.todo_path()), std::back_inserter(warnings));
}

}  // namespace

struct SessionRun::Line {
  SessionFiles files;
  session::DonePolicy policy;
  session::TurnLine turns;

  /// A task's file, one at a time.
  static session::LookAt look_by(const SessionFiles& files, session::DonePolicy policy) {
    return [&files, policy](const std::string& id) {
      session::TaskLook look{files.task(id), false};
      // Boxes that are ticked and count have no turn.
      if (look.read.task) {
        look.done = session::counts_as_done(record_of(files, *look.read.task, session::BoxState::pending), policy);
      }
      return look;
    };
  }
  [[nodiscard]] session::LookAt look() const { return look_by(files, policy); }
};

SessionRun::SessionRun(const Project& project, ProjectSkills& skills, SkillsOfNow& told, const ProjectAgents& settings)
    : project_(project), skills_(skills), told_(told), settings_(settings), agents_(project, skills) {}
SessionRun::~SessionRun() = default;

SessionRun::Line& SessionRun::line_of(const Run& run) {
  if (line_ == nullptr) {
    SessionFiles files = session_files_of(run, project_.root());
    const session::DonePolicy policy = done_policy(settings_.config_for(run));
    const auto list = files.todo();
    session::TurnLine turns{list ? *list : session::TodoList{}, files.plan(), run, Line::look_by(files, policy)};
    line_ = std::make_unique<Line>(std::move(files), policy, std::move(turns));
  }
  return *line_;
}

void SessionRun::ended(const Run& run, StepIndex step) { line_of(run).turns.ended(run, step); }

bool SessionRun::shows(const Run& run, StepIndex step) const { return !run.step(step).work->is_nothing(); }

TurnNews SessionRun::take_turns(const Run& run, OpenTurns& open) {
  Line& line = line_of(run);
  for (const command::TakeTurn& turn : open.fresh(run)) line.turns.ask(run, turn, line.look());
  TurnNews news;
  for (int n = 0; n < files_at_once; ++n) {
    auto next = line.turns.next(run, line.look());
    if (!next) return news;
    if (next->first_look && next->read.task) std::ranges::move(next->read.faults, std::back_inserter(news.warnings));
    if (next->done) tell_disagreement(line.files, *next->read.task, line.policy, news.warnings);
    if (next->goes) prepare(line, run, next->turn, *next->read.task, news);
    if (next->word) news.events.push_back(std::move(*next->word));
  }
  news.more = true;
  return news;
}

/// Its steps of preparation come first. What they gave is kept, and a process that finds it so has nothing to do.
void SessionRun::prepare(Line& line, const Run& run, const command::TakeTurn& turn, const session::Task& task,
                         TurnNews& news) {
  const std::string folder = option_of(run, "folder");
  if (task.pre_analysis.empty()) return go(line, run, turn, task, news);
  const TaskToPrepare what{project_.root(), line.files.folder(), task.id, kept_path(folder, task.id, "flow.json")};
  if (option_of(run, "rehearse").empty()) {
    if (line.turns.prepare(turn)) news.jobs.push_back({turn, prepare_argv(project_, what)});
    return;
  }
  (void)rehearse_preparation(what);  // one that is not kept is left out
  go(line, run, turn, task, news);
}

TurnNews SessionRun::prepared(const Run& run, const command::TakeTurn& turn) {
  Line& line = line_of(run);
  TurnNews news;
  const std::string& task_id = run.step(turn.step).id;
  const auto flow = kept_flow(option_of(run, "folder"), task_id);
  if (flow) news.warnings = flow->warnings;
  session::TaskRead read = line.files.task(task_id);
  if (flow && flow->failure) {
    // What a person has to see to is nobody's failure: it waits until somebody has.
    const bool asks = flow->failure->code == "flow-step-asks";
    news.events.emplace_back(session::turn_taken(turn, asks ? TurnVerdict::block : TurnVerdict::fail,
                                                 flow->failure->code, flow->failure->message));
  } else if (!read.task) {
    news.events.emplace_back(session::turn_taken(turn, TurnVerdict::fail, read.faults.front().code,
                                                 session::on_one_line(read.faults.front())));
  } else {
    go(line, run, turn, *read.task, news);
  }
  line.turns.answered(turn.step);
  return news;
}

void SessionRun::go(Line& line, const Run& run, const command::TakeTurn& turn, const session::Task& task,
                    TurnNews& news) {
  event::TurnTaken e = line.turns.go(turn, task);
  e.work = work_for(line, run, task, news);
  if (const std::string& runtime = e.work->runtime;
      !runtime.empty() && !is_agent_program(runtime) && !asks_api(runtime)) {
    e = session::turn_taken(
        turn, TurnVerdict::fail, "unknown-runtime",
        fmt::format("its agent '{}' is to go to '{}', and there is no such runtime", e.work->skill, runtime));
  }
  news.events.emplace_back(std::move(e));
  line.turns.answered(turn.step);
}

std::shared_ptr<const Work> SessionRun::work_for(Line& line, const Run& run, const session::Task& task,
                                                 TurnNews& news) {
  const Config& config = settings_.config_for(run);
  const auto place = line.turns.index().find(task.id);
  const std::string listed = place ? line.turns.list().tasks[*place].agent : std::string{};
  const std::string agent = agents_.name_for(session::agent_of(task, listed).name, config);
  if (agents_.is_news(agent)) {
    news.warnings.push_back(
        {"agent-undefined",
         fmt::format("nothing defines the agent '{}': it is told in general what to do", agent),
         fmt::format("write .claude/agents/{0}.md or a skill '{0}', or set session.agents.{0}", agent),
         {},
         Severity::warning});
  }
  std::vector<Step> steps(1);
  steps[0].id = task.id;
  auto work = std::make_shared<Work>(*session::work_of(task, agent, {.folder = line.files.folder()}));
  const bool model_is_given = !option_of(run, "model").empty();
  if (work->model.empty() && !model_is_given && !config.has("skills." + agent + ".model")) {
    work->model = agents_.model_of(agent);
  }
  const std::string own = own_runtime(config, option_of(run, "runtime"));
  work->timeout = skill_timeout(config, skills_, agent, work->runtime, own).value_or(Millis{0});
  steps[0].work = std::move(work);
  apply_skill_terms(steps, config, skills_, model_is_given);
  return steps[0].work;
}

DialectRun::Briefing SessionRun::brief(const Run& run, StepIndex step, int attempt) {
  Line& line = line_of(run);
  const std::string& agent = run.step(step).work->skill;
  Briefing briefing;
  briefing.mission =
      task_briefing(line.files, line.turns.plan(), line.turns.list(), line.turns.index(), run, step, attempt);
  briefing.skill = told_.find(agent);
  if (!briefing.skill) briefing.skill = SkillText{session::built_in_agent(agent), {}, {}};
  return briefing;
}

std::vector<std::string> SessionRun::after(const Run& run, StepIndex step) {
  const bool commits = !option_of(run, "with_commit").empty() && option_of(run, "rehearse").empty();
  if (!commits) return {};
  Line& line = line_of(run);
  const std::string answer = option_of(run, "folder") + "/" + answer_file(run.step(step).id);
  return commit_argv(project_, {project_.root(), line.files.folder(), run.step(step).id, answer});
}

}  // namespace baton::cli
