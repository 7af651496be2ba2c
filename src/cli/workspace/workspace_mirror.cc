#include "cli/workspace/workspace_mirror.h"

#include "base/text.h"
#include "cli/workspace/workspace_files.h"
#include "core/facts.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/reflect.h"
#include "dialect/workspace/workspace_plan.h"

namespace baton::cli {
namespace {

using workspace::Standing;
using workspace::TaskStatus;
using Seen = std::map<std::string, TaskStatus>;

/// One look at the tasks of a run.
struct Look {
  const Run& run;
  const DialectRun::Read& read;
  std::string folder;      ///< the workspace's
  std::string run_folder;  ///< absolute

  [[nodiscard]] std::optional<std::string> text(const std::string& path) const {
    auto found = read(path);
    return found ? std::move(*found) : std::nullopt;
  }

  [[nodiscard]] std::optional<workspace::Verdict> verdict_of(StepIndex review) const {
    const auto kept = text(kept_of_task(run_folder, run.step(review).id, "verdict"));
    return kept ? workspace::verdict(trim(*kept)) : std::nullopt;
  }

  /// Of tasks that were made for this run none stays behind as if it were still to be done.
  [[nodiscard]] std::optional<Standing> standing(StepIndex step) const {
    auto found = workspace::standing_of(run, step, [this](StepIndex review) { return verdict_of(review); });
    const bool ended = is_over(run.state()) || run.state() == RunState::failed;
    const bool skipped = run.of(step).state == StepState::skipped;
    if (!found && ended && skipped && !option_of(run, "pipeline").empty()) {
      return Standing{TaskStatus::cancelled, run.finished()};
    }
    // One that was never begun is as it was before: it is its owner's, not the run's.
    const FlowRun* flow = run.flow_of(step);
    const bool untouched = run.of(step).attempts.empty() && (flow == nullptr || !flow->may_start());
    if (found && found->status == TaskStatus::cancelled && untouched && option_of(run, "pipeline").empty()) return {};
    return found;
  }

  [[nodiscard]] std::optional<FileEdit> edit(const std::string& task, StepIndex step, Seen& seen) const {
    const auto wanted = standing(step);
    if (!wanted) return std::nullopt;
    // A long list is not read through for each of its tasks.
    const auto known = seen.find(task);
    if (known != seen.end() && known->second == wanted->status && is_settled(run.of(step).state)) return std::nullopt;
    const std::string path = (folder.empty() || folder == "." ? "" : folder + "/") + workspace::task_path(task);
    const auto before = text(path);
    if (!before) return std::nullopt;
    const auto found = workspace::read_task(*before, path).task;
    if (found && found->status == wanted->status) seen[task] = wanted->status;
    if (!found || found->status == wanted->status) return std::nullopt;
    const std::string kept = kept_of_task(run_folder, task, "mark");
    const auto mark_text = text(kept);
    const auto mark = mark_text ? workspace::read_mark(*mark_text) : std::nullopt;
    const bool is_ours = mark && workspace::is_as_left(*found, *mark);
    // One that failed before it was taken in hand is nobody's; but only its turn takes it in hand.
    const bool is_free = is_executable(found->status) && may_become(found->status, wanted->status) &&
                         wanted->status != TaskStatus::in_progress;
    // Whoever has it locked so long is about to change it: it is his.
    const FlowRun* flow = run.flow_of(step);
    const bool is_locked = !mark && flow != nullptr && flow->code == "lock-timeout";
    if ((!is_ours && !is_free) || is_locked) return std::nullopt;
    const workspace::TaskChange change{wanted->status, rfc3339(wanted->at)};
    FileEdit edit{path, workspace::edit_task(*before, change), before, true};
    edit.companion =
        std::make_shared<const FileEdit>(FileEdit{kept, workspace::write_mark(workspace::mark_for(*found, change))});
    return edit;
  }
};

}  // namespace

Expected<DialectRun::Shown> WorkspaceMirror::files(const Run& run, const DialectRun::Read& read) {
  DialectRun::Shown shown;
  if (is_rehearsed(run)) return shown;
  const Look look{run, read, option_of(run, "workspace"), option_of(run, "folder")};
  for (const auto& [task, step] : workspace::tasks_of(run)) {
    if (auto edit = look.edit(task, step, seen_)) shown.edits.push_back(std::move(*edit));
  }
  return shown;
}

}  // namespace baton::cli
