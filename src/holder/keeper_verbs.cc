#include <signal.h>

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "holder/keeper.h"
#include "io/environment.h"

namespace baton {
namespace {

Message sighting(const Attempt& attempt) {
  Message message{"sighting", attempt.run.name};
  if (attempt.state == Attempt::State::ended && attempt.recorded) {
    message = attempt.exited_notice();
    message.front() = "sighting";
    message.insert(message.begin() + 2, "exited");
    return message;
  }
  const bool waits = attempt.state == Attempt::State::waiting;
  message.insert(message.end(), {waits ? "waiting" : "alive", attempt.step, std::to_string(attempt.number),
                                 std::to_string(attempt.pid), std::to_string(attempt.started_ms),
                                 attempt.run.frozen ? "1" : "0", std::to_string(attempt.grace_ms)});
  return message;
}

}  // namespace

bool Keeper::obey(Connection& from, const Message& message) {
  using Verb = bool (Keeper::*)(Run&, MessageReader&);
  static const std::map<std::string, Verb> verbs{
      {"spawn", &Keeper::spawn},     {"call", &Keeper::call},       {"stop", &Keeper::stop},
      {"ack", &Keeper::acknowledge}, {"note", &Keeper::note},       {"freeze", &Keeper::freeze},
      {"thaw", &Keeper::thaw},       {"slots", &Keeper::set_slots}, {"log-limit", &Keeper::limit_logs},
      {"wake-at", &Keeper::wake_at}, {"detach", &Keeper::detach}};
  if (courier_.is(from)) return heed_courier(message);
  const std::string& verb = message.front();
  if (verb == "attach") return attach(from, message);
  if (verb == "ping") {
    from.say({"pong"});
    return true;
  }
  if (message.size() < 2) return false;
  const auto found = runs_.find(message[1]);
  if (verb == "wake-now") {
    from.say({"waking", message[1], found != runs_.end() ? "1" : "0"});
    if (found != runs_.end()) found->second.wake.asked = true;
    return true;
  }
  const auto known = verbs.find(verb);
  if (known == verbs.end()) return false;
  // Another one may have taken over the driving since; then this one is not heeded any more.
  if (found == runs_.end() || found->second.driver != &from) return true;
  MessageReader reader{message, 2};
  return (this->*known->second)(found->second, reader);
}

void Keeper::forget(const Connection& connection) {
  for (auto& [name, run] : runs_) {
    if (run.driver == &connection) run.driver = nullptr;
  }
  if (courier_.is(connection)) lose_calls(courier_.closed(!calls_.empty()));
}

bool Keeper::attach(Connection& from, const Message& message) {
  MessageReader reader{message, 1};
  const std::string name = reader.text();
  const std::string log_path = reader.text();
  std::string project_dir = reader.text();
  auto wake_argv = reader.list();
  auto env = reader.list();
  if (!reader.done()) return false;
  Run& run = runs_.try_emplace(name, name, log_path).first->second;
  run.driver = &from;
  run.project_dir = std::move(project_dir);
  run.wake.argv = std::move(wake_argv);
  run.env = std::move(env);
  run.courier_with_env = 0;
  std::erase_if(run.env,
                is_attempt_mark);  // an engine may itself run inside an attempt; what it starts is not of that one
  for (const auto& [key, attempt] : run.attempts) {
    if (!attempt.stray && !attempt.lost) from.say(sighting(attempt));
  }
  from.say({"attached", name, "takes-conditions", "takes-calls", "takes-log-limits"});
  for (const auto& [key, attempt] : run.attempts) {
    if (attempt.lost) from.say(attempt.end_notice());
  }
  return true;
}

bool Keeper::spawn(Run& run, MessageReader& reader) {
  Attempt attempt{.run = run, .step = reader.text(), .number = reader.number<int>()};
  Program& program = attempt.program;
  program.cwd = reader.text();
  program.stdin_path = reader.text();
  program.stdout_path = reader.text();
  program.stderr_path = reader.text();
  attempt.deadline_ms = reader.number<std::int64_t>();
  attempt.grace_ms = reader.number<std::int64_t>();
  attempt.slots = reader.number<int>();
  program.argv = reader.list();
  auto added = reader.list();
  const auto unset = reader.list();
  if (reader.bad()) return false;
  std::erase_if(added, is_attempt_mark);
  const std::string values[] = {run.name, attempt.step, std::to_string(attempt.number), state_dir_};
  for (std::size_t i = 0; i < std::size(values); ++i) added.push_back(std::string{attempt_marks[i]} + values[i]);
  program.env = merge_environment(run.env, unset, std::move(added));
  return take_in(run, std::move(attempt), reader);
}

bool Keeper::take_in(Run& run, Attempt fresh, MessageReader& reader) {
  if (!reader.bad() && !reader.done()) {
    fresh.after = {reader.text(), reader.number<int>()};
    fresh.within_ms = reader.number<std::int64_t>();
  }
  if (!reader.done()) return false;
  const std::pair key{fresh.step, fresh.number};
  const auto [place, is_new] = run.attempts.try_emplace(key, std::move(fresh));
  if (!is_new) return true;  // said twice by a client that lost its connection
  Attempt& placed = place->second;
  if (placed.after.second > 0) {
    const auto before = run.attempts.find(placed.after);
    if (before != run.attempts.end()) before->second.followed = true;
    if (before == run.attempts.end() || before->second.stray) {
      drop(placed);
    } else if (before->second.state == Attempt::State::ended && before->second.recorded) {
      let_follow(before->second);
    }
  } else if (placed.slots == 0 && !run.frozen) {
    start(placed);
  } else {
    run.waiting.push_back(&placed);
    start_waiting(run);
  }
  return true;
}

bool Keeper::stop(Run& run, MessageReader& reader) {
  const std::pair key{reader.text(), reader.number<int>()};
  const auto grace_ms = reader.number<std::int64_t>();
  if (!reader.done()) return false;
  Attempt fresh{.run = run, .step = key.first, .number = key.second};
  const auto [place, unknown] = run.attempts.try_emplace(key, std::move(fresh));
  Attempt& attempt = place->second;
  if (unknown) {
    attempt.stray = true;
    attempt.state = Attempt::State::leaving;
    attempt.grace_ms = grace_ms;
    attempt.tree.emplace(0, attempt.mark());
    live_.insert(&attempt);
  }
  switch (attempt.state) {
    case Attempt::State::waiting:
      drop(attempt);
      break;
    case Attempt::State::alive:
      attempt.stopped = true;
      end(attempt, grace_ms);
      break;
    case Attempt::State::leaving:
      end(attempt, grace_ms);
      break;
    case Attempt::State::ended:
      if (attempt.recorded) run.tell(attempt.end_notice());
      break;
  }
  return true;
}

bool Keeper::acknowledge(Run& run, MessageReader& reader) {
  const std::pair key{reader.text(), reader.number<int>()};
  if (!reader.done()) return false;
  const auto place = run.attempts.find(key);
  if (place == run.attempts.end()) return true;
  if (place->second.state != Attempt::State::ended || !place->second.recorded) return true;
  if (!place->second.noted) --run.news;
  run.attempts.erase(place);
  run.wake.failures = 0;
  run.wake.not_before = 0;
  return true;
}

bool Keeper::note(Run& run, MessageReader& reader) {
  const std::pair key{reader.text(), reader.number<int>()};
  if (!reader.done()) return false;
  const auto place = run.attempts.find(key);
  if (place == run.attempts.end()) return true;
  Attempt& attempt = place->second;
  if (attempt.state != Attempt::State::ended || !attempt.recorded || std::exchange(attempt.noted, true)) return true;
  --run.news;
  return true;
}

bool Keeper::wake_at(Run& run, MessageReader& reader) {
  run.wake.at_ms = reader.maybe_number<std::int64_t>().value_or(never);
  return reader.done();
}

bool Keeper::detach(Run& run, MessageReader& reader) {
  // The driver leaves on purpose: what runs goes on, but nothing new starts and nobody is woken. What waited for a slot
  // left no trace; the next driver asks for it again.
  run.driver = nullptr;
  run.wake = {.pid = run.wake.pid};
  run.waiting.clear();
  std::erase_if(run.attempts, [](const auto& a) { return a.second.state == Attempt::State::waiting; });
  return reader.done();
}

bool Keeper::set_slots(Run& run, MessageReader& reader) {
  const int slots = reader.number<int>();
  if (!reader.done() || slots < 1) return false;
  for (auto& [key, attempt] : run.attempts) {
    if (attempt.state == Attempt::State::waiting) attempt.slots = slots;
  }
  start_waiting(run);
  return true;
}

bool Keeper::limit_logs(Run& run, MessageReader& reader) {
  run.log_bytes_max = reader.number<std::int64_t>();
  for (Attempt* const attempt : live_) attempt->logs_look_at = 0;
  return reader.done();
}

bool Keeper::freeze(Run& run, MessageReader& reader) {
  if (run.frozen) return reader.done();
  run.frozen = true;
  const std::int64_t now = monotonic_ms();
  std::vector<ProcessTree*> trees;
  for (Attempt* const attempt : live_) {
    // A call goes on: what was asked for is paid for.
    if (&attempt->run != &run || attempt->ending || attempt->is_call()) continue;
    if (attempt->deadline_at != never) attempt->deadline_at -= now;
    trees.push_back(&*attempt->tree);
  }
  freeze_trees(trees, state_dir_);
  return reader.done();
}

bool Keeper::thaw(Run& run, MessageReader& reader) {
  if (!run.frozen) return reader.done();
  run.frozen = false;
  const std::int64_t now = monotonic_ms();
  const ProcessTable table = look_at_processes(state_dir_);
  for (Attempt* const attempt : live_) {
    if (&attempt->run != &run || attempt->is_call()) continue;
    if (attempt->deadline_at != never && !attempt->ending) attempt->deadline_at += now;
    signal_all(attempt->tree->members(table), SIGCONT);
  }
  // Those that wait for no slot were only held back by the freeze.
  std::vector<Attempt*> free;
  std::ranges::copy_if(run.waiting, std::back_inserter(free), [](const Attempt* a) { return a->slots == 0; });
  std::erase_if(run.waiting, [](const Attempt* a) { return a->slots == 0; });
  for (Attempt* const attempt : free) start(*attempt);
  start_waiting(run);
  return reader.done();
}

}  // namespace baton
