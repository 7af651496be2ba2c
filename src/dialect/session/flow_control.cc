#include "dialect/session/flow_control.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/ensure.h"
#include "base/text.h"

namespace baton::session {
namespace {

/// Words that make a program read its arguments as code. What a shell passes on as data is code again there, so a line
/// with one of them and a value is left to the agent.
bool reads_arguments_as_code(std::string_view line) {
  constexpr std::array<std::string_view, 14> words{"eval", "-c",     "-e",   "-exec", "xargs", "ssh",    "awk",
                                                   "sed",  "python", "perl", "ruby",  "node",  "source", "make"};
  std::size_t at = 0;
  while (at < line.size()) {
    const auto begin = line.find_first_not_of(" \t\n;|&()'\"`", at);
    if (begin == std::string_view::npos) return false;
    const auto end = std::min(line.find_first_of(" \t\n;|&()'\"`", begin), line.size());
    std::string_view word = line.substr(begin, end - begin);
    while (!word.empty() && word.back() >= '0' && word.back() <= '9') word.remove_suffix(1);  // python3
    if (std::ranges::find(words, word.substr(word.rfind('/') + 1)) != words.end()) return true;
    at = end;
  }
  return false;
}

/// Plans are written from a template, and one of its words is often left in: it means the same as the variable.
std::string without_templates(std::string command) {
  constexpr std::string_view word = "{{context_package_path}}";
  for (auto at = command.find(word); at != std::string::npos; at = command.find(word)) {
    command.replace(at, word.size(), "[context_package_path]");
  }
  return command;
}

}  // namespace

FlowControl::FlowControl(const Task& task, const PlanDoc& plan, Roots roots)
    : task_{task.id}, steps_{task.pre_analysis}, roots_{std::move(roots)}, variables_{variables_of(task, plan)} {
  if (roots_.foreign.empty()) roots_.foreign = foreign_root(task);
  const std::string id = roots_.session.substr(roots_.session.rfind('/') + 1);
  if (id.empty()) return;
  variables_["session_id"] = {id};
  variables_["session"] = {id.starts_with("WFS-") ? id.substr(4) : id};  // it is written `WFS-[session]`
}

std::optional<FlowAction> FlowControl::next() {
  if (open_) return open_;
  while (!failure_ && step_ < steps_.size()) {
    if (!std::exchange(in_step_, true)) begin_step();
    while (command_ < step().commands.size()) {
      open_ = action_of(step().commands[command_]);
      if (open_) return open_;
      ++command_;
    }
    end_step();
  }
  return std::nullopt;
}

void FlowControl::begin_step() {
  command_ = 0;
  retried_ = false;
  outcomes_.push_back({step().name, step().action, step().output_to, {}, {}, FlowOutcome::State::done, {}});
  if (step().commands.empty() && !step().action.empty()) outcomes_.back().state = FlowOutcome::State::handed_on;
}

void FlowControl::end_step() {
  FlowOutcome& outcome = outcomes_.back();
  if (outcome.state == FlowOutcome::State::done && !outcome.for_agent.empty()) {
    outcome.state = FlowOutcome::State::handed_on;
  }
  const bool has_value = outcome.state == FlowOutcome::State::done ||
                         (outcome.state == FlowOutcome::State::handed_on && !outcome.output.empty());
  if (has_value && !outcome.output_to.empty()) variables_[outcome.output_to] = {outcome.output};
  total_ += outcome.output.size();
  in_step_ = false;
  ++step_;
}

std::size_t FlowControl::room() const {
  const std::size_t used = outcomes_.back().output.size();
  const std::size_t left = flow_total_max > total_ + used ? flow_total_max - total_ - used : 0;
  return std::min(left, flow_output_max > used ? flow_output_max - used : 0);
}

/// nullopt: it is handed on.
std::optional<FlowAction> FlowControl::action_of(const std::string& written) {
  const std::string command = without_templates(written);
  FlowCommand read = classify(command, roots_);
  if (read.kind == FlowCommand::Kind::shell) {
    Filled filled = fill_command(read.text, variables_);
    warn_of_unknown(filled.unknown);
    if (filled.env.empty() || !reads_arguments_as_code(read.text)) {
      return FlowAction{read.kind, std::move(filled.text), std::move(filled.env), 0, 0, step().name};
    }
    read.kind = FlowCommand::Kind::agent;
  }
  const Filled filled = fill_text(command, variables_);
  // A path may be a value that an earlier step found.
  if (read.kind == FlowCommand::Kind::agent && filled.text != command) {
    FlowCommand again = classify(filled.text, roots_);
    if (again.kind == FlowCommand::Kind::read) read = std::move(again);
  }
  if (read.kind == FlowCommand::Kind::read) {
    return FlowAction{read.kind, read.text, {}, read.first_line, read.last_line, step().name};
  }
  warn_of_unknown(filled.unknown);
  outcomes_.back().for_agent.push_back(filled.text);
  return std::nullopt;
}

void FlowControl::answer(FlowAnswer answer) {
  BATON_ENSURE(open_.has_value(), "a flow answered without an action", task_);
  open_.reset();
  FlowOutcome& outcome = outcomes_.back();
  if (answer.ok) {
    std::string text = std::move(answer.text);
    if (text.size() > room()) {
      text = shorten(text, room());
      outcome.note = "its output was cut off";
    }
    if (!outcome.output.empty() && !outcome.output.ends_with('\n')) outcome.output += '\n';
    outcome.output += text;
    ++command_;
    return;
  }
  went_wrong(answer.why.empty() ? "it went wrong" : answer.why);
}

void FlowControl::went_wrong(const std::string& why) {
  FlowOutcome& outcome = outcomes_.back();
  const auto fails = [&](std::string code, std::string help) {
    outcome.state = FlowOutcome::State::failed;
    outcome.note = why;
    failure_ =
        Fault{std::move(code), fmt::format("{}: the step '{}' of its preparation failed: {}", task_, outcome.name, why),
              std::move(help)};
  };
  switch (step().on_error) {
    case OnError::retry_once:
      if (!std::exchange(retried_, true)) return;  // the same command once more
      [[fallthrough]];
    case OnError::fail:
      return fails("flow-step-failed", "mend what it needs, or let the step say \"on_error\": \"skip_optional\"");
    case OnError::ask:
      return fails("flow-step-asks", "see to it, then run the task again");
    case OnError::skip_optional:
      outcome.state = FlowOutcome::State::skipped;
      outcome.note = why;
      outcome.output.clear();
      command_ = step().commands.size();
      return;
    case OnError::unstated:
      warnings_.push_back({"flow-note",
                           fmt::format("{}: '{}' went wrong ({}) and does not say what then; the task goes on", task_,
                                       outcome.name, why),
                           "give the step an \"on_error\"",
                           {},
                           Severity::warning});
      [[fallthrough]];
    case OnError::go_on:
      outcome.note = why;
      ++command_;
      return;
  }
}

void FlowControl::warn_of_unknown(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::string message =
        fmt::format("{}: '{}' speaks of [{}], which nothing has given; it stays as it is", task_, step().name, name);
    const bool said = std::ranges::any_of(warnings_, [&](const Fault& f) { return f.message == message; });
    if (!said) {
      warnings_.push_back(
          {"flow-note", std::move(message), "name an output of an earlier step", {}, Severity::warning});
    }
  }
}

}  // namespace baton::session
