#include "cli/session/session_turns.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "cli/agent_runtimes.h"
#include "cli/session/prepare_task.h"
#include "cli/session/task_briefing.h"
#include "core/facts.h"
#include "dialect/session/agents.h"
#include "dialect/session/session_plan.h"
#include "engine/real_files.h"
#include "host/program_path.h"

namespace baton::cli {
namespace {

using session::TurnWord;

/// A tick reads so many task files at most: what else has to be done does not wait for a long list.
constexpr int files_at_once = 32;

/// The list as it is now, in the order in which the run knows its tasks. One that was taken out since is still done.
session::TodoList aligned(session::TodoList list, const Plan& plan) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < list.tasks.size(); ++i) places.emplace(list.tasks[i].id, i);
  session::TodoList out;
  std::vector<std::size_t> now(list.tasks.size(), plan.steps.size());  // where a task of the list is in the run
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto place = places.find(plan.steps[i].id);
    if (place != places.end()) now[place->second] = i;
  }
  for (const Step& step : plan.steps) {
    session::TodoTask task;
    if (const auto place = places.find(step.id); place != places.end()) task = list.tasks[place->second];
    task.id = step.id;
    task.title = step.work->title;
    task.container = step.flow == nullptr;
    task.state = session::BoxState::pending;  // what is done is the run's to say
    const bool has_parent = task.parent && now[*task.parent] < plan.steps.size();
    task.parent = has_parent ? std::optional{now[*task.parent]} : std::nullopt;
    out.tasks.push_back(std::move(task));
  }
  return out;
}

bool is_at_work(const Run& run, StepIndex step) {
  const StepState state = run.of(step).state;
  return state == StepState::ready || state == StepState::running || state == StepState::checking ||
         state == StepState::waiting;
}

bool is_agent_program(const std::string& runtime) {
  return std::ranges::find(agent_programs(), runtime) != agent_programs().end();
}

event::TurnTaken taken(const command::TakeTurn& turn, TurnVerdict verdict, std::string code = {},
                       std::string reason = {}) {
  return {turn.step, turn.generation, turn.round, verdict, std::move(reason), std::move(code), nullptr, {}, {}};
}

}  // namespace

struct SessionTurns::Line {
  Line(SessionFiles its_files, session::TodoList its_list, session::PlanDoc its_plan)
      : files(std::move(its_files)),
        list(std::move(its_list)),
        plan(std::move(its_plan)),
        index(list),
        lineup(list, plan),
        over(list.tasks.size(), false) {}

  SessionFiles files;
  session::TodoList list;
  session::PlanDoc plan;
  session::TaskIndex index;
  session::Lineup lineup;
  std::vector<bool> over;  ///< the lineup was told that it has ended
  std::map<std::size_t, command::TakeTurn> asked;
  std::set<std::size_t> preparing;  ///< a process sees to these; their turns are asked for and not answered
  std::set<std::size_t> told;       ///< what is not well with their files was said

  void end(std::size_t task, bool completed) {
    over[task] = true;
    lineup.ended(task, completed);
  }

  /// What the run's record says of each task.
  void restore(const Run& run) {
    for (std::size_t n = 0; n < list.tasks.size(); ++n) {
      const StepIndex step = step_index(n);
      if (is_settled(run.of(step).state)) {
        end(n, run.of(step).state == StepState::completed);
      } else if (is_at_work(run, step)) {
        const auto read = files.task(run.step(step).id);
        lineup.is_at_work(n, read.task && read.task->group);
      }
    }
    for (std::size_t n = 0; n < list.tasks.size(); ++n) {
      const StepIndex step = step_index(n);
      if (run.of(step).state != StepState::pending || list.tasks[n].container) continue;
      std::vector<std::size_t> open;
      for (const StepIndex need : run.needs_of(step)) {
        if (run.of(need).state != StepState::completed) open.push_back(at(need));
      }
      if (!open.empty()) lineup.is_waiting(n, std::move(open));
    }
  }
};

SessionTurns::SessionTurns(const Project& project, ProjectSkills& skills, SessionAgents& agents,
                           const ProjectAgents& settings)
    : project_(project), skills_(skills), agents_(agents), settings_(settings) {}
