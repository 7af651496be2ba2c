#include "engine/run_outputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

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

/// When the step began to write, in the order of events.
std::uint64_t began(const Run& run, StepIndex step) {
  const std::vector<Attempt>& attempts = run.of(step).attempts;
  return attempts.empty() ? run.checked_turn(step) : attempts.back().admitted_turn;
}

/// Of the other steps that write the file, the one that was tried last.
std::optional<StepIndex> writer_before(const Run& run, OutputWriters& writers, StepIndex step) {
  std::optional<StepIndex> last;
  for (const StepIndex other : writers.of(run, run.step(step).work->output)) {
    if (other == step || run.of(other).attempts.empty()) continue;
    if (!last || began(run, other) > began(run, *last)) last = other;
  }
  return last;
}

bool has_file(const Run& run, StepIndex step) {
  const Work& work = *run.step(step).work;
  return !work.output.empty() && !work.answers && !run.of(step).state.is_replaced();
}

/// The step has an output that counts.
bool has_checked(const Run& run, StepIndex step) {
  return has_file(run, step) && run.of(step).state == StepState::completed && !run.digest_of(step).empty();
}

/// Another step began to write the file after this one's output was checked.
bool is_taken_over(const Run& run, OutputWriters& writers, StepIndex step) {
  return std::ranges::any_of(writers.of(run, run.step(step).work->output), [&](StepIndex other) {
    return other != step && began(run, other) > run.checked_turn(step);
  });
}

/// What was built on it was, but now it has to be made first; or it never will be.
bool is_to_be_made(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  return s.state != StepState::completed && s.state != StepState::skipped && !s.state.is_skipped_by_person();
}

bool is_composite_step(const Run& run, StepIndex step) {
  return run.step(step).flow != nullptr && run.step(step).flow->is_composite();
}

/// A person said that it is done: what lies before it does not matter any more.
bool is_decided(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  const bool is_work = !run.step(step).work->is_nothing() && !is_composite_step(run, step);
  return is_work && s.state == StepState::completed && s.attempts.empty();
}

/// Where to look beyond a step: an output is all that a step hands on, and a list also what it was put together from.
/// One that only brings others together (a sub-workflow, say) hands on what those do.
std::vector<StepIndex> before_it(const Run& run, StepIndex step) {
  const bool only_joins = run.step(step).work->is_nothing() && !is_composite_step(run, step);
  if (only_joins || !has_file(run, step)) {
    return is_decided(run, step) ? std::vector<StepIndex>{} : run.needs_of(step);
  }
  const FlowRun* flow = is_composite_step(run, step) ? run.flow_of(step) : nullptr;
  return flow == nullptr ? std::vector<StepIndex>{} : flow->made;
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
  return std::ranges::none_of(work.inputs, [&](const std::string& input) {
    const std::string path = plain_path(input);
    return output == path || output.starts_with(path + "/");
  });
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

void CheckedOutputs::add(Steps& found, const Steps& more) {
  for (const StepIndex step : more) {
    if (std::exchange(marks_[at(step)], look_) != look_) found.push_back(step);
  }
}

/// The step itself if it has an output, and what was made for it; else what the steps hand on that it needs.
/// Remembered, so that a look costs what a step needs itself, however much lies before that. Not by recursion: chains
/// are long.
const CheckedOutputs::Steps& CheckedOutputs::handed_on(const Run& run, StepIndex step) {
  std::vector<StepIndex> open{step};
  while (!open.empty()) {
    const StepIndex next = open.back();
    if (handed_on_.contains(static_cast<std::uint32_t>(next))) {
      open.pop_back();
      continue;
    }
    const bool has_one = has_file(run, next);
    const Steps needs = before_it(run, next);
    const std::size_t before = open.size();
    for (const StepIndex need : needs) {
      if (!handed_on_.contains(static_cast<std::uint32_t>(need))) open.push_back(need);
    }
    if (open.size() > before) continue;
    open.pop_back();
    marks_.resize(run.step_count());
    ++look_;
    Steps found;
    if (has_one) add(found, {next});
    for (const StepIndex need : needs) add(found, handed_on_.at(static_cast<std::uint32_t>(need)));
    handed_on_.emplace(static_cast<std::uint32_t>(next), std::move(found));
  }
  return handed_on_.at(static_cast<std::uint32_t>(step));
}

std::optional<StepIndex> CheckedOutputs::doubted_by(const Run& run, OutputWriters& writers, StepIndex step,
                                                    Files& files, const std::string& root) {
  if (!run.keeps_outputs()) return std::nullopt;
  if (std::exchange(shape_, run.shape()) != run.shape()) handed_on_.clear();
  const Steps needs = run.needs_of(step);
  for (const StepIndex need : needs) (void)handed_on(run, need);
  Steps built_on;
  marks_.resize(run.step_count());
  ++look_;
  for (const StepIndex need : needs) add(built_on, handed_on_.at(static_cast<std::uint32_t>(need)));
  const std::size_t needed = built_on.size();
  for (const std::string& input : run.step(step).work->inputs) {
    for (const StepIndex writer : writers.of(run, input)) {
      if (has_checked(run, writer)) add(built_on, {writer});
    }
  }
  for (std::size_t n = 0; n < built_on.size(); ++n) {
    const StepIndex other = built_on[n];
    const bool is_doubtful =
        is_to_be_made(run, other) || (has_checked(run, other) && !stands(run, writers, other, files, root));
    if (is_doubtful && (n < needed || !comes_after(run, other, step))) return other;
  }
  return std::nullopt;
}

std::optional<StepIndex> CheckedOutputs::doubted(const Run& run, OutputWriters& writers, Files& files,
                                                 const std::string& root) {
  std::optional<StepIndex> first;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex step = step_index(n);
    if (!has_checked(run, step) || stands(run, writers, step, files, root)) continue;
    if (!first || run.checked_turn(step) < run.checked_turn(*first)) first = step;
  }
  return first;
}

}  // namespace baton
