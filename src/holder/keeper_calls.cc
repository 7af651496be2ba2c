// Attempts that are HTTP calls. They are kept, recorded and told like processes; only that one process, the courier,
// makes them all.
#include <algorithm>

#include "holder/keeper.h"

namespace baton {

bool Keeper::call(Run& run, MessageReader& reader) {
  Attempt attempt{.run = run, .step = reader.text(), .number = reader.number<int>()};
  attempt.request = reader.text();
  attempt.program.stdout_path = reader.text();
  attempt.program.stderr_path = reader.text();
  attempt.deadline_ms = reader.number<std::int64_t>();
  attempt.grace_ms = reader.number<std::int64_t>();
  attempt.slots = reader.number<int>();
  if (reader.bad() || attempt.request.empty()) return false;
  return take_in(run, std::move(attempt), reader);
}

void Keeper::start_call(Attempt& attempt) {
  Run& run = attempt.run;
  const auto courier = courier_.reach();
  if (!courier) return fail_to_start(attempt, courier.error());
  if (std::exchange(run.courier_with_env, *courier) != *courier) {
    Message environment{"environment", run.name, run.project_dir};
    put_list(environment, run.env);
    courier_.say(environment);
  }
  attempt.call = ++last_call_;
  calls_.emplace(attempt.call, &attempt);
  courier_.say({"call", std::to_string(attempt.call), run.name, attempt.request, attempt.program.stdout_path,
                attempt.program.stderr_path});
  attempt.logs.lie_at(attempt.program.stdout_path, attempt.program.stderr_path);
  attempt.program = {};
  begin(attempt, *courier);
}

bool Keeper::heed_courier(const Message& message) {
  if (message.front() == "ready") {
    courier_.is_ready();
    return true;
  }
  MessageReader reader{message, 1};
  const auto number = reader.number<std::uint64_t>();
  siginfo_t how{};
  how.si_code = CLD_EXITED;
  how.si_status = reader.number<int>();
  if (message.front() != "ended" || !reader.done()) return false;
  const auto place = calls_.find(number);
  if (place == calls_.end()) return false;
  Attempt& attempt = *place->second;
  calls_.erase(place);
  attempt.state = Attempt::State::leaving;
  record_end(attempt, &how, {});
  settle(attempt);
  return true;
}

// The courier gives up a call as soon as it hears of it. One that does not answer is ended like any other process, and
// the calls of everybody with it; so it gets more time than a single agent would.
void Keeper::cancel(Attempt& attempt, std::int64_t grace_ms) {
  constexpr std::int64_t patience_ms = 10'000;
  if (attempt.ending) return;
  const std::int64_t kill_at = monotonic_ms() + std::max(grace_ms, patience_ms);
  attempt.ending.emplace(Attempt::Ending{.kill_at = kill_at, .look_at = kill_at});
  courier_.say({"cancel", std::to_string(attempt.call)});
}

void Keeper::lose_calls(const CourierLink::Gone& courier) {
  if (courier.pid == 0) return;
  std::vector<Attempt*> left;
  std::erase_if(calls_, [&](const auto& call) {
    if (call.second->pid != courier.pid) return false;
    left.push_back(call.second);
    return true;
  });
  for (Attempt* const attempt : left) {
    if (courier.was_ready) {
      attempt->lost = true;
      attempt->recorded = true;  // there is nothing to write: a start without an end says it all
    } else {
      attempt->pid = 0;
      record_end(*attempt, nullptr, "the courier does not start: see courier.log in " + state_dir_);
    }
    settle(*attempt);
  }
}

std::int64_t Keeper::tend_courier(std::int64_t now) { return courier_.rest(calls_.empty(), now); }

}  // namespace baton
