#include "journal/event_codec.h"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <array>
#include <charconv>

#include "base/text.h"
#include "plan/plan_json.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, std::variant_size_v<EventBody>> kinds = {
    "run.created",  "driver.took",   "settings.changed", "attempt.admitted", "attempt.started",
    "attempt.used", "attempt.ended", "output.checked",   "timer.fired",      "pause.asked",
    "resume.asked", "cancel.asked",  "retry.asked",      "plan.extended"};

// --- Writing: by hand, so that the same event is always the same bytes ------------------------------------------

std::string usage_json(const Usage& u) {
  std::string out = fmt::format(R"({{"input":{},"output":{},"cache_read":{},"cache_write":{})", u.tokens.input,
                                u.tokens.output, u.tokens.cache_read, u.tokens.cache_write);
  if (u.cost) out += fmt::format(R"(,"nano_usd":{})", u.cost->nano_usd);
  return out + '}';
}

std::string settings_json(const RunSettings& s) {
  // The seed is text: JSON numbers of other readers lose bits above 2^53.
  std::string out = fmt::format(R"({{"seed":"{}","jobs":{},"time_budget_ms":{},"token_budget":{})", s.seed, s.jobs,
                                s.time_budget.count(), s.token_budget);
  if (s.cost_budget) out += fmt::format(R"(,"cost_budget_nano_usd":{})", s.cost_budget->nano_usd);
  out += R"(,"options":{)";
  bool first = true;
  for (const auto& [key, value] : s.options) {
    out += fmt::format("{}{}:{}", first ? "" : ",", json_quote(key), json_quote(value));
    first = false;
  }
  return out + "}}";
}

std::string attempt_head(StepIndex step, int attempt) {
  return fmt::format(R"({{"step":{},"attempt":{})", at(step), attempt);
}

struct Writer {
  std::string operator()(const event::RunCreated& e) const {
    return fmt::format(R"({{"settings":{},"plan":{}}})", settings_json(e.settings), to_json(*e.plan));
  }
  std::string operator()(const event::DriverTook& e) const {
    return fmt::format(R"({{"pid":{},"host":{},"epoch":{}}})", e.pid, json_quote(e.host), e.epoch);
  }
  std::string operator()(const event::SettingsChanged& e) const { return settings_json(e.settings); }
  std::string operator()(const event::AttemptAdmitted& e) const {
    std::string out = attempt_head(e.step, e.attempt) + fmt::format(R"(,"runtime":{})", json_quote(e.runtime));
    if (!e.model.empty()) out += fmt::format(R"(,"model":{})", json_quote(e.model));
    if (!e.boot.empty()) out += fmt::format(R"(,"boot":{})", json_quote(e.boot));
    return out + '}';
  }
  std::string operator()(const event::AttemptStarted& e) const {
    return attempt_head(e.step, e.attempt) + fmt::format(R"(,"pid":{},"started":{}}})", e.pid, to_ms(e.started));
  }
  std::string operator()(const event::AttemptUsed& e) const {
    return attempt_head(e.step, e.attempt) + fmt::format(R"(,"usage":{}}})", usage_json(e.usage));
  }
  std::string operator()(const event::AttemptEnded& e) const {
    std::string out = attempt_head(e.step, e.attempt) + fmt::format(R"(,"finished":{})", to_ms(e.finished));
    if (e.unknown) out += R"(,"unknown":true)";
    if (e.exit) out += fmt::format(R"(,"exit":{})", *e.exit);
    if (e.signal) out += fmt::format(R"(,"signal":{})", *e.signal);
    if (e.failure) {
      out += fmt::format(R"(,"failure":{{"code":{},"message":{},"may_retry":{})", json_quote(e.failure->code),
                         json_quote(e.failure->message), e.failure->may_retry);
      if (e.failure->retry_after) out += fmt::format(R"(,"retry_after_ms":{})", e.failure->retry_after->count());
      out += '}';
    }
    return out + '}';
  }
  std::string operator()(const event::OutputChecked& e) const {
    std::string out =
        attempt_head(e.step, e.attempt) + fmt::format(R"(,"digest":{},"results":[)", json_quote(e.digest));
    for (std::size_t i = 0; i < e.results.size(); ++i) {
      const CheckResult& r = e.results[i];
      out += fmt::format(R"({}{{"name":{},"passed":{},"message":{}}})", i > 0 ? "," : "", json_quote(r.name), r.passed,
                         json_quote(r.message));
    }
    return out + "]}";
  }
  std::string operator()(const event::TimerFired& e) const {
    return fmt::format(R"({{"kind":{},"step":{}}})", static_cast<int>(e.timer.kind), at(e.timer.step));
  }
  std::string operator()(const event::PauseAsked& e) const { return fmt::format(R"({{"by":{}}})", json_quote(e.by)); }
  std::string operator()(const event::ResumeAsked& /*e*/) const { return "{}"; }
  std::string operator()(const event::CancelAsked& e) const { return fmt::format(R"({{"by":{}}})", json_quote(e.by)); }
  std::string operator()(const event::RetryAsked& e) const {
    return e.step ? fmt::format(R"({{"step":{}}})", at(*e.step)) : "{}";
  }
  std::string operator()(const event::PlanExtended& e) const {
    std::string out =
        fmt::format(R"({{"by":{},"first":{},"replaces_rest":{},"joins":[)", at(e.by), at(e.first), e.replaces_rest);
    for (std::size_t i = 0; i < e.joins.size(); ++i) {
      out += fmt::format("{}[{},{}]", i > 0 ? "," : "", at(e.joins[i].first), at(e.joins[i].second));
    }
    return out + fmt::format(R"(],"steps":{}}})", to_json(e.steps));
  }
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
  const std::string seed = text_of(o, "seed");
  std::from_chars(seed.data(), seed.data() + seed.size(), s.seed);
  s.jobs = static_cast<int>(number_of(o, "jobs"));
  s.time_budget = Millis{number_of(o, "time_budget_ms")};
  s.token_budget = number_of(o, "token_budget");
  if (o.contains("cost_budget_nano_usd")) s.cost_budget = Cost{number_of(o, "cost_budget_nano_usd")};
  for (const auto& [key, value] : o.at("options").as_object()) {
    s.options.emplace(std::string_view{key}, std::string_view{value.as_string()});
  }
  return s;
}

