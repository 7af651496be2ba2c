// The files of workspaces: tasks, reviews, learnings, pipelines, squads, verdicts. Reading must not fall over; what is
// written has to be read as the same, and an edit has to be left alone by the same edit.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dialect/workspace/learning.h"
#include "dialect/workspace/paths.h"
#include "dialect/workspace/pipeline.h"
#include "dialect/workspace/reflect.h"
#include "dialect/workspace/review.h"
#include "dialect/workspace/squads.h"
#include "dialect/workspace/task.h"

namespace {

using namespace baton::workspace;

void require(bool holds) {
  if (!holds) std::abort();
}

void try_task(std::string_view text) {
  const TaskRead read = read_task(text, "");
  if (!read.task) return;
  const TaskChange change{TaskStatus::completed, "2026-11-15T09:30:00.000Z", 3};
  const std::string once = edit_task(text, change);
  require(edit_task(once, change) == once);
  const TaskRead after = read_task(once, "");
  require(after.task && after.task->status == TaskStatus::completed);
  require(after.task->goal == read.task->goal && after.task->requirements == read.task->requirements);
  const TaskRead again = read_task(write_task(*read.task), "");
  require(again.task && again.task->requirements == read.task->requirements);
  require(!read_mark(write_mark(mark_for(*read.task, change))) ||
          is_as_left(*read.task, *read_mark(write_mark(mark_for(*read.task, change)))));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try_task(text);
  if (const ReviewRead read = read_review(text, ""); read.review) (void)write_review(*read.review);
  (void)read_verdict(text);
  (void)structural_findings(text);
  (void)read_pipelines(text, "");
  (void)read_squads(text, "");
  const Learning learning{.time = "t", .agent = "a", .learning = std::string{text}, .action = "x"};
  const std::string once = with_learning(text, learning);
  require(with_learning(once, learning) == once);
  if (const auto path = inner_path(text)) require(path->find("..") == std::string::npos || inner_path(*path) == *path);
  return 0;
}
