#include "io/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "base/frame.h"
#include "base/number.h"
#include "base/text.h"
#include "io/files.h"

namespace baton {
namespace {

constexpr std::size_t environment_bytes_max = 2U << 20U;  // it cannot be larger on usual kernels

std::optional<Process> read_stat(pid_t pid) {
  const std::string stat = file_text(fmt::format("/proc/{}/stat", pid));
  const auto name_end = stat.rfind(')');  // the name before it may hold anything
  if (name_end == std::string::npos) return std::nullopt;
  Process process{.pid = pid};
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  const int read = std::sscanf(stat.c_str() + name_end + 1,
                               " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %lu",
                               &process.state, &process.parent, &process.session, &user, &system, &process.start);
  if (read != 6) return std::nullopt;
  process.cpu = user + system;
  return process;
}

bool is_dead(const Process& process) { return process.state == 'Z' || process.state == 'X'; }

std::string read_mark(pid_t pid, std::string_view state_dir) {
  std::string_view found[std::size(attempt_marks)];
  const std::string environment = file_text(fmt::format("/proc/{}/environ", pid), environment_bytes_max);
  for (const std::string_view entry : split(environment, '\0')) {
    for (std::size_t i = 0; i < std::size(attempt_marks); ++i) {
      if (entry.starts_with(attempt_marks[i])) found[i] = entry.substr(attempt_marks[i].size());
    }
  }
  if (found[3] != state_dir) return {};
  return fmt::format("{}\n{}\n{}", found[0], found[1], found[2]);
}

}  // namespace

std::string mark_of(std::string_view run, std::string_view step, int attempt) {
  return fmt::format("{}\n{}\n{}", run, step, attempt);
}

ProcessTable look_at_processes(const std::string& state_dir) {
  ProcessTable table;
  DIR* const directory = ::opendir("/proc");
  if (directory == nullptr) return table;
  const pid_t self = ::getpid();
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    const auto pid = parse_whole<pid_t>(name);
    if (!pid || *pid == self) continue;
    if (auto process = read_stat(*pid)) {
      if (!is_dead(*process)) process->mark = read_mark(*pid, state_dir);
      table.emplace(*pid, std::move(*process));
    }
  }
  ::closedir(directory);
  return table;
}

std::vector<pid_t> own_children() {
  // Kept open: reading it again from its start is one system call.
  static const int fd = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  std::vector<pid_t> children;
  std::string bytes;
  char chunk[4096];
  for (ssize_t n = 0; (n = ::pread(fd, chunk, sizeof chunk, static_cast<off_t>(bytes.size()))) > 0;) {
    bytes.append(chunk, static_cast<std::size_t>(n));
    if (static_cast<std::size_t>(n) < sizeof chunk / 2) break;
  }
  for (const std::string_view number : split(bytes, ' ')) {
    if (const auto pid = parse_whole<pid_t>(number)) children.push_back(*pid);
  }
  return children;
}

void end_own_children() {
  constexpr timespec look_again_after{0, 1'000'000};
  constexpr int looks_max = 5000;
  for (int looks = 0; looks < looks_max; ++looks) {
    for (const pid_t pid : own_children()) ::kill(pid, SIGKILL);
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) continue;
    if (ended < 0 && errno == ECHILD) return;  // however the system lists them
    ::nanosleep(&look_again_after, nullptr);
  }
}

bool ProcessTree::belongs(const Process& process, const ProcessTable& table, const std::set<pid_t>& found) const {
  if (process.pid == root_ || process.mark == mark_ || found.contains(process.parent)) return true;
  if (const auto known = known_.find(process.pid); known != known_.end()) return known->second == process.start;
  // A session keeps its number while it has members, so only a leader that is a stranger proves the number was reused.
  return leaders_.contains(process.session) && (!table.contains(process.session) || found.contains(process.session));
}

std::vector<Process> ProcessTree::members(const ProcessTable& table) {
  std::set<pid_t> found;
  std::vector<Process> alive;
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [pid, process] : table) {
      if (found.contains(pid) || !belongs(process, table, found)) continue;
      grew = true;
      found.insert(pid);
      leaders_.insert(pid);
      known_[pid] = process.start;
      if (!is_dead(process)) alive.push_back(process);
    }
  }
  return alive;
}

void signal_all(const std::vector<Process>& processes, int signal) {
  for (const Process& process : processes) {
    const auto now = read_stat(process.pid);
    if (now && now->start == process.start) ::kill(process.pid, signal);
  }
}

std::vector<Process> freeze_trees(const std::vector<ProcessTree*>& trees, const std::string& state_dir) {
  constexpr int rounds_max = 100;
  std::set<pid_t> stopped;
  std::vector<Process> members;
  for (int round = 0; round < rounds_max; ++round) {
    const ProcessTable table = look_at_processes(state_dir);
    members.clear();
    for (ProcessTree* const tree : trees) {
      for (Process& member : tree->members(table)) members.push_back(std::move(member));
    }
    std::vector<Process> moving;
    for (const Process& member : members) {
      // One in D cannot move either; the parent in a vfork stays there until its child, stopped too, goes on.
      const bool moves = member.state == 'R' || member.state == 'S';
      if (stopped.insert(member.pid).second || moves) moving.push_back(member);
    }
    if (moving.empty()) break;
    signal_all(moving, SIGSTOP);
  }
  return members;
}

}  // namespace baton
