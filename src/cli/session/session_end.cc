#include "cli/session/session_end.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/limits.h"
#include "base/text.h"
#include "cli/reporter.h"
#include "cli/session/session_files.h"
#include "core/facts.h"
#include "dialect/session/archive.h"
#include "dialect/session/discovery.h"
#include "dialect/session/session_file.h"
#include "engine/real_files.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

/// One session on its way to the archive.
class Archiving {
 public:
  Archiving(std::string root, const std::string& folder)
      : root_(std::move(root)), source_(folder), id_(fs::path{folder}.filename().string()) {
    const std::string parent = fs::path{folder}.parent_path().string();
    archives_ = parent == ".workflow" ? ".workflow/.archives" : ".workflow/archives";
    destination_ = archives_ + "/" + id_;
  }

  Status go() {
    for (;;) {
      auto state = look();
      if (!state) return std::unexpected(state.error());
      switch (session::next_archive_step(*state)) {
        case session::ArchiveStep::mark:
          if (auto marked = files_.write(at(source_ + "/.archiving"), ""); !marked) return marked;
          break;
        case session::ArchiveStep::move:
          if (auto moved = move(); !moved) return moved;
          break;
        case session::ArchiveStep::record:
          if (auto recorded = record(); !recorded) return recorded;
          break;
        case session::ArchiveStep::unmark:
          if (auto unmarked = unmark(); !unmarked) return unmarked;
          break;
        case session::ArchiveStep::done:
          return {};
        case session::ArchiveStep::refuse:
          return fault("archive-in-the-way", fmt::format("{} is there already, and is not this session", destination_),
                       "move it away; the session itself is complete, and stays where it is");
      }
    }
  }

 private:
  [[nodiscard]] std::string at(const std::string& path) const { return root_ + "/" + path; }
  [[nodiscard]] bool is_there(const std::string& path) const {
    std::error_code error;
    return fs::exists(at(path), error);
  }
  [[nodiscard]] std::string manifest() const { return archives_ + "/manifest.json"; }
  [[nodiscard]] const std::string& here() const { return is_there(source_) ? source_ : destination_; }

  Expected<session::ArchiveState> look() {
    session::ArchiveState state;
    state.source = is_there(source_);
    state.destination = is_there(destination_);
    state.marked = is_there(here() + "/.archiving");
    auto before = files_.read(at(manifest()), Limits::file_bytes_max);
    if (!before) return std::unexpected(before.error());
    auto after = session::add_to_manifest(*before, entry(), manifest());
    if (!after) return std::unexpected(after.error());
    state.recorded = *before && **before == *after;
    return state;
  }

  session::ArchiveEntry entry() {
    const SessionFiles files{root_, here()};
    session::ArchiveEntry entry{id_, {}, now_, destination_};
    std::string type;
    if (const auto file = files.session_file(); file && *file) {
      entry.description = (*file)->project;
      type = (*file)->type;
    }
    entry.tags = session::tags_of(id_, type);
    if (const auto list = files.todo()) entry.tasks_completed = session::progress_of(*list).done;
    const auto found = session::discover(list_session(root_, here()));
    if (!found.sessions.empty()) entry.summaries = found.sessions.front().summaries;
    return entry;
  }

  Status move() {
    std::error_code error;
    fs::create_directories(at(archives_), error);
    if (!error) fs::rename(at(source_), at(destination_), error);
    if (error)
      return fault("file-failed", fmt::format("cannot move {} to {}: {}", source_, destination_, error.message()));
    return {};
  }

  Status record() {
    auto before = files_.read(at(manifest()), Limits::file_bytes_max);
    if (!before) return std::unexpected(before.error());
    auto after = session::add_to_manifest(*before, entry(), manifest());
    if (!after) return std::unexpected(after.error());
    return files_.write(at(manifest()), *after);
  }

  /// Last of all: as long as the mark is there, whoever comes by goes on.
  Status unmark() {
    const std::string path = destination_ + "/workflow-session.json";
    if (const auto text = SessionFiles{root_, destination_}.text("workflow-session.json")) {
      auto after = session::edit_session_file(*text, path, {.status = "completed", .archived = now_});
      if (after && *after != *text) (void)files_.write(at(path), *after);
    }
    std::error_code error;
    fs::remove(at(".workflow/.active-" + id_), error);
    fs::remove(at(destination_ + "/.archiving"), error);
    if (error)
      return fault("file-failed", fmt::format("cannot remove {}/.archiving: {}", destination_, error.message()));
    return {};
  }

  std::string root_;
  std::string source_;
  std::string id_;
  std::string archives_;
  std::string destination_;
  RealFiles files_;
  Time now_ = RealClock{}.now();
};

/// `NAME.PID.N.tmp` of a process that is gone: half of a write of ours, which nobody will ever finish.
bool is_half_written(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::vector<std::string_view> parts = split(name, '.');
  if (parts.size() < 4 || parts.back() != "tmp") return false;
  const auto is_number = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::string_view pid = parts[parts.size() - 3];
  std::error_code error;
  return is_number(pid) && is_number(parts[parts.size() - 2]) && !fs::exists(fmt::format("/proc/{}", pid), error);
}

void sweep(const std::string& folder) {
  for (const char* part : {"", "/.task", "/.summaries"}) {
    std::error_code error;
    for (fs::directory_iterator it{folder + part, error}, end; !error && it != end; it.increment(error)) {
      std::error_code ignored;
      if (is_half_written(it->path())) fs::remove(it->path(), ignored);
    }
  }
}

}  // namespace

Status archive_session(const Project& project, const std::string& folder) {
  return Archiving{project.root(), folder}.go();
}

int end_session(const Project& project, const Run& run, int code) {
  const std::string folder = option_of(run, "session_folder");
  if (run.plan().dialect != "session") return code;
  if (!folder.empty()) sweep(project.root() + "/" + folder);
  if (run.state() != RunState::completed) return code;
  // One task by itself is no session.
  const bool stays =
      !option_of(run, "no_archive").empty() || !option_of(run, "only").empty() || !folder.starts_with(".workflow/");
  if (stays) return code;
  if (auto archived = archive_session(project, folder); !archived) {
    print(project.common(), archived.error());
    return exit_failed;
  }
  say(project.common(), fmt::format("the session is complete and in the archive: {}", option_of(run, "session")));
  return code;
}

}  // namespace baton::cli
