// diff: what a run changed, whether its worktree is still there or not.
#include <unistd.h>

#include <fmt/core.h>

#include <vector>

#include "base/text.h"
#include "cli/load_run.h"
#include "cli/reporter.h"
#include "cli/verbs.h"
#include "git/diff.h"
#include "view/json_text.h"

namespace baton::cli {
namespace {

std::string option(const Run& run, const char* name) {
  const auto& options = run.settings().options;
  const auto found = options.find(name);
  return found == options.end() ? std::string{} : found->second;
}

std::string json_of_file(const git::FileChange& file) {
  const auto lines = [](const std::optional<std::size_t>& n) {
    return n ? fmt::format("{}", *n) : std::string{"null"};
  };
  return JsonObject{}
      .text("path", file.path)
      .maybe("old_path", std::optional{file.old_path})
      .raw("added", lines(file.added))
      .raw("removed", lines(file.removed))
      .done();
}

int print_json(const Common& common, const std::string& run, const git::DiffOrder& order) {
  auto files = git::changes(order);
  if (!files) return print(common, files.error()), exit_failed;
  std::vector<std::string> all;
  for (const git::FileChange& file : *files) all.push_back(json_of_file(file));
  write_out(STDOUT_FILENO, JsonObject{}
                                   .text("run", run)
                                   .text("branch", order.branch)
                                   .text("worktree", order.tree)
                                   .text("base_commit", order.start)
                                   .raw("files", "[" + join(all, ",") + "]")
                                   .done() +
                               "\n");
  return exit_done;
}

/// For a person control characters are signs; a file or another program gets every byte, so that `git apply` works.
int print_text(const Common& common, const git::DiffOrder& order, bool stat_only) {
  const bool color = use_color(common, STDOUT_FILENO);
  auto text = git::diff(order, {stat_only, color && !stat_only});
  if (!text) return print(common, text.error()), exit_failed;
  const bool for_a_person = ::isatty(STDOUT_FILENO) == 1 && !color;
  write_out(STDOUT_FILENO, for_a_person || stat_only ? printable(*text) : *text);
  return exit_done;
}

}  // namespace

int diff_verb(const Common& common, const std::string& name, bool stat_only) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  auto journal = project->journal_with(name);
  if (!journal) return print(common, journal.error()), exit_refused;
  auto id = resolve_run(**journal, name);
  if (!id) return print(common, id.error()), exit_refused;
  auto run = load_run(**journal, *id);
  if (!run) return print(common, run.error()), exit_refused;
  const git::DiffOrder order{project->root(), option(*run, "worktree"), option(*run, "branch"),
                             option(*run, "base_commit")};
  if (order.tree.empty() || order.start.empty()) {
    return print(common, Fault{"no-worktree", fmt::format("run {} has no worktree: it worked in place", *id),
                               "'git diff' shows what is changed in your checkout"}),
           exit_refused;
  }
  return common.json ? print_json(common, *id, order) : print_text(common, order, stat_only);
}

}  // namespace baton::cli
