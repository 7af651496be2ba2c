#include "sim/simulation.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "engine/working_tree.h"
#include "journal/event_codec.h"
#include "support/digest.h"

namespace baton::test {
namespace {

constexpr std::size_t turns_max = 60'000;
constexpr int resumes_of_a_stuck_run = 8;
constexpr int gates_answered_max = 50;

bool waits_at_gate(const Run& run) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    if (run.of(step_index(n)).state.is_at_gate()) return true;
  }
  return false;
}

std::vector<StepIndex> done_with_output(const Run& run) {
  std::vector<StepIndex> done;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    if (run.of(i).state == StepState::completed && !run.step(i).work->output.empty()) done.push_back(i);
  }
  return done;
}

}  // namespace

Simulation::Simulation(std::uint64_t seed, bool verbose)
    : seed_(seed),
      verbose_(verbose),
      draws_(seed),
      mix_(draw_mix(draws_)),
      outcome_of_([this](const AttemptKey& key) { return draw_outcome(seed_, key, mix_); }),
      runtimes_(outcome_of_),
      host_(clock_, files_, mortality_, outcome_of_, Draws{seed ^ 0x5EED}),
      trees_(seed),
      auditor_(host_, trees_, files_, reached_),
      tampering_(seed ^ 0x7A3) {
  // Numbers of their own: seeds that have neither draw what they always drew.
  Draws liars{seed ^ 0x3A11};
  mix_.walls = liars.chance(0.06);
  mix_.hurried = liars.chance(0.06);
  mix_.tampers = liars.chance(0.15);
  mix_.silent = liars.chance(0.15);
  mix_.sandbox = liars.chance(0.5);
  draw_troubles();
  listen_to_world();
  draw_runs();
  // Somebody who waits looks again and again, so that nothing would show that what he waits for is stuck.
  Draws shared{seed ^ 0x5A4E};
  if (!mix_.stuck && shared.chance(0.4)) limits_.concurrent_runs = static_cast<int>(shared.between(1, 2));
  if (!mix_.stuck && shared.chance(0.4)) limits_.concurrent_steps = static_cast<int>(shared.between(1, 4));
  auditor_.steps_are_shared = limits_.concurrent_steps > 0;
  chaos_ends_ = clock_.now() + draws_.lasting(3000, 300'000);
  next_chaos_ = clock_.now();
  engine_back_ = clock_.now();
}

void Simulation::draw_troubles() {
  host_.notice_delay_max = Millis{mix_.late_notices ? 3000 : 0};
  host_.says_twice = mix_.twice_told ? 0.3 : 0;
  host_.forgets = mix_.forgetful ? 0.7 : 0;
  if (mix_.conflicts) trees_.troubles.conflicts = static_cast<int>(draws_.between(10, 80));
  if (mix_.conflicts) trees_.troubles.left_open = static_cast<int>(draws_.between(0, 70));
  if (mix_.tree_faults) {
    trees_.troubles.deaths = draws_.one_of(std::vector{0, 10, 50});
    trees_.troubles.faults = draws_.one_of(std::vector{0, 5, 20});
    trees_.troubles.gone = draws_.one_of(std::vector{0, 0, 10});
  }
  auditor_.exact_timeouts = !mix_.dies_between && !mix_.dies_within && !mix_.append_fails && !mix_.lost_replies &&
                            !mix_.holder_dies && !mix_.machine_dies && !mix_.tree_faults;
}

void Simulation::listen_to_world() {
  host_.watch.started = [this](const AttemptKey& key) { auditor_.process_started(key); };
  host_.watch.acknowledged = [this](const AttemptKey& key) { auditor_.acknowledged(key); };
  host_.watch.ended = [this](const SpawnSpec& spec, bool by_itself) -> std::optional<std::string> {
    if (DrawnSession::is_job(spec.key)) return DrawnSession::report(by_itself);
    if (!FakeTrees::is_job(spec.key)) return std::nullopt;
    return trees_.ended(spec, by_itself);
  };
  journal_.on_record = [this](const std::string& run, const std::vector<Event>& e) { auditor_.recorded(run, e); };
  auditor_.on_admission = [this](const std::string& id, const Run& run, StepIndex step) {
    if (run.plan().dialect == "session") session_.check_admission(id, run, step);
  };
  journal_.fate_of_append = [this] {
    if (!next_chaos_) return FaultyJournal::Fate::well;
    if (mix_.append_fails && draws_.chance(0.01)) return FaultyJournal::Fate::fails;
    if (mix_.lost_replies && draws_.chance(0.01)) return FaultyJournal::Fate::lost_reply;
    return FaultyJournal::Fate::well;
  };
}

void Simulation::draw_runs() {
  const std::size_t runs = draws_.chance(0.7) ? 1 : 2 + draws_.below(2);
  for (std::size_t n = 0; n < runs; ++n) {
    RunSettings settings = draw_settings();
    Draws own{seed_ ^ (0x5E55 + n)};
    const bool is_session = own.chance(0.25);
    Plan plan = is_session                           ? session_.draw(own, mix_)
                : !mix_.chains || draws_.chance(0.2) ? draw_plan(draws_, mix_)
                : draws_.chance(0.6)                 ? draw_chain(draws_, mix_)
                                                     : draw_answering_plan(draws_, mix_);
    const std::string id = fmt::format("r{}", n + 1);
    // Rehearsed chains speak of trees too, and have none.
    const bool has_trees = mix_.chains && mix_.trees && draws_.chance(0.9) && !is_session;
    if (has_trees) {
      settings.options = {{"worktree", "/trees/" + id}, {"branch", "baton/" + id}, {"base_commit", "0123"}};
    } else if (mix_.chains && mix_.trees && !is_session) {
      settings.options = {{"rehearse", "yes"}};
    }
    move_outputs(plan, output_folder(id));
    if (mix_.sandbox && plan.dialect == "markdown") settings.options["sandbox"] = id;
    std::vector<event::FoundStep> found = draw_found(plan);
    planned_.push_back({id, {std::make_shared<const Plan>(std::move(plan)), settings, std::move(found)}});
  }
}

/// Where the run's steps write: no two runs write the same files.
std::string Simulation::output_folder(const std::string& run) const {
  return (mix_.sandbox ? "sandbox/" : "") + run + "/";
}

RunSettings Simulation::draw_settings() {
  RunSettings settings;
  settings.seed = draws_.next();
  settings.jobs = static_cast<int>(draws_.between(1, 4));
  if (mix_.budgets && draws_.chance(0.5)) settings.time_budget = Millis{draws_.between(1000, 60'000)};
  if (mix_.budgets && draws_.chance(0.5)) settings.token_budget = draws_.between(100, 20'000);
  if (mix_.budgets && draws_.chance(0.5)) settings.cost_budget = Cost{draws_.between(1'000'000, 50'000'000)};
  if (mix_.budgets && draws_.chance(0.3)) settings.turn_budget = draws_.between(1, 100);
  return settings;
}

/// Some of the first steps were done before the run began.
std::vector<event::FoundStep> Simulation::draw_found(const Plan& plan) {
  std::vector<event::FoundStep> found;
  if (!mix_.found) return found;
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    const Step& step = plan.steps[n];
    const bool can = std::ranges::all_of(step.needs, [&](StepIndex need) {
      return std::ranges::find(found, need, &event::FoundStep::step) != found.end();
    });
    if (step.work->output.empty() || !can || draws_.chance(0.5)) continue;
    const std::string content = draw_output(draws_);
    files_.files["/project/" + step.work->output] = content;
    found.push_back({step_index(n), hex(hash64(content))});
  }
  return found;
}

void Simulation::note(const std::string& what) {
  if (verbose_) fmt::print("{:>9} {}\n", to_ms(clock_.now()) - 1'790'000'000'000, what);
}

std::string Simulation::text() const {
  std::string text;
  for (const Planned& p : planned_) text += p.id + "\n" + journal_.kept.text(p.id);
  return text;
}

// --- The machine --------------------------------------------------------------------------------------------------

void Simulation::run() {
  for (std::size_t turn = 0;; ++turn) {
    if (turn > turns_max) throw Violation("every run ends: still busy after very many turns");
    if (next_time()) {
      step_once();
    } else if (!help_on()) {
      break;
    }
  }
  check_journals();
  check_requests();
  auditor_.check_end();
  for (const Planned& p : planned_) ++reached_.ends[std::string{name(auditor_.run(p.id).state())}];
}

std::optional<Time> Simulation::next_time() {
  std::optional<Time> next;
  const auto sooner = [&](const std::optional<Time>& t) {
    if (t && (!next || *t < *next)) next = t;
  };
  sooner(host_.next_event());
  sooner(next_chaos_);
  sooner(engine_back_);
  if (engine_) sooner(engine_->needs_tick(clock_.now()) ? std::optional{clock_.now()} : engine_->next_due());
  return next;
}

void Simulation::step_once() {
  clock_.set(*next_time());
  host_.catch_up();
  try {
    if (engine_back_ && *engine_back_ <= clock_.now()) start_engine();
    if (engine_) work();
  } catch (const Crash&) {
    engine_dies("died in a call");
  }
  if (next_chaos_ && *next_chaos_ <= clock_.now()) chaos();
}

void Simulation::start_engine() {
  engine_back_.reset();
  check_journals();
  if (next_chaos_ && mix_.dies_within && draws_.chance(0.8)) {
    mortality_.die_in(static_cast<std::uint64_t>(draws_.lasting(1, 300).count()));
  }
  const int n = ++engines_;
  note(fmt::format("engine {} begins", n));
  Engine::Terms terms;
  terms.self.owner = fmt::format("engine-{}", n);
  terms.self.host = "sim";
  terms.self.pid = n;
  terms.boot = fmt::format("boot-{}", boots_);
  terms.root = "/project";
  terms.state_dir = "/project/.baton";
  terms.is_dead = [](const Lease&) { return true; };  // of two engines the earlier one is always dead here
  const Engine::Seams seams{journal_, host_, clock_, files_, runtimes_, nullptr, &dialects_};
  engine_ = std::make_unique<Engine>(seams, terms);
  engine_->share(limits_);
  queued_before_.clear();
  for (const Planned& p : planned_) {
    const Status begun = auditor_.knows(p.id) ? engine_->take(p.id) : engine_->create(p.id, p.created);
    if (!begun) throw Violation("a run can always be taken up: " + begun.error().message);
    if (auto heard = engine_->hear_requests(p.id); !heard) throw Violation(heard.error().message);
  }
}

void Simulation::work() {
  while (host_.deliver()) {
  }
  if (engine_->needs_tick(clock_.now()) && !tick()) return;
  if (draws_.chance(0.2)) engine_->read_outputs();
}

bool Simulation::tick() {
  ++reached_.ticks;
  const Status done = engine_->tick();
  if (!done) {
    const bool tree_is_stuck = mix_.tree_faults && done.error().code == "tree-not-ready";
    const bool expected = tree_is_stuck || done.error().message.starts_with("injected");
    if (!expected) throw Violation("a tick goes well: " + done.error().message);
    ++reached_.faults[done.error().code];
    engine_dies(done.error().code.c_str());
    return false;
  }
  auditor_.check(*engine_);
  check_shares();
  return true;
}

/// Never more than is allowed, and whoever was created first begins first.
void Simulation::check_shares() {
  int running = 0;
  std::size_t at_work = 0;
  bool thawed = false;
  std::set<std::string> frozen;
  std::vector<std::string> queued;
  bool waits_before = false;
  for (const Planned& p : planned_) {
    if (!auditor_.knows(p.id)) continue;
    const Run& r = auditor_.run(p.id);
    if (r.is_frozen()) {
      frozen.insert(p.id);
    } else {
      at_work += r.in_flight();
      thawed = thawed || frozen_before_.contains(p.id);
    }
    if (r.state() == RunState::running && !r.cancelling()) ++running;
    if (r.wants_place()) queued.push_back(p.id);
    const bool waited = std::ranges::find(queued_before_, p.id) != queued_before_.end();
    const bool begins = r.started() != Time{} && begun_.insert(p.id).second;
    if (waited && begins && waits_before) {
      throw Violation("runs begin in order of creation: " + p.id);
    }
    waits_before = waits_before || (waited && r.wants_place());
  }
  queued_before_ = std::move(queued);
  reached_.flows["queued"] += queued_before_.size();
  if (limits_.concurrent_runs > 0 && running > limits_.concurrent_runs) {
    throw Violation(fmt::format("no more runs at once than allowed: {} of {}", running, limits_.concurrent_runs));
  }
  frozen_before_ = std::move(frozen);
  check_slots(at_work, thawed);
}

/// What stood still in a pause takes up no slot, and goes on at once when the pause ends: then there may be too many
/// for a while, but not one more begins.
void Simulation::check_slots(std::size_t at_work, bool thawed) {
  const auto limit = static_cast<std::size_t>(limits_.concurrent_steps);
  if (limit == 0) return;
  if (thawed) at_work_max_ = std::max(at_work_max_, at_work);
  if (at_work > std::max(at_work_max_, limit)) {
    throw Violation(fmt::format("no more steps at once than allowed: {} of {}", at_work, limit));
  }
  at_work_max_ = std::max(limit, at_work);
}

void Simulation::engine_dies(const char* how) {
  note(fmt::format("the engine is gone: {}", how));
  ++reached_.faults["engine gone"];
  mortality_.die_in(0);
  engine_.reset();
  host_.engine_died();
  come_back_later();
}

void Simulation::come_back_later() {
  engine_back_ = clock_.now() + (draws_.chance(0.5) ? Millis{0} : draws_.lasting(1, 60'000));
}

void Simulation::check_journals() {
  texts_before_.resize(planned_.size());
  for (std::size_t n = 0; n < planned_.size(); ++n) {
    const std::string& id = planned_[n].id;
    if (!auditor_.knows(id)) continue;
    std::string now = journal_.kept.text(id);
    if (!now.starts_with(texts_before_[n])) throw Violation("the journal only grows: run " + id);
    texts_before_[n] = std::move(now);
    auto events = journal_.load(id);
    if (!events) throw Violation("the journal can be read: " + events.error().message);
    Run replayed;
    for (const Event& e : *events) (void)replayed.apply(e);
    if (events->size() != auditor_.events(id) || digest(replayed) != digest(auditor_.run(id))) {
      throw Violation("replaying the journal gives the state: run " + id);
    }
  }
}

void Simulation::check_requests() {
  for (const Planned& p : planned_) {
    const std::vector<Event> events = journal_.load(p.id).value();
    const auto answers = std::ranges::count_if(events, [](const Event& e) {
      const auto* extension = std::get_if<event::PlanExtended>(&e.body);
      return (extension != nullptr && !extension->task.empty()) ||
             std::holds_alternative<event::ReviewAnswered>(e.body) ||
             std::holds_alternative<event::PauseAsked>(e.body) || std::holds_alternative<event::ResumeAsked>(e.body) ||
             std::holds_alternative<event::CancelAsked>(e.body) || std::holds_alternative<event::RetryAsked>(e.body) ||
             std::holds_alternative<event::GateAnswered>(e.body) ||
             std::holds_alternative<event::OutputChanged>(e.body) ||
             std::holds_alternative<event::StepDecided>(e.body) ||
             std::holds_alternative<event::WorkerReported>(e.body);
    });
    if (static_cast<std::size_t>(answers) == p.asked && journal_.requests(p.id)->empty()) continue;
    throw Violation(fmt::format("every request is answered exactly once: run {}: {} of {}", p.id, answers, p.asked));
  }
}

// --- What happens to it -------------------------------------------------------------------------------------------

void Simulation::chaos() {
  // Where all is over, a little may still be asked of it, but not for ever.
  const bool over = std::ranges::all_of(planned_, [&](const Planned& p) {
    return auditor_.knows(p.id) &&
           (is_over(auditor_.run(p.id).state()) || auditor_.run(p.id).state() == RunState::failed);
  });
  if (clock_.now() >= chaos_ends_ || (over && draws_.chance(0.3))) {
    note("no more faults");
    next_chaos_.reset();
    mortality_.die_in(0);
    host_.notice_delay_max = Millis{0};
    return;
  }
  next_chaos_ = clock_.now() + draws_.lasting(1, 10'000);
  if (mix_.tampers && tampering_.chance(0.5)) tamper(any_of(tampering_).id);
  try {
    wreak(draws_.below(15));
  } catch (const Crash&) {
    engine_dies("died in a call");
  }
}

void Simulation::wreak(std::size_t kind) {
  const std::string run = any_run().id;
  const bool known = auditor_.knows(run);
  if (kind == 0 && mix_.dies_between && engine_) engine_dies("killed");
  if (kind == 1 && mix_.holder_dies) {
    note("the holder is killed");
    ++reached_.faults["holder killed"];
    host_.holder_died();
  }
  if (kind == 2 && mix_.machine_dies && draws_.chance(0.3)) {
    note("power cut");
    ++reached_.faults["power cut"];
    ++boots_;
    host_.machine_died(0.3);
    if (engine_) engine_dies("power cut");
  }
  if (kind == 3 && mix_.dies_within && engine_ && !mortality_.armed()) {
    mortality_.die_in(1 + draws_.below(40));
  }
  if (kind == 4 && mix_.pauses) ask(run, "pause", "somebody");
  if (kind == 5 && mix_.pauses) ask(run, "resume", "");
  if (kind == 6 && mix_.cancels && draws_.chance(0.3)) ask(run, "cancel", "somebody");
  if (kind == 7 && mix_.retries && known) {
    const Run& r = auditor_.run(run);
    ask(run, "retry", draws_.chance(0.3) ? "" : r.step(step_index(draws_.below(r.step_count()))).id);
  }
  if (kind == 8 && mix_.extensions && known && engine_ && draws_.chance(0.5)) extend(run);
  if (kind == 9 && mix_.budgets && known && engine_ && draws_.chance(0.5)) raise_budget(run);
  if (kind == 10 && mix_.gates && known) answer_gate(run);
  if (kind == 11 && mix_.edits && known && draws_.chance(0.5)) edit_output(run);
  if (kind == 13 && mix_.retries && known) decide(run);
  if (kind == 14 && mix_.retries && known) report(run);
  if (kind == 12 && mix_.reviews && known) answer_review(*std::ranges::find(planned_, run, &Planned::id));
}

/// Somebody says of a step that it is done, or leaves it out; whatever state it is in.
void Simulation::decide(const std::string& run) {
  const Run& r = auditor_.run(run);
  if (r.plan().dialect == "chain" || !draws_.chance(0.5)) return;
  const StepIndex step = step_index(draws_.below(r.step_count()));
  ask(run, "step.decided", encode(event::StepDecided{step, draws_.chance(0.5), "somebody"}));
}

/// A worker says something, perhaps for the second time, perhaps of an attempt that is over.
void Simulation::report(const std::string& run) {
  const Run& r = auditor_.run(run);
  const StepIndex step = step_index(draws_.below(r.step_count()));
  ask(run, "worker.reported",
      encode(event::WorkerReported{step, static_cast<int>(draws_.below(3)), std::to_string(draws_.below(20)),
                                   "progress", "w", "said so", ""}));
}

/// A person takes the change, does not, or wants something else; now and then too early or too late.
void Simulation::answer_review(Planned& planned) {
  constexpr int revisions_max = 3;
  const Run& r = auditor_.run(planned.id);
  const bool can = r.plan().dialect == "chain" && (r.awaits_review() || r.state() == RunState::completed);
  if (!can && !draws_.chance(0.1)) return;
  if (can && planned.revised < revisions_max && draws_.chance(0.5)) {
    ++planned.revised;
    ask(planned.id, "plan.extended", encode(DrawnChainRun{mix_}.revision(r, draws_.chance(0.5))));
  } else {
    ask(planned.id, "review.answered", encode(event::ReviewAnswered{draws_.chance(0.7), "said so", "c0ffee"}));
  }
}

/// Whoever is asked about a conflict resolves it in the tree, or only says so.
void Simulation::look_after_conflicts(const Run& run) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    if (!run.of(i).state.is_at_gate() || !run.step(i).flow->tree || draws_.chance(0.3)) continue;
    trees_.resolve(working_tree(run, i).folder);
  }
}

/// One that waits, all that wait, or, by somebody who looked at an old list, one that does not.
void Simulation::answer_gate(const std::string& run) {
  const Run& r = auditor_.run(run);
  std::vector<StepIndex> gates;
  const bool any = draws_.chance(0.1);
  for (std::size_t n = 0; n < r.step_count(); ++n) {
    const StepIndex i = step_index(n);
    if (r.flow_of(i) != nullptr && (any || r.of(i).state.is_at_gate())) gates.push_back(i);
  }
  if (gates.empty()) return;
  event::GateAnswered answer{draws_.one_of(gates), draws_.chance(0.85), "said so"};
  if (draws_.chance(0.3)) answer.step.reset();
  look_after_conflicts(r);
  ask(run, "gate.answered", encode(answer));
}

/// A person edits what a step made, and then wants the run to go on from there.
void Simulation::edit_output(const std::string& run) {
  const Run& r = auditor_.run(run);
  const std::vector<StepIndex> done = done_with_output(r);
  if (done.empty()) return;
  const StepIndex step = draws_.one_of(done);
  const std::string content = draw_output(draws_);
  files_.put("/project/" + r.step(step).work->output, content);
  const FlowRun* flow = r.flow_of(step);
  if (flow != nullptr && r.step(step).flow->is_composite() && !flow->digest.empty() && draws_.chance(0.7)) {
    return ask(run, "output.changed",
               encode(event::OutputChanged{.step = step, .results = {}, .digest = {}, .put_together = true}));
  }
  const bool passes = draws_.chance(0.7);
  ask(run, "output.changed",
      encode(event::OutputChanged{
          step, {{"required_fields", passes, passes ? "" : "a is missing"}}, hex(hash64(content))}));
}

/// What was checked is no longer what lies there, and nobody says so.
void Simulation::tamper(const std::string& run) {
  if (!auditor_.knows(run) || auditor_.run(run).plan().dialect != "markdown") return;
  const Run& r = auditor_.run(run);
  const std::vector<StepIndex> done = done_with_output(r);
  if (done.empty()) return;
  const std::string path = "/project/" + r.step(tampering_.one_of(done)).work->output;
  const std::size_t how = tampering_.below(3);
  note(fmt::format("{} is {}", path, how == 0 ? "removed" : how == 1 ? "garbled" : "another"));
  ++reached_.faults["tampered"];
  if (how == 0) files_.files.erase(path);
  if (how == 1) files_.put(path, "{");
  if (how == 2) files_.put(path, draw_output(tampering_));
}

void Simulation::ask(const std::string& run, const std::string& kind, const std::string& argument) {
  note(fmt::format("{} is asked of {} {}", kind, run, argument));
  ++reached_.faults["asked " + kind];
  if (!journal_.request({0, run, kind, argument, clock_.now()})) throw Violation("a request is taken");
  ++std::ranges::find(planned_, run, &Planned::id)->asked;
  if (!engine_) return;
  if (auto heard = engine_->hear_requests(run); !heard) throw Violation(heard.error().message);
}

void Simulation::extend(const std::string& run) {
  const Run& r = auditor_.run(run);
  std::vector<StepIndex> running;
  std::vector<StepIndex> waiting;
  for (std::size_t n = 0; n < r.step_count(); ++n) {
    const StepState s = r.of(step_index(n)).state;
    // Items and rounds give way when their composite is run again: nothing outside may come to need one.
    if (r.step(step_index(n)).id.find(':') != std::string::npos) continue;
    const bool has_answer = r.step(step_index(n)).work->extends != Extends::nothing;  // that extends the plan itself
    if (s == StepState::running && !has_answer) running.push_back(step_index(n));
    if (s == StepState::pending) waiting.push_back(step_index(n));
  }
  if (running.empty() || r.step_count() > 60 || engine_->has_news() || r.plan().dialect != "markdown") return;
  event::PlanExtended e;
  e.by = draws_.one_of(running);
  e.first = step_index(r.step_count());
  const std::size_t added = 1 + draws_.below(4);
  for (std::size_t n = 0; n < added; ++n) {
    std::vector<StepIndex> needs{e.by};
    if (n > 0 && draws_.chance(0.5)) needs.push_back(step_index(at(e.first) + n - 1));
    e.steps.push_back(move_outputs(draw_step(draws_, mix_, fmt::format("s{}", at(e.first) + n), std::move(needs)),
                                   output_folder(run)));
  }
  e.replaces_rest = draws_.chance(0.2);
  if (!e.replaces_rest && !waiting.empty() && draws_.chance(0.5)) {
    // Only a step that waits for the extending one can be made to wait for more without a cycle.
    for (const StepIndex w : waiting) {
      if (std::ranges::find(r.step(w).needs, e.by) != r.step(w).needs.end()) e.joins.emplace_back(w, e.first);
    }
  }
  note(fmt::format("{} extends {} by {}", r.step(e.by).id, run, added));
  ++reached_.faults["extended"];
  engine_->post(run, std::move(e));
}

void Simulation::raise_budget(const std::string& run) {
  RunSettings settings = auditor_.run(run).settings();
  constexpr std::int64_t enough = std::int64_t{1} << 40;  // for anything that happens here
  const auto raise = [&](std::int64_t budget) { return std::min(budget * 2, enough); };
  settings.time_budget = Millis{raise(settings.time_budget.count())};
  settings.token_budget = raise(settings.token_budget);
  settings.turn_budget = raise(settings.turn_budget);
  if (settings.cost_budget) settings.cost_budget->nano_usd = raise(settings.cost_budget->nano_usd);
  note("budgets of " + run + " are raised");
  engine_->post(run, event::SettingsChanged{settings});
}

/// Nothing happens by itself any more: whoever waits for somebody gets an answer. False if nobody waits.
bool Simulation::help_on() {
  bool helped = false;
  for (Planned& p : planned_) {
    const Run& r = auditor_.run(p.id);
    if (r.state() == RunState::paused && mix_.stuck && p.resumed >= resumes_of_a_stuck_run) {
      ask(p.id, "cancel", "it is stuck");  // time alone, however much of it, does not help
    } else if (r.state() == RunState::paused) {
      ++p.resumed;
      raise_budget(p.id);
      ask(p.id, "resume", "");
    } else if (r.state() == RunState::reviewing && waits_at_gate(r) && ++p.answered <= gates_answered_max) {
      look_after_conflicts(r);
      ask(p.id, "gate.answered", encode(event::GateAnswered{{}, draws_.chance(0.9), ""}));
    } else if (r.awaits_review()) {
      if (!mix_.reviews) continue;  // it waits, and says for what
      answer_review(p);
    } else if ((r.state() == RunState::reviewing || r.state() == RunState::failed) && !p.helped) {
      p.helped = true;
      ask(p.id, r.state() == RunState::failed ? "resume" : "retry", "");
    } else if (r.state() == RunState::running && host_.alive(p.id) + (engine_->has_inner_attempts(p.id) ? 1 : 0) > 0 &&
               !r.cancelling() && mix_.stuck) {
      ask(p.id, "cancel", "it is stuck");
    } else if (r.state() == RunState::running || r.state() == RunState::queued || r.state() == RunState::parked) {
      throw Violation("every run ends or names what it waits for: " + p.id + "\n" + describe(r));
    } else {
      continue;
    }
    helped = true;
  }
  return helped;
}

}  // namespace baton::test
