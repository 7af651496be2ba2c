#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/hash.h"
#include "engine/runtimes.h"
#include "engine/seams.h"
#include "runtime/api/api_runtime.h"
#include "runtime/command.h"
#include "support/mortality.h"

namespace baton::test {

class FakeClock final : public Clock {
 public:
  explicit FakeClock(Time start) : now_(start) {}
  Time now() override { return now_ += passes_at_a_look; }
  Millis passes_at_a_look{0};  ///< as on a busy machine
  void set(Time t) {
    if (t > now_) now_ = t;
  }

 private:
  Time now_;
};

class FakeFiles final : public Files {
 public:
  explicit FakeFiles(Mortality& mortality) : mortality_(mortality) {}

  Expected<std::optional<std::string>> read(const std::string& path, std::size_t /*bytes_max*/) override {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional{found->second};
  }
  std::string read_from(const std::string& path, std::uint64_t offset, std::size_t bytes_max) override {
    const auto found = files.find(path);
    if (found == files.end() || offset >= found->second.size()) return {};
    return found->second.substr(offset, bytes_max);
  }
  Status write(const std::string& path, std::string_view content) override {
    mortality_.pass();
    if (path == unwritable) return fault("file-failed", "cannot write " + path);
    put(path, content);
    mortality_.pass();
    return {};
  }
  Status append(const std::string& path, std::string_view content) override {
    mortality_.pass();
    files[path] += content;
    return {};
  }

  Status move(const std::string& from, const std::string& to) override {
    mortality_.pass();
    if (from == unwritable || to == unwritable) return fault("file-failed", "cannot move " + from);
    files[to] = std::exchange(files[from], {});
    files.erase(from);
    ++writes_[to];
    mortality_.pass();
    return {};
  }
  std::uint64_t stamp(const std::string& path) override {
    const auto found = files.find(path);
    return found == files.end() ? 0 : mix(hash64(found->second) ^ writes_[path]) | 1U;
  }
  /// A file that somebody else writes, perhaps with the words that it had.
  void put(const std::string& path, std::string_view content) {
    files[path] = content;
    ++writes_[path];
  }
  /// How often the file was written.
  [[nodiscard]] std::uint64_t writes(const std::string& path) const {
    const auto found = writes_.find(path);
    return found == writes_.end() ? 0 : found->second;
  }

  std::map<std::string, std::string> files;
  std::string unwritable;

 private:
  Mortality& mortality_;
  std::map<std::string, std::uint64_t> writes_;
};

/// What an attempt makes of its step: drawn from the run's seed and the attempt's key, so that it is the same again
/// after any crash.
struct Outcome {
  Millis lasts{0};
  bool stuck = false;      ///< ends only when it is stopped
  bool heeds_term = true;  ///< else it goes on until it is killed
  bool silent = false;     ///< gives no sign of life while it is at work
  int exit = 0;
  std::optional<Millis> quota_back = {};   ///< agents: a quota is used up for so long; or was, if that is below 0
  bool quota_untold = false;               ///< agents: a quota is used up, and nobody says until when
  std::optional<Millis> retry_after = {};  ///< agents: the other side asks for so much time
  bool rate_limited = false;               ///< agents: the other side asks for time, and not for how much
  bool overloaded = false;                 ///< agents: the other side cannot serve anybody now
  std::optional<std::string> output;
  Usage usage;
  std::vector<Usage> spends = {};  ///< what it says at its beginning that it used, of steps inside the engine
};
using OutcomeOf = std::function<Outcome(const AttemptKey&)>;

/// What the provider behind an agent says, if it sends it away.
inline std::optional<Failure> sent_away(const Outcome& outcome, Time now) {
  if (outcome.quota_back || outcome.quota_untold) {
    Failure failure{"agent-usage-limit", "the quota is used up", true};
    if (outcome.quota_back) failure.parked_until = now + *outcome.quota_back;
    failure.used_up = true;
    return failure;
  }
  if (outcome.retry_after) return Failure{"agent-rate-limited", "429", true, outcome.retry_after};
  if (outcome.rate_limited) return Failure{"agent-rate-limited", "429", true};
  if (outcome.overloaded) return Failure{"agent-overloaded", "529", true};
  return std::nullopt;
}

/// A runtime inside the engine: waits, spends, writes its output, ends.
class InnerRuntime final : public Runtime {
 public:
  explicit InnerRuntime(const OutcomeOf& outcome_of) : outcome_of_(outcome_of) {}

