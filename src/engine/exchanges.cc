// Attempts that hold several things one after the other: requests to a model's API, and the tools it asks for
// (docs/decisions/0017).
#include <fmt/core.h>

#include <algorithm>

#include "engine/driven.h"
#include "engine/engine.h"

namespace baton {
namespace {

constexpr std::string_view call_mark = "~call";

/// The first exchange is known by the attempt's own key.
AttemptKey exchange_key(AttemptKey key, int exchange) {
  if (exchange > 1) key.step = RunFolder::exchange(key.step, exchange);
  return key;
}

}  // namespace

/// From now on the attempt stands for this exchange. False: it is not to be made now, since it was made already.
bool Engine::turn_to(Driven& d, StepIndex step, Session& session, int exchange, bool spawns) {
  d.session_of.erase(session.key.step);
  session.key = exchange_key(session.assignment.key, exchange);
  d.session_of.insert_or_assign(session.key.step, step);
  session.read_bytes = 0;
  session.between = false;
  if (exchange == 1) return spawns;
  if (!session.reattached) return true;
  const auto seen = std::ranges::find(d.sightings, session.key, &Sighting::key);
  if (seen != d.sightings.end()) {
    session.sighted = *seen;
    return false;
  }
  if (!seams_.host.was_started(session.key)) return true;
  seams_.host.stop(session.key, d.run.step(step).policy.stop_grace);  // its holder died; answers that it is lost
  return false;
}

/// What an engine before us made is heard as if it came now.
void Engine::hear_sighted(Driven& d, StepIndex step) {
  const auto found = d.sessions.find(step);
  if (found == d.sessions.end() || !found->second.sighted) return;
  const Sighting seen = *std::exchange(found->second.sighted, std::nullopt);
  if (seen.kind == Sighting::Kind::exited) heard(AttemptExitedNotice{seen.record});
}

/// Each further call of an attempt is asked for like its first, which was when it was admitted. Where the provider
/// wants time, it waits; where the money is spent, the attempt ends, and its step waits until there is more.
bool Engine::may_ask_again(Driven& d, StepIndex step, Session& session, const Request& request) {
  if (request.exchange == 1 || !request.asks) return true;
  const Attempt* attempt = d.run.attempt(step, session.attempt);
  const auto hold =
      held_back(d, step, d.run.interned(attempt->runtime), d.run.interned(attempt->model), seams_.clock.now());
  if (!hold) return true;
  if (hold->broke.empty()) {
    session.cold = request;
    session.wait_until = hold->until;
  } else {
    ended(d, step, Finish{Failure{"budget-exhausted", hold->broke, false, std::nullopt, hold->until}}, nullptr);
  }
  return false;
}

/// Of calls with the same beginning one goes first: what it leaves in the provider's cache can be read once its
/// response has begun, and not before.
void Engine::make_request_when_warm(Driven& d, StepIndex step, Session& session, const Request& request) {
  if (!may_ask_again(d, step, session, request)) return;
  const auto until = request.prefix == 0 ? std::nullopt : warmth_.ask(request.prefix, seams_.clock.now());
  if (!until) {
    session.warms = request.prefix;
    return make_request(d, step, session, request);
  }
  session.cold = request;
  session.wait_until = until;
}

/// A response with this beginning is there, or whoever was to bring it has failed: whoever waits for it goes on.
void Engine::warmed(std::uint64_t prefix) {
  for (const auto& d : runs_) {
    for (auto& [step, session] : d->sessions) {
      if (session.cold && session.cold->prefix == prefix) session.wait_until = seams_.clock.now();
    }
  }
}

void Engine::make_request(Driven& d, StepIndex step, Session& session, const Request& request) {
  const std::string path = d.folder.request(session.key.step, session.attempt);
  std::string body_path;
  if (!request.request.body.empty()) {
    body_path = d.folder.request_body(session.key.step, session.attempt);
    if (auto kept = seams_.files.write_brief(body_path, request.request.body); !kept) {
      broken_ = kept.error();
      return;
    }
  }
  if (auto kept = seams_.files.write_brief(path, api::request_file(request.request, body_path)); !kept) {
    broken_ = kept.error();
    return;
  }
  SpawnSpec spec = spawn_spec(d, step, session, {});
  spec.env.clear();
  spec.cwd.clear();
  spec.request_path = path;
  session.asked = seams_.clock.now();
  // Its attempt has a slot already: all it waits for is the end of a pause.
  if (request.exchange > 1) spec.slots = 0;
  seams_.host.spawn(spec);
}

void Engine::make_tools(Driven& d, StepIndex step, Session& session, const UseTools& tools) {
  const std::string path = d.folder.request(session.key.step, session.attempt);
  if (auto kept = seams_.files.write_brief(path, tools.uses); !kept) {
    broken_ = kept.error();
    return;
  }
  SpawnSpec spec = spawn_spec(d, step, session, {.argv = {terms_.program, "tools", path}});
  spec.slots = 0;
  seams_.host.spawn(spec);
}

/// True if the notice was about an exchange that its attempt has not come to yet: an engine before us had, and whoever
/// plays the attempt again finds how it ended.
bool Engine::heard_exchange(Driven& d, const AttemptKey& key, const HostNotice& notice) {
  const auto mark = key.step.rfind(call_mark);
  if (mark == std::string::npos) return false;
  const bool is_awaited = std::ranges::any_of(d.sessions, [&](const auto& s) {
    const AttemptKey& attempt = s.second.assignment.key;
    return attempt.attempt == key.attempt && attempt.step == std::string_view{key.step}.substr(0, mark) &&
           std::ranges::find(s.second.past, key) == s.second.past.end();
  });
  const auto* exited = std::get_if<AttemptExitedNotice>(&notice);
  if (!is_awaited) {
    // Of one that is over: its end is acknowledged with that of its attempt, or was.
    const bool is_past = std::ranges::any_of(
        d.sessions, [&](const auto& s) { return std::ranges::find(s.second.past, key) != s.second.past.end(); });
    if (exited != nullptr && !is_past) d.unacknowledged.push_back(key);
    return true;
  }
  if (std::holds_alternative<AttemptLostNotice>(notice)) forget_sighting(d, key);
  if (exited != nullptr) see_again(d, exited->record);
  return true;
}

/// An engine before us may have died after it recorded the end of an attempt and before it acknowledged its exchanges.
void Engine::acknowledge_leftover_exchanges(Driven& d) {
  std::erase_if(d.sightings, [&](const Sighting& seen) {
    const auto mark = seen.key.step.rfind(call_mark);
    if (mark == std::string::npos || seen.kind != Sighting::Kind::exited) return false;
    const bool is_wanted = std::ranges::any_of(d.sessions, [&](const auto& s) {
      const AttemptKey& key = s.second.assignment.key;
      return key.attempt == seen.key.attempt && key.step == std::string_view{seen.key.step}.substr(0, mark);
    });
    if (!is_wanted) seams_.host.acknowledge(seen.key);
    return !is_wanted;
  });
}

/// What comes after them is under way, or its time is told: that is what the run is to be woken for, not they.
void Engine::note_past_exchanges(Driven& d) {
  for (auto& [step, session] : d.sessions) {
    for (; session.noted < session.past.size(); ++session.noted) seams_.host.note(session.past[session.noted]);
  }
}

/// The ends of all it held are acknowledged when the end of the attempt is on record.
void Engine::close_session(Driven& d, StepIndex step) {
  const auto found = d.sessions.find(step);
  for (const AttemptKey& key : found->second.past) d.unacknowledged.push_back(key);
  const std::uint64_t prefix = std::exchange(found->second.warms, 0);
  d.session_of.erase(found->second.key.step);
  d.sessions.erase(found);
  if (prefix == 0) return;
  warmth_.failed(prefix);  // nothing, if its response did begin
  warmed(prefix);
}

}  // namespace baton
