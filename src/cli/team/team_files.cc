#include "cli/team/team_files.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/hash.h"
#include "base/limits.h"
#include "cli/load_run.h"
#include "core/facts.h"
#include "dialect/team/session_edit.h"
#include "engine/real_files.h"
#include "io/file_lock.h"
#include "io/files.h"
#include "io/folder.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t role_files_max = 200;

/// The bus, held alone while this lives.
class BusFile {
 public:
  explicit BusFile(const std::string& path) {
    std::error_code error;
    const fs::path folder = fs::path{path}.parent_path();
    fs::create_directories(folder, error);
    if (fs::is_symlink(folder, error)) {  // it would be somebody else's file
      errno = ELOOP;
      return;
    }
    lock_ = FileLock{open_file(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0644)};
    if (lock_.is_open() && !lock_.take_within(team_patience)) lock_.close();
  }

  [[nodiscard]] bool ok() const { return lock_.is_open(); }
  [[nodiscard]] std::string text() const { return read_all(lock_.descriptor()).value_or(""); }
  /// In one write: a reader sees whole lines, or none.
  [[nodiscard]] bool append(const std::string& lines) const {
    return ::write(lock_.descriptor(), lines.data(), lines.size()) == static_cast<ssize_t>(lines.size());
  }

 private:
  FileLock lock_;
};

bool is_team_folder(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  if (fs::exists(path / "team-session.json", error)) return true;
  return path.lexically_normal().string().find("/.team/") != std::string::npos;
}

}  // namespace

std::optional<std::string> TeamFiles::text(const std::string& inside) const {
  auto text = RealFiles{}.read(path(inside), Limits::file_bytes_max);
  return text ? std::move(*text) : std::nullopt;
}

bool TeamFiles::exists(const std::string& inside) const {
  std::error_code error;
  const auto beneath = path_beneath(path(), path(inside));
  return beneath && fs::is_regular_file(path(*beneath), error);
}

std::function<bool(const std::string&)> TeamFiles::existence() const {
  return [files = *this](const std::string& inside) { return files.exists(inside); };
}

team::TeamRead TeamFiles::read(const std::string& shown, std::optional<std::string> instead) const {
  team::TeamTexts texts;
  std::error_code error;
  texts.is_folder = fs::is_directory(path(), error);
  texts.session = instead ? std::move(instead) : text("team-session.json");
  texts.analysis = text("task-analysis.json");
  texts.has_roles = fs::is_directory(path("roles"), error);
  texts.has_specs = fs::is_directory(path("role-specs"), error);
  for (const char* folder : {"roles", "role-specs"}) {
    for (fs::directory_iterator it{path(folder), error}, end; !error && it != end; it.increment(error)) {
      if (it->path().extension() != ".md" || texts.role_files.size() >= role_files_max) continue;
      const std::string inside = std::string{folder} + "/" + it->path().filename().string();
      if (!exists(inside)) continue;  // a link out of the session is not its file
      if (auto body = text(inside)) texts.role_files.emplace(inside, std::move(*body));
    }
  }
  return team::read_team(texts, folder_, shown);
}

team::Reality TeamFiles::reality() const {
  return {RealClock{}.now(), existence(), [](int pid) { return ::kill(pid, 0) == 0 || errno == EPERM; }};
}

Status TeamFiles::append(std::vector<team::Message> messages) const {
  if (messages.empty()) return {};
  const std::string bus = path(".msg/messages.jsonl");
  const BusFile file{bus};
  if (!file.ok()) return fault("file-failed", fmt::format("cannot write {}: {}", bus, strerrordesc_np(errno)));
  const std::string lines = team::to_append(file.text(), messages, RealClock{}.now());
  if (!file.append(lines)) return fault("file-failed", fmt::format("cannot write {}: {}", bus, strerrordesc_np(errno)));
  // The state that messages carry; still alone with the bus, so that none is lost.
  const std::string meta = path(".msg/meta.json");
  const std::string before = text(".msg/meta.json").value_or("");
  std::string after = before;
  for (const team::Message& m : messages) after = team::meta_with(after, m, RealClock{}.now());
  return after == before ? Status{} : RealFiles{}.write(meta, after);
}

std::vector<team::Message> TeamFiles::messages() const {
  return team::read_bus(text(".msg/messages.jsonl").value_or(""));
}

std::string TeamFiles::recorded(const std::string& id, const Run& run) const {
  return team::rebuilt(option_of(run, "team_file"), folder_, run,
                       team::state_of(id, run, option_of(run, "completion_action")));
}

Expected<std::string> TeamFiles::rebuild(const std::string& id, const Run& run) const {
  const std::string broken = text("team-session.json").value_or("");
  const std::string aside = fmt::format("team-session.json.corrupt-{}", hex(hash64(broken)).substr(0, 8));
  RealFiles disk;
  if (auto kept = disk.write(path(aside), broken); !kept) return std::unexpected(kept.error());
  if (auto wrote = disk.write(path("team-session.json"), recorded(id, run)); !wrote)
    return std::unexpected(wrote.error());
  (void)append(
      {{{},
        {},
        "executor",
        "all",
        "warning",
        fmt::format("team-session.json was corrupt and is rebuilt from the record; the old one is {}", aside)}});
  return folder_ + "/" + aside;
}

TeamFiles team_files_of(const Run& run, const std::string& root) { return {root, option_of(run, "team_folder")}; }

bool means_team(const Project& project, const std::string& target) {
  if (target.empty()) return false;
  std::error_code error;
  if (is_team_folder(fs::absolute(target, error)) || is_team_folder(fs::path{project.root()} / target)) return true;
  return target.find('/') == std::string::npos &&
         fs::is_directory(project.root() + "/.workflow/.team/" + target, error);
}

TeamPlace find_team(const Project& project, const std::string& named) {
  std::error_code error;
  std::string path = named;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::string by_name = project.root() + "/.workflow/.team/" + path;
  fs::path found = fs::absolute(path, error);
  if (!fs::is_directory(found, error) && fs::is_directory(fs::path{project.root()} / path, error)) {
    found = fs::path{project.root()} / path;
  } else if (!fs::is_directory(found, error) && fs::is_directory(by_name, error)) {
    found = by_name;
  }
  TeamPlace place;
  place.path = fs::weakly_canonical(found, error).string();
  if (auto inside = path_beneath(project.root(), place.path); inside && *inside != ".")
    place.folder = std::move(*inside);
  return place;
}

Expected<std::optional<NewestTeamRun>> run_of_team(const Project& project, const TeamFiles& files) {
  auto journal = project.journal_to_read();
  if (!journal && journal.error().code == "journal-missing") return std::nullopt;
  if (!journal) return std::unexpected(journal.error());
  auto runs = (*journal)->list();
  if (!runs) return std::unexpected(runs.error());
  for (const RunSummary& summary : *runs) {
    if (summary.dialect != "team" || summary.workflow != files.name()) continue;
    auto run = load_run(**journal, summary.id);
    if (!run) return std::unexpected(run.error());
    const bool rehearsed = run->settings().options.contains("rehearse");  // nothing of it is in the session
    if (!rehearsed && option_of(*run, "team_folder") == files.folder())
      return NewestTeamRun{summary.id, std::move(*run)};
  }
  return std::nullopt;
}

}  // namespace baton::cli
