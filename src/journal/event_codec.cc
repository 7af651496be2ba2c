#include "journal/event_codec.h"

#include <fmt/compile.h>

#include <array>

#include "base/boost_json.h"
#include "base/number.h"
#include "base/text.h"
#include "plan/plan_json.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, std::variant_size_v<EventBody>> kinds = {
    "run.created",   "driver.took",     "settings.changed", "attempt.admitted", "attempt.started",
    "attempt.used",  "attempt.ended",   "output.checked",   "timer.fired",      "pause.asked",
    "resume.asked",  "cancel.asked",    "retry.asked",      "plan.extended",    "attempt.quiet",
    "turn.taken",    "gate.answered",   "output.changed",   "review.answered",  "place.taken",
    "step.deferred", "worker.reported", "step.decided",     "output.doubted",   "outputs.stand"};

constexpr std::array<std::string_view, 6> verdicts = {"go", "skip", "done", "fail", "ask", "block"};

// --- Writing: by hand, so that the same event is always the same bytes ------------------------------------------

std::string usage_json(const Usage& u) {
  std::string out = fmt::format(FMT_COMPILE(R"({{"input":{},"output":{},"cache_read":{},"cache_write":{})"),
                                u.tokens.input, u.tokens.output, u.tokens.cache_read, u.tokens.cache_write);
  if (u.cost) out += fmt::format(FMT_COMPILE(R"(,"nano_usd":{})"), u.cost->nano_usd);
  if (u.turns > 0) out += fmt::format(FMT_COMPILE(R"(,"turns":{})"), u.turns);
  if (u.tokens_unknown) out += R"(,"tokens_unknown":true)";
  if (!u.model.empty()) out += fmt::format(FMT_COMPILE(R"(,"model":{})"), json_quote(u.model));
  return out + '}';
}

std::string failure_json(const Failure& f) {
  std::string out = fmt::format(FMT_COMPILE(R"({{"code":{},"message":{},"may_retry":{})"), json_quote(f.code),
                                json_quote(f.message), f.may_retry);
  if (f.retry_after) out += fmt::format(FMT_COMPILE(R"(,"retry_after_ms":{})"), f.retry_after->count());
  if (f.parked_until) out += fmt::format(FMT_COMPILE(R"(,"parked_until":{})"), to_ms(*f.parked_until));
  if (f.used_up) out += R"(,"used_up":true)";
  return out + '}';
}

std::string results_json(const std::vector<CheckResult>& results) {
  std::string out = "[";
  for (const CheckResult& r : results) {
    if (out.size() > 1) out += ',';
    out += fmt::format(FMT_COMPILE(R"({{"name":{},"passed":{},"message":{}}})"), json_quote(r.name), r.passed,
                       json_quote(r.message));
  }
  return out + ']';
}

std::string settings_json(const RunSettings& s) {
  // The seed is text: JSON numbers of other readers lose bits above 2^53.
  std::string out = fmt::format(FMT_COMPILE(R"({{"seed":"{}","jobs":{},"time_budget_ms":{},"token_budget":{})"), s.seed,
                                s.jobs, s.time_budget.count(), s.token_budget);
  if (s.cost_budget) out += fmt::format(FMT_COMPILE(R"(,"cost_budget_nano_usd":{})"), s.cost_budget->nano_usd);
  if (s.wall_floor != RunSettings{}.wall_floor) {
    out += fmt::format(FMT_COMPILE(R"(,"wall_floor_ms":{})"), s.wall_floor.count());
  }
  if (s.log_bytes_max != RunSettings{}.log_bytes_max) {
    out += fmt::format(FMT_COMPILE(R"(,"log_bytes_max":{})"), s.log_bytes_max);
  }
  if (s.turn_budget > 0) out += fmt::format(FMT_COMPILE(R"(,"turn_budget":{})"), s.turn_budget);
  out += R"(,"options":{)";
  bool first = true;
  for (const auto& [key, value] : s.options) {
    out += fmt::format("{}{}:{}", first ? "" : ",", json_quote(key), json_quote(value));
    first = false;
  }
  return out + "}}";
}

std::string attempt_head(StepIndex step, int attempt) {
  return fmt::format(FMT_COMPILE(R"({{"step":{},"attempt":{})"), at(step), attempt);
}

