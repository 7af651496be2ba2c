// The turns of steps with a flow: what they depend on is looked up here, what they come to is decided in plan/turn.h.
#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "base/limits.h"
#include "core/facts.h"
#include "engine/driven.h"
#include "engine/engine.h"
#include "engine/output_place.h"
#include "plan/turn.h"

namespace baton {
namespace {

/// The run's values, read from its files when they are asked for.
class RunValues final : public Values {
 public:
  RunValues(const Run& run, Files& files, const std::string& root) : run_(run), files_(files), root_(root) {}

  [[nodiscard]] std::optional<std::string> output_of(const std::string& step) const override {
    const auto i = run_.find(step);
    if (!i || run_.of(*i).state != StepState::completed) return std::nullopt;
    const std::string& path = run_.step(*i).work->output;
    return path.empty() ? std::nullopt : text_at(path);
  }
  [[nodiscard]] std::string state_of(const std::string& step) const override {
    const auto i = run_.find(step);
    return i ? std::string{name(run_.of(*i).state)} : std::string{};
  }
  [[nodiscard]] std::string path_of(const std::string& step) const override {
    const auto i = run_.find(step);
    return i ? run_.step(*i).work->output : std::string{};
  }
  [[nodiscard]] std::optional<std::string> input(const std::string& name) const override {
    for (const char* ending : endings) {
      if (auto text = text_at(input_file(name, ending))) return text;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string path_of_input(const std::string& name) const override {
    for (const char* ending : endings) {
      if (std::string path = input_file(name, ending); files_.is_there(root_ + "/" + path)) return path;
    }
    return {};
  }

 private:
  static constexpr const char* endings[] = {".json", ".md"};

  [[nodiscard]] std::string input_file(const std::string& name, const char* ending) const {
    return fmt::format("sandbox/{}/inputs/{}{}", option_of(run_, "sandbox"), name, ending);
  }
  [[nodiscard]] std::optional<std::string> text_at(const std::string& path) const {
    auto text = files_.read(root_ + "/" + path, Limits::output_bytes_max);
    return text ? *text : std::nullopt;
  }

  const Run& run_;
  Files& files_;
  const std::string& root_;
};

}  // namespace

void Engine::take_turn(Driven& d, const command::TakeTurn& command) {
  if (!d.run.is_asked(command)) return;  // it was asked anew before it was looked at: only the last one counts
  if (d.has_own_turns()) {
    d.open_turns.ask(command);
    d.turns_due = true;
    return;
  }
  if (const auto doubted = doubted_by(d, command.step)) {
    d.inbox.emplace_back(event::OutputDoubted{*doubted, command.step}, std::nullopt);
    return;
  }
  const Step& step = d.run.step(command.step);
  if (step.flow->tree && has_tree(d, command.step)) return prepare_tree(d, command);
  Turn turn{command.round, command.generation, {}};
  for (const StepIndex made : d.run.flow_of(command.step)->made) turn.made.push_back(d.run.step(made).id);
  TurnResult result = baton::take_turn(step, turn, RunValues{d.run, seams_.files, terms_.root});
  if (result.work && result.work->output != step.work->output) {
    if (const auto other = d.writers.note(d.run, command.step, result.work->output)) {
      result = {.verdict = TurnVerdict::fail,
                .reason = fmt::format("step '{}' writes '{}', too", d.run.step(*other).id, result.work->output),
                .code = "outputs-collide"};
    }
  }
  if (auto wrong = result.output ? why_outside(seams_.files, *step.work, terms_.root) : std::nullopt) {
    result = {.verdict = TurnVerdict::fail, .reason = std::move(*wrong), .code = "path-leaves-folder"};
  }
  if (result.verdict == TurnVerdict::go) result.reason = result.question;  // asked now, so recorded as it is now
  event::TurnTaken taken{command.step,           command.generation,     command.round,
                         result.verdict,         result.reason,          result.code,
                         std::move(result.work), std::move(result.made), {}};
  if (result.output && !step.work->output.empty()) {
    if (auto wrote = seams_.files.write(terms_.root + "/" + step.work->output, *result.output); !wrote) {
      broken_ = wrote.error();
      return;
    }
    taken.digest = hex(hash64(*result.output));
  }
  d.inbox.emplace_back(std::move(taken), std::nullopt);
}

/// Nobody has his turn in a run that stands still: it would be told to start something.
bool Engine::may_take_turns(const Driven& d) const {
  return d.turns_due && !held_ && d.run.state() == RunState::running && !d.run.cancelling();
}

void Engine::take_own_turns(Driven& d) {
  if (!may_take_turns(d) || broken_) return;
  d.turns_due = false;
  d.turns_look.reset();
  say_turns(d, d.dialect->take_turns(d.run, d.open_turns));
}

void Engine::say_turns(Driven& d, TurnNews news) {
  for (const Fault& warning : news.warnings) {
    if (seams_.observer != nullptr) seams_.observer->warned(d.id, warning);
  }
  for (EventBody& event : news.events) {
    if (const auto* taken = std::get_if<event::TurnTaken>(&event)) d.open_turns.close(taken->step);
    d.inbox.emplace_back(std::move(event), std::nullopt);
  }
  for (TurnNews::Job& job : news.jobs) prepare_task(d, job.turn, std::move(job.argv));
  d.turns_due = d.turns_due || news.more;
  if (news.look_again) d.turns_look = d.turns_look ? std::min(*d.turns_look, *news.look_again) : *news.look_again;
}

/// Who ends makes room for others; who goes on after a pause finds some.
void Engine::note_for_turns(Driven& d, const command::Announce& what) {
  using enum command::Announce::Kind;
  if (!d.has_own_turns()) return;
  if (what.kind == step_finished) {
    d.open_turns.close(what.step);
    d.dialect->ended(d.run, what.step);
  }
  if (what.kind == step_finished || what.kind == run_resumed || what.kind == run_started) d.turns_due = true;
}

}  // namespace baton
