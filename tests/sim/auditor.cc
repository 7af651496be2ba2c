#include "sim/auditor.h"

#include <fmt/core.h>

#include <algorithm>

#include "journal/event_codec.h"
#include "support/digest.h"

namespace baton::test {
namespace {

void promise(bool kept, const std::string& what, const std::string& run, const std::string& detail) {
  if (!kept) throw Violation(fmt::format("{}: run {}: {}", what, run, detail));
}

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

}  // namespace

void Reached::add(const Reached& other) {
  for (std::size_t k = 0; k < kinds; ++k) {
    for (std::size_t s = 0; s < step_states; ++s) events[k][s] += other.events[k][s];
  }
  for (const auto& [name, n] : other.faults) faults[name] += n;
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
  text += "; runs ended:";
  for (const auto& [name, n] : ends) text += fmt::format(" {} {}", name, n);
  return text;
}

void Auditor::count(const Book& book, const EventBody& body) {
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
      before(book, id, e.body);
    }
    const std::set<StepIndex> again = book.events > 0 ? asked_again(book, e.body) : std::set<StepIndex>{};
    (void)book.run.apply(e);
    ++book.events;
    after(book, id, e.body, again);
  }
}

void Auditor::before(Book& book, const std::string& id, const EventBody& body) const {
  if (const auto* admission = std::get_if<event::AttemptAdmitted>(&body)) admitted(book, id, *admission);
  if (const auto* end = std::get_if<event::AttemptEnded>(&body)) ended(book, id, *end);
}

void Auditor::admitted(const Book& book, const std::string& id, const event::AttemptAdmitted& e) const {
  const Run& run = book.run;
  const std::string& step = run.step(e.step).id;
  promise(run.of(e.step).state == StepState::ready, "only a ready step starts", id, step);
  promise(!book.dropped.contains(e.step), "what an extension replaced never runs", id, step);
  promise(!book.done.contains(e.step), "what is recorded as completed does not run again by itself", id, step);
  for (const StepIndex need : book.needs[at(e.step)]) {
    promise(run.of(need).state == StepState::completed, "no attempt starts without its step's needs", id,
            fmt::format("{} needs {}, which is {}", step, run.step(need).id, name(run.of(need).state)));
  }
  for (int n = 1; n < e.attempt; ++n) {
    promise(book.ends.contains({e.step, n}), "an attempt begins after the one before it ended", id, step);
  }
  promise(!book.ends.contains({e.step, e.attempt}), "an attempt has a number of its own", id, step);
}