struct Writer {
  std::string operator()(const event::RunCreated& e) const {
    std::string out = fmt::format(FMT_COMPILE(R"({{"settings":{})"), settings_json(e.settings));
    for (std::size_t i = 0; i < e.found.size(); ++i) {
      out += fmt::format(FMT_COMPILE(R"({}{{"step":{},"digest":{}}})"), i == 0 ? R"(,"found":[)" : ",",
                         at(e.found[i].step), json_quote(e.found[i].digest));
    }
    if (!e.found.empty()) out += ']';
    return out + fmt::format(FMT_COMPILE(R"(,"plan":{}}})"), to_json(*e.plan));
  }
  std::string operator()(const event::DriverTook& e) const {
    std::string out =
        fmt::format(FMT_COMPILE(R"({{"pid":{},"host":{},"epoch":{})"), e.pid, json_quote(e.host), e.epoch);
    if (e.queues) out += R"(,"queues":true)";
    if (e.rules != event::Rules::first) out += fmt::format(FMT_COMPILE(R"(,"rules":{})"), static_cast<int>(e.rules));
    return out + '}';
  }
  std::string operator()(const event::SettingsChanged& e) const { return settings_json(e.settings); }
  std::string operator()(const event::AttemptAdmitted& e) const {
    std::string out =
        attempt_head(e.step, e.attempt) + fmt::format(FMT_COMPILE(R"(,"runtime":{})"), json_quote(e.runtime));
    if (!e.model.empty()) out += fmt::format(FMT_COMPILE(R"(,"model":{})"), json_quote(e.model));
    if (!e.boot.empty()) out += fmt::format(FMT_COMPILE(R"(,"boot":{})"), json_quote(e.boot));
    if (e.after > 0) out += fmt::format(FMT_COMPILE(R"(,"after":{})"), e.after);
    if (!e.before.empty()) out += fmt::format(FMT_COMPILE(R"(,"before":{})"), json_quote(e.before));
    return out + '}';
  }
  std::string operator()(const event::AttemptStarted& e) const {
    return attempt_head(e.step, e.attempt) +
           fmt::format(FMT_COMPILE(R"(,"pid":{},"started":{}}})"), e.pid, to_ms(e.started));
  }
  std::string operator()(const event::AttemptUsed& e) const {
    return attempt_head(e.step, e.attempt) +
           fmt::format(FMT_COMPILE(R"(,"usage":{}{}}})"), usage_json(e.usage), e.is_all ? R"(,"is_all":true)" : "");
  }
  std::string operator()(const event::AttemptEnded& e) const {
    std::string out =
        attempt_head(e.step, e.attempt) + fmt::format(FMT_COMPILE(R"(,"finished":{})"), to_ms(e.finished));
    if (e.unknown) out += R"(,"unknown":true)";
    if (e.exit) out += fmt::format(FMT_COMPILE(R"(,"exit":{})"), *e.exit);
    if (e.signal) out += fmt::format(FMT_COMPILE(R"(,"signal":{})"), *e.signal);
    if (e.failure) out += R"(,"failure":)" + failure_json(*e.failure);
    if (e.note) out += R"(,"note":)" + failure_json(*e.note);
    if (e.dropped) out += R"(,"dropped":true)";
    return out + '}';
  }
  std::string operator()(const event::OutputChecked& e) const {
    std::string out = attempt_head(e.step, e.attempt) + fmt::format(FMT_COMPILE(R"(,"digest":{},"results":{})"),
                                                                    json_quote(e.digest), results_json(e.results));
    if (e.failure) out += fmt::format(FMT_COMPILE(R"(,"failure":{})"), failure_json(*e.failure));
    return out + '}';
  }
  std::string operator()(const event::TimerFired& e) const {
    return fmt::format(FMT_COMPILE(R"({{"kind":{},"step":{}}})"), static_cast<int>(e.timer.kind), at(e.timer.step));
  }
  std::string operator()(const event::PauseAsked& e) const {
    return fmt::format(FMT_COMPILE(R"({{"by":{}}})"), json_quote(e.by));
  }
  std::string operator()(const event::ResumeAsked& /*e*/) const { return "{}"; }
  std::string operator()(const event::CancelAsked& e) const {
    return fmt::format(FMT_COMPILE(R"({{"by":{}}})"), json_quote(e.by));
  }
  std::string operator()(const event::RetryAsked& e) const {
    return e.step ? fmt::format(FMT_COMPILE(R"({{"step":{}}})"), at(*e.step)) : "{}";
  }
  std::string operator()(const event::PlanExtended& e) const {
    std::string out = fmt::format(FMT_COMPILE(R"({{"by":{},"first":{},"replaces_rest":{},"joins":[)"), at(e.by),
                                  at(e.first), e.replaces_rest);
    for (std::size_t i = 0; i < e.joins.size(); ++i) {
      out += fmt::format("{}[{},{}]", i > 0 ? "," : "", at(e.joins[i].first), at(e.joins[i].second));
    }
    out += fmt::format(FMT_COMPILE(R"(],"steps":{})"), to_json(e.steps));
    if (!e.workflow.empty()) out += fmt::format(FMT_COMPILE(R"(,"workflow":{})"), json_quote(e.workflow));
    if (!e.task.empty()) out += fmt::format(FMT_COMPILE(R"(,"task":{})"), json_quote(e.task));
    return out + '}';
  }
  std::string operator()(const event::AttemptQuiet& e) const {
    return attempt_head(e.step, e.attempt) + fmt::format(FMT_COMPILE(R"(,"quiet_ms":{}}})"), e.quiet.count());
  }
  std::string operator()(const event::TurnTaken& e) const {
    std::string out = fmt::format(FMT_COMPILE(R"({{"step":{},"generation":{},"round":{},"verdict":"{}")"), at(e.step),
                                  e.generation, e.round, verdicts.at(static_cast<std::size_t>(e.verdict)));
    if (!e.reason.empty()) out += fmt::format(FMT_COMPILE(R"(,"reason":{})"), json_quote(e.reason));
    if (!e.code.empty()) out += fmt::format(FMT_COMPILE(R"(,"code":{})"), json_quote(e.code));
    if (!e.digest.empty()) out += fmt::format(FMT_COMPILE(R"(,"digest":{})"), json_quote(e.digest));
    if (!e.needs.empty()) {
      out += R"(,"needs":[)";
      for (std::size_t i = 0; i < e.needs.size(); ++i) out += fmt::format("{}{}", i > 0 ? "," : "", at(e.needs[i]));
      out += ']';
    }
    if (!e.made.empty()) out += fmt::format(FMT_COMPILE(R"(,"made":{})"), to_json(e.made));
    if (e.work != nullptr) {
      Step bearer;  // the codec of steps knows how to write work
      bearer.work = e.work;
      out += fmt::format(FMT_COMPILE(R"(,"work":{})"), to_json(std::vector<Step>{bearer}));
    }
    return out + '}';
  }
  std::string operator()(const event::GateAnswered& e) const {
    std::string out = fmt::format(FMT_COMPILE(R"({{"approved":{},"message":{})"), e.approved, json_quote(e.message));
    if (e.step) out += fmt::format(FMT_COMPILE(R"(,"step":{})"), at(*e.step));
    return out + '}';
  }
  std::string operator()(const event::OutputChanged& e) const {
    return fmt::format(FMT_COMPILE(R"({{"step":{},"digest":{},"results":{}{}}})"), at(e.step), json_quote(e.digest),
                       results_json(e.results), e.put_together ? R"(,"put_together":true)" : "");
  }
  std::string operator()(const event::ReviewAnswered& e) const {
    return fmt::format(FMT_COMPILE(R"({{"accepted":{},"message":{},"landed":{}}})"), e.accepted, json_quote(e.message),
                       json_quote(e.landed));
  }
  std::string operator()(const event::PlaceTaken& /*e*/) const { return "{}"; }
  std::string operator()(const event::StepDeferred& e) const {
    const std::string reason = e.reason.empty() ? "" : R"(,"reason":)" + json_quote(e.reason);
    return fmt::format(FMT_COMPILE(R"({{"step":{},"runtime":{},"until":{}{}}})"), at(e.step), json_quote(e.runtime),
                       to_ms(e.until), reason);
  }
  std::string operator()(const event::WorkerReported& e) const {
    std::string out = attempt_head(e.step, e.attempt) +
                      fmt::format(FMT_COMPILE(R"(,"id":{},"kind":{},"role":{},"text":{})"), json_quote(e.id),
                                  json_quote(e.kind), json_quote(e.role), json_quote(e.text));
    if (!e.data.empty()) out += fmt::format(FMT_COMPILE(R"(,"data":{})"), json_quote(e.data));
    return out + '}';
  }
  std::string operator()(const event::StepDecided& e) const {
    return fmt::format(FMT_COMPILE(R"({{"step":{},"completed":{},"by":{}}})"), at(e.step), e.completed,
                       json_quote(e.by));
  }
  std::string operator()(const event::OutputDoubted& e) const {
    return e.by ? fmt::format(FMT_COMPILE(R"({{"step":{},"by":{}}})"), at(e.step), at(*e.by))
                : fmt::format(FMT_COMPILE(R"({{"step":{}}})"), at(e.step));
  }
  std::string operator()(const event::OutputsStand& /*e*/) const { return "{}"; }
};