SessionTurns::~SessionTurns() = default;

SessionTurns::Line& SessionTurns::line_of(const std::string& id, const Run& run) {
  std::unique_ptr<Line>& line = lines_[id];
  if (line == nullptr) {
    SessionFiles files = session_files_of(run, project_.root());
    auto list = files.todo();
    session::PlanDoc plan = files.plan();
    line = std::make_unique<Line>(std::move(files), aligned(list ? std::move(*list) : session::TodoList{}, run.plan()),
                                  std::move(plan));
    line->restore(run);
  }
  return *line;
}

void SessionTurns::ask(const std::string& id, const Run& run, const command::TakeTurn& turn) {
  Line* line = &line_of(id, run);
  if (line->over[at(turn.step)]) {
    // Somebody had it run again, and with it what depends on it: all of that is in the record.
    const std::unique_ptr<Line> before = std::move(lines_.at(id));
    lines_.erase(id);
    line = &line_of(id, run);
    line->told = before->told;
    for (const auto& [task, earlier] : before->asked) {
      const FlowRun* flow = run.flow_of(earlier.step);
      if (flow == nullptr || !flow->taking_turn || line->over[task]) continue;
      line->asked[task] = earlier;
      line->lineup.ask(task);
      if (before->preparing.contains(task)) line->preparing.insert(task);
    }
  }
  const auto [earlier, is_new] = line->asked.try_emplace(at(turn.step), turn);
  const bool same = earlier->second.generation == turn.generation && earlier->second.round == turn.round;
  if (!is_new && same) return;  // as it was taken over from before
  if (!same) line->preparing.erase(at(turn.step));
  earlier->second = turn;
  line->lineup.ask(at(turn.step));
}

void SessionTurns::ended(const std::string& id, const Run& run, StepIndex step) {
  Line& line = line_of(id, run);
  line.asked.erase(at(step));
  line.preparing.erase(at(step));
  if (is_settled(run.of(step).state)) line.end(at(step), run.of(step).state == StepState::completed);
}

TurnNews SessionTurns::next(const std::string& id, const Run& run) {
  Line& line = line_of(id, run);
  TurnNews news;
  const auto jobs = static_cast<std::size_t>(run.settings().jobs);
  for (int n = 0; n < files_at_once; ++n) {
    const std::size_t busy = line.lineup.at_work();
    const auto task = line.lineup.next(jobs > busy ? jobs - busy : 0);
    if (!task) return news;
    take(line, run, *task, news);
  }
  news.more = true;
  return news;
}

void SessionTurns::take(Line& line, const Run& run, std::size_t n, TurnNews& news) {
  const auto asked = line.asked.find(n);
  if (asked == line.asked.end()) return line.end(n, false);  // nobody waits for it any more
  const command::TakeTurn turn = asked->second;
  session::TaskRead read = line.files.task(run.step(turn.step).id);
  if (read.task && line.told.insert(n).second) std::ranges::move(read.faults, std::back_inserter(news.warnings));
  if (!read.task) {
    const Fault& why = read.faults.front();
    news.events.emplace_back(taken(turn, TurnVerdict::fail, why.code, on_one_line(why)));
    line.asked.erase(asked);
    return line.end(n, false);
  }
  const session::Task& task = *read.task;
  const TurnWord word = line.lineup.tell(n, {task.is_completed(), task.is_container(), task.group.has_value(),
                                             session::needs_of(task, line.list.tasks[n], line.index)});
  if (word.kind == TurnWord::Kind::hold) return;  // it stays in line
  if (word.kind == TurnWord::Kind::go) return prepare(line, run, turn, task, news);
  line.asked.erase(asked);
  switch (word.kind) {
    case TurnWord::Kind::done:
      news.events.emplace_back(taken(turn, TurnVerdict::done));
      break;
    case TurnWord::Kind::block:
      news.events.emplace_back(taken(turn, TurnVerdict::block, word.code, word.reason));
      break;
    case TurnWord::Kind::fail:
      news.events.emplace_back(taken(turn, TurnVerdict::fail, word.code, word.reason));
      break;
    case TurnWord::Kind::wait: {
      event::PlanExtended joins;
      joins.by = turn.step;
      joins.first = step_index(run.step_count());
      for (const std::size_t need : word.needs) joins.joins.emplace_back(turn.step, step_index(need));
      news.events.emplace_back(std::move(joins));
      break;
    }
    case TurnWord::Kind::go:
    case TurnWord::Kind::hold:
      break;
  }
}

