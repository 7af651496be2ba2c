#include "sim/auditor.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "journal/event_codec.h"
#include "support/digest.h"

namespace baton::test {
namespace {

std::optional<StepIndex> step_of(const EventBody& body) {
  return std::visit(
      [](const auto& e) -> std::optional<StepIndex> {
        if constexpr (requires { e.timer; }) {
          return e.timer.kind == TimerId::Kind::time_budget ? std::nullopt : std::optional{e.timer.step};
        } else if constexpr (requires { e.step; }) {
          return e.step;
        } else {
          return std::nullopt;
        }
      },
      body);
}

/// As it comes out of the journal, not as the engine had it in hand.
Event through_codec(const Event& e, const std::string& run) {
  const std::string text = encode(e.body);
  auto body = decode(kind_of(e.body), text);
  promise(body.has_value(), "every event can be read again", run, text);
  promise(encode(*body) == text, "an event read again is the same event", run, text);
  return {e.at, std::move(*body)};
}

bool is_check(const AttemptKey& key) { return key.step.find('~') != std::string::npos; }

bool is_composite(const Step& step) { return step.flow != nullptr && step.flow->is_composite(); }

bool has_gate(const Step& step) { return step.flow != nullptr && step.flow->gate; }

/// Only brings others together: what a condition left out is not missed.
bool is_join(const Step& step) { return step.work->is_nothing() && !has_gate(step) && !is_composite(step); }

}  // namespace

void Reached::add(const Reached& other) {
  for (std::size_t k = 0; k < kinds; ++k) {
    for (std::size_t s = 0; s < step_states; ++s) events[k][s] += other.events[k][s];
  }
  for (const auto& [name, n] : other.faults) faults[name] += n;
  for (const auto& [name, n] : other.flows) flows[name] += n;
  for (const auto& [name, n] : other.ends) ends[name] += n;
  ticks += other.ticks;
}

std::string Reached::summary() const {
  std::uint64_t total = 0;
  std::size_t pairs = 0;
  for (const auto& row : events) {
    for (const std::uint64_t n : row) {
      total += n;
      pairs += n > 0 ? 1 : 0;
    }
  }
  std::string text =
      fmt::format("{} ticks, {} events, {} pairs of event kind and step state; faults:", ticks, total, pairs);
  for (const auto& [name, n] : faults) text += fmt::format(" {} {}", name, n);
  text += "; flows:";
  for (const auto& [name, n] : flows) text += fmt::format(" {} {}", name, n);
  text += "; runs ended:";
  for (const auto& [name, n] : ends) text += fmt::format(" {} {}", name, n);
  return text;
}

void Auditor::count(const Book& book, const EventBody& body) {
  if (std::holds_alternative<event::AttemptQuiet>(body)) ++reached_.flows["quiet"];
  const auto step = step_of(body);
  const bool known = step && at(*step) < book.run.step_count();
  const auto state = known ? book.run.of(*step).state : StepState::pending;
  ++reached_.events.at(body.index()).at(static_cast<std::size_t>(state));
}

void Auditor::recorded(const std::string& id, const std::vector<Event>& events) {
  Book& book = books_[id];
  for (const Event& written : events) {
    const Event e = through_codec(written, id);
    promise((book.events == 0) == std::holds_alternative<event::RunCreated>(e.body), "a run begins once", id, "");
    if (book.events > 0) {
      count(book, e.body);
      before(book, id, e);
    }
    const Again again = book.events > 0 ? asked_again(book, e.body) : Again{};
    (void)book.run.apply(e);
    ++book.events;
    after(book, id, e, again);
  }
  ChainRules::stored(id, book.run);
}

/// An output that counts is its own attempt's, and what an attempt builds on is what was checked.
void Auditor::note_outputs(Book& book, const std::string& id, const Event& e) const {
  const Run& run = book.run;
  if (std::holds_alternative<event::OutputsStand>(e.body)) book.stands = true;
  if (std::holds_alternative<event::AttemptAdmitted>(e.body)) book.stands = false;
  const auto path_of = [&](StepIndex step) { return "/project/" + run.step(step).work->output; };
  if (const auto* admission = std::get_if<event::AttemptAdmitted>(&e.body)) {
    book.writes[{admission->step, admission->attempt}] = files_.writes(path_of(admission->step));
    if (admission->after == 0 && run.plan().dialect == "markdown") check_needed_outputs(book, id, admission->step);
  }
  const auto* checked = std::get_if<event::OutputChecked>(&e.body);
  if (checked == nullptr || run.step(checked->step).work->output.empty() || !all_passed(checked->results)) return;
  if (run.of(checked->step).state != StepState::checking || run.of(checked->step).state.is_checked_again()) return;
  promise(files_.writes(path_of(checked->step)) > book.writes[{checked->step, checked->attempt}],
          "no step is completed by an output that is not its own attempt's", id, run.step(checked->step).id);
}

void Auditor::check_needed_outputs(const Book& book, const std::string& id, StepIndex step) const {
  const Run& run = book.run;
  for (const StepIndex need : book.needs[at(step)]) {
    const Work& work = *run.step(need).work;
    if (run.of(need).state != StepState::completed || work.output.empty() || run.digest_of(need).empty()) continue;
    const auto there = files_.files.find("/project/" + work.output);
    promise(there != files_.files.end() && hex(hash64(there->second)) == run.digest_of(need),
            "nothing starts on an output that is not what was checked", id, run.step(need).id);
    ++reached_.flows["built on"];
  }
}

/// What an output that is no longer what was checked lets run again.
std::optional<Auditor::Again> Auditor::doubted_again(const Book& book, const EventBody& body) const {
  const Run& run = book.run;
  Again again;
  if (const auto* doubt = std::get_if<event::OutputDoubted>(&body)) {
    ++reached_.flows["doubted"];
    const StepRun& s = run.of(doubt->step);
    const bool counts = s.state == StepState::completed && !s.state.is_replaced() && !is_over(run.state()) &&
                        run.state() != RunState::failed && !run.cancelling();
    if (counts) again.steps.insert(doubt->step);
    return again;
  }
  if (const auto* checked = std::get_if<event::OutputChecked>(&body)) {
    const StepRun& s = run.of(checked->step);
    if (!s.state.is_checked_again() || s.attempts.back().n != checked->attempt) return std::nullopt;
    // What was put together from it is put together once more.
    for (const StepIndex d : book.dependants[at(checked->step)]) {
      if (is_composite(run.step(d)) && !book.dropped.contains(d)) again.steps.insert(d);
    }
    return again;
  }
  return std::nullopt;
}

void Auditor::before(Book& book, const std::string& id, const Event& e) {
  note_outputs(book, id, e);
  chains_.before(id, book.run, e);
  if (const auto* admission = std::get_if<event::AttemptAdmitted>(&e.body)) {
    admitted(book, id, *admission, e.at);
    if (on_admission) on_admission(id, book.run, admission->step);
  }
  if (const auto* end = std::get_if<event::AttemptEnded>(&e.body)) ended(book, id, *end);
  if (const auto* answer = std::get_if<event::GateAnswered>(&e.body)) {
    if (book.run.cancelling()) return;
    for (std::size_t n = 0; n < book.run.step_count(); ++n) {
      const StepIndex i = step_index(n);
      if (!book.run.of(i).state.is_at_gate() || (answer->step && *answer->step != i)) continue;
      promise(book.run.of(i).state == StepState::waiting, "only a gate that waits is answered", id,
              book.run.step(i).id);
      ++reached_.flows[answer->approved ? "approved" : "rejected"];
      if (answer->approved) book.approved.insert(i);
    }
  }
}

/// A need that a condition left out counts only for a step that has a condition of its own, that only brings others
/// together, or that it was made for.
bool Auditor::is_met(const Book& book, StepIndex step, StepIndex need) {
  const StepRun& n = book.run.of(need);
  if (n.state == StepState::completed || n.state.is_skipped_by_person()) return true;
  if (n.state != StepState::skipped || !n.state.is_skipped_without_failure()) return false;
  const Step& s = book.run.step(step);
  const auto items = book.items.find(step);
  const bool own_item = items != book.items.end() && std::ranges::find(items->second, need) != items->second.end();
  return own_item || is_join(s) || (s.flow != nullptr && !s.flow->when.empty());
}

void Auditor::admitted(const Book& book, const std::string& id, const event::AttemptAdmitted& e, Time at_time) const {
  const Run& run = book.run;
  const Step& planned = run.step(e.step);
  const std::string& step = planned.id;
  check_starts(book, id, e.step, at_time);
  if (e.after > 0) return admitted_after(book, id, e);
  promise(run.of(e.step).state == StepState::ready, "only a ready step starts", id, step);
  promise(!book.dropped.contains(e.step), "what was replaced never runs", id, step);
  promise(!book.done.contains(e.step), "what is recorded as completed does not run again by itself", id, step);
  promise(!planned.work->is_nothing() && !is_composite(planned), "only work is tried", id, step);
  promise(!has_gate(planned) || book.approved.contains(e.step), "no gate is passed without a person", id, step);
  for (const auto& [waiting, until] : book.parked) {
    if (run.of(waiting).state.is_replaced())
      continue;  // others took its place, by somebody's wish: nothing waits for it
    promise(at_time >= until, "a parked run starts nothing before its time", id,
            fmt::format("{} while {} waits for {} ms", step, run.step(waiting).id, (until - at_time).count()));
  }
  for (const StepIndex need : book.needs[at(e.step)]) {
    promise(is_met(book, e.step, need), "no attempt starts without its step's needs", id,
            fmt::format("{} needs {}, which is {}", step, run.step(need).id, name(run.of(need).state)));
  }
  for (int n = 1; n < e.attempt; ++n) {
    promise(book.ends.contains({e.step, n}), "an attempt begins after the one before it ended", id, step);
  }
  promise(!book.ends.contains({e.step, e.attempt}), "an attempt has a number of its own", id, step);
}

/// Whatever runtimes and providers say: thirty of a step in a minute.
void Auditor::check_starts(const Book& book, const std::string& id, StepIndex step, Time at_time) {
  constexpr std::ptrdiff_t a_minute_max = 30;
  const auto is_recent = [&](const Attempt& a) { return a.admitted > at_time - Millis{60'000}; };
  const auto recent = std::ranges::count_if(book.run.of(step).attempts, is_recent);
  promise(recent < a_minute_max, "a step starts thirty times in a minute at most", id, book.run.step(step).id);
}

/// On the condition that another attempt, which is at work, ends well.
void Auditor::admitted_after(const Book& book, const std::string& id, const event::AttemptAdmitted& e) const {
  const Run& run = book.run;
  const Step& step = run.step(e.step);
  ++reached_.flows["admitted ahead"];
  promise(run.state() == RunState::running && !run.cancelling(), "only a run that goes on looks ahead", id, step.id);
  promise(run.of(e.step).state == StepState::pending, "only a step that waits is admitted ahead", id, step.id);
  promise(!book.dropped.contains(e.step), "what was replaced never runs", id, step.id);
  promise(step.work->is_command() && step.flow == nullptr, "only plain commands are admitted ahead", id, step.id);
  promise(book.needs[at(e.step)].size() == 1, "only a step with one need is admitted ahead", id, step.id);
  const StepIndex need = book.needs[at(e.step)].front();
  promise(run.of(need).state == StepState::running && run.of(need).attempts.back().n == e.after,
          "what is waited for is at work", id, step.id);
  promise(!run.step(need).work->has_output(), "what is waited for needs no checks", id, step.id);
  promise(!book.ends.contains({e.step, e.attempt}), "an attempt has a number of its own", id, step.id);
}

void Auditor::ended(Book& book, const std::string& id, const event::AttemptEnded& e) const {
  const Run& run = book.run;
  const AttemptKey key{id, run.step(e.step).id, e.attempt};
  const std::string who = fmt::format("{}.{}", key.step, key.attempt);
  const Attempt* attempt = run.attempt(e.step, e.attempt);
  promise(attempt != nullptr, "only what was admitted ends", id, who);
  if (e.dropped) {
    ++reached_.flows["dropped"];
    promise(attempt->after > 0, "only what was admitted on a condition is dropped", id, who);
    promise(!host_.starts().contains(key), "what is dropped never ran", id, who);
    return;
  }
  promise(book.ends.emplace(std::pair{e.step, e.attempt}, e).second, "an end is recorded exactly once", id, who);
  if (run.interned(attempt->runtime) == "inner") return;
  const auto exit = host_.exits().find(key);
  if (e.unknown) {
    promise(exit == host_.exits().end() || host_.was_torn(key), "an exit on record is never forgotten", id, who);
    return;
  }
  if (exit == host_.exits().end()) {
    promise(!e.exit && !e.signal && e.failure, "an end that nobody saw is no success", id, who);
    return;
  }
  promise(exit->second.exit == e.exit && exit->second.signal == e.signal, "an end is recorded as it was", id, who);
  const Millis timeout = run.step(e.step).policy.timeout;
  if (exact_timeouts && exit->second.stopped && attempt->stopping == Attempt::Stopping::timed_out) {
    promise(host_.active_time(key) >= timeout, "an attempt has all of its time, pauses not counted", id,
            fmt::format("{} ran {} ms of {} ms", who, host_.active_time(key).count(), timeout.count()));
  }
}

Auditor::Again Auditor::asked_again(const Book& book, const EventBody& body) const {
  if (const auto doubted = doubted_again(book, body)) return *doubted;
  const Run& run = book.run;
  std::vector<StepIndex> open;
  Again again;
  const auto dependants = [&](StepIndex i, const auto& visit) {
    for (const StepIndex d : book.dependants[at(i)]) {
      if (!book.dropped.contains(d)) visit(d);
    }
  };
  const auto* retry = std::get_if<event::RetryAsked>(&body);
  const bool resumes = std::holds_alternative<event::ResumeAsked>(body) && run.state() == RunState::failed;
  if (const auto* edit = std::get_if<event::OutputChanged>(&body)) {
    const bool counts = book.done.contains(edit->step) && !book.dropped.contains(edit->step);
    if (!counts || run.cancelling() || run.state() == RunState::cancelled) return {};
    if (all_passed(edit->results) && edit->digest == run.digest_of(edit->step)) return {};
    if (edit->put_together) {  // that and nothing else: what its list holds is done
      const FlowRun* flow = run.flow_of(edit->step);
      if (flow != nullptr && flow->round > 0 && is_composite(run.step(edit->step))) again.steps.insert(edit->step);
      return again;
    }
    again.edited = edit->step;
    if (!all_passed(edit->results)) open.push_back(edit->step);
    if (open.empty()) dependants(edit->step, [&](StepIndex d) { open.push_back(d); });
  } else if (retry == nullptr && !resumes) {
    return {};
  }
  if (retry != nullptr && run.cancelling() && run.in_flight() > 0) return {};
  const bool named = retry != nullptr && retry->step;
  if (named && book.dropped.contains(*retry->step)) return {};
  if (named) open.push_back(*retry->step);
  // A step cannot run without its needs, so those of the named one that did not end well run again with it.
  for (std::size_t n = 0; named && n < open.size(); ++n) {
    for (const StepIndex need : std::vector{book.needs[at(open[n])]}) {
      const bool bad = is_settled(run.of(need).state) && run.of(need).state != StepState::completed;
      if (bad && !book.dropped.contains(need) && std::ranges::find(open, need) == open.end()) open.push_back(need);
    }
  }
  for (std::size_t n = 0; (retry != nullptr || resumes) && n < run.step_count(); ++n) {
    const StepRun& s = run.of(step_index(n));
    const bool bad =
        s.state == StepState::failed || s.state == StepState::blocked || (s.state.awaits_person() && retry != nullptr);
    const bool cancelled = s.state == StepState::cancelled && !book.dropped.contains(step_index(n));
    if (cancelled || (bad && !named)) open.push_back(step_index(n));
  }
  while (!open.empty()) {
    const StepIndex i = open.back();
    open.pop_back();
    if (is_at_work(run, i) || !again.steps.insert(i).second) continue;
    dependants(i, [&](StepIndex d) { open.push_back(d); });
  }
  return again;
}

void Auditor::extended(Book& book, const event::PlanExtended& e) const {
  const auto note = [&](StepIndex step, StepIndex need) {
    book.needs[at(step)].push_back(need);
    book.dependants[at(need)].push_back(step);
  };
  const std::size_t first = book.needs.size();
  if (at(e.first) != first || book.run.step_count() < first + e.steps.size()) return;
  book.needs.resize(book.run.step_count());
  book.dependants.resize(book.run.step_count());
  for (std::size_t n = first; n < book.run.step_count(); ++n) {
    for (const StepIndex need : book.run.step(step_index(n)).needs) note(step_index(n), need);
  }
  for (const auto& [waiting, added] : e.joins) note_found(book, waiting, added);
}

/// A step came to need another while the run went on, unless it was beyond that already.
void Auditor::note_found(Book& book, StepIndex step, StepIndex need) {
  const std::vector<StepIndex> now = book.run.needs_of(step);
  std::vector<StepIndex>& known = book.needs[at(step)];
  if (std::ranges::find(now, need) == now.end() || std::ranges::find(known, need) != known.end()) return;
  known.push_back(need);
  book.dependants[at(need)].push_back(step);
}

/// Steps were made for a composite, or the composite came to something else.
void Auditor::turned(Book& book, const std::string& id, const event::TurnTaken& e) {
  constexpr std::array verdicts{"go", "left out", "done", "turn failed", "asked", "turn blocked"};
  ++reached_.flows[verdicts.at(static_cast<std::size_t>(e.verdict))];
  const std::size_t first = book.needs.size();
  for (const StepIndex need : e.needs) note_found(book, e.step, need);
  if (e.verdict == TurnVerdict::skip) {
    book.left_out.emplace(e.step, e.generation);
  } else {
    promise(!book.left_out.contains({e.step, e.generation}), "a condition that said no is asked again", id,
            book.run.step(e.step).id);
  }
  if (book.run.step_count() == first) return;
  ++reached_.flows["made"];
  book.generations[e.step] = e.generation;
  const Step& owner = book.run.step(e.step);
  promise(is_composite(owner) && !book.dropped.contains(e.step), "only a composite makes steps", id, owner.id);
  promise(!has_gate(owner) || book.approved.contains(e.step), "no gate is passed without a person", id, owner.id);
  for (const StepIndex need : book.needs[at(e.step)]) {
    promise(is_met(book, e.step, need), "no steps are made without the composite's needs", id, owner.id);
  }
  book.needs.resize(book.run.step_count());
  book.dependants.resize(book.run.step_count());
  for (std::size_t n = first; n < book.run.step_count(); ++n) {
    for (const StepIndex need : book.run.step(step_index(n)).needs) {
      book.needs[n].push_back(need);
      book.dependants[at(need)].push_back(step_index(n));
    }
    book.items[e.step].push_back(step_index(n));
    book.needs[at(e.step)].push_back(step_index(n));
    book.dependants[n].push_back(e.step);
  }
}

/// An approval is for what the gate had before it: when that runs again, or is edited, it has to be given again.
void Auditor::note_approvals(Book& book, const Event& /*e*/, const Again& again) {
  const auto is_other = [&](StepIndex need) { return again.steps.contains(need) || again.edited == need; };
  for (const StepIndex i : again.steps) {
    const std::vector<StepIndex>& needs = book.run.step(i).needs;
    if (std::ranges::any_of(needs, is_other)) book.approved.erase(i);
  }
  for (std::size_t n = 0; n < book.run.step_count(); ++n) {
    const FlowRun* flow = book.run.flow_of(step_index(n));
    if (flow != nullptr && flow->is_rejected()) book.approved.erase(step_index(n));
  }
}

void Auditor::note_parking(Book& book, const Event& e, const Again& again) {
  for (const StepIndex i : again.steps) book.parked.erase(i);
  if (std::holds_alternative<event::CancelAsked>(e.body) && book.run.cancelling()) book.parked.clear();
  if (is_over(book.run.state())) book.parked.clear();
  // Somebody decided about it, and was heard: nothing waits for it.
  const auto* decided = std::get_if<event::StepDecided>(&e.body);
  if (decided != nullptr && is_settled(book.run.of(decided->step).state)) book.parked.erase(decided->step);
  if (const auto* fired = std::get_if<event::TimerFired>(&e.body)) {
    const auto due =
        fired->timer.kind == TimerId::Kind::retry ? book.parked.find(fired->timer.step) : book.parked.end();
    // The others that wait for a quota do so by themselves from now on.
    if (due != book.parked.end() && due->second <= e.at && book.run.state() != RunState::parked) book.parked.clear();
  }
  // One that its provider keeps away for long parks the run too, and lets it go on.
  const auto* deferred = std::get_if<event::StepDeferred>(&e.body);
  if (deferred != nullptr && book.run.of(deferred->step).state.waits_for_quota())
    book.parked[deferred->step] = deferred->until;
  const auto* end = std::get_if<event::AttemptEnded>(&e.body);
  if (end == nullptr || !end->failure || book.run.of(end->step).state != StepState::waiting) return;
  // One whose time was up is tried again because of that, whatever it said when it was stopped.
  const Attempt* attempt = book.run.attempt(end->step, end->attempt);
  if (attempt == nullptr || attempt->stopping != Attempt::Stopping::no) return;
  constexpr Millis waited_for{60'000};  // what is further away parks the run as well
  const Failure& failure = *end->failure;
  const bool is_wall = failure.used_up || failure.retry_after > waited_for;
  if (!is_wall || !book.run.of(end->step).state.waits_for_quota())
    return;  // not parked: so often that a person is asked
  ++reached_.flows["parked"];
  const bool says_when = failure.parked_until && *failure.parked_until > end->finished;
  const Time told = says_when             ? *failure.parked_until
                    : failure.retry_after ? e.at + *failure.retry_after
                                          : e.at + book.run.settings().wall_floor;
  if (!says_when && !failure.retry_after) ++reached_.flows["walls that say nothing of use"];
  book.parked[end->step] = std::min(told, end->finished + Millis{std::chrono::days{35}});
}

/// Twelve in a row, without an answer in between, and a person is asked.
void Auditor::note_walls(Book& book, const std::string& id, const Event& e, const Again& again) {
  for (const StepIndex i : again.steps) book.walls.erase(i);
  const auto* end = std::get_if<event::AttemptEnded>(&e.body);
  if (end == nullptr || end->unknown || end->dropped) return;
  const bool is_wall = end->failure && (end->failure->used_up || end->failure->retry_after > Millis{60'000});
  int& walls = book.walls[end->step];
  if (!is_wall) walls = 0;
  const Run& run = book.run;
  const Attempt* attempt = run.attempt(end->step, end->attempt);
  if (!is_wall || attempt->stopping != Attempt::Stopping::no || run.of(end->step).state != StepState::waiting) return;
  constexpr int walls_max = 12;
  if (++walls < walls_max) return;
  const bool stood_still = run.state() == RunState::paused && run.pause_cause() != PauseCause::walls;
  promise(run.state() == RunState::paused, "a run is not driven against a wall for ever", id, run.step(end->step).id);
  ++reached_.flows["too many walls"];
  walls = stood_still ? walls_max - 1 : 0;
}

/// What was made for a composite gives way when it begins anew.
void Auditor::note_generations(Book& book) const {
  for (auto& [owner, items] : book.items) {
    const int generation = book.run.flow_of(owner)->generation;
    if (std::exchange(book.generations[owner], generation) == generation) continue;
    for (const StepIndex item : items) {
      book.dropped.insert(item);
      std::erase(book.needs[at(owner)], item);
      std::erase(book.dependants[at(item)], owner);
    }
    items.clear();
  }
}

void Auditor::completed(const Book& book, const std::string& id, StepIndex i) const {
  const Step& step = book.run.step(i);
  if (!step.work->is_nothing() && !is_composite(step)) return;
  promise(!has_gate(step) || is_composite(step) || book.approved.contains(i), "no gate is passed without a person", id,
          step.id);
  for (const StepIndex need : book.needs[at(i)]) {
    promise(is_met(book, i, need), "nothing is complete before its needs and its items are", id,
            fmt::format("{} needs {}, which is {}", step.id, book.run.step(need).id, name(book.run.of(need).state)));
  }
}

void Auditor::after(Book& book, const std::string& id, const Event& e, const Again& again) {
  const EventBody& body = e.body;
  note_walls(book, id, e, again);
  if (const auto* created = std::get_if<event::RunCreated>(&body)) {
    book.needs.resize(created->plan->steps.size());
    book.dependants.resize(created->plan->steps.size());
    for (std::size_t n = 0; n < created->plan->steps.size(); ++n) {
      for (const StepIndex need : created->plan->steps[n].needs) {
        book.needs[n].push_back(need);
        book.dependants[at(need)].push_back(step_index(n));
      }
    }
    for (const event::FoundStep& found : created->found) book.done.insert(found.step);
  }
  if (const auto* end = std::get_if<event::AttemptEnded>(&body); end != nullptr && (end->unknown || end->failure)) {
    const StepState s = book.run.of(end->step).state;
    promise(s != StepState::completed && s != StepState::checking, "only an attempt that ended well is a success", id,
            book.run.step(end->step).id);
  }
  if (const auto* checks = std::get_if<event::OutputChecked>(&body);
      checks != nullptr && !all_passed(checks->results)) {
    promise(book.run.of(checks->step).state != StepState::completed, "an output that fails its checks is no success",
            id, book.run.step(checks->step).id);
  }
  const auto* extension = std::get_if<event::PlanExtended>(&body);
  if (extension != nullptr) extended(book, *extension);
  const auto* doubt = std::get_if<event::OutputDoubted>(&body);
  if (doubt != nullptr && doubt->by) note_found(book, *doubt->by, doubt->step);
  if (const auto* turn = std::get_if<event::TurnTaken>(&body)) turned(book, id, *turn);
  if (again.edited) ++reached_.flows["edited"];
  const auto* edit = std::get_if<event::OutputChanged>(&body);
  if (edit != nullptr && edit->put_together && !again.steps.empty()) ++reached_.flows["put together again"];
  note_generations(book);
  note_approvals(book, e, again);
  note_parking(book, e, again);
  for (const StepIndex i : book.run.take_touched()) {
    if (extension != nullptr && book.run.of(i).state == StepState::cancelled) book.dropped.insert(i);
    if (book.run.of(i).state == StepState::completed) {
      if (!book.done.insert(i).second) continue;
      completed(book, id, i);
      ChainRules::completed(id, book.run, e, i);
    } else if (book.done.contains(i)) {
      promise(again.steps.contains(i), "a result once recorded is not lost", id, book.run.step(i).id);
      book.done.erase(i);
    }
  }
  check_over(book, id);
  chains_.after(id, book.run, e);
}

void Auditor::check_over(const Book& book, const std::string& id) const {
  const Run& run = book.run;
  if (run.state() == RunState::reviewing) {
    for (std::size_t n = 0; n < run.step_count(); ++n) {
      const StepRun& s = run.of(step_index(n));
      promise(s.state != StepState::waiting || s.state.awaits_person(),
              "a run is reviewed when all that waits waits for a person", id, run.step(step_index(n)).id);
    }
  }
  if (run.state() != RunState::completed) return;
  promise(!run.keeps_outputs() || book.stands, "outputs are looked at before a run is over", id, "");
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    const bool left_out = run.of(i).state == StepState::skipped && run.of(i).state.is_skipped_without_failure();
    promise(left_out || book.done.contains(i) || book.dropped.contains(i), "a completed run has done all of its steps",
            id, run.step(i).id);
  }
}

/// Only an output that waits to be judged is looked at. Unlike an attempt, a check may be run again.
void Auditor::check_started(const AttemptKey& key) const {
  const std::string who = fmt::format("{}.{}", key.step, key.attempt);
  promise(books_.contains(key.run), "what the world sees is on record first", key.run, who);
  const Run& run = books_.at(key.run).run;
  const auto step = run.find(key.step.substr(0, key.step.find('~')));
  promise(step && run.of(*step).state == StepState::checking && run.of(*step).attempts.back().n == key.attempt,
          "only an output that ended well is checked", key.run, who);
}

void Auditor::process_started(const AttemptKey& key) {
  if (FakeTrees::is_job(key)) {
    promise(books_.contains(key.run), "what the world sees is on record first", key.run, key.step);
    return chains_.started(key, books_.at(key.run).run);
  }
  if (key.step.ends_with("~task")) {
    promise(books_.contains(key.run), "what the world sees is on record first", key.run, key.step);
    ++reached_.flows["task prepared"];
    return;
  }
  if (is_check(key)) return check_started(key);
  const std::string who = fmt::format("{}.{}", key.step, key.attempt);
  promise(books_.contains(key.run), "what the world sees is on record first", key.run, who);
  const Run& run = books_.at(key.run).run;
  const auto step = run.find(key.step);
  promise(step.has_value(), "what the world sees is on record first", key.run, who);
  const Attempt* attempt = run.attempt(*step, key.attempt);
  promise(attempt != nullptr, "what the world sees is on record first", key.run, who);
  promise(attempt->state == AttemptState::admitted && run.of(*step).state == StepState::running,
          "nothing starts for an attempt that is over", key.run, who);
  // With no engine left to carry out the stop, one that waits may still begin; the next engine ends it.
  promise(attempt->stopping == Attempt::Stopping::no || !host_.attended(),
          "nothing starts for an attempt that is to be stopped", key.run, who);
  promise(host_.starts().at(key) == 1, "an attempt is started exactly once", key.run, who);
  if (run.is_conditional(*step)) {
    const AttemptKey need{key.run, run.step(run.step(*step).needs.front()).id, attempt->after};
    const auto exit = host_.exits().find(need);
    promise(exit != host_.exits().end() && exit->second.exit == 0,
            "nothing starts before what it needs has ended well, on record", key.run, who);
    ++reached_.flows["started ahead"];
  }
  for (const auto& [other, p] : host_.processes()) {
    const bool same_step = other.run == key.run && other.step == key.step && other.attempt != key.attempt;
    promise(!same_step || p.state == FakeHost::State::waiting, "no two attempts of a step live at once", key.run, who);
  }
}

void Auditor::acknowledged(const AttemptKey& key) {
  if (is_check(key)) return;
  const std::string who = fmt::format("{}.{}", key.step, key.attempt);
  const Book& book = books_.at(key.run);
  const auto step = book.run.find(key.step);
  promise(step && book.ends.contains({*step, key.attempt}), "an exit is acknowledged only once it is on record",
          key.run, who);
}

void Auditor::check(const Engine& engine) const {
  for (const auto& [id, book] : books_) {
    const Run* driven = engine.run(id);
    if (driven == nullptr) continue;
    promise(digest(*driven) == digest(book.run), "the journal gives the engine's state", id,
            describe(*driven) + describe(book.run));
    std::size_t inner = 0;
    for (std::size_t n = 0; n < book.run.step_count(); ++n) {
      const StepRun& s = book.run.of(step_index(n));
      if (s.state == StepState::running && book.run.interned(s.attempts.back().runtime) == "inner") ++inner;
    }
    const auto alive = static_cast<std::size_t>(std::ranges::count_if(host_.processes(), [&](const auto& p) {
      return p.first.run == id && p.second.state == FakeHost::State::alive && !is_check(p.first);
    }));
    promise(alive + inner <= static_cast<std::size_t>(book.run.settings().jobs), "no more at once than jobs", id,
            fmt::format("{} processes and {} inner attempts", alive, inner));
    const bool may_start = book.run.state() == RunState::running && !book.run.cancelling();
    const bool has_slot = book.run.in_flight() < static_cast<std::size_t>(book.run.settings().jobs);
    promise(!may_start || !has_slot || steps_are_shared || !chains_.can_start(book.run),
            "no slot stays empty while a step is ready", id, describe(book.run));
    check_processes(book, id);
    chains_.check(id, book.run);
  }
}

void Auditor::check_processes(const Book& book, const std::string& id) const {
  const bool paused = book.run.is_frozen();
  for (const auto& [key, p] : host_.processes()) {
    if (key.run != id || p.state != FakeHost::State::alive || p.gone_at) continue;
    const std::string who = fmt::format("{}.{}", key.step, key.attempt);
    promise(!p.frozen || paused, "processes stand still only while the run is paused", id, who);
    if (FakeTrees::is_prepare(key)) continue;  // nobody works meanwhile, so it may go on to its end
    const StepIndex step = book.run.find(key.step.substr(0, key.step.find('~'))).value();
    if (key.step.ends_with("~task")) {
      const FlowRun* flow = book.run.flow_of(step);
      promise(flow != nullptr && flow->is_asked(), "a preparation that nobody waits for is being stopped", id, who);
      continue;
    }
    if (FakeTrees::is_commit(key)) {
      // See ChainRules::check.
    } else if (is_check(key)) {
      const StepRun& s = book.run.of(step);
      promise(s.state == StepState::checking && s.attempts.back().n == key.attempt,
              "a check that nobody waits for is being stopped", id, who);
    } else {
      promise(book.run.attempt(step, key.attempt)->stopping == Attempt::Stopping::no,
              "what is to be stopped is being stopped", id, who);
    }
    promise(p.frozen == paused, "processes stand still while the run is paused", id, who);
  }
}

void Auditor::check_end() const {
  for (const auto& [key, record] : host_.exits()) {
    if (is_check(key)) continue;
    const Book& book = books_.at(key.run);
    const auto end = book.ends.find({*book.run.find(key.step), key.attempt});
    const std::string who = fmt::format("{}.{}", key.step, key.attempt);
    promise(end != book.ends.end(), "every exit is recorded", key.run, who);
    promise(!end->second.unknown || host_.was_torn(key), "an exit on record is never forgotten", key.run, who);
  }
  for (const auto& [id, book] : books_) {
    promise(host_.alive(id) + host_.count(id, FakeHost::State::waiting) == 0, "nothing is left behind", id,
            describe(book.run));
    promise(book.run.in_flight() == 0, "every attempt ends", id, describe(book.run));
    for (std::size_t n = 0; n < book.run.step_count(); ++n) {
      for (const Attempt& a : book.run.of(step_index(n)).attempts) {
        promise(book.ends.contains({step_index(n), a.n}), "every attempt's end is recorded", id,
                book.run.step(step_index(n)).id);
      }
    }
  }
}

}  // namespace baton::test