// --- Reading: throws inside, a fault outside --------------------------------------------------------------------

std::string text_of(const json::object& o, std::string_view key) {
  const json::value* v = o.if_contains(key);
  return v == nullptr ? std::string{} : std::string{std::string_view{v->as_string()}};
}
std::int64_t number_of(const json::object& o, std::string_view key) { return json::value_to<std::int64_t>(o.at(key)); }
bool flag_of(const json::object& o, std::string_view key) {
  const json::value* v = o.if_contains(key);
  return v != nullptr && v->as_bool();
}
std::optional<int> maybe_int(const json::object& o, std::string_view key) {
  const json::value* v = o.if_contains(key);
  return v == nullptr ? std::nullopt : std::optional{json::value_to<int>(*v)};
}
StepIndex step_of(const json::object& o, std::string_view key = "step") {
  return step_index(json::value_to<std::uint32_t>(o.at(key)));
}
int attempt_of(const json::object& o) { return json::value_to<int>(o.at("attempt")); }

RunSettings read_settings(const json::object& o) {
  RunSettings s;
  s.seed = parse_whole<std::uint64_t>(text_of(o, "seed")).value_or(s.seed);
  s.jobs = static_cast<int>(number_of(o, "jobs"));
  s.time_budget = Millis{number_of(o, "time_budget_ms")};
  s.token_budget = number_of(o, "token_budget");
  if (o.contains("turn_budget")) s.turn_budget = number_of(o, "turn_budget");
  if (o.contains("wall_floor_ms")) s.wall_floor = Millis{number_of(o, "wall_floor_ms")};
  if (o.contains("log_bytes_max")) s.log_bytes_max = number_of(o, "log_bytes_max");
  if (o.contains("cost_budget_nano_usd")) s.cost_budget = Cost{number_of(o, "cost_budget_nano_usd")};
  for (const auto& [key, value] : o.at("options").as_object()) {
    s.options.emplace(std::string_view{key}, std::string_view{value.as_string()});
  }
  return s;
}

