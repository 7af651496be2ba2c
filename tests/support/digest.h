#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "base/hash.h"
#include "core/run.h"

namespace baton::test {

/// All that can be seen of a run, folded into one number: two runs with equal digests are in the same state.
class Digest {
 public:
  void add(std::uint64_t value) { value_ = mix(value_ ^ value); }
  void add(std::string_view text) { add(hash64(text)); }
  void add(Time t) { add(static_cast<std::uint64_t>(to_ms(t))); }
  void add(const std::optional<int>& value) { add(value ? static_cast<std::uint64_t>(*value) : ~std::uint64_t{0}); }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

inline void add(Digest& d, const Tokens& t) {
  for (const std::int64_t n : {t.input, t.output, t.cache_read, t.cache_write}) d.add(static_cast<std::uint64_t>(n));
}

inline void add(Digest& d, const Run& run, const Attempt& a) {
  d.add(static_cast<std::uint64_t>(a.n));
  d.add(static_cast<std::uint64_t>(a.state) * 16 + static_cast<std::uint64_t>(a.stopping));
  d.add(run.interned(a.runtime));
  d.add(run.interned(a.model));
  d.add(static_cast<std::uint64_t>(a.pid));
  d.add(static_cast<std::uint64_t>(a.after) * 4 + (a.ahead ? 2U : 0U) + (a.followed ? 1U : 0U));
  d.add(a.exit);
  d.add(a.signal);
  d.add(a.admitted);
  d.add(a.started);
  d.add(a.finished);
  if (!a.detail) return;
  d.add(a.detail->boot);
  d.add(a.detail->digest);
  add(d, a.detail->usage.tokens);
  d.add(a.detail->checks.size());
  for (const CheckResult& r : a.detail->checks) d.add(r.name + (r.passed ? "+" : "-") + r.message);
  if (a.detail->failure) d.add(a.detail->failure->code + a.detail->failure->message);
}

inline void add(Digest& d, const Command& command) {
  d.add(command.index());
  std::visit(
      [&](const auto& c) {
        if constexpr (requires { c.timer; }) d.add(at(c.timer.step) * 8 + static_cast<std::uint64_t>(c.timer.kind));
        if constexpr (requires { c.due; }) d.add(c.due);
        if constexpr (requires { c.step; }) d.add(at(c.step));
        if constexpr (requires { c.attempt; }) d.add(static_cast<std::uint64_t>(c.attempt));
        if constexpr (requires { c.kind; }) d.add(static_cast<std::uint64_t>(c.kind));
        if constexpr (requires { c.delay; }) d.add(static_cast<std::uint64_t>(c.delay.count()));
      },
      command);
}

inline std::uint64_t digest(const std::vector<Command>& commands) {
  Digest d;
  for (const Command& c : commands) add(d, c);
  return d.value();
}

inline void add(Digest& d, const FlowRun& flow) {
  d.add(static_cast<std::uint64_t>(flow.generation) << 32U | static_cast<std::uint64_t>(flow.round));
  d.add(static_cast<std::uint64_t>(flow.is) * 4 + static_cast<std::uint64_t>(flow.answer));
  d.add(flow.code + flow.reason + flow.digest);
  for (const StepIndex made : flow.made) d.add(at(made));
}

inline std::uint64_t digest(const Run& run) {
  Digest d;
  d.add(static_cast<std::uint64_t>(run.state()));
  d.add(run.in_flight());
  d.add(run.pause_reason());
  for (const Time t : {run.created(), run.started(), run.finished(), run.last_event()}) d.add(t);
  add(d, run.tokens());
  d.add(static_cast<std::uint64_t>(run.cost().value_or(Cost{-1}).nano_usd));
  d.add((run.cancelling() ? 2U : 0U) + (run.has_work() ? 1U : 0U));
  for (std::size_t i = 0; i < run.step_count(); ++i) {
    const StepRun& s = run.of(step_index(i));
    d.add(static_cast<std::uint64_t>(s.state.state()) * 2 + (s.state.awaits_person() ? 1 : 0));
    d.add(run.unmet(step_index(i)));
    d.add(std::uint64_t{s.walls} << 32U | std::uint64_t{s.retries_used} << 16U | s.unknowns);
    d.add(at(s.state.cause().value_or(step_index(run.step_count()))));
    d.add((s.state.is_skipped_by_person() ? 4U : 0U) + (s.state.is_replaced() ? 2U : 0U) +
          (s.state.is_skipped_without_failure() ? 1U : 0U));
    for (const Attempt& a : s.attempts) add(d, run, a);
    if (const FlowRun* flow = run.flow_of(step_index(i))) add(d, *flow);
    d.add(run.step(step_index(i)).id + run.step(step_index(i)).work->output + run.digest_of(step_index(i)));
  }
  d.add(static_cast<std::uint64_t>(run.turns()));
  d.add(run.parked_until().value_or(Time{}));
  for (const Command& c : run.outstanding()) add(d, c);
  return d.value();
}

/// For people: what a failed test shows of a run.
inline std::string describe(const Run& run) {
  std::string text =
      fmt::format("run {} in flight {} reason '{}'\n", name(run.state()), run.in_flight(), run.pause_reason());
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    const StepRun& s = run.of(i);
    text += fmt::format("  {:<4} {:<9} unmet {} retries {}{}", run.step(i).id, name(s.state), run.unmet(i),
                        s.retries_used, s.state.awaits_person() ? " asks" : "");
    if (s.state.is_replaced()) text += " dropped";
    if (s.state.is_skipped_without_failure()) text += " by condition";
    if (const FlowRun* f = run.flow_of(i)) {
      text += fmt::format(" generation {} round {}{}{}{}{}", f->generation, f->round, f->is_asked() ? " turning" : "",
                          s.state.is_at_gate() ? " gated" : "", f->is_approved() ? " approved" : "",
                          f->is_rejected() ? " rejected" : "");
    }
    for (const Attempt& a : s.attempts) text += fmt::format(" #{}:{}", a.n, name(a.state));
    text += '\n';
  }
  return text;
}

}  // namespace baton::test
