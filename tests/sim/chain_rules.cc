#include "sim/chain_rules.h"

#include <algorithm>

#include "dialect/chain/extend.h"
#include "engine/working_tree.h"
#include "support/digest.h"

namespace baton::test {
bool is_at_work(const Run& run, StepIndex i) {
  return run.of(i).state == StepState::running || run.of(i).state == StepState::checking;
}

namespace {

std::string who(const AttemptKey& key) { return fmt::format("{}.{}", key.step, key.attempt); }

/// Where a process works: the tree it sees to, or the folder it was started in.
std::string folder_of(const SpawnSpec& spec) {
  return FakeTrees::is_job(spec.key) ? FakeTrees::option(spec.argv, "--tree") : spec.cwd;
}

bool is_resolving(const Run& run, StepIndex step) { return run.step(step).work->skill == resolving_skill; }

/// What the journal says has to be seen to in a tree.
bool is_wanted(const Run& run, const AttemptKey& key) {
  constexpr int rounds_of_a_generation = 1000;
  const auto step = run.find(FakeTrees::step_of(key));
  if (!step) return false;
  if (FakeTrees::is_commit(key)) {
    return run.of(*step).state == StepState::checking && run.of(*step).attempts.back().n == key.attempt;
  }
  const FlowRun* flow = run.flow_of(*step);
  return flow != nullptr && flow->is_asked() &&
         key.attempt == flow->generation * rounds_of_a_generation + flow->round + 1;
}

bool has_completed_review(const Run& run) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepRun& s = run.of(step_index(n));
    if (s.state == StepState::completed && !s.state.is_replaced() && run.step(step_index(n)).work->reviews) return true;
  }
  return false;
}

void ids_are_unique(const std::string& id, const Run& run) {
  std::set<std::string> ids;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    if (run.never_existed(step_index(n))) continue;
    const std::string& step = run.step(step_index(n)).id;
    promise(ids.insert(step).second, "nothing is added twice", id, step);
  }
}

}  // namespace

void ChainRules::before(const std::string& id, const Run& run, const Event& e) {
  was_ = run.state();
  if (const auto* admission = std::get_if<event::AttemptAdmitted>(&e.body)) admitted(id, run, admission->step);
  if (const auto* extension = std::get_if<event::PlanExtended>(&e.body)) extends(id, run, *extension);
  if (const auto* checked = std::get_if<event::OutputChecked>(&e.body)) {
    const bool counts = run.of(checked->step).state == StepState::checking && all_passed(checked->results);
    if (!counts || working_tree(run, checked->step).folder.empty()) return;
    promise(trees_.was_committed({id, run.step(checked->step).id, checked->attempt}),
            "what an attempt changed is committed before anything is said of it", id, run.step(checked->step).id);
  }
}

/// Only what is taken is looked at: what comes too late changes nothing.
void ChainRules::extends(const std::string& id, const Run& run, const event::PlanExtended& e) {
  const RunState state = run.state();
  const bool goes_on =
      state == RunState::running || state == RunState::paused || state == RunState::parked || state == RunState::queued;
  if (at(e.first) != run.step_count() || run.cancelling() || (!goes_on && e.task.empty())) return;
  const std::string& by = run.step(e.by).id;
  if (!e.task.empty()) {
    ++reached_["asked anew"];
    return;
  }
  const bool resolves = e.steps.size() == 1 && e.steps[0].work->skill == resolving_skill;
  if (resolves) {
    ++reached_["resolving"];
    const FlowRun* flow = run.flow_of(e.by);
    promise(flow != nullptr && flow->is_asked() && !run.of(e.by).state.is_replaced(),
            "a conflict is resolved for a step whose turn it is", id, by);
    promise(e.joins == std::vector{std::pair{e.by, e.first}}, "whoever met the conflict waits", id, by);
    promise(resolutions_.emplace(id, e.by, e.steps[0].work->notes.front()).second,
            "a merge is resolved by an agent once", id, by);
  } else if (run.step(e.by).work->extends != Extends::nothing) {
    ++reached_[e.replaces_rest ? "replaced" : "extended by answer"];
    promise(run.of(e.by).state.is_answered(), "only an answer that passed its checks extends the plan", id, by);
    promise(answers_.emplace(id, e.by, run.of(e.by).attempts.back().n).second, "an answer extends the plan once", id,
            by);
  }
}