std::int64_t maybe_number(const json::object& o, std::string_view key) {
  return o.contains(key) ? number_of(o, key) : 0;
}

/// Those of a Baton to come are taken for the last that are known here.
event::Rules rules_of(const json::object& o) {
  return static_cast<event::Rules>(
      std::clamp<std::int64_t>(maybe_number(o, "rules"), 0, static_cast<std::int64_t>(event::rules_now)));
}

Usage read_usage(const json::object& o) {
  Usage u{{number_of(o, "input"), number_of(o, "output"), number_of(o, "cache_read"), number_of(o, "cache_write")},
          {},
          maybe_number(o, "turns")};
  if (o.contains("nano_usd")) u.cost = Cost{number_of(o, "nano_usd")};
  u.tokens_unknown = flag_of(o, "tokens_unknown");
  if (o.contains("model")) u.model = text_of(o, "model");
  return u;
}

Failure read_failure(const json::object& o) {
  Failure f{text_of(o, "code"), text_of(o, "message"), flag_of(o, "may_retry")};
  if (o.contains("retry_after_ms")) f.retry_after = Millis{number_of(o, "retry_after_ms")};
  if (o.contains("parked_until")) f.parked_until = time_from_ms(number_of(o, "parked_until"));
  f.used_up = flag_of(o, "used_up");
  return f;
}

