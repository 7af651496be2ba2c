#include "cli/workspace/workspace_answer.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error_code.h"
#include "base/text.h"
#include "cli/workspace/workspace_reviews.h"
#include "core/facts.h"
#include "dialect/workspace/paths.h"
#include "dialect/workspace/review.h"
#include "dialect/workspace/workspace_plan.h"
#include "engine/real_files.h"

namespace baton::cli {
namespace {

using workspace::Judgement;
using workspace::Verdict;

bool is_review(const Run& run, StepIndex step) { return run.step(step).work->extends == Extends::review; }

bool was_cut_off(const Run& run, StepIndex step) {
  const std::vector<Attempt>& attempts = run.of(step).attempts;
  if (attempts.empty() || !attempts.back().detail || !attempts.back().detail->failure) return false;
  return attempts.back().detail->failure->kind() == FailureKind::cut_off;
}

Failure not_written(const Fault& why, const std::string& kept) {
  return {"workspace-write-failed", fmt::format("{}; the answer is kept in {}", why.message, kept), false};
}

/// A review at work: what it is about, and what came of it.
class ReviewRound {
 public:
  ReviewRound(const WorkspaceFiles& files, const Run& run, StepIndex step, const std::string& answer)
      : files_{files}, run_{run}, step_{step}, tasks_{workspace::reviewed_tasks(run, step)} {
    if (auto said = workspace::read_verdict(answer)) judgement_ = std::move(*said);
    if (is_rehearsed(run)) return;  // there is nothing to be seen
    for (const std::string& id : tasks_) {
      const auto task = files.task(id).task;
      const auto text = task ? files.input(task->output_path) : std::unexpected(Fault{});
      judgement_ = workspace::judged(std::move(judgement_),
                                     workspace::structural_findings(text && *text ? **text : std::string{}));
    }
  }

  [[nodiscard]] const Judgement& judgement() const { return judgement_; }
  [[nodiscard]] const std::vector<std::string>& tasks() const { return tasks_; }

  /// How often the work was sent back so far.
  [[nodiscard]] int revisions() const {
    int most = 0;
    for (const std::string& task : tasks_) {
      const auto last = workspace::last_step_of(run_, task);
      if (last) most = std::max(most, workspace::revision_of_step(run_.step(*last).id));
    }
    return most;
  }

  /// The review of each task in a file of its own, and what is to be learnt from it.
  [[nodiscard]] Status write_down() const {
    if (is_rehearsed(run_)) return {};
    return write_reviews(files_, tasks_,
                         {run_.step(step_).work->skill, rfc3339(run_.of(step_).attempts.back().finished), judgement_});
  }

