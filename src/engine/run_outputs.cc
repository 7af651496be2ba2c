#include "engine/run_outputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/hash.h"
#include "base/limits.h"
#include "core/facts.h"
#include "plan/path_rule.h"

namespace baton {
namespace {

std::string sandbox_folder(const Run& run) {
  const std::string sandbox = option_of(run, "sandbox");
  return sandbox.empty() ? std::string{} : "sandbox/" + sandbox + "/";
}

std::string aside_name(const Run& run, StepIndex writer, int attempt, const std::string& output) {
  const std::string file = output.substr(output.rfind('/') + 1);
  const auto dot = file.rfind('.');
  const std::string ending = dot == std::string::npos || dot == 0 ? std::string{} : file.substr(dot);
  return fmt::format("{}logs/{}.{}{}", sandbox_folder(run), run.step(writer).id, attempt, ending);
}

/// Of the other steps that write the file, the one that was tried last.
std::optional<StepIndex> writer_before(const Run& run, OutputWriters& writers, StepIndex step) {
  std::optional<StepIndex> last;
  for (const StepIndex other : writers.of(run, run.step(step).work->output)) {
    if (other == step || run.of(other).attempts.empty()) continue;
    const bool is_later = !last || run.of(other).attempts.back().admitted >= run.of(*last).attempts.back().admitted;
    if (is_later) last = other;
  }
  return last;
}

/// The step has an output that counts.
bool has_checked(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  const Work& work = *run.step(step).work;
  return s.state == StepState::completed && !s.dropped && !work.output.empty() && !work.answers &&
         !run.digest_of(step).empty();
}

/// Another step began to write the file after this one's output was checked.
bool is_taken_over(const Run& run, OutputWriters& writers, StepIndex step) {
  const Time checked = run.checked_at(step);
  return std::ranges::any_of(writers.of(run, run.step(step).work->output), [&](StepIndex other) {
    if (other == step) return false;
    const std::vector<Attempt>& attempts = run.of(other).attempts;
    const Time began = attempts.empty() ? run.checked_at(other) : attempts.back().admitted;
    return began > checked || (began == checked && other > step);
  });
}

/// The steps whose outputs a step builds on. One without an output hands on what it was built on itself.
std::vector<StepIndex> built_on(const Run& run, OutputWriters& writers, StepIndex step) {
  constexpr std::size_t looked_at_max = 256;
  std::vector<StepIndex> seen{step};
  std::vector<StepIndex> found;
  const auto look_at = [&](StepIndex other) {
    if (std::ranges::find(seen, other) == seen.end()) seen.push_back(other);
  };
  for (const std::string& input : run.step(step).work->inputs) {
    for (const StepIndex writer : writers.of(run, input)) {
      if (has_checked(run, writer)) look_at(writer);
    }
  }
  for (std::size_t n = 0; n < seen.size() && n < looked_at_max; ++n) {
    if (n > 0 && has_checked(run, seen[n])) {
      found.push_back(seen[n]);
      continue;
    }
    std::ranges::for_each(run.needs_of(seen[n]), look_at);
  }
  return found;
}

}  // namespace

std::string sight_of(Files& files, const std::string& path) {
  const std::uint64_t stamp = files.stamp(path);
  if (stamp == 0) return {};
  const auto content = files.read(path, Limits::output_bytes_max);
  return fmt::format("{}-{}", hex(stamp), content && *content ? hex(hash64(**content)) : "?");
}

bool is_set_aside(const Run& run, StepIndex step) {
  const Work& work = *run.step(step).work;
  const std::string output = plain_path(work.output);
  const std::string folder = sandbox_folder(run);
  if (work.output.empty() || folder.empty() || !output.starts_with(folder)) return false;
  return std::ranges::none_of(work.inputs, [&](const std::string& input) { return plain_path(input) == output; });
}

std::string aside_path(const Run& run, OutputWriters& writers, StepIndex step, int attempt) {
  const std::string& output = run.step(step).work->output;
  if (attempt > 1) return aside_name(run, step, attempt - 1, output);
  const auto other = writer_before(run, writers, step);
  if (!other) return aside_name(run, step, 0, output);
  return aside_name(run, *other, static_cast<int>(run.of(*other).attempts.size()), output);
}

std::string previous_output(const Run& run, OutputWriters& writers, StepIndex step, int attempt, Files& files,
                            const std::string& root) {
  if (!is_set_aside(run, step)) return {};
  const std::string& output = run.step(step).work->output;
  for (int n = attempt - 1; n > 0; --n) {
    std::string path = aside_name(run, step, n, output);
    if (files.is_there(fmt::format("{}/{}", root, path))) return path;
  }
  std::string path = aside_path(run, writers, step, 1);
  return files.is_there(root + "/" + path) ? path : std::string{};
}

bool CheckedOutputs::stands(const Run& run, OutputWriters& writers, StepIndex step, Files& files,
                            const std::string& root) {
  const std::string path = root + "/" + run.step(step).work->output;
  const std::string digest = run.digest_of(step);
  const std::uint64_t stamp = files.stamp(path);
  Seen& seen = seen_[static_cast<std::uint32_t>(step)];
  if (stamp != 0 && seen.stamp == stamp && seen.digest == digest) return true;
  if (is_taken_over(run, writers, step)) return true;
  const auto content = files.read(path, Limits::output_bytes_max);
  if (!content || !*content || hex(hash64(**content)) != digest) return false;
  seen = {stamp, digest};
  return true;
}

std::optional<StepIndex> CheckedOutputs::doubted_by(const Run& run, OutputWriters& writers, StepIndex step,
                                                    Files& files, const std::string& root) {
  if (!run.keeps_outputs()) return std::nullopt;
  for (const StepIndex need : built_on(run, writers, step)) {
    if (!stands(run, writers, need, files, root) && !comes_after(run, need, step)) return need;
  }
  return std::nullopt;
}

std::optional<StepIndex> CheckedOutputs::doubted(const Run& run, OutputWriters& writers, Files& files,
                                                 const std::string& root) {
  std::optional<StepIndex> first;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex step = step_index(n);
    if (!has_checked(run, step) || stands(run, writers, step, files, root)) continue;
    if (!first || run.checked_at(step) < run.checked_at(*first)) first = step;
  }
  return first;
}

}  // namespace baton