event::AttemptEnded read_ended(const json::object& o) {
  event::AttemptEnded e{step_of(o),
                        attempt_of(o),
                        flag_of(o, "unknown"),
                        {},
                        maybe_int(o, "exit"),
                        maybe_int(o, "signal"),
                        time_from_ms(number_of(o, "finished"))};
  if (const json::value* f = o.if_contains("failure")) e.failure = read_failure(f->as_object());
  if (const json::value* f = o.if_contains("note")) e.note = read_failure(f->as_object());
  e.dropped = flag_of(o, "dropped");
  return e;
}

std::vector<CheckResult> read_results(const json::object& o) {
  std::vector<CheckResult> results;
  for (const json::value& v : o.at("results").as_array()) {
    const json::object& r = v.as_object();
    results.push_back({text_of(r, "name"), flag_of(r, "passed"), text_of(r, "message")});
  }
  return results;
}

event::OutputChecked read_checked(const json::object& o) {
  event::OutputChecked e{step_of(o), attempt_of(o), read_results(o), text_of(o, "digest")};
  if (const json::value* f = o.if_contains("failure")) e.failure = read_failure(f->as_object());
  return e;
}

Expected<EventBody> read_turn(const json::object& o) {
  event::TurnTaken e;
  e.step = step_of(o);
  e.generation = static_cast<int>(number_of(o, "generation"));
  e.round = static_cast<int>(number_of(o, "round"));
  const auto verdict = std::ranges::find(verdicts, text_of(o, "verdict"));
  if (verdict == verdicts.end()) return fault("journal-corrupt", "a turn without a verdict");
  e.verdict = static_cast<TurnVerdict>(verdict - verdicts.begin());
  e.reason = text_of(o, "reason");
  e.code = text_of(o, "code");
  e.digest = text_of(o, "digest");
  if (const json::value* needs = o.if_contains("needs")) {
    for (const json::value& need : needs->as_array()) e.needs.push_back(step_index(need.to_number<std::size_t>()));
  }
  if (const json::value* made = o.if_contains("made")) {
    Expected<std::vector<Step>> steps = steps_from_json(json::serialize(*made), 0);
    if (!steps) return std::unexpected(steps.error());
    e.made = std::move(*steps);
  }
  if (const json::value* work = o.if_contains("work")) {
    Expected<std::vector<Step>> steps = steps_from_json(json::serialize(*work), 0);
    if (!steps) return std::unexpected(steps.error());
    if (!steps->empty()) e.work = steps->front().work;
  }
  return e;
}

event::GateAnswered read_gate(const json::object& o) {
  return {o.contains("step") ? std::optional{step_of(o)} : std::nullopt, flag_of(o, "approved"), text_of(o, "message")};
}

Expected<EventBody> read_created(const json::object& o) {
  Expected<Plan> plan = plan_from_json(json::serialize(o.at("plan")));
  if (!plan) return std::unexpected(plan.error());
  event::RunCreated created{std::make_shared<const Plan>(std::move(*plan)),
                            read_settings(o.at("settings").as_object())};
  if (const json::value* found = o.if_contains("found")) {
    for (const json::value& v : found->as_array()) {
      const StepIndex step = step_of(v.as_object());
      if (at(step) >= created.plan->steps.size()) return fault("journal-corrupt", "a step that was found is not there");
      created.found.push_back({step, text_of(v.as_object(), "digest")});
    }
  }
  return created;
}

Expected<EventBody> read_extended(const json::object& o) {
  Expected<std::vector<Step>> steps = steps_from_json(json::serialize(o.at("steps")), at(step_of(o, "first")));
  if (!steps) return std::unexpected(steps.error());
  event::PlanExtended e{step_of(o, "by"), step_of(o, "first"), std::move(*steps), flag_of(o, "replaces_rest"), {}};
  e.workflow = text_of(o, "workflow");
  e.task = text_of(o, "task");
  for (const json::value& v : o.at("joins").as_array()) {
    const json::array& pair = v.as_array();
    e.joins.emplace_back(step_index(json::value_to<std::uint32_t>(pair.at(0))),
                         step_index(json::value_to<std::uint32_t>(pair.at(1))));
  }
  return e;
}