void ChainRules::admitted(const std::string& id, const Run& run, StepIndex step) const {
  const WorkingTree tree = working_tree(run, step);
  if (tree.folder.empty()) return;
  const std::string& name = run.step(step).id;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex other = step_index(n);
    if (other == step || !is_at_work(run, other)) continue;
    promise(working_tree(run, other).folder != tree.folder, "no two attempts are at work in one tree", id,
            fmt::format("{} while {} is {}", name, run.step(other).id, baton::name(run.of(other).state)));
  }
  if (is_resolving(run, step)) {
    promise(trees_.is_made(tree.folder), "no attempt starts before its tree is ready", id, name);
  } else {
    const std::string trouble = trees_.trouble(tree.folder, tree.merges);
    promise(trouble.empty(), "no attempt starts before its tree is ready", id, name + ": " + trouble);
  }
  const auto left = left_.find({id, tree.folder});
  if (left == left_.end() || left->second.step == name) return;
  const auto before = run.find(left->second.step);
  const bool begins_anew = before && !is_at_work(run, *before) && run.of(*before).state != StepState::completed;
  promise(begins_anew || trees_.was_committed(left->second), "a commit follows an attempt before the next one starts",
          id, fmt::format("{} after {}", name, who(left->second)));
}

void ChainRules::after(const std::string& id, const Run& run, const Event& e) {
  if (const auto* end = std::get_if<event::AttemptEnded>(&e.body)) {
    const std::string folder = working_tree(run, end->step).folder;
    const bool well = run.of(end->step).state == StepState::checking;
    if (!folder.empty() && well) left_[{id, folder}] = {id, run.step(end->step).id, end->attempt};
  }
  if (std::holds_alternative<event::PlanExtended>(e.body)) ids_are_unique(id, run);
  if (std::holds_alternative<event::ReviewAnswered>(e.body)) ++reached_["review answered"];
  if (std::holds_alternative<event::StepDeferred>(e.body)) ++reached_["deferred"];
  if (std::holds_alternative<event::PlaceTaken>(e.body)) ++reached_["place taken"];
  const auto* answer = std::get_if<event::ReviewAnswered>(&e.body);
  if (run.state() == RunState::completed) {
    promise(!has_completed_review(run), "a run with a review ends with a person's word", id, describe(run));
  }
  if (run.state() == RunState::accepted && was_ != RunState::accepted) {
    promise(answer != nullptr && answer->accepted, "only what a person accepts is accepted", id, describe(run));
  }
  if (run.awaits_review()) {
    promise(has_completed_review(run), "somebody is asked something", id, describe(run));
    promise(run.count(StepState::failed) == 0, "what failed is not reviewed", id, describe(run));
  }
}

void ChainRules::completed(const std::string& id, const Run& run, const Event& e, StepIndex step) {
  if (run.step(step).work->extends == Extends::nothing) return;
  const auto* extension = std::get_if<event::PlanExtended>(&e.body);
  promise(extension != nullptr && extension->by == step,
          "an answer is complete when what it does to the plan is on record", id, run.step(step).id);
}

void ChainRules::stored(const std::string& id, const Run& run) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    promise(!run.of(step_index(n)).state.is_answered(), "an answer and what it does to the plan are one transaction",
            id, run.step(step_index(n)).id);
  }
}

void ChainRules::nobody_else_is_there(const AttemptKey& key, const Run& run, const std::string& folder) const {
  for (const auto& [other, p] : host_.processes()) {
    const bool there = other != key && other.run == key.run && p.state != FakeHost::State::waiting;
    if (!there || p.gone_at || folder_of(p.spec) != folder) continue;
    promise(false, "one process at a time sees to a tree", key.run, who(key) + " beside " + who(other));
  }
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    const bool there = run.of(i).state == StepState::running && working_tree(run, i).folder == folder;
    promise(!there, "nothing is done to a tree while an attempt is at work in it", key.run,
            who(key) + " beside " + run.step(i).id);
  }
}

void ChainRules::started(const AttemptKey& key, const Run& run) const {
  ++reached_[FakeTrees::is_commit(key) ? "tree commit" : "tree prepare"];
  // What waited for the end of a pause may begin though nobody waits for it any more; then it is stopped: see check().
  if (is_wanted(run, key))
    nobody_else_is_there(key, run, FakeTrees::option(host_.processes().at(key).spec.argv, "--tree"));
}

bool ChainRules::can_start(const Run& run) {
  if (run.count(StepState::ready) == 0) return false;
  std::set<std::string> busy;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const FlowRun* flow = run.flow_of(step_index(n));
    const bool turns = flow != nullptr && flow->is_asked();
    if (turns || is_at_work(run, step_index(n))) busy.insert(run.step(step_index(n)).work->tree);
  }
  busy.erase("");
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const bool ready = run.of(step_index(n)).state == StepState::ready;
    if (ready && !busy.contains(run.step(step_index(n)).work->tree)) return true;
  }
  return false;
}

void ChainRules::check(const std::string& id, const Run& run) const {
  for (const auto& [key, p] : host_.processes()) {
    if (key.run != id || p.state != FakeHost::State::alive || p.gone_at || !FakeTrees::is_job(key)) continue;
    promise(is_wanted(run, key), "what nobody waits for is being stopped", id, who(key));
  }
}

}  // namespace baton::test
