#include "cli/workspace/workspace_reviews.h"

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "core/facts.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/learning.h"
#include "dialect/workspace/pipeline.h"
#include "dialect/workspace/workspace_plan.h"
#include "engine/real_files.h"
#include "io/path_lock.h"

namespace baton::cli {
namespace {

using workspace::Verdict;

/// Each has the next free number. Said again after a crash, it is found by its time.
Status write_review(const WorkspaceFiles& files, const workspace::Task& task, const SaidOfWork& said) {
  constexpr int reviews_max = 1000;
  for (int n = 0; n < reviews_max; ++n) {
    const std::string path = workspace::review_path(task.id, n);
    const workspace::Review review{
        workspace::review_id(task.id, n), task.id, said.time, said.reviewer, task.to, said.judgement};
    const auto there = files.inside().read(path, Limits::file_bytes_max);
    if (there && *there) {
      const auto earlier = workspace::read_review(**there, path).review;
      if (earlier && earlier->created_at == review.created_at && earlier->reviewer == review.reviewer) return {};
      continue;
    }
    auto made = files.inside().create(path, workspace::write_review(review));
    if (made || made.error().code != "file-exists") return made;
  }
  return fault("file-exists", fmt::format("task '{}' has too many reviews", task.id));
}

Status add_learning(const WorkspaceFiles& files, const workspace::Task& task, const SaidOfWork& said) {
  using Outcome = workspace::Learning::Outcome;
  workspace::Learning learning;
  learning.time = said.time;
  learning.agent = task.to;
  learning.goal_id = task.goal_id;
  learning.outcome = said.judgement.verdict == Verdict::approve  ? Outcome::success
                     : said.judgement.verdict == Verdict::revise ? Outcome::partial
                                                                 : Outcome::failure;
  learning.learning = said.judgement.summary.empty() ? "(nothing was said)" : said.judgement.summary;
  learning.action = fmt::format("{} reviewed {}: {}", said.reviewer, task.id, name(said.judgement.verdict));
  const auto lock = PathLock::take(files.path() + "/" + workspace::learnings_path);
  if (!lock) return std::unexpected(lock.error());
  auto before = files.inside().read(workspace::learnings_path, Limits::file_bytes_max);
  if (!before) return std::unexpected(before.error());
  const std::string text = before->value_or("");
  const std::string after = workspace::with_learning(text, learning);
  return after == text ? Status{} : files.inside().write(workspace::learnings_path, after);
}

/// When a person's answer was first seen: kept before anything is written, so that it stays the same after a crash.
/// Which of his answers it was is kept with it: he may be asked again.
Expected<std::string> time_of_answer(const Run& run, StepIndex gate, Verdict said) {
  const std::string path = kept_of_task(option_of(run, "folder"), run.step(gate).id, "answer");
  const std::string which = fmt::format("{} {}", name(said), run.flow_of(gate)->generation);
  RealFiles files;
  const auto kept = files.read(path, Limits::file_bytes_max);
  if (!kept) return std::unexpected(kept.error());
  if (*kept && (*kept)->starts_with(which + "\n")) return std::string{trim((*kept)->substr(which.size()))};
  std::string now = rfc3339(RealClock{}.now());
  if (auto wrote = files.write(path, fmt::format("{}\n{}\n", which, now)); !wrote)
    return std::unexpected(wrote.error());
  return now;
}

}  // namespace

Status write_reviews(const WorkspaceFiles& files, const std::vector<std::string>& tasks, const SaidOfWork& said) {
  for (const std::string& id : tasks) {
    const auto task = files.task(id).task;
    if (!task) continue;
    if (auto wrote = write_review(files, *task, said); !wrote) return wrote;
    if (auto wrote = add_learning(files, *task, said); !wrote) return wrote;
  }
  return {};
}

Status write_answered_gates(const WorkspaceFiles& files, const Run& run) {
  if (is_rehearsed(run)) return {};
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex gate = step_index(n);
    const auto said = workspace::answer_of_gate(run, gate);
    if (!said) continue;
    const auto time = time_of_answer(run, gate, *said);
    if (!time) return std::unexpected(time.error());
    workspace::Judgement judgement;
    judgement.verdict = *said;
    judgement.summary = *said == Verdict::approve ? "a person accepted it" : run.flow_of(gate)->reason;
    auto wrote = write_reviews(files, workspace::reviewed_tasks(run, gate), {workspace::director, *time, judgement});
    if (!wrote) return wrote;
  }
  return {};
}

}  // namespace baton::cli
