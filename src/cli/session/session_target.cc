#include "cli/session/session_target.h"

#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/text.h"
#include "cli/question.h"
#include "cli/reporter.h"
#include "cli/session/session_files.h"
#include "io/folder.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

bool is_session_folder(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  if (path.lexically_normal().string().find("/.team/") != std::string::npos) return false;
  const auto has = [&](const char* name) { return fs::exists(path / name, error); };
  return has("workflow-session.json") || has(".task") || (has("TODO_LIST.md") && has("IMPL_PLAN.md"));
}

/// The folder from the project's; empty if it lies elsewhere.
std::string beneath(const Project& project, const std::string& target) {
  return path_beneath(project.root(), fs::absolute(target)).value_or("");
}

/// One that lies where no session is looked for, but was named.
session::FoundSession found_at(const Project& project, const std::string& folder) {
  session::FoundSession found;
  // Its own rules for what belongs to a session hold wherever it lies.
  const std::string id = fs::path{folder}.filename().string();
  const std::string stand_in = ".workflow/active/WFS-x";
  std::vector<session::DiskEntry> listing = list_session(project.root(), folder);
  for (session::DiskEntry& entry : listing) entry.path = stand_in + entry.path.substr(folder.size());
  if (session::Discovery all = session::discover(listing); !all.sessions.empty()) found = all.sessions.front();
  found.id = id;
  found.folder = folder;
  return found;
}

std::vector<bool> which_are_over(const Project& project, const session::Discovery& found) {
  std::vector<bool> over;
  for (const session::FoundSession& s : found.sessions) {
    const auto file = SessionFiles{project.root(), s.folder}.session_file();
    over.push_back(file && *file && (*file)->is_over());
  }
  return over;
}

/// `WFS-auth  Add log-in  3/7 (42%)`.
std::string line_of(const Project& project, const session::FoundSession& s) {
  const SessionFiles files{project.root(), s.folder};
  const auto file = files.session_file();
  const std::string title = file && *file && !(*file)->project.empty() ? (*file)->project : "Unknown";
  const auto list = files.todo();
  const session::Progress progress = list ? session::progress_of(*list) : session::Progress{};
  return fmt::format("{} | {} | {}/{} tasks ({}%)", s.id, shorten(title, 60), progress.done, progress.total,
                     progress.percent());
}

/// Asks until the answer means one of them; nullopt at the end of the input.
std::optional<std::size_t> ask(const Project& project, const session::Discovery& found,
                               const std::vector<std::size_t>& candidates) {
  std::vector<std::string> ids;
  std::string text = "Several sessions are active:\n";
  for (const std::size_t i : candidates) {
    ids.push_back(found.sessions[i].id);
    text += fmt::format("  {}. {}\n", ids.size(), line_of(project, found.sessions[i]));
  }
  write_out(STDERR_FILENO, printable(text));
  for (;;) {
    write_out(STDERR_FILENO, "Which one? (a number, an id, or part of one) ");
    std::string answer;
    if (!std::getline(std::cin, answer)) return std::nullopt;
    if (const auto chosen = session::chosen_by(answer, ids)) return candidates[*chosen];
  }
}

std::vector<std::size_t> active_ones(const session::Discovery& found, const std::vector<bool>& over) {
  std::vector<std::size_t> active;
  std::vector<std::size_t> unmarked;
  for (std::size_t i = 0; i < found.sessions.size(); ++i) {
    const session::SessionPlace place = found.sessions[i].place;
    if (place == session::SessionPlace::archived || over[i]) continue;
    (place == session::SessionPlace::unmarked ? unmarked : active).push_back(i);
  }
  std::vector<std::size_t>& those = active.empty() ? unmarked : active;
  std::ranges::sort(those, [&](std::size_t a, std::size_t b) {
    const Time when = found.sessions[a].modified;
    return when != found.sessions[b].modified ? when > found.sessions[b].modified : a < b;
  });
  return those;
}

}  // namespace

bool means_session(const Project& project, const std::string& target) {
  std::error_code error;
  if (target.empty()) return fs::is_directory(project.root() + "/.workflow", error);
  if (is_session_folder(target) || is_session_folder(fs::path{project.root()} / target)) return true;
  return target.starts_with("WFS-") && !fs::exists(target, error);
}

Expected<session::FoundSession> find_session(const Project& project, const std::string& named, bool yes) {
  for (const std::string& path : {named, project.root() + "/" + named}) {
    if (named.empty() || !is_session_folder(path)) continue;
    const std::string folder = beneath(project, path);
    if (!folder.empty()) {
      session::FoundSession found = found_at(project, folder);
      if (folder.starts_with(".workflow/archives/") || folder.starts_with(".workflow/.archives/")) {
        found.place = session::SessionPlace::archived;
      }
      return found;
    }
    return fault("session-not-found", fmt::format("{} is not in the project {}", named, project.root()),
                 "name the project too: -C DIR");
  }
  session::Discovery found = session::discover(list_sessions(project.root()));
  print(project.common(), found.warnings);
  const std::vector<bool> over = which_are_over(project, found);
  auto chosen = session::choose(found, named, over);
  if (!chosen && chosen.error().code == "several-sessions") {
    const std::vector<std::size_t> candidates = active_ones(found, over);
    if (yes && !candidates.empty()) return found.sessions[candidates.front()];
    if (can_ask(project.common()) && !candidates.empty()) {
      if (const auto answer = ask(project, found, candidates)) return found.sessions[*answer];
    }
  }
  if (!chosen) return std::unexpected(chosen.error());
  return found.sessions[*chosen];
}

}  // namespace baton::cli