Expected<EventBody> read(std::size_t kind, const json::object& o) {
  switch (kind) {
    case 0:
      return read_created(o);
    case 1:
      return event::DriverTook{json::value_to<int>(o.at("pid")), text_of(o, "host"),
                               json::value_to<std::uint64_t>(o.at("epoch")), flag_of(o, "queues"), rules_of(o)};
    case 2:
      return event::SettingsChanged{read_settings(o)};
    case 3:
      return event::AttemptAdmitted{step_of(o),          attempt_of(o),      text_of(o, "runtime"),
                                    text_of(o, "model"), text_of(o, "boot"), maybe_int(o, "after").value_or(0),
                                    text_of(o, "before")};
    case 4:
      return event::AttemptStarted{step_of(o), attempt_of(o), json::value_to<int>(o.at("pid")),
                                   time_from_ms(number_of(o, "started"))};
    case 5:
      return event::AttemptUsed{step_of(o), attempt_of(o), read_usage(o.at("usage").as_object()), flag_of(o, "is_all")};
    case 6:
      return read_ended(o);
    case 7:
      return read_checked(o);
    case 8: {
      const std::int64_t timer = number_of(o, "kind");
      if (timer < 0 || timer > static_cast<std::int64_t>(TimerId::Kind::time_warning)) break;
      return event::TimerFired{{static_cast<TimerId::Kind>(timer), step_of(o)}};
    }
    case 9:
      return event::PauseAsked{text_of(o, "by")};
    case 10:
      return event::ResumeAsked{};
    case 11:
      return event::CancelAsked{text_of(o, "by")};
    case 12:
      return event::RetryAsked{o.contains("step") ? std::optional{step_of(o)} : std::nullopt};
    case 13:
      return read_extended(o);
    case 14:
      return event::AttemptQuiet{step_of(o), attempt_of(o), Millis{number_of(o, "quiet_ms")}};
    case 15:
      return read_turn(o);
    case 16:
      return read_gate(o);
    case 17:
      return event::OutputChanged{step_of(o), read_results(o), text_of(o, "digest"), flag_of(o, "put_together")};
    case 18:
      return event::ReviewAnswered{flag_of(o, "accepted"), text_of(o, "message"), text_of(o, "landed")};
    case 19:
      return event::PlaceTaken{};
    case 20:
      return event::StepDeferred{step_of(o), text_of(o, "runtime"), time_from_ms(number_of(o, "until")),
                                 text_of(o, "reason")};
    case 21:
      return event::WorkerReported{step_of(o),         attempt_of(o),      text_of(o, "id"),  text_of(o, "kind"),
                                   text_of(o, "role"), text_of(o, "text"), text_of(o, "data")};
    case 22:
      return event::StepDecided{step_of(o), flag_of(o, "completed"), text_of(o, "by")};
    case 23:
      return event::OutputDoubted{step_of(o),
                                  o.contains("by") ? std::optional{step_of(o, "by")} : std::optional<StepIndex>{}};
    case 24:
      return event::OutputsStand{};
    default:
      break;
  }
  return fault("journal-corrupt", "an event of no known kind");
}

}  // namespace

std::string_view kind_of(const EventBody& body) { return kinds.at(body.index()); }

std::string encode(const EventBody& body) { return std::visit(Writer{}, body); }

Expected<EventBody> decode(std::string_view kind, std::string_view text) {
  const auto known = std::ranges::find(kinds, kind);
  const auto corrupt = [&](std::string_view why) {
    return fault("journal-corrupt", fmt::format("an event '{}' of the journal cannot be read: {}", kind, why));
  };
  if (known == kinds.end()) return corrupt("its kind is not known");
  try {
    const json::value value = json::parse(text);
    return read(static_cast<std::size_t>(known - kinds.begin()), value.as_object());
  } catch (const std::exception& e) {
    return corrupt(e.what());
  }
}

}  // namespace baton