Usage read_usage(const json::object& o) {
  Usage u{{number_of(o, "input"), number_of(o, "output"), number_of(o, "cache_read"), number_of(o, "cache_write")}, {}};
  if (o.contains("nano_usd")) u.cost = Cost{number_of(o, "nano_usd")};
  return u;
}

event::AttemptEnded read_ended(const json::object& o) {
  event::AttemptEnded e{step_of(o),
                        attempt_of(o),
                        flag_of(o, "unknown"),
                        {},
                        maybe_int(o, "exit"),
                        maybe_int(o, "signal"),
                        time_from_ms(number_of(o, "finished"))};
  if (const json::value* f = o.if_contains("failure")) {
    const json::object& failure = f->as_object();
    e.failure = Failure{text_of(failure, "code"), text_of(failure, "message"), flag_of(failure, "may_retry"), {}};
    if (failure.contains("retry_after_ms")) e.failure->retry_after = Millis{number_of(failure, "retry_after_ms")};
  }
  return e;
}

event::OutputChecked read_checked(const json::object& o) {
  event::OutputChecked e{step_of(o), attempt_of(o), {}, text_of(o, "digest")};
  for (const json::value& v : o.at("results").as_array()) {
    const json::object& r = v.as_object();
    e.results.push_back({text_of(r, "name"), flag_of(r, "passed"), text_of(r, "message")});
  }
  return e;
}

Expected<EventBody> read_created(const json::object& o) {
  Expected<Plan> plan = plan_from_json(json::serialize(o.at("plan")));
  if (!plan) return std::unexpected(plan.error());
  return event::RunCreated{std::make_shared<const Plan>(std::move(*plan)), read_settings(o.at("settings").as_object())};
}

Expected<EventBody> read_extended(const json::object& o) {
  Expected<std::vector<Step>> steps = steps_from_json(json::serialize(o.at("steps")), at(step_of(o, "first")));
  if (!steps) return std::unexpected(steps.error());
  event::PlanExtended e{step_of(o, "by"), step_of(o, "first"), std::move(*steps), flag_of(o, "replaces_rest"), {}};
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
                               json::value_to<std::uint64_t>(o.at("epoch"))};
    case 2:
      return event::SettingsChanged{read_settings(o)};
    case 3:
      return event::AttemptAdmitted{step_of(o), attempt_of(o), text_of(o, "runtime"), text_of(o, "model"),
                                    text_of(o, "boot")};
    case 4:
      return event::AttemptStarted{step_of(o), attempt_of(o), json::value_to<int>(o.at("pid")),
                                   time_from_ms(number_of(o, "started"))};
    case 5:
      return event::AttemptUsed{step_of(o), attempt_of(o), read_usage(o.at("usage").as_object())};
    case 6:
      return read_ended(o);
    case 7:
      return read_checked(o);
    case 8: {
      const std::int64_t timer = number_of(o, "kind");
      if (timer < 0 || timer > static_cast<std::int64_t>(TimerId::Kind::time_budget)) break;
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
