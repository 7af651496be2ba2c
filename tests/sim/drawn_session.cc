#include "sim/drawn_session.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"

namespace baton::test {
namespace {

constexpr const char* nobody = "GONE-1";

/// How far on in the order a task stands: needs go from later ones to earlier ones, but for those of a cycle.
std::uint64_t rank_of(std::uint64_t seed, const std::string& id) { return hash64(id, seed ^ 0x4A4B); }

}  // namespace

Draws DrawnSession::draws_for(const std::string& id) const { return Draws{hash64(id, seed_ ^ 0x7A5C)}; }

Plan DrawnSession::draw(Draws& draws, const Mix& mix) const {
  Plan plan;
  plan.workflow = "WFS-drawn";
  plan.dialect = "session";
  const auto tasks = static_cast<std::size_t>(draws.between(2, 25));
  for (std::size_t n = 0; n < tasks; ++n) {
    Step step = draw_step(draws, mix, fmt::format("s{}", n), {});
    step.flow = std::make_shared<const Flow>(Flow{.deferred = true});
    step.policy.timeout_blocks = draws.chance(0.5);
    // A task's attempt of unknown fate is made again or not; nobody is asked.
    if (step.policy.on_unknown == OnUnknown::ask) step.policy.on_unknown = OnUnknown::retry;
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

session::TodoList DrawnSession::list(const Plan& plan) const {
  session::TodoList list;
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    session::TodoTask task;
    task.id = plan.steps[n].id;
    task.phase = static_cast<int>(1 + 3 * n / plan.steps.size());
    Draws draws = draws_for(task.id + "/line");
    // What a line says may be right or not: only the file counts.
    if (draws.chance(0.2)) task.depends_on = {draws.one_of(plan.steps).id};
    list.tasks.push_back(std::move(task));
  }
  return list;
}

session::PlanDoc DrawnSession::doc() const {
  using enum session::ExecutionModel;
  session::PlanDoc doc;
  doc.model = draws_for("doc").one_of(std::vector{unstated, sequential, parallel, phased, tdd});
  return doc;
}

session::TaskLook DrawnSession::look(const Plan& plan, const std::string& id) const {
  Draws draws = draws_for(id);
  session::TaskLook look;
  const std::size_t kind = draws.below(20);
  if (kind == 0) {
    look.read.faults.push_back({"corrupt-task-file", "injected: it is broken"});
    return look;
  }
  session::Task task;
  task.id = id;
  look.done = kind == 1;
  if (draws.chance(0.6)) task.group = "g";
  if (draws.chance(0.15)) task.pre_analysis.emplace_back();
  task.depends_on.emplace();
  const bool in_cycle = kind == 2;
  for (std::size_t tries = draws.below(4); tries > 0; --tries) {
    const std::string& other = draws.one_of(plan.steps).id;
    if (other != id && (in_cycle || rank_of(seed_, other) < rank_of(seed_, id))) task.depends_on->push_back(other);
  }
  if (kind == 3) task.depends_on->emplace_back(nobody);
  look.read.task = std::move(task);
  return look;
}

void DrawnSession::check_admission(const std::string& run_id, const Run& run, StepIndex step) const {
  const std::string& id = run.step(step).id;
  const session::TaskLook found = look(run.plan(), id);
  promise(found.read.task.has_value(), "a task whose file is broken does not start", run_id, id);
  promise(!found.done, "a task that is done does not start", run_id, id);
  for (const std::string& need : *found.read.task->depends_on) {
    promise(need != nobody, "a task that needs what does not exist does not start", run_id, id);
    const auto i = run.find(need);
    const bool met = i && (run.of(*i).state == StepState::completed || run.of(*i).state.is_skipped_by_person());
    promise(met, "a task starts when what it needs is completed, or was left out by a person", run_id,
            fmt::format("{} needs {}", id, need));
  }
}

session::LookAt DrawnSessionRun::look_by(const Run& run) const {
  return [this, &run](const std::string& id) { return session_.look(run.plan(), id); };
}

session::TurnLine& DrawnSessionRun::line_of(const Run& run) {
  if (line_ == nullptr) {
    line_ = std::make_unique<session::TurnLine>(session_.list(run.plan()), session_.doc(), run, look_by(run));
  }
  return *line_;
}

TurnNews DrawnSessionRun::take_turns(const Run& run, OpenTurns& open) {
  session::TurnLine& line = line_of(run);
  for (const command::TakeTurn& turn : open.fresh(run)) line.ask(run, turn, look_by(run));
  TurnNews news;
  for (int n = 0; n < 4; ++n) {
    auto next = line.next(run, look_by(run));
    if (!next) return news;
    if (next->word) news.events.push_back(std::move(*next->word));
    if (!next->goes) continue;
    if (next->read.task->pre_analysis.empty()) {
      news.events.emplace_back(line.go(next->turn, *next->read.task));
      line.answered(next->turn.step);
    } else if (line.prepare(next->turn)) {
      news.jobs.push_back({next->turn, {"prepare", run.step(next->turn.step).id}});
    }
  }
  news.more = true;
  return news;
}

TurnNews DrawnSessionRun::prepared(const Run& run, const command::TakeTurn& turn) {
  TurnNews news;
  session::TurnLine& line = line_of(run);
  news.events.emplace_back(line.go(turn, *session_.look(run.plan(), run.step(turn.step).id).read.task));
  line.answered(turn.step);
  return news;
}

}  // namespace baton::test
