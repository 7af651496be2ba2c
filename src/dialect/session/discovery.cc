#include "dialect/session/discovery.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "base/number.h"
#include "base/text.h"

namespace baton::session {
namespace {

constexpr std::string_view root = ".workflow/";
constexpr std::string_view marker_name = ".active-";
constexpr std::size_t named_max = 20;

struct Folder {
  std::string_view path;
  SessionPlace place;
};
constexpr std::array<Folder, 5> folders{{{".workflow/active/", SessionPlace::active},
                                         {".workflow/sessions/", SessionPlace::sessions},
                                         {".workflow/archives/", SessionPlace::archived},
                                         {".workflow/.archives/", SessionPlace::archived},
                                         {".workflow/", SessionPlace::unmarked}}};

/// The folder of the session that a path belongs to, where it lies, and the path inside of it.
struct Located {
  std::string_view id;
  std::string_view folder;
  std::string_view inside;
  SessionPlace place = SessionPlace::active;
};

std::optional<Located> locate(std::string_view path) {
  for (const Folder& folder : folders) {
    if (!path.starts_with(folder.path)) continue;
    const std::string_view rest = path.substr(folder.path.size());
    const auto slash = rest.find('/');
    const std::string_view id = rest.substr(0, slash);
    if (!id.starts_with("WFS-") || !is_session_id(id)) continue;
    const std::size_t end = folder.path.size() + id.size();
    return Located{id, path.substr(0, end), slash == std::string_view::npos ? "" : path.substr(end + 1), folder.place};
  }
  return std::nullopt;
}

bool is_in(std::string_view inside, std::string_view folder, std::string_view ending) {
  return inside.starts_with(folder) && inside.ends_with(ending) &&
         inside.substr(folder.size()).find('/') == std::string_view::npos;
}

void add_piece(FoundSession& session, std::string_view inside, const DiskEntry& entry) {
  if (inside.ends_with(".tmp")) {
    session.leftovers.push_back(entry.path);
  } else if (inside == "workflow-session.json") {
    session.session_file = !entry.folder;
  } else if (inside == "TODO_LIST.md") {
    session.todo_list = !entry.folder;
  } else if (inside == "IMPL_PLAN.md") {
    session.impl_plan = !entry.folder;
  } else if (inside == "plan.json") {
    session.plan_json = !entry.folder;
  } else if (inside == ".archiving") {
    session.archiving = true;
  } else if (is_in(inside, ".task/", ".json")) {
    ++session.task_files;
  } else if (is_in(inside, ".summaries/", "-summary.md")) {
    ++session.summaries;
  }
}

std::string listed(const Discovery& found, const std::vector<std::size_t>& which) {
  std::vector<std::string> names;
  for (const std::size_t i : which) {
    if (names.size() == named_max) {
      names.push_back(fmt::format("and {} more", which.size() - named_max));
      break;
    }
    names.push_back(found.sessions[i].folder);
  }
  return join(names, ", ");
}

}  // namespace

bool is_session_id(std::string_view id) {
  constexpr std::size_t size_max = 100;
  return !id.empty() && id.size() <= size_max && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

Discovery discover(const std::vector<DiskEntry>& listing) {
  Discovery found;
  std::map<std::string, FoundSession, std::less<>> sessions;
  std::set<std::string, std::less<>> markers;
  for (const DiskEntry& entry : listing) {
    const std::string_view path = entry.path;
    if (path.starts_with(root) && path.substr(root.size()).starts_with(marker_name) && !entry.folder) {
      markers.emplace(path.substr(root.size() + marker_name.size()));
      continue;
    }
    const auto located = locate(path);
    if (!located || (located->inside.empty() && !entry.folder)) continue;
    FoundSession& session = sessions[std::string{located->folder}];
    session.id = located->id;
    session.folder = located->folder;
    session.place = located->place;
    session.modified = std::max(session.modified, entry.modified);
    if (!located->inside.empty()) add_piece(session, located->inside, entry);
  }
  for (const std::string& marker : markers) {
    bool has_session = false;
    for (auto& [folder, session] : sessions) {
      if (session.id != marker || session.place == SessionPlace::archived) continue;
      has_session = true;
      if (session.place == SessionPlace::unmarked) session.place = SessionPlace::marked;
    }
    if (!has_session) {
      const std::string file = fmt::format("{}{}{}", root, marker_name, printable(marker));
      found.warnings.push_back({"orphaned-marker",
                                fmt::format("{} marks a session that is not there", file),
                                "remove it",
                                {file, 0, 0},
                                Severity::warning});
    }
  }
  for (auto& [folder, session] : sessions) found.sessions.push_back(std::move(session));
  std::ranges::sort(found.sessions, {},
                    [](const FoundSession& s) { return std::tuple{s.place, -to_ms(s.modified), s.id}; });
  return found;
}

Faults faults_of(const FoundSession& s) {
  Faults faults;
  const auto add = [&](Severity severity, const std::string& what, std::string help) {
    faults.push_back(
        {"session-incomplete", fmt::format("{} has no {}", s.id, what), std::move(help), {s.folder, 0, 0}, severity});
  };
  if (!s.todo_list) add(Severity::error, "TODO_LIST.md", "the list of its tasks is what is run");
  if (s.task_files == 0) add(Severity::error, "task files in .task/", "plan the session again, or write them");
  if (!s.session_file) add(Severity::warning, "workflow-session.json", "its status and times are kept nowhere");
  if (!s.impl_plan && !s.plan_json)
    add(Severity::warning, "IMPL_PLAN.md or plan.json", "tasks run by their dependencies");
  return faults;
}

Expected<std::size_t> choose(const Discovery& found, std::string_view named, const std::vector<bool>& over) {
  while (named.ends_with('/')) named.remove_suffix(1);
  const auto slash = named.rfind('/');
  const std::string_view id = slash == std::string_view::npos ? named : named.substr(slash + 1);
  std::vector<std::size_t> all;
  std::vector<std::size_t> active;
  std::vector<std::size_t> unmarked;
  for (std::size_t i = 0; i < found.sessions.size(); ++i) {
    const FoundSession& s = found.sessions[i];
    if (!named.empty() && (slash == std::string_view::npos ? s.id == id : s.folder == named)) return i;
    if (s.place == SessionPlace::archived) continue;
    all.push_back(i);
    const bool is_over = i < over.size() && over[i];
    if (!is_over) (s.place == SessionPlace::unmarked ? unmarked : active).push_back(i);
  }
  if (!named.empty()) {
    return fault("session-not-found", fmt::format("there is no session '{}'", printable(named)),
                 all.empty() ? "there are no sessions in .workflow/" : "there are: " + listed(found, all));
  }
  const std::vector<std::size_t>& candidates = !active.empty() ? active : !unmarked.empty() ? unmarked : all;
  if (candidates.size() == 1) return candidates.front();
  if (candidates.empty()) {
    return fault("no-session", "there is no active session in .workflow/",
                 "plan one first, or name a workflow: baton run TARGET");
  }
  return fault("several-sessions", fmt::format("there are {} active sessions", candidates.size()),
               "name one: " + listed(found, candidates));
}

std::optional<std::size_t> chosen_by(std::string_view answer, const std::vector<std::string>& ids) {
  answer = trim(answer);
  if (answer.empty()) return std::nullopt;
  if (const auto same = std::ranges::find(ids, answer); same != ids.end()) {
    return static_cast<std::size_t>(same - ids.begin());
  }
  if (const auto number = parse_whole<std::size_t>(answer)) {
    return *number >= 1 && *number <= ids.size() ? std::optional{*number - 1} : std::nullopt;
  }
  std::optional<std::size_t> only;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i].find(answer) == std::string::npos) continue;
    if (only) return std::nullopt;
    only = i;
  }
  return only;
}

}  // namespace baton::session
