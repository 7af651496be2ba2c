// Verbs that keep house: init, clean.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>

#include <filesystem>

#include "base/text.h"
#include "cli/reporter.h"
#include "cli/verbs.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "git/tree.h"
#include "view/words.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_config =
    R"toml(# Settings of this project. 'baton config --explain' shows every key, its value and where it came from.
# What is commented out is an example, not the default.

[limits]
jobs = 4                     # steps of a run at once
# budget_usd = 5.0           # a run that has spent this much is paused
# budget_tokens = 2000000
# step_timeout = "20m"       # of one attempt
# concurrent_runs = 3        # further runs of this project wait
# concurrent_steps = 6       # of all its runs together
# rate_limit_backoff = "60s" # where a provider that limits us gives no time

# Chains of skills: baton run ship --task "..."
# [workflows]
# ship = ["spec", "build", "test", "review"]

# Of one skill. What is not said here stays as the skill has it.
# [skills.review]
# model = "opus"
# timeout = "30m"
# tools = ["Read", "Grep", "Glob"]
# disallowed_tools = ["WebFetch"]

# [runtime]
# default = "claude"

# [runtime.claude]
# model = "sonnet"
# permission_mode = "acceptEdits"
# tools = ["Bash(git log:*)"]
# max_turns = 50

# Commands that agents may not run. The built-in list is better than a short one of your own: add exceptions.
# [safety]
# allow = ['^git push --force-with-lease ']

# [git]
# base = "main"              # the default branch is found by itself
# merge = "squash"           # or merge, rebase: how an accepted change is taken
# worktree_path = ".baton/worktrees"

# [review]
# auto_accept = true         # a review that passed needs nobody
)toml";

constexpr std::string_view first_workflow = R"(---
name: hello
version: 1.0.0
description: A first workflow. Facts are gathered twice in parallel, then made into one note.

steps:
  - id: machine
    command: [uname, -srm]

  - id: project
    command: ls | head -20 > "$BATON_OUTPUT"
    output: ${{ sandbox }}/outputs/files.txt

  - id: draft
    skill: first-draft
    mission: |
      Write a short note about this project.
      Give it a title and three points worth knowing.
    needs: [machine, project]
    input: ${{ steps.project.output }}
    output: ${{ sandbox }}/outputs/note.json
    validate:
      required_fields: [title, bullets]
      min_key_points: 3
    final: true
---

# Hello

Try it without a key and at no cost:   baton run hello --rehearse
See the order before anything starts:  baton plan hello
)";

constexpr std::string_view first_skill = R"(---
name: first-draft
description: Writes a short, plain first draft from the material it is given.
---

# First draft

Read the inputs. Write for a reader who has one minute. Short sentences, no filler, nothing that the inputs do not say.

Answer with one JSON object: `title` (text) and `bullets` (a list of at least three texts).
)";

/// Writes a file that is not there yet. Never touches one that is.
Expected<bool> write_new(const std::string& path, std::string_view content) {
  std::error_code error;
  fs::create_directories(fs::path{path}.parent_path(), error);
  const Descriptor file = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
  if (!file && errno == EEXIST) return false;
  if (!file) return fault("file-failed", fmt::format("cannot write {}: {}", path, strerrordesc_np(errno)));
  write_out(file.get(), content);
  return true;
}

}  // namespace

int init_verb(const Common& common) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  const std::string root = fs::current_path().string();
  const std::pair<const char*, std::string_view> files[] = {{"baton.toml", first_config},
                                                            {"workflows/hello.md", first_workflow},
                                                            {".agents/skills/first-draft/SKILL.md", first_skill}};
  for (const auto& [path, content] : files) {
    // A baton.toml would take the place of the settings that are there.
    if (path == std::string_view{"baton.toml"} && project->config().project_file() == root + "/agtop.toml") {
      if (!common.quiet) write_out(STDOUT_FILENO, "kept  agtop.toml, which is read in place of a baton.toml\n");
      continue;
    }
    auto wrote = write_new(root + "/" + path, content);
    if (!wrote) return print(common, wrote.error()), exit_failed;
    if (!common.quiet) write_out(STDOUT_FILENO, fmt::format("{} {}\n", *wrote ? "made " : "kept ", path));
  }
  if (!common.quiet) write_out(STDOUT_FILENO, "\nnext: baton run hello --rehearse\n");
  return exit_done;
}

namespace {

bool may_be_cleaned(const RunSummary& r, Time now, Millis older_than) {
  const bool ended = is_over(r.state) || r.state == RunState::failed;
  return ended && r.finished != Time{} && now - r.finished >= older_than;
}

}  // namespace

int clean_verb(const Common& common, const std::string& older_than, bool dry_run) {
  auto age = parse_duration(older_than);
  if (!age) return print(common, age.error()), exit_refused;
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  auto journal = project->journal_to_read();
  if (!journal && journal.error().code == "journal-missing") return exit_done;
  if (!journal) return print(common, journal.error()), exit_refused;
  auto runs = (*journal)->list();
  if (!runs) return print(common, runs.error()), exit_failed;
  std::size_t cleaned = 0;
  for (const RunSummary& r : *runs) {
    const std::string folder = run_folder(project->state_dir(), r.id).path;
    std::error_code error;
    // Only folders we made: named by an id of the journal, beneath our state folder, with our mark inside, no link.
    const bool ours = is_id(r.id) && !fs::is_symlink(folder, error) && fs::exists(folder + "/bell", error);
    if (!ours || !may_be_cleaned(r, RealClock{}.now(), *age)) continue;
    ++cleaned;
    if (!common.quiet)
      write_out(STDOUT_FILENO, fmt::format("{} {}\n", dry_run ? "would remove" : "removed", project->shown(folder)));
    if (dry_run) continue;
    // Branches stay: a change that nobody took is not thrown away because it is old.
    if (r.dialect == "chain") {
      if (auto gone = git::remove_all(project->root(), project->worktrees(), r.id); !gone) {
        print(common, gone.error());
        continue;
      }
    }
    fs::remove_all(folder, error);
  }
  if (!common.quiet)
    write_out(STDOUT_FILENO, fmt::format("{}; the journal keeps their record\n", counted(cleaned, "folder")));
  return exit_done;
}

}  // namespace baton::cli