/// Its steps of preparation come first. What they gave is kept, and a process that finds it so has nothing to do.
void SessionTurns::prepare(Line& line, const Run& run, const command::TakeTurn& turn, const session::Task& task,
                           TurnNews& news) {
  const std::string folder = option_of(run, "folder");
  if (task.pre_analysis.empty()) return go(line, run, turn, task, news);
  const TaskToPrepare what{project_.root(), line.files.folder(), task.id, kept_path(folder, task.id, "flow.json")};
  if (option_of(run, "rehearse").empty()) {
    if (line.preparing.insert(at(turn.step)).second) news.jobs.push_back({turn, prepare_argv(project_, what)});
    return;
  }
  (void)rehearse_preparation(what);  // one that is not kept is left out
  go(line, run, turn, task, news);
}

TurnNews SessionTurns::prepared(const std::string& id, const Run& run, const command::TakeTurn& turn) {
  Line& line = line_of(id, run);
  TurnNews news;
  const std::string& task_id = run.step(turn.step).id;
  const auto flow = kept_flow(option_of(run, "folder"), task_id);
  if (flow) news.warnings = flow->warnings;
  session::TaskRead read = line.files.task(task_id);
  if (flow && flow->failure) {
    // What a person has to see to is nobody's failure: it waits until somebody has.
    const bool asks = flow->failure->code == "flow-step-asks";
    news.events.emplace_back(
        taken(turn, asks ? TurnVerdict::block : TurnVerdict::fail, flow->failure->code, flow->failure->message));
  } else if (!read.task) {
    news.events.emplace_back(
        taken(turn, TurnVerdict::fail, read.faults.front().code, on_one_line(read.faults.front())));
  } else {
    go(line, run, turn, *read.task, news);
  }
  line.asked.erase(at(turn.step));
  line.preparing.erase(at(turn.step));
  return news;
}

void SessionTurns::go(Line& line, const Run& run, const command::TakeTurn& turn, const session::Task& task,
                      TurnNews& news) {
  event::TurnTaken e = taken(turn, TurnVerdict::go);
  e.work = work_for(line, run, task, news);
  if (const std::string& runtime = e.work->runtime; !runtime.empty() && !is_agent_program(runtime)) {
    e = taken(turn, TurnVerdict::fail, "unknown-runtime",
              fmt::format("its agent '{}' is to go to '{}', and there is no such runtime", e.work->skill, runtime));
  }
  news.events.emplace_back(std::move(e));
  line.asked.erase(at(turn.step));
}

std::shared_ptr<const Work> SessionTurns::work_for(Line& line, const Run& run, const session::Task& task,
                                                   TurnNews& news) {
  const Config& config = settings_.config_for(run);
  const auto place = line.index.find(task.id);
  const std::string listed = place ? line.list.tasks[*place].agent : std::string{};
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
  steps[0].work = std::move(work);
  apply_skill_terms(steps, config, skills_, model_is_given);
  return steps[0].work;
}

std::string SessionTurns::mission(const std::string& id, const Run& run, StepIndex step, int attempt) {
  Line& line = line_of(id, run);
  agents_.serve(run.step(step).work->skill);
  return task_briefing(line.files, line.plan, line.list, line.index, run, step, attempt);
}

std::vector<std::string> SessionTurns::after(const std::string& id, const Run& run, StepIndex step) {
  const bool commits = !option_of(run, "with_commit").empty() && option_of(run, "rehearse").empty();
  if (!commits) return {};
  Line& line = line_of(id, run);
  const std::string answer = option_of(run, "folder") + "/" + answer_file(run.step(step).id);
  return commit_argv(project_, {project_.root(), line.files.folder(), run.step(step).id, answer});
}

}  // namespace baton::cli
