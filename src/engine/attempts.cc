// How the engine sees an attempt through: from the runtime's wishes to what the host reports of it.
#include <fmt/core.h>

#include <algorithm>
#include <ranges>

#include "base/hash.h"
#include "base/limits.h"
#include "base/text.h"
#include "engine/driven.h"
#include "engine/engine.h"
#include "engine/run_outputs.h"
#include "engine/step_inputs.h"
#include "engine/working_tree.h"

namespace baton {
namespace {

constexpr std::size_t read_bytes_max = 256U << 10U;
constexpr std::size_t error_tail_bytes = 4096;
// The engine's own timer stops an attempt at its timeout; the holder does so a little later if no engine is there.
constexpr Millis deadline_slack{2000};
// How long the start of an attempt may wait for another event to be committed with.
constexpr Millis start_may_wait{5};
// Both, while nobody waits for a commit.
constexpr Millis start_has_time{12};
constexpr Millis end_has_time{1};

/// How often to look for signs of life: rarely enough that a thousand at work are no burden.
Millis looks_apart(Millis stall) { return std::clamp(stall / 4, Millis{10}, Millis{30'000}); }

/// The attempt is not over with the end of what it had held: its runtime wants more.
bool goes_on(const Actions& actions) {
  return std::ranges::none_of(actions, [](const Action& a) { return std::holds_alternative<Finish>(a); }) &&
         std::ranges::any_of(actions, [](const Action& a) {
           return std::holds_alternative<Request>(a) || std::holds_alternative<UseTools>(a) ||
                  std::holds_alternative<WaitUntil>(a);
         });
}

std::vector<UnansweredAttempt> unanswered_before(const std::vector<Attempt>& attempts, const Attempt& present) {
  std::vector<UnansweredAttempt> unanswered;
  for (const Attempt& a : attempts) {
    const bool was_charged = a.detail != nullptr && a.detail->usage.tokens != Tokens{};
    const bool is_over = a.state == AttemptState::failed || a.state == AttemptState::unknown;
    if (a.n < present.n && a.runtime == present.runtime && is_over && !was_charged) {
      unanswered.push_back({a.n, a.admitted});
    }
  }
  return unanswered;
}

bool is_known_lost(const Run& run, const AttemptKey& key) {
  const auto step = run.find(key.step);
  const Attempt* attempt = step ? run.attempt(*step, key.attempt) : nullptr;
  return attempt != nullptr && attempt->state == AttemptState::unknown;
}

std::string last_line(std::string_view text) {
  std::string_view rest = trim(text);
  const auto line = rest.find_last_of('\n');
  return shorten(line == std::string_view::npos ? rest : rest.substr(line + 1), 300);
}

}  // namespace

bool Engine::ensure_attached(Driven& d) {
  if (d.attached) return true;
  auto sightings = seams_.host.attach(d.id);
  if (!sightings) {
    broken_ = sightings.error();
    return false;
  }
  d.attached = true;
  d.slots_told = d.run.settings().jobs;
  d.log_limit_told = d.run.settings().log_bytes_max;
  seams_.host.limit_logs(d.id, d.log_limit_told);
  d.sightings = std::move(*sightings);
  // An engine before us may have died between recording a pause, or its end, and carrying it out.
  if (d.run.is_frozen()) {
    seams_.host.freeze(d.id);
  } else {
    seams_.host.thaw(d.id);
  }
  return true;
}

Assignment Engine::assign(Driven& d, StepIndex step, int attempt) {
  const Step& s = d.run.step(step);
  const Attempt* a = d.run.attempt(step, attempt);
  Assignment assignment;
  assignment.key = key_of(d, step, attempt);
  assignment.step = &s;
  assignment.model = d.run.interned(a->model);
  assignment.root = work_folder(d.run, step, terms_.root);
  assignment.run_folder = d.folder.path;
  assignment.seed = d.run.settings().seed;
  assignment.began = a->state == AttemptState::admitted ? seams_.clock.now() : a->started;
  assignment.output_path = output_path(d, step);
  assignment.unanswered = unanswered_before(d.run.of(step).attempts, *a);
  if (d.run.interned(a->runtime) == "rehearsal") {
    for (const std::string& id : compared_steps(s.work->checks)) {
      if (auto text = output_of(d, id)) assignment.compared_outputs.emplace(id, std::move(*text));
    }
    assignment.comparisons = d.comparisons.with(d.run, s);
  }
  if (!s.work->inputs.empty()) {
    StepInputs inputs = find_inputs(d.run, step, seams_.files, assignment.root);
    assignment.inputs = std::move(inputs.there);
    assignment.missing_inputs = std::move(inputs.missing);
  }
  if (!s.work->answers) {
    const std::string previous = previous_output(d.run, d.writers, step, attempt, seams_.files, terms_.root);
    if (!previous.empty() && !seams_.files.is_link(terms_.root + "/" + previous)) {
      assignment.previous_output = terms_.root + "/" + previous;
    }
  }
  if (!s.work->is_command()) {
    tell(d, step, attempt, assignment);
    assignment.prompt_path = d.folder.prompt(s.id, attempt);
  }
  return assignment;
}

Engine::Session& Engine::open_session(Driven& d, StepIndex step, int attempt) {
  const std::string& runtime = d.run.interned(d.run.attempt(step, attempt)->runtime);
  Session session;
  session.attempt = attempt;
  session.held = seams_.runtimes.is_held(runtime);
  session.runtime = seams_.runtimes.make(d.run, d.run.step(step), runtime);
  session.assignment = assign(d, step, attempt);
  session.key = session.assignment.key;
  session.started = d.run.attempt(step, attempt)->state != AttemptState::admitted;
  if (const auto before = d.sessions.find(step); before != d.sessions.end())
    d.session_of.erase(before->second.key.step);
  d.session_of.insert_or_assign(session.key.step, step);
  return d.sessions.insert_or_assign(step, std::move(session)).first->second;
}

void Engine::start(Driven& d, StepIndex step, int attempt) {
  const Attempt* a = d.run.attempt(step, attempt);
  if (a == nullptr || a->state != AttemptState::admitted) return;
  std::optional<Failure> obstacle = set_aside(d, step, attempt);
  Session& session = open_session(d, step, attempt);
  if (ended_for(d, step, std::move(obstacle)) || ended_before_start(d, step, session)) return;
  if (!session.held) {
    note_start(d, step, session, 0, session.assignment.began);
  } else if (!ensure_attached(d)) {
    return;
  }
  const Actions opening = session.runtime->begin(session.assignment);
  // It is on disk, and its runtime has what it needs of it: thousands may be at work.
  std::exchange(session.assignment.prompt, {});  // which gives its memory back; to assign nothing would not
  std::exchange(session.assignment.blocks, {});
  perform(d, step, opening, true);
}

void Engine::reattach(Driven& d, StepIndex step, int attempt) {
  const Attempt& a = *d.run.attempt(step, attempt);
  std::optional<Failure> obstacle;
  if (is_yet_to_begin(d, step, attempt)) obstacle = set_aside(d, step, attempt);
  Session& session = open_session(d, step, attempt);
  if (ended_for(d, step, std::move(obstacle))) return;
  session.reattached = true;
  const Actions opening = session.runtime->begin(session.assignment);
  if (!session.held) {
    // Nothing of it is outside this process: it goes on as if it had never stopped, and says again what it said. In a
    // new file: what it had said may be another's, too.
    (void)seams_.files.write_soon(d.folder.output_log(session.assignment.key.step, attempt), "");
    note_start(d, step, session, 0, session.assignment.began);
    return perform(d, step, opening, false);
  }
  if (!ensure_attached(d)) return;
  const AttemptKey key = key_of(d, step, attempt);
  const auto seen = std::ranges::find_if(d.sightings, [&](const Sighting& s) { return s.key == key; });
  if (seen == d.sightings.end()) {
    if (a.detail && a.detail->boot != terms_.boot) return heard(AttemptLostNotice{key});
    if (a.state == AttemptState::running || seams_.host.was_started(key)) {
      return seams_.host.stop(key, d.run.step(step).policy.stop_grace);  // ends leftovers; answers that it is lost
    }
    // Never started, and not wanted any more: nothing of it has to come into the world now.
    if (a.stopping != Attempt::Stopping::no) return heard(AttemptLostNotice{key});
    // Whoever admitted it may have died before it had laid out anything.
    if (!ended_before_start(d, step, session)) perform(d, step, opening, true);
    return;
  }
  perform(d, step, opening, false);
  if (seen->kind == Sighting::Kind::alive) heard(AttemptStartedNotice{key, seen->pid, seen->started});
  if (seen->kind == Sighting::Kind::exited) heard(AttemptExitedNotice{seen->record});
}

std::optional<SpawnCondition> Engine::condition_of(const Driven& d, StepIndex step) const {
  if (!d.run.is_conditional(step)) return std::nullopt;
  const Step& need = d.run.step(d.run.step(step).needs.front());
  SpawnCondition condition{need.id, d.run.of(step).attempts.back().after};
  if (need.timeout().count() > 0) condition.within = need.timeout();
  return condition;
}

SpawnSpec Engine::spawn_spec(Driven& d, StepIndex step, const Session& session, const Spawn& spawn) {
  const Assignment& a = session.assignment;
  const Policy& policy = a.step->policy;
  SpawnSpec spec;
  spec.key = session.key;
  spec.argv = spawn.argv;
  spec.env = {"BATON_RUN=" + a.key.run, "BATON_STEP=" + a.key.step, fmt::format("BATON_ATTEMPT={}", a.key.attempt),
              "BATON_FOLDER=" + a.run_folder};
  if (!a.output_path.empty() && !a.step->work->answers) spec.env.push_back("BATON_OUTPUT=" + a.output_path);
  if (!a.previous_output.empty()) spec.env.push_back("BATON_PREVIOUS_OUTPUT=" + a.previous_output);
  const std::vector<std::string> further = d.dialect->environment(d.run, step, a.key.attempt);
  spec.env.insert(spec.env.end(), further.begin(), further.end());
  spec.env.insert(spec.env.end(), spawn.env.begin(), spawn.env.end());
  spec.env_unset = spawn.env_unset;
  spec.cwd = a.root;
  spec.stdin_path = spawn.stdin_path;
  spec.stdout_path = d.folder.output_log(session.key.step, session.key.attempt);
  spec.stderr_path = d.folder.error_log(session.key.step, session.key.attempt);
  if (a.step->timeout().count() > 0) spec.deadline = a.step->timeout() + deadline_slack;
  spec.grace = policy.stop_grace;
  spec.slots = d.run.settings().jobs;
  spec.after = condition_of(d, step);
  return spec;
}

void Engine::perform(Driven& d, StepIndex step, const Actions& actions, bool spawns) {
  Session& session = d.sessions.at(step);
  if (!session.held) log_said(d, session, actions);
  for (const Action& action : actions) {
    if (const auto* spawn = std::get_if<Spawn>(&action)) {
      if (spawns) seams_.host.spawn(spawn_spec(d, step, session, *spawn));
    } else if (const auto* request = std::get_if<Request>(&action)) {
      if (turn_to(d, step, session, request->exchange, spawns)) make_request_when_warm(d, step, session, *request);
      if (!d.sessions.contains(step)) return;  // no money is left for it
    } else if (const auto* tools = std::get_if<UseTools>(&action)) {
      if (turn_to(d, step, session, tools->exchange, spawns)) make_tools(d, step, session, *tools);
    } else if (const auto* meet = std::get_if<Meet>(&action)) {
      note_meeting(d, step, session, *meet);
    } else if (const auto* wait = std::get_if<WaitUntil>(&action)) {
      session.wait_until = wait->when;
    } else if (const auto* say = std::get_if<Say>(&action)) {
      if (seams_.observer != nullptr) d.said.push_back({step, session.attempt, say->text, seams_.clock.now()});
    } else if (const auto* spend = std::get_if<Spend>(&action)) {
      if (std::exchange(session.used, spend->usage) == spend->usage) continue;  // no news
      d.inbox.emplace_back(event::AttemptUsed{step, session.attempt, spend->usage, spend->is_all}, std::nullopt);
    } else if (const auto* output = std::get_if<WriteOutput>(&action)) {
      if (auto wrote = seams_.files.write_soon(session.assignment.output_path, output->content); !wrote) {
        broken_ = wrote.error();
        broken_->help = fmt::format("mend that, then 'baton resume {}': the answer is kept", d.id);
        return;
      }
    } else if (const auto* stop_it = std::get_if<Stop>(&action)) {
      if (session.held) seams_.host.stop(session.key, stop_it->grace);
    } else if (const auto* finish = std::get_if<Finish>(&action)) {
      return ended(d, step, *finish, nullptr);
    }
  }
}

/// What an attempt inside this process says is its output: no host writes it down.
void Engine::log_said(const Driven& d, const Session& session, const Actions& actions) {
  std::string lines;
  for (const Action& action : actions) {
    if (const auto* say = std::get_if<Say>(&action)) (lines += say->text) += '\n';
  }
  if (lines.empty()) return;
  const std::string log = d.folder.output_log(session.assignment.key.step, session.attempt);
  const bool is_over = std::holds_alternative<Finish>(actions.back());
  (void)(is_over ? seams_.files.append_last(log, lines) : seams_.files.append(log, lines));
}

/// Enough attempts wait at the host for the slots that come free, so nobody waits for a commit. Only commands are
/// admitted so far ahead.
bool Engine::has_time(const Driven& d) {
  if (d.sessions.size() <= static_cast<std::size_t>(d.run.settings().jobs)) return false;  // none is ahead of its slot
  int waiting = 0;
  for (const auto& [step, session] : std::views::reverse(d.sessions)) {  // those that wait came last
    const bool waits = session.held && !session.started && !d.run.is_conditional(step);
    if (waits && ++waiting >= d.run.settings().jobs) return true;
  }
  return false;
}

void Engine::ended(Driven& d, StepIndex step, const Finish& finish, const ExitRecord* record) {
  event::AttemptEnded e;
  e.step = step;
  e.attempt = d.sessions.at(step).attempt;
  e.failure = finish.failure;
  e.note = finish.note;
  e.finished = seams_.clock.now();
  if (record != nullptr) {
    e.exit = record->exit;
    e.signal = record->signal;
    e.finished = record->finished;
  }
  // What it spent last is not on record yet, and was its last word.
  for (auto& [body, request] : d.inbox) {
    auto* used = std::get_if<event::AttemptUsed>(&body);
    if (used != nullptr && used->step == step && used->attempt == e.attempt) used->is_all = true;
  }
  const bool is_command = record != nullptr && d.run.step(step).work->is_command();
  if (is_command && has_time(d)) {
    put_later(d, std::move(e), end_has_time);  // the exits of a moment go into one commit
  } else {
    d.inbox.emplace_back(std::move(e), std::nullopt);
  }
  close_session(d, step);
}

void Engine::stop(Driven& d, StepIndex step, int attempt) {
  const auto found = d.sessions.find(step);
  if (found == d.sessions.end() || found->second.attempt != attempt) return;
  Session& session = found->second;
  if (session.held && !session.between && !session.cold) {
    return seams_.host.stop(session.key, d.run.step(step).policy.stop_grace);
  }
  // One whose time is up is tried again, and finds what it waits for here.
  const Actions last = session.between && d.run.cancelling() ? session.runtime->next(Cancelled{}) : Actions{};
  if (last.empty()) return ended(d, step, Finish{Failure{"attempt-stopped", "it was stopped", false}}, nullptr);
  session.wait_until.reset();
  perform(d, step, last, true);
  hear_sighted(d, step);
}

void Engine::put_later(Driven& d, EventBody body, Millis within) {
  if (!d.inbox.empty()) {  // what is urgent takes it along, and what came first stays first
    d.inbox.emplace_back(std::move(body), std::nullopt);
    return;
  }
  const Time due = seams_.clock.now() + within;
  d.unhurried_due = d.unhurried.empty() ? due : std::min(d.unhurried_due, due);
  d.unhurried.push_back(std::move(body));
}

void Engine::note_start(Driven& d, StepIndex step, Session& session, int pid, Time at) {
  if (session.held && d.run.step(step).policy.stall.count() > 0 && !session.look_at) {
    session.alive = seams_.clock.now();
    session.look_at = session.alive + looks_apart(d.run.step(step).policy.stall);
  }
  if (std::exchange(session.started, true)) return;
  // A short step has ended before its start is written down: then both go into one commit.
  put_later(d, event::AttemptStarted{step, session.attempt, pid, at}, has_time(d) ? start_has_time : start_may_wait);
}

void Engine::heard_exit(Driven& d, StepIndex step, Session& session, const ExitRecord& record) {
  read_output(d, step, session);
  if (!d.sessions.contains(step)) {  // what it printed last was its end
    d.unacknowledged.push_back(record.key);
    return;
  }
  if (record.pid != 0) note_start(d, step, session, record.pid, record.started);
  if (d.traits().hears_workers) {
    // What it said before it ended counts: that is there, though perhaps nobody has rung yet.
    if (auto heard_them = hear_requests(d.id); !heard_them) broken_ = heard_them.error();
  }
  Ended end{record, {}};
  if (record.exit != 0) {
    const std::string path = d.folder.error_log(record.key.step, record.key.attempt);
    const auto text = seams_.files.read(path, Limits::output_bytes_max);
    if (text && *text) {
      const std::string& whole = **text;
      end.last_error =
          last_line(std::string_view{whole}.substr(whole.size() - std::min(whole.size(), error_tail_bytes)));
    }
  }
  // What it spent last comes before its end.
  Actions actions = session.runtime->next(end);
  if (goes_on(actions)) {
    session.past.push_back(record.key);
    session.between = true;
    perform(d, step, actions, true);
    return hear_sighted(d, step);
  }
  Finish finish;
  std::erase_if(actions, [&](const Action& a) {
    const auto* last = std::get_if<Finish>(&a);
    if (last != nullptr) finish = *last;
    return last != nullptr;
  });
  if (auto failure = flooded(d, record)) finish = {std::move(failure)};
  perform(d, step, actions, false);
  if (broken_) return;  // not ended as long as its answer is not written: whoever takes the run up reads it again
  d.unacknowledged.push_back(record.key);
  ended(d, step, finish, &record);
}

/// Why the host stopped it, if that was because of what it printed.
std::optional<Failure> Engine::flooded(const Driven& d, const ExitRecord& record) const {
  const std::int64_t bytes_max = d.run.settings().log_bytes_max;
  const auto is_too_large = [&](const std::string& log) {
    return !seams_.files.read_from(log, static_cast<std::uint64_t>(bytes_max), 1).empty();
  };
  const auto& [run, step, attempt] = record.key;
  if (!record.stopped || bytes_max <= 0) return std::nullopt;
  if (!is_too_large(d.folder.output_log(step, attempt)) && !is_too_large(d.folder.error_log(step, attempt))) {
    return std::nullopt;
  }
  return Failure{"log-too-large",
                 fmt::format("it printed more than {} bytes and was stopped (limits.log_bytes)", bytes_max), false};
}

void Engine::heard(const HostNotice& notice) {
  const AttemptKey& key = std::visit(
      [](const auto& n) -> const AttemptKey& {
        if constexpr (requires { n.record; }) {
          return n.record.key;
        } else {
          return n.key;
        }
      },
      notice);
  Driven* d = find(key.run);
  if (const auto* trouble = std::get_if<HostTroubleNotice>(&notice); trouble != nullptr && d != nullptr) {
    broken_ = Fault{"disk-full", fmt::format("the end of an attempt cannot be written down: {}", trouble->message),
                    fmt::format("make room, then 'baton resume {}': nothing is lost", d->id)};
    return;
  }
  if (d == nullptr) return;
  const auto known = d->session_of.find(key.step);
  const bool is_ours = known != d->session_of.end() && d->sessions.at(known->second).key == key;
  if (!is_ours && (heard_exchange(*d, key, notice) || heard_check(*d, key, notice))) return;
  if (!is_ours) {
    // Of an attempt that the journal already knows to be over: heard twice after a crash, say.
    // If its end is heard but not stored yet, the acknowledgement goes with it.
    // One that was dropped never was, and nobody tells how it ended.
    const bool is_lost = std::holds_alternative<AttemptLostNotice>(notice) && is_known_lost(d->run, key);
    if (is_lost || std::holds_alternative<AttemptExitedNotice>(notice)) {
      if (d->inbox.empty() && d->unhurried.empty() && d->unstored.empty()) {
        seams_.host.acknowledge(key);
      } else {
        d->unacknowledged.push_back(key);
      }
    }
    return;
  }
  const StepIndex step = known->second;
  Session& session = d->sessions.at(step);
  if (session.between) return;  // told twice: its runtime has gone on
  const auto* exited = std::get_if<AttemptExitedNotice>(&notice);
  const bool conditional = d->run.attempt(step, key.attempt)->after > 0;
  const bool dropped = exited != nullptr && exited->record.never_ran() && conditional;
  if (const auto* started = std::get_if<AttemptStartedNotice>(&notice)) {
    note_start(*d, step, session, started->pid, started->at);
  } else if (exited != nullptr && !dropped) {
    heard_exit(*d, step, session, exited->record);
  } else {
    if (!dropped) count_arrived(*d, step, session);
    event::AttemptEnded e;
    e.step = step;
    e.attempt = session.attempt;
    e.unknown = !dropped;
    e.dropped = dropped;
    // Of a lost call the host tells until then. What was to wait for another's end is a command, and may count as never
    // having been.
    if (!conditional) d->unacknowledged.push_back(key);
    e.finished = seams_.clock.now();
    d->inbox.emplace_back(std::move(e), std::nullopt);
    close_session(*d, step);
  }
}

/// Nobody knows how a lost call ended, but what had come of its answer was paid for, as if it had been stopped.
void Engine::count_arrived(Driven& d, StepIndex step, Session& session) {
  if (!seams_.runtimes.is_told_all(d.run.interned(d.run.attempt(step, session.attempt)->runtime))) return;
  const auto spent_by = [&](const Observation& seen) {
    Actions actions = session.runtime->next(seen);
    std::erase_if(actions, [](const Action& a) { return !std::holds_alternative<Spend>(a); });
    perform(d, step, actions, false);
  };
  const std::string path = d.folder.output_log(session.key.step, session.attempt);
  for (;;) {
    const std::string more = seams_.files.read_from(path, session.read_bytes, read_bytes_max);
    if (more.empty()) break;
    session.read_bytes += more.size();
    spent_by(Printed{more});
  }
  Ended end;
  end.record.key = session.key;
  end.record.stopped = true;
  end.record.finished = seams_.clock.now();
  spent_by(end);
}

void Engine::read_output(Driven& d, StepIndex step, Session& session) {
  if (session.between) return;
  const std::string path = d.folder.output_log(session.key.step, session.attempt);
  for (;;) {
    const std::string more = seams_.files.read_from(path, session.read_bytes, read_bytes_max);
    if (more.empty()) return;
    session.read_bytes += more.size();
    const Actions actions = session.runtime->next(Printed{more});
    perform(d, step, actions, false);
    if (!d.sessions.contains(step)) return;
  }
}

void Engine::read_outputs() {
  for (const auto& d : runs_) {
    std::vector<StepIndex> held;
    for (const auto& [step, session] : d->sessions) {
      if (session.held) held.push_back(step);
    }
    for (const StepIndex step : held) {
      if (const auto found = d->sessions.find(step); found != d->sessions.end()) read_output(*d, step, found->second);
    }
    pass_on_said(*d);
  }
}

void Engine::pass_on_said(Driven& d) {
  if (seams_.observer == nullptr) return;
  std::erase_if(d.said, [&](const SaidLine& line) {
    const Attempt* a = d.run.attempt(line.step, line.attempt);
    if (a == nullptr || a->state == AttemptState::admitted) return false;
    d.told = std::max(d.told, line.at);
    seams_.observer->said(d.id, d.run, line.step, line.attempt, line.text, d.told);
    return true;
  });
}

/// Anything that changes while the attempt is alive: its processes' work, what it printed, the file it is to write.
std::uint64_t Engine::signs_of_life(Driven& d, const Session& session) {
  const Assignment& a = session.assignment;
  const AttemptKey& key = session.key;
  std::uint64_t signs = mix(seams_.host.work_done(key));
  for (const std::string& path : {d.folder.output_log(key.step, key.attempt), d.folder.error_log(key.step, key.attempt),
                                  a.output_path, a.output_path.substr(0, a.output_path.find_last_of('/') + 1)}) {
    if (!path.empty()) signs = mix(signs ^ seams_.files.stamp(path));
  }
  return signs;
}

void Engine::watch(Driven& d, StepIndex step, Session& session, Time now) {
  const Millis stall = d.run.step(step).policy.stall;
  const std::uint64_t signs = signs_of_life(d, session);
  // Between two exchanges nothing can be seen of it, nor has it to be.
  if (std::exchange(session.signs, signs) != signs || session.between || session.cold) session.alive = now;
  session.look_at = now + looks_apart(stall);
  if (now - session.alive >= stall) {
    d.inbox.emplace_back(event::AttemptQuiet{step, session.attempt, now - session.alive}, std::nullopt);
  }
}

std::size_t Engine::open_outputs() const {
  std::size_t open = 0;
  for (const auto& d : runs_) {
    open += static_cast<std::size_t>(std::ranges::count_if(d->sessions, [](const auto& s) { return s.second.held; }));
  }
  return open;
}

}  // namespace baton
