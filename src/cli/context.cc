#include "cli/context.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "io/descriptor.h"
#include "io/environment.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

bool is_root(const fs::path& folder) {
  for (const char* mark : {".baton", "baton.toml", "agtop.toml", ".workflow", "workflows", ".git"}) {
    std::error_code error;
    if (fs::exists(folder / mark, error)) return true;
  }
  return false;
}

fs::path find_root(const fs::path& from) {
  for (fs::path folder = from;; folder = folder.parent_path()) {
    if (is_root(folder)) return folder;
    if (folder == folder.parent_path()) return from;
  }
}

std::string user_config() {
  const char* xdg = std::getenv("XDG_CONFIG_HOME");
  if (xdg != nullptr && *xdg == '/') return std::string{xdg} + "/baton/baton.toml";
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::string{} : std::string{home} + "/.config/baton/baton.toml";
}

std::vector<std::pair<std::string, std::string>> environment() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string& entry : own_environment()) {
    const auto equals = entry.find('=');
    if (equals != std::string::npos) all.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return all;
}

ConfigSources sources_in(const std::string& root, const std::vector<std::string>& sets) {
  return {user_config(), root + "/baton.toml", root + "/agtop.toml", environment(), sets};
}

}  // namespace

std::expected<Project, Faults> Project::open(const Common& common) {
  std::error_code error;
  fs::path start = fs::current_path(error);
  if (!common.directory.empty()) {
    start = fs::weakly_canonical(start / common.directory, error);
    if (!fs::is_directory(start, error)) {
      return std::unexpected(Faults{{"no-such-folder", fmt::format("there is no folder '{}'", common.directory),
                                     "-C takes the folder to work in"}});
    }
    fs::current_path(start, error);
  }
  Project project;
  project.common_ = common;
  project.root_ = find_root(start).string();
  project.state_dir_ = common.state_dir.empty() ? project.root_ + "/.baton"
                                                : fs::absolute(common.state_dir, error).lexically_normal().string();
  auto config = Config::load(sources_in(project.root_, common.sets));
  if (!config) return std::unexpected(config.error());
  project.config_ = std::move(*config);
  return project;
}

std::expected<Config, Faults> Project::config_with(const std::vector<std::string>& recorded) const {
  std::vector<std::string> sets = recorded;
  sets.insert(sets.end(), common_.sets.begin(), common_.sets.end());
  return Config::load(sources_in(root_, sets));
}

std::string Project::worktrees() const {
  const auto path = config_.text("git.worktree_path");
  if (!path) return state_dir_ + "/worktrees";
  const char* home = std::getenv("HOME");
  if (path->starts_with("~/") && home != nullptr) return home + path->substr(1);
  return (fs::path{root_} / *path).lexically_normal().string();
}

Expected<std::unique_ptr<SqliteJournal>> Project::journal_to_read() const {
  return SqliteJournal::open(state_dir_, SqliteJournal::Mode::read_only);
}

Expected<std::unique_ptr<SqliteJournal>> Project::journal_with(const std::string& run) const {
  auto journal = journal_to_read();
  if (journal || journal.error().code != "journal-missing") return journal;
  return fault("unknown-run", fmt::format("there is no run '{}'", run), journal.error().message);
}

namespace {

/// What is inside is a machine's own record: no repository should ever take it in. Skills and workflows are people's.
void keep_out_of_git(const std::string& folder) {
  constexpr std::string_view rules = "/*\n!/skills/\n!/workflows/\n";
  const Descriptor file = open_file(folder + "/.gitignore", O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file) (void)!::write(file.get(), rules.data(), rules.size());
}

}  // namespace

Status Project::make_state_folder(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error)) return keep_out_of_git(path), Status{};  // it may be there for its skills alone
  fs::create_directories(path, error);
  if (error) {
    return fault("no-state-folder", fmt::format("cannot make {}: {}", path, error.message()),
                 "give another one with --state-dir");
  }
  ::chmod(path.c_str(), 0700);
  keep_out_of_git(path);
  return {};
}

Expected<std::unique_ptr<SqliteJournal>> Project::journal_to_write() const {
  if (auto made = make_state_folder(state_dir_); !made) return std::unexpected(made.error());
  std::error_code error;
  fs::create_directories(state_dir_ + "/runs", error);
  if (error) {
    return fault("no-state-folder", fmt::format("cannot make {}: {}", state_dir_, error.message()),
                 "give another one with --state-dir");
  }
  return SqliteJournal::open(state_dir_, SqliteJournal::Mode::read_write);
}

std::string Project::shown(const std::string& path) const {
  return path.starts_with(root_ + "/") ? path.substr(root_.size() + 1) : path;
}

Expected<std::string> resolve_run(Journal& journal, std::string_view name) {
  auto runs = journal.list();
  if (!runs) return std::unexpected(runs.error());
  const auto unknown = [&] {
    return fault("unknown-run", fmt::format("there is no run '{}'", name), "'baton list' shows all runs");
  };
  if (runs->empty() || name.empty()) return unknown();
  if (name == "last") return runs->front().id;
  std::vector<std::string> fitting;
  for (const RunSummary& r : *runs) {
    if (r.id == name) return r.id;
    if (r.id.starts_with(name)) fitting.push_back(r.id);
  }
  if (fitting.empty()) return unknown();
  if (fitting.size() == 1) return fitting.front();
  std::string all;
  for (const std::string& id : fitting) all += (all.empty() ? "" : ", ") + id;
  return fault("ambiguous-run", fmt::format("'{}' begins the ids of {} runs", name, fitting.size()),
               fmt::format("give more of it: {}", all));
}

void print(const Common& common, const Fault& fault) {
  const std::string text = common.json ? to_json(fault) + "\n" : to_text(fault);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print(const Common& common, const Faults& faults) {
  for (const Fault& f : faults) print(common, f);
}

bool use_color(const Common& common, int fd) {
  if (common.color == "always") return true;
  if (common.color == "never") return false;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view{term} == "dumb";
  return (no_color == nullptr || *no_color == '\0') && !dumb && ::isatty(fd) == 1;
}

}  // namespace baton::cli
