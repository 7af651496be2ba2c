#include "runtime/command.h"

#include <string.h>

#include <fmt/core.h>

#include "base/text.h"

namespace baton {
namespace {

constexpr std::size_t command_line_bytes_max = 4096;

std::string with_reason(std::string text, const std::string& last_error) {
  if (!last_error.empty()) text += ": " + last_error;
  return text;
}

std::optional<Failure> judge(const Ended& ended) {
  const ExitRecord& r = ended.record;
  if (!r.spawn_error.empty()) return Failure{"command-not-started", r.spawn_error, false};
  if (r.deadline) return Failure{"attempt-timed-out", "still running at its deadline", true};
  if (r.exit == 0) return std::nullopt;
  if (r.stopped) return Failure{"attempt-stopped", "it was stopped", false};
  if (r.exit)
    return Failure{"command-failed", with_reason(fmt::format("exit code {}", *r.exit), ended.last_error), true};
  const int signal = r.signal.value_or(0);
  return Failure{"command-killed",
                 with_reason(fmt::format("ended by signal {} ({})", signal,
                                         sigabbrev_np(signal) != nullptr ? sigabbrev_np(signal) : "?"),
                             ended.last_error),
                 true};
}

}  // namespace

Actions CommandRuntime::begin(const Assignment& a) {
  const Work& work = *a.step->work;
  Spawn spawn;
  spawn.argv = work.command;
  spawn.env = work.env;
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    const std::string path = a.inputs[i].starts_with('/') ? a.inputs[i] : a.root + "/" + a.inputs[i];
    if (i == 0) spawn.env.push_back("BATON_INPUT=" + path);
    spawn.env.push_back(fmt::format("BATON_INPUT_{}={}", i + 1, path));
  }
  return {spawn};
}

Actions CommandRuntime::next(const Observation& observation) {
  if (const auto* more = std::get_if<Printed>(&observation)) return printed(more->bytes);
  if (const auto* ended = std::get_if<Ended>(&observation)) {
    Actions actions;
    if (!trim(line_).empty()) actions.emplace_back(Say{line_});
    actions.emplace_back(Finish{judge(*ended)});
    return actions;
  }
  return {};
}

Actions CommandRuntime::printed(std::string_view bytes) {
  Actions actions;
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    line_ += bytes.substr(0, end);
    if (line_.size() > command_line_bytes_max) line_.resize(command_line_bytes_max);
    if (end == std::string_view::npos) break;
    if (!trim(line_).empty()) actions.emplace_back(Say{std::move(line_)});
    line_.clear();
    bytes.remove_prefix(end + 1);
  }
  return actions;
}

}  // namespace baton
