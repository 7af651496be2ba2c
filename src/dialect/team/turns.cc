#include "dialect/team/turns.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/text.h"
#include "core/facts.h"
#include "text/json_members.h"

namespace baton::team {
namespace {

namespace json = boost::json;

bool is_at_work(const Run& run, StepIndex i) {
  const StepState state = run.of(i).state;
  return state == StepState::ready || state == StepState::running || state == StepState::checking ||
         (state == StepState::waiting && !run.of(i).state.awaits_person());
}

int generation_of(const Run& run, StepIndex i) {
  const FlowRun* flow = run.flow_of(i);
  return flow == nullptr ? 1 : flow->generation;
}

/// The completed step whose worker was to see to this one too.
std::optional<StepIndex> lead_of(const Run& run, StepIndex step) {
  const std::string& id = run.step(step).id;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex lead = step_index(n);
    const std::vector<std::string>& also = run.step(lead).work->also;
    const bool its = run.of(lead).state == StepState::completed && std::ranges::find(also, id) != also.end();
    // One that a person had run again since is its own worker's.
    if (its && generation_of(run, lead) >= generation_of(run, step)) return lead;
  }
  return std::nullopt;
}

/// The worker of the loop said that it could not do this one.
bool gave_up(const Run& run, StepIndex step, StepIndex lead) {
  const int attempt = run.of(lead).attempts.empty() ? 0 : run.of(lead).attempts.back().n;
  std::string_view last;
  for (const Report& r : run.reports()) {
    const bool counts = r.said.kind == "complete" || r.said.kind == "error";
    if (counts && r.current && r.said.step == step && r.said.attempt == attempt) last = r.said.kind;
  }
  return last == "error";
}

std::optional<TurnWord> by_claim(const TurnFacts& facts) {
  constexpr Millis look_every{5'000};
  if (facts.claim == nullptr) return std::nullopt;
  TurnWord hold;
  hold.kind = TurnWord::Kind::hold;
  hold.look_again = facts.now + look_every;
  if (facts.claim->pid && facts.claimer_lives) return hold;
  if (facts.declares && facts.artifacts_exist) {
    TurnWord done;
    done.kind = TurnWord::Kind::done;
    return done;
  }
  TurnWord go;
  if (facts.claim->pid) {
    go.reason = fmt::format("Task {} reset from interrupted state", facts.claim->task);
    return go;
  }
  const Time until = facts.claim->since.value_or(Time{}) + claim_lasts;
  if (until > facts.now) {
    hold.look_again = until;
    return hold;
  }
  go.reason = fmt::format("Fast-advance orphan {} reset", facts.claim->task);
  return go;
}

}  // namespace

std::string to_json(const std::vector<Claim>& claims) {
  std::string out = "[";
  for (const Claim& claim : claims) {
    if (out.size() > 1) out += ',';
    out += fmt::format(R"({{"task":{})", json_quote(claim.task));
    if (claim.pid) out += fmt::format(R"(,"pid":{})", *claim.pid);
    if (claim.since) out += fmt::format(R"(,"since":{})", to_ms(*claim.since));
    out += '}';
  }
  return out + "]";
}

std::vector<Claim> claims_from_json(std::string_view text) {
  std::vector<Claim> claims;
  json::error_code error;
  const json::value value = json::parse({text.data(), text.size()}, error);
  if (error || !value.is_array()) return claims;
  for (const json::value& entry : value.as_array()) {
    if (!entry.is_object()) continue;
    const json::object& o = entry.as_object();
    Claim claim{text_at(o, {"task"}), {}, {}};
    if (const json::value* pid = o.if_contains("pid"); pid != nullptr && pid->is_int64()) {
      claim.pid = static_cast<int>(pid->as_int64());
    }
    if (const json::value* since = o.if_contains("since"); since != nullptr && since->is_int64()) {
      claim.since = time_from_ms(since->as_int64());
    }
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::vector<Claim> open_claims(const Run& run) {
  std::vector<Claim> claims = claims_from_json(option_of(run, "team_claims"));
  std::erase_if(claims, [&](const Claim& claim) {
    const auto step = run.find(claim.task);
    if (!step || run.of(*step).state != StepState::pending || !run.of(*step).attempts.empty()) return true;
    const FlowRun* flow = run.flow_of(*step);
    return flow != nullptr && flow->generation > 1;  // a person had it run again
  });
  return claims;
}

std::vector<std::string> loop_of(const Run& run, StepIndex step, const LoopTask& has_loop) {
  const std::string& role = run.step(step).work->skill;
  std::set<StepIndex> in_loop{step};
  std::vector<std::string> also;
  // A task may wait for one that comes after it in the plan.
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t n = 0; n < run.step_count(); ++n) {
      const StepIndex i = step_index(n);
      const bool its = run.step(i).work->skill == role && run.of(i).state == StepState::pending;
      if (!its || in_loop.contains(i) || !has_loop(run.step(i).id)) continue;
      const std::vector<StepIndex> needs = run.needs_of(i);
      const bool waits_for_others = std::ranges::any_of(needs, [&](StepIndex need) {
        return run.of(need).state != StepState::completed && !run.of(need).state.is_skipped_by_person() &&
               !in_loop.contains(need);
      });
      if (waits_for_others) continue;
      in_loop.insert(i);
      also.push_back(run.step(i).id);
      grew = true;
    }
  }
  return also;
}

TurnWord decide_turn(const Run& run, StepIndex step, const LoopTask& has_loop, const std::set<std::string>& begun,
                     const TurnFacts& facts) {
  const Step& s = run.step(step);
  TurnWord word;
  if (!facts.unknown_needs.empty()) {
    word.kind = TurnWord::Kind::block;
    word.code = "unknown-dependency";
    word.reason = fmt::format("it waits for {}, which is no task of this session", join(facts.unknown_needs, ", "));
    return word;
  }
  if (const auto lead = lead_of(run, step)) {
    const bool is_there = !facts.declares || facts.artifacts_exist;
    if (is_there && !gave_up(run, step, *lead)) {
      word.kind = TurnWord::Kind::done;
      word.lead = lead;
      return word;
    }
  }
  const bool loops = has_loop(s.id);
  if (loops) {
    bool busy = begun.contains(s.work->skill);
    for (std::size_t n = 0; n < run.step_count() && !busy; ++n) {
      const StepIndex other = step_index(n);
      const bool same = other != step && run.step(other).work->skill == s.work->skill;
      busy = same && is_at_work(run, other) && has_loop(run.step(other).id);
    }
    if (busy) {
      word.kind = TurnWord::Kind::hold;  // the worker that is there takes it, or it is next
      return word;
    }
  }
  if (const auto claimed = by_claim(facts)) {
    if (claimed->kind != TurnWord::Kind::go) return *claimed;
    word.reason = claimed->reason;
  }
  if (!facts.role_is_there) {
    word.kind = TurnWord::Kind::ask;
    word.code = "role-file-missing";
    return word;
  }
  if (loops) word.also = loop_of(run, step, has_loop);
  return word;
}

}  // namespace baton::team
