#include "cli/session/session_files.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/limits.h"
#include "core/facts.h"
#include "dialect/session/session_plan.h"
#include "engine/real_files.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

Time modified_of(const fs::path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? time_from_ms(info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1'000'000)
                                          : Time{};
}

/// Lists a folder, `depth` levels of it, without looking at the files themselves.
void list(const std::string& root, const std::string& folder, int depth, std::vector<session::DiskEntry>& out) {
  std::error_code error;
  for (fs::directory_iterator it{fs::path{root} / folder, error}, end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const std::string path = folder + "/" + it->path().filename().string();
    const bool is_folder = it->is_directory(ignored);
    out.push_back({path, is_folder, 0, {}});
    if (is_folder && depth > 1) list(root, path, depth - 1, out);
  }
}

bool is_session_name(const std::string& name) { return name.starts_with("WFS-"); }

void list_in(const std::string& root, const std::string& folder, std::vector<session::DiskEntry>& out) {
  std::error_code error;
  for (fs::directory_iterator it{fs::path{root} / folder, error}, end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    const std::string path = fmt::format("{}/{}", folder, name);
    const bool is_folder = it->is_directory(ignored);
    if (is_folder && is_session_name(name)) {
      std::ranges::move(list_session(root, path), std::back_inserter(out));
    } else {
      out.push_back({path, is_folder, 0, {}});
    }
  }
}

}  // namespace

session::DonePolicy done_policy(const Config& config) {
  return config.text("session.strict").value_or("") == "true" ? session::DonePolicy::strict
                                                              : session::DonePolicy::either;
}

std::vector<session::DiskEntry> list_session(const std::string& root, const std::string& folder) {
  std::vector<session::DiskEntry> out{{folder, true, 0, modified_of(fs::path{root} / folder)}};
  list(root, folder, 2, out);
  return out;
}

std::vector<session::DiskEntry> list_sessions(const std::string& root) {
  std::vector<session::DiskEntry> out;
  for (const char* folder :
       {".workflow", ".workflow/active", ".workflow/sessions", ".workflow/archives", ".workflow/.archives"}) {
    list_in(root, folder, out);
  }
  return out;
}

std::optional<std::string> SessionFiles::project_text(const std::string& path) const {
  auto text = RealFiles{}.read(root_ + "/" + path, Limits::file_bytes_max);
  return text ? std::move(*text) : std::nullopt;
}

std::optional<std::string> SessionFiles::text(const std::string& inside) const { return project_text(path(inside)); }

Expected<session::TodoList> SessionFiles::todo() const {
  auto text = RealFiles{}.read(root_ + "/" + todo_path(), Limits::file_bytes_max);
  if (!text) return std::unexpected(text.error());
  if (!*text) return fault("session-incomplete", fmt::format("{} is not there", todo_path()));
  session::TodoList list = session::read_todo(**text, todo_path());
  for (const Fault& f : list.faults) {
    if (f.severity == Severity::error) return std::unexpected(f);
  }
  return list;
}

session::PlanDoc SessionFiles::plan() const {
  const auto impl = text("IMPL_PLAN.md");
  const auto json = text("plan.json");
  session::PlanDoc from_json = json ? session::read_plan_json(*json, path("plan.json")) : session::PlanDoc{};
  return session::joined(std::move(from_json), impl ? session::read_impl_plan(*impl) : session::PlanDoc{});
}

Expected<std::optional<session::SessionFile>> SessionFiles::session_file() const {
  const auto text = this->text("workflow-session.json");
  if (!text) return std::nullopt;
  auto file = session::read_session_file(*text, session_path());
  if (!file) return std::unexpected(file.error());
  return std::move(*file);
}

session::TaskRead SessionFiles::task(const std::string& id) const {
  const std::string file = session::task_path(folder_, id);
  const auto text = RealFiles{}.read(root_ + "/" + file, Limits::file_bytes_max);
  if (text && *text) return session::read_task(**text, file, id);
  Fault wrong = text ? Fault{"task-file-missing", fmt::format("there is no file {}", file),
                             "write it, or take the task out of the list"}
                     : text.error();
  wrong.place.file = file;
  return {std::nullopt, {std::move(wrong)}};
}

bool SessionFiles::has_summary(const std::string& id) const {
  std::error_code error;
  return fs::is_regular_file(root_ + "/" + session::summary_path(folder_, id), error);
}

SessionFiles session_files_of(const Run& run, const std::string& root) {
  return {root, option_of(run, "session_folder")};
}

std::string kept_path(const std::string& run_folder, const std::string& id, const char* kind) {
  return fmt::format("{}/session/{}.{}", run_folder, id, kind);
}

std::optional<session::FlowRecord> kept_flow(const std::string& run_folder, const std::string& id) {
  return read_kept(kept_path(run_folder, id, "flow.json"));
}

std::optional<session::FlowRecord> read_kept(const std::string& path) {
  const auto text = RealFiles{}.read(path, Limits::file_bytes_max);
  if (!text || !*text) return std::nullopt;
  auto record = session::read_flow_record(**text, path);
  return record ? std::optional{std::move(*record)} : std::nullopt;
}

}  // namespace baton::cli
