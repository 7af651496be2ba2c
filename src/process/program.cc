#include "process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace baton {
namespace {

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

const char* or_nothing(const std::string& path) { return path.empty() ? "/dev/null" : path.c_str(); }

std::string search_path(const Program& program) {
  for (const std::string_view entry : program.env) {
    if (entry.starts_with("PATH=")) return std::string{entry.substr(5)};
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

// The file to run, as the child itself would find it: its PATH, its working directory. Empty: errno says why.
std::string find_file(const Program& program) {
  const std::string& name = program.argv.front();
  if (name.find('/') != std::string::npos) return name;
  int why = ENOENT;
  const std::string path = search_path(program);
  for (const std::string_view directory : split(path, ':')) {
    std::string file = fmt::format("{}/{}", directory.empty() ? "." : directory, name);
    if (file.front() != '/') file.insert(0, program.cwd + '/');
    if (::access(file.c_str(), X_OK) == 0) return file;
    if (errno == EACCES) why = EACCES;
  }
  errno = why;
  return {};
}

// posix_spawn tells an errno but not of what; this looks for the culprit again.
std::string explain(int error, const Program& program) {
  const auto say = [](int why, const std::string& what) { return fmt::format("{}: {}", ::strerror(why), what); };
  if (::access(program.cwd.c_str(), X_OK) != 0) return say(errno, program.cwd);
  if (::access(or_nothing(program.stdin_path), R_OK) != 0) return say(errno, program.stdin_path);
  for (const std::string& path : {program.stdout_path, program.stderr_path}) {
    const int fd = ::open(or_nothing(path), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return say(errno, path);
    ::close(fd);
  }
  return say(error, program.argv.front());
}

class SpawnActions {
 public:
  explicit SpawnActions(const Program& program) {
    constexpr int output = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
    ::posix_spawn_file_actions_init(&files_);
    if (program.stdin_fd >= 0) {
      ::posix_spawn_file_actions_adddup2(&files_, program.stdin_fd, 0);
    } else {
      ::posix_spawn_file_actions_addopen(&files_, 0, or_nothing(program.stdin_path), O_RDONLY, 0);
    }
    if (program.stdout_fd >= 0) {
      ::posix_spawn_file_actions_adddup2(&files_, program.stdout_fd, 1);
    } else {
      ::posix_spawn_file_actions_addopen(&files_, 1, or_nothing(program.stdout_path), output, 0600);
    }
    if (program.stdout_fd < 0 && program.stderr_path == program.stdout_path) {
      ::posix_spawn_file_actions_adddup2(&files_, 1, 2);
    } else {
      ::posix_spawn_file_actions_addopen(&files_, 2, or_nothing(program.stderr_path), output, 0600);
    }
    ::posix_spawn_file_actions_addchdir_np(&files_, program.cwd.c_str());
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_init(&how_);
    ::posix_spawnattr_setflags(&how_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setsigmask(&how_, &none);
    ::posix_spawnattr_setsigdefault(&how_, &all);
  }
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&how_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  int spawn(pid_t& pid, const std::string& file, const Program& program) const {
    return ::posix_spawn(&pid, file.c_str(), &files_, &how_, pointers(program.argv).data(),
                         pointers(program.env).data());
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t how_;
};

}  // namespace

std::vector<std::string> merge_environment(const std::vector<std::string>& base, const std::vector<std::string>& unset,
                                           std::vector<std::string> added) {
  added.reserve(added.size() + base.size());  // first, as the names below point into it
  std::vector<std::string_view> replaced{unset.begin(), unset.end()};
  for (const std::string& entry : added) replaced.push_back(name_of(entry));
  for (const std::string& entry : base) {
    if (std::ranges::find(replaced, name_of(entry)) == replaced.end()) added.push_back(entry);
  }
  return added;
}

std::expected<pid_t, std::string> start_program(const Program& program) {
  if (program.argv.empty() || program.argv.front().empty()) return std::unexpected("no program was named");
  const std::string file = find_file(program);
  pid_t pid = 0;
  const int error = file.empty() ? errno : SpawnActions{program}.spawn(pid, file, program);
  if (error != 0) return std::unexpected(explain(error, program));
  return pid;
}

}  // namespace baton