void Auditor::ended(Book& book, const std::string& id, const event::AttemptEnded& e) const {
  const Run& run = book.run;
  const AttemptKey key{id, run.step(e.step).id, e.attempt};
  const std::string who = fmt::format("{}.{}", key.step, key.attempt);
  promise(book.ends.emplace(std::pair{e.step, e.attempt}, e).second, "an end is recorded exactly once", id, who);
  const Attempt* attempt = run.attempt(e.step, e.attempt);
  promise(attempt != nullptr, "only what was admitted ends", id, who);
  if (run.word(attempt->runtime) != "command") return;
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

std::set<StepIndex> Auditor::asked_again(const Book& book, const EventBody& body) const {
  std::vector<StepIndex> open;
  const auto* retry = std::get_if<event::RetryAsked>(&body);
  if (retry == nullptr && !std::holds_alternative<event::ResumeAsked>(body)) return {};
  const bool named = retry != nullptr && retry->step;
  if (named) open.push_back(*retry->step);
  // A step cannot run without its needs, so those of the named one that did not end well run again with it.
  for (std::size_t n = 0; n < open.size(); ++n) {
    for (const StepIndex need : std::vector{book.needs[at(open[n])]}) {
      const bool bad = is_settled(book.run.of(need).state) && book.run.of(need).state != StepState::completed;
      if (bad && std::ranges::find(open, need) == open.end()) open.push_back(need);
    }
  }
  for (std::size_t n = 0; n < book.run.step_count(); ++n) {
    const StepRun& s = book.run.of(step_index(n));
    const bool bad = s.state == StepState::failed || s.state == StepState::blocked || s.asks;
    if (s.state == StepState::cancelled || (bad && !named)) open.push_back(step_index(n));
  }
  std::set<StepIndex> again;
  while (!open.empty()) {
    const StepIndex i = open.back();
    open.pop_back();
    if (!again.insert(i).second) continue;
    for (const StepIndex d : book.dependants[at(i)]) open.push_back(d);
  }
  return again;
}

void Auditor::extended(Book& book, const event::PlanExtended& e) const {
  const auto note = [&](StepIndex step, StepIndex need) {
    book.needs[at(step)].push_back(need);
    book.dependants[at(need)].push_back(step);
  };
  const std::size_t first = book.needs.size();
  if (at(e.first) != first) return;
  book.needs.resize(book.run.step_count());
  book.dependants.resize(book.run.step_count());
  for (std::size_t n = first; n < book.run.step_count(); ++n) {
    for (const StepIndex need : book.run.step(step_index(n)).needs) note(step_index(n), need);
  }
  for (const auto& [waiting, added] : e.joins) {
    const StepState s = book.run.of(waiting).state;
    if (s == StepState::pending) note(waiting, added);
  }
}

void Auditor::after(Book& book, const std::string& id, const EventBody& body,
                    const std::set<StepIndex>& may_run_again) const {
  if (const auto* created = std::get_if<event::RunCreated>(&body)) {
    book.needs.resize(created->plan->steps.size());
    book.dependants.resize(created->plan->steps.size());
    for (std::size_t n = 0; n < created->plan->steps.size(); ++n) {
      for (const StepIndex need : created->plan->steps[n].needs) {
        book.needs[n].push_back(need);
        book.dependants[at(need)].push_back(step_index(n));
      }
    }
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
  for (const StepIndex i : book.run.take_touched()) {
    if (extension != nullptr && book.run.of(i).state == StepState::cancelled) book.dropped.insert(i);
    if (book.run.of(i).state == StepState::completed) {
      book.done.insert(i);
    } else if (book.done.contains(i)) {
      promise(may_run_again.contains(i), "a result once recorded is not lost", id, book.run.step(i).id);
      book.done.erase(i);
    }
  }
  if (book.run.state() != RunState::completed) return;
  for (std::size_t n = 0; n < book.run.step_count(); ++n) {
    const bool settled = book.done.contains(step_index(n)) || book.dropped.contains(step_index(n));
    promise(settled, "a completed run has done all of its steps", id, book.run.step(step_index(n)).id);
  }
}

void Auditor::process_started(const AttemptKey& key) {
  const std::string who = fmt::format("{}.{}", key.step, key.attempt);
  promise(books_.contains(key.run), "what the world sees is on record first", key.run, who);
  const Run& run = books_.at(key.run).run;
  const auto step = run.find(key.step);
  promise(step.has_value(), "what the world sees is on record first", key.run, who);
  const Attempt* attempt = run.attempt(*step, key.attempt);
  promise(attempt != nullptr, "what the world sees is on record first", key.run, who);
  promise(attempt->state == AttemptState::admitted && run.of(*step).state == StepState::running,
          "nothing starts for an attempt that is over", key.run, who);
  promise(attempt->stopping == Attempt::Stopping::no, "nothing starts for an attempt that is to be stopped", key.run,
          who);
  promise(host_.starts().at(key) == 1, "an attempt is started exactly once", key.run, who);
  for (const auto& [other, p] : host_.processes()) {
    const bool same_step = other.run == key.run && other.step == key.step && other.attempt != key.attempt;
    promise(!same_step || p.state == FakeHost::State::waiting, "no two attempts of a step live at once", key.run, who);
  }
}

void Auditor::acknowledged(const AttemptKey& key) {
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
      if (s.state == StepState::running && book.run.word(s.attempts.back().runtime) == "inner") ++inner;
    }
    promise(host_.alive(id) + inner <= static_cast<std::size_t>(book.run.settings().jobs), "no more at once than jobs",
            id, fmt::format("{} processes and {} inner attempts", host_.alive(id), inner));
    const bool may_start = book.run.state() == RunState::running && !book.run.cancelling();
    const bool has_slot = book.run.in_flight() < static_cast<std::size_t>(book.run.settings().jobs);
    promise(!may_start || !has_slot || book.run.count(StepState::ready) == 0,
            "no slot stays empty while a step is ready", id, describe(book.run));
    const bool paused = book.run.state() == RunState::paused;
    for (const auto& [key, p] : host_.processes()) {
      if (key.run != id || p.state != FakeHost::State::alive || p.gone_at) continue;
      const Attempt* attempt = book.run.attempt(book.run.find(key.step).value(), key.attempt);
      promise(attempt->stopping == Attempt::Stopping::no, "what is to be stopped is being stopped", id, key.step);
      promise(p.frozen == paused, "processes stand still while the run is paused, and only then", id, key.step);
    }
  }
}

void Auditor::check_end() const {
  for (const auto& [key, record] : host_.exits()) {
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