  Actions begin(const Assignment& a) override {
    outcome_ = outcome_of_(a.key);
    has_output_ = !a.output_path.empty();
    Actions actions{Say{"began"}};
    for (const Usage& usage : outcome_.spends) actions.emplace_back(Spend{usage});
    if (!outcome_.stuck) actions.emplace_back(WaitUntil{a.began + outcome_.lasts});
    return actions;
  }
  Actions next(const Observation& observation) override {
    const auto* came = std::get_if<TimeCame>(&observation);
    if (came == nullptr) return {};
    Actions actions{Spend{outcome_.usage}};
    if (has_output_ && outcome_.output) actions.emplace_back(WriteOutput{*outcome_.output});
    std::optional<Failure> failure;
    if (outcome_.exit != 0) failure = Failure{"inner-failed", "it did not work", outcome_.exit != 99};
    if (auto away = sent_away(outcome_, came->now)) failure = std::move(away);
    actions.emplace_back(Finish{failure});
    return actions;
  }

 private:
  const OutcomeOf& outcome_of_;
  Outcome outcome_;
  bool has_output_ = false;
};

/// A held process that prints its answer last (support/fake_host.h).
class AgentRuntime final : public Runtime {
 public:
  explicit AgentRuntime(const OutcomeOf& outcome_of) : outcome_of_(outcome_of) {}

  static constexpr const char* program = "agent";
  static constexpr std::string_view lead = "answer: ";

  Actions begin(const Assignment& a) override {
    outcome_ = outcome_of_(a.key);
    return {Spawn{.argv = {program}}};
  }
  Actions next(const Observation& observation) override {
    if (const auto* more = std::get_if<Printed>(&observation)) printed_ += more->bytes;
    const auto* ended = std::get_if<Ended>(&observation);
    if (ended == nullptr) return {};
    Actions actions{Spend{outcome_.usage}};
    std::optional<Failure> failure;
    if (ended->record.exit != 0) failure = Failure{"agent-failed", "it did not work", ended->record.exit != 99};
    if (ended->record.deadline) failure = Failure{"attempt-timed-out", "still running at its deadline", true};
    if (auto away = sent_away(outcome_, ended->record.finished); away && ended->record.exit) failure = std::move(away);
    const auto answer = printed_.find(lead);
    if (answer != std::string::npos) actions.emplace_back(WriteOutput{printed_.substr(answer + lead.size())});
    actions.emplace_back(Finish{failure});
    return actions;
  }

 private:
  const OutcomeOf& outcome_of_;
  Outcome outcome_;
  std::string printed_;
};

/// `command` for held processes, `inner`, `agent` and `api` for steps that name them.
class FakeRuntimes final : public Runtimes {
 public:
  explicit FakeRuntimes(OutcomeOf outcome_of) : outcome_of_(std::move(outcome_of)) {}

  [[nodiscard]] std::string name_for(const Run& /*run*/, const Step& step) const override {
    return step.work->runtime.empty() ? "command" : step.work->runtime;
  }
  [[nodiscard]] std::string model_for(const Run& /*run*/, const Step& step) const override {
    if (step.work->runtime != "api" || !step.work->model.empty()) return step.work->model;
    const auto alias = Prices::built_in().aliases().find(api_settings.model);
    return alias == Prices::built_in().aliases().end() ? api_settings.model : alias->second;
  }
  [[nodiscard]] std::unique_ptr<Runtime> make(const Run& /*run*/, const Step& /*step*/,
                                              const std::string& name) const override {
    if (name == "command") return std::make_unique<CommandRuntime>();
    if (name == "agent") return std::make_unique<AgentRuntime>(outcome_of_);
    if (name == "api") return std::make_unique<ApiRuntime>(api_settings);
    return std::make_unique<InnerRuntime>(outcome_of_);
  }
  [[nodiscard]] bool is_held(const std::string& name) const override { return name != "inner"; }
  [[nodiscard]] bool has_provider(const std::string& name) const override { return name != "command"; }
  [[nodiscard]] bool is_told_all(const std::string& name) const override { return name == "api"; }
  [[nodiscard]] bool knows_cost(const std::string& runtime, const std::string& model) const override {
    return runtime != "api" || Prices::built_in().price_of(model) != nullptr;
  }
  [[nodiscard]] std::string governed_by(const Run& /*run*/, const Step& /*step*/, const std::string& runtime,
                                        const std::string& model) const override {
    return runtime == "api" ? api::governed_name(api_settings.protocol, api_settings.base_url, model) : std::string{};
  }

  ApiSettings api_settings;  ///< of steps that name `api`

 private:
  OutcomeOf outcome_of_;
};

}  // namespace baton::test
