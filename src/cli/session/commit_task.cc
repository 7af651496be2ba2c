#include <poll.h>

#include <fmt/core.h>

#include <filesystem>

#include "base/limits.h"
#include "base/text.h"
#include "cli/session/prepare_task.h"
#include "cli/session/session_files.h"
#include "dialect/session/session_plan.h"
#include "dialect/session/summary.h"
#include "engine/real_files.h"
#include "git/git.h"
#include "git/identity.h"

namespace baton::cli {
namespace {

constexpr int tries_max = 50;
constexpr int between_tries_ms = 100;

/// Another task's commit, or a person, may have the index right now.
Expected<git::Output> run_when_free(const git::Git& git, const std::vector<std::string>& args) {
  for (int n = 1;; ++n) {
    auto output = git.run(args);
    const bool busy = output && !output->ok() && output->err.find("index.lock") != std::string::npos;
    if (!busy || n == tries_max) return output;
    (void)::poll(nullptr, 0, between_tries_ms);
  }
}

/// Those that git sees a change in.
std::vector<std::string> changed_among(const git::Git& git, const std::vector<std::string>& files) {
  std::vector<std::string> changed;
  for (const std::string& file : files) {
    const auto status = git.run({"status", "--porcelain", "--", ":(literal)" + file});
    if (status && status->ok() && !trim(status->out).empty()) changed.push_back(":(literal)" + file);
  }
  return changed;
}

git::TreeReport nothing(std::vector<std::string> notes) {
  git::TreeReport report;
  report.outcome = "nothing";
  report.notes = std::move(notes);
  return report;
}

}  // namespace

git::TreeReport commit_task(const TaskToPrepare& what) {
  const SessionFiles files{what.root, what.folder};
  const auto summary = files.project_text(session::summary_path(what.folder, what.id));
  const auto answer = RealFiles{}.read(what.file, Limits::output_bytes_max);
  const std::string text = summary ? *summary : answer && *answer ? **answer : std::string{};
  const session::TaskRead read = files.task(what.id);
  const git::Git plain{what.root};
  const auto refuse = [&](const std::string& why) {
    return nothing({fmt::format("what task '{}' changed is not committed: {}", what.id, why)});
  };
  const std::vector<std::string> changed = changed_among(plain, session::files_in_summary(text));
  if (changed.empty()) return refuse("its summary names no file that has changed");
  auto who = git::identity(plain);
  if (!who) return refuse(who.error().message);
  const git::Git git = plain.with(*who);
  std::vector<std::string> add{"add", "--all", "--"};
  std::vector<std::string> commit{
      "commit",
      "--quiet",
      "--only",
      "-m",
      session::commit_message(read.task ? read.task->type : "", read.task ? read.task->title : what.id, text),
      "--"};
  add.insert(add.end(), changed.begin(), changed.end());
  commit.insert(commit.end(), changed.begin(), changed.end());
  for (const auto& args : {add, commit}) {
    const auto output = run_when_free(git, args);
    if (!output) return refuse(output.error().message);
    if (!output->ok()) return refuse(shorten(trim(output->err), 300));
  }
  git::TreeReport report;
  report.outcome = "committed";
  report.commit = git.commit_of("HEAD").value_or("");
  return report;
}

}  // namespace baton::cli
