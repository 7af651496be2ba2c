#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "price/prices.h"
#include "runtime/claude_ledger.h"
#include "runtime/claude_stream.h"
#include "runtime/claude_verdict.h"
#include "runtime/runtime.h"

namespace baton {

/// How the program is called, put together from configuration and skill. What is empty is left to the program.
struct ClaudeSettings {
  std::vector<std::string> command = {"claude"};  ///< the program, and words before ours
  std::string model;                              ///< where the attempt names none; an alias or an id
  int max_turns = 0;
  std::optional<double> max_budget_usd = {};
  std::optional<std::vector<std::string>> tools = {};  ///< what there is at all; an empty list: none
  std::vector<std::string> allowed_tools = {};         ///< used without asking
  std::vector<std::string> disallowed_tools = {};
  std::string permission_mode = "acceptEdits";
  std::vector<std::string> extra_args = {};
  /// The user has CLAUDE_CODE_DISABLE_BACKGROUND_TASKS in his environment: it stays as he set it.
  bool keeps_background_setting = false;
  Millis linger{10'000};  ///< how long the program may stay after its result
  /// A file of further settings for the program (hooks, say); it adds them to the user's own.
  std::string settings_file = {};
  /// What the zones are in which the program tells times of day.
  OffsetOf offset_of = {};
  /// Says what is wrong with a command that the agent runs, if anything is. It is only told of: by then it is too late.
  std::function<std::optional<std::string>(std::string_view command)> warns_of = {};
};

/// Environment variables by which a program knows that an agent's session is around it. Keys, accounts, proxies and
/// the choice of a provider are not among them: those are the user's own.
const std::vector<std::string>& enclosing_session_marks();

/// Claude Code, run headless: the prompt goes in by stdin, stream-json comes out. What it means is derived from those
/// bytes alone, so an attempt that is taken up again is read again from its beginning.
class ClaudeRuntime final : public Runtime {
 public:
  explicit ClaudeRuntime(ClaudeSettings settings, std::shared_ptr<const Prices> prices = nullptr);

  Actions begin(const Assignment& assignment) override;
  Actions next(const Observation& observation) override;

  /// What was seen so far.
  [[nodiscard]] const ClaudeSeen& seen() const { return seen_; }

 private:
  [[nodiscard]] std::vector<std::string> arguments(const Assignment& assignment) const;
  Actions printed(claude::Events events);
  Actions ended(const Ended& end);
  Actions time_came(Time now);
  void note(claude::Event& event, Actions& actions);
  void note_result(claude::Result& result, Actions& actions);

  ClaudeSettings settings_;
  std::shared_ptr<const Prices> prices_;
  ClaudeStream stream_;
  ClaudeLedger ledger_;
  ClaudeSeen seen_;
  ClaudeTask task_;
  std::optional<Usage> told_usage_;
  Time began_{};
  bool answers_ = false;                      ///< what it says at the end is its output
  OutputFormat format_ = OutputFormat::text;  ///< of that
  bool lingers_ = false;                      ///< a result was read, and nothing since
  std::optional<Time> stops_at_;              ///< known once the time was asked for
  std::size_t garbage_said_ = 0;
};

}  // namespace baton
