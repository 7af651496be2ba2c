// tree: a step's working tree made ready, or what was changed in it committed. One line of JSON for the engine.
#include <unistd.h>

#include "cli/reporter.h"
#include "cli/verbs.h"
#include "git/report.h"
#include "git/tree.h"

namespace baton::cli {
namespace {

int answer_with_report(const git::TreeReport& report) {
  write_out(STDOUT_FILENO, git::to_json(report) + "\n");
  if (report.outcome != "fault") return exit_done;
  print(Common{}, report.fault);  // also to whoever reads the attempt's log
  return exit_failed;
}

git::TreeReport misused(const char* what) { return git::report_of(Expected<git::TreeState>{fault("bad-usage", what)}); }

}  // namespace

int tree_verb(const TreeOptions& options) {
  if (!options.tree.starts_with('/')) return answer_with_report(misused("--tree takes an absolute path"));
  if (options.action == "commit") return answer_with_report(git::report_of(git::commit(options.tree, options.message)));
  if (options.root.empty() || options.branch.empty() || options.start.empty()) {
    return answer_with_report(misused("'tree prepare' needs --root, --tree, --branch and --start"));
  }
  return answer_with_report(
      git::report_of(git::prepare({options.root, options.tree, options.branch, options.start, options.merge})));
}

}  // namespace baton::cli