 private:
  const WorkspaceFiles& files_;
  const Run& run_;
  StepIndex step_;
  std::vector<std::string> tasks_;
  Judgement judgement_;  ///< without a clear word: to be revised
};

/// What the answer means for the work that was looked at. A failure: the review cannot pass it.
std::optional<Failure> judge_review(const WorkspaceFiles& files, const Run& run, StepIndex step,
                                    const std::string& answer) {
  const ReviewRound round{files, run, step, answer};
  if (auto wrote = round.write_down(); !wrote) return not_written(wrote.error(), answer_file(run.step(step).id));
  const Verdict verdict = round.judgement().verdict;
  const std::string kept = kept_of_task(option_of(run, "folder"), run.step(step).id, "verdict");
  if (auto wrote = RealFiles{}.write(kept, std::string{name(verdict)} + "\n"); !wrote) {
    return not_written(wrote.error(), answer_file(run.step(step).id));
  }
  const std::string about = join(round.tasks(), ", ");
  if (verdict == Verdict::reject) {
    return Failure{"review-rejected", fmt::format("{} was rejected: {}", about, round.judgement().summary), false};
  }
  if (verdict == Verdict::revise && round.revisions() >= revisions_max) {
    return Failure{"revisions-exhausted",
                   fmt::format("{} was sent back {} times and is still not approved", about, revisions_max), false};
  }
  return std::nullopt;
}

/// Whether an answer can be taken at all. Any can, but a review's.
std::vector<CheckResult> check_answer(const Run& run, StepIndex step, const std::string& answer) {
  if (!is_review(run, step) || is_empty_answer(answer)) return {};
  if (was_cut_off(run, step)) {
    return {
        {"verdict", false, "the answer is no verdict: it reached the limit of its length, and nobody knows the rest"}};
  }
  const auto said = workspace::read_verdict(answer);
  return {{"verdict", said.has_value(), said ? "" : "the answer is no verdict: " + said.error()}};
}

}  // namespace

DialectRun::Judgement WorkspaceAnswer::judge(const Run& run, const DialectRun::Finished& attempt) {
  DialectRun::Judgement judgement;
  judgement.results = check_answer(run, attempt.step, *attempt.answer);
  if (!attempt.passed || !all_passed(judgement.results)) return judgement;
  judgement.failure = put_to_use(run, attempt.step, *attempt.answer);
  if (!judgement.failure && is_review(run, attempt.step)) {
    judgement.extension = extend(run, attempt.step, *attempt.answer);
  }
  return judgement;
}

std::optional<Failure> WorkspaceAnswer::put_to_use(const Run& run, StepIndex step, const std::string& answer) const {
  if (is_empty_answer(answer)) return Failure{"response-empty", "the answer is empty", false};
  const std::string kept = option_of(run, "folder") + "/" + answer_file(run.step(step).id);
  const auto files = workspace_of(run, root_);
  if (!files) return not_written(files.error(), kept);
  if (is_rehearsed(run)) return is_review(run, step) ? judge_review(*files, run, step, answer) : std::nullopt;
  const std::string id = workspace::task_of_step(run.step(step).id);
  const workspace::TaskRead read = files->task(id);
  if (!read.task) return not_written(read.faults.front(), kept);
  const auto mark = mark_of(option_of(run, "folder"), id);
  const bool is_ours = !mark || workspace::is_as_left(*read.task, *mark);
  if (!is_ours && read.task->status != workspace::TaskStatus::in_progress) {
    return Failure{"task-not-executable",
                   fmt::format("somebody set task '{}' to {} while it was at work; the answer is kept in {}", id,
                               name(read.task->status), kept),
                   false};
  }
  const auto place = workspace::output_place(*read.task, files->squads().squads, files->shown("tasks/" + id + ".md"));
  if (!place) return not_written(place.error(), kept);
  if (auto wrote = files->inside().write(place->path, answer); !wrote) return not_written(wrote.error(), kept);
  return is_review(run, step) ? judge_review(*files, run, step, answer) : std::nullopt;
}

/// Work that is sent back is done once more and reviewed once more, and whoever waits for the review waits for that.
std::optional<DialectRun::Extension> WorkspaceAnswer::extend(const Run& run, StepIndex by,
                                                             const std::string& answer) const {
  const auto files = workspace_of(run, root_);
  if (!files) return std::nullopt;
  const ReviewRound round{*files, run, by, answer};
  if (round.judgement().verdict != Verdict::revise) return std::nullopt;
  DialectRun::Extension out;
  event::PlanExtended& extension = out.plan;
  extension.by = by;
  extension.first = step_index(run.step_count());
  const int revision = round.revisions() + 1;
  const auto again = [&](StepIndex step) {
    Step copy = run.step(step);
    copy.id = fmt::format("{}:r{}", workspace::task_of_step(copy.id), revision);
    copy.needs = {by};
    return copy;
  };
  for (const std::string& task : round.tasks()) {
    if (const auto last = workspace::last_step_of(run, task)) extension.steps.push_back(again(*last));
  }
  Step review = again(by);
  review.needs.clear();
  for (std::size_t n = 0; n < extension.steps.size(); ++n) review.needs.push_back(step_index(run.step_count() + n));
  const StepIndex last = step_index(run.step_count() + extension.steps.size());
  extension.steps.push_back(std::move(review));
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const std::vector<StepIndex> needs = run.needs_of(step_index(n));
    if (std::ranges::find(needs, by) != needs.end()) extension.joins.emplace_back(step_index(n), last);
  }
  return out;
}

}  // namespace baton::cli
