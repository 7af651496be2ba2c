// validate: one output, checked against rules given on the command line.
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>

#include "base/limits.h"
#include "base/text.h"
#include "cli/definition.h"
#include "cli/reporter.h"
#include "cli/verbs.h"
#include "dialect/markdown/rules.h"
#include "engine/real_files.h"
#include "process/program.h"
#include "view/json_text.h"

extern char** environ;

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr int command_ms_max = 60'000;
constexpr std::size_t printed_bytes_max = 64U << 20U;

/// A file for what a command prints; gone when this is.
class Scratch {
 public:
  Scratch() : path_((fs::temp_directory_path() / "baton-check-XXXXXX").string()) {
    const int fd = ::mkstemp(path_.data());
    if (fd >= 0) ::close(fd);
  }
  ~Scratch() { ::unlink(path_.c_str()); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Waits for the process to end; ends it, with all of its session that did not leave, when its time is up.
/// False: its time was up.
bool wait_in_time(pid_t pid, int& status) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  pollfd watched{fd, POLLIN, 0};
  const bool in_time = fd < 0 || ::poll(&watched, 1, command_ms_max) > 0;
  if (fd >= 0) ::close(fd);
  if (!in_time) ::kill(-pid, SIGKILL);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return in_time;
}

CommandOutcome run_command(const Check& check, const std::string& root, const std::string& output) {
  const Scratch scratch;
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) env.emplace_back(*entry);
  std::vector<std::string> added = check.env;
  added.push_back("BATON_OUTPUT=" + output);
  const Program program{.argv = check.argv,
                        .env = merge_environment(env, {}, std::move(added)),
                        .cwd = root,
                        .stdout_path = scratch.path(),
                        .stderr_path = scratch.path()};
  const auto pid = start_program(program);
  if (!pid) return {false, "The command could not be started: " + pid.error()};
  int status = 0;
  if (!wait_in_time(*pid, status)) return {false, "The command took longer than 60 s"};
  const auto printed = RealFiles{}.read(scratch.path(), printed_bytes_max);
  const std::string text = printed && *printed ? **printed : "";
  if (WIFEXITED(status)) return command_outcome(WEXITSTATUS(status), 0, text);
  return command_outcome(std::nullopt, WTERMSIG(status), text);
}

std::string result_json(const std::vector<CheckResult>& results) {
  return JsonObject{}.flag("passed", all_passed(results)).raw("checks", json_of(results)).done() + "\n";
}

Expected<std::string> rules_text(const std::string& argument) {
  if (!argument.starts_with('@')) return argument;
  auto text = RealFiles{}.read(argument.substr(1), Limits::file_bytes_max);
  if (!text) return std::unexpected(text.error());
  if (!*text) return fault("file-unreadable", fmt::format("there is no file {}", argument.substr(1)));
  return std::move(**text);
}

Expected<std::string> output_text(const std::string& file) {
  auto text = RealFiles{}.read(file, Limits::output_bytes_max);
  if (!text) return std::unexpected(text.error());
  if (!*text) return fault("file-unreadable", fmt::format("there is no file {}", file));
  return std::move(**text);
}

int answer(const ValidateOptions& options, const std::vector<CheckResult>& results) {
  write_out(STDOUT_FILENO, result_json(results));
  return all_passed(results) || options.compat ? exit_done : exit_failed;
}

}  // namespace

int validate_verb(const Common& common, const ValidateOptions& options) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  const auto content = output_text(options.file);
  if (!content) {
    if (!options.compat) return print(common, content.error()), exit_refused;
    return answer(options, {{"file_readable", false, "Failed to read artifact: " + content.error().message}});
  }
  const auto rules = rules_text(options.rules);
  if (!rules) return print(common, rules.error()), exit_refused;
  const OutputFormat format = options.file.ends_with(".json") ? OutputFormat::json : OutputFormat::text;
  const std::string name = options.rules.starts_with('@') ? options.rules.substr(1) : "RULES-JSON";
  const auto checks = read_rules(*rules, name, format, files_of(*project));
  if (!checks) {
    const Fault& first = checks.error().front();
    if (!options.compat || first.code != "bad-rules") return print(common, checks.error()), exit_refused;
    return answer(options, {{"criteria_valid", false, "Invalid criteria JSON: " + first.message}});
  }

  Evidence evidence;
  const std::string output = fs::absolute(options.file).lexically_normal().string();
  for (const Check* check : command_checks(*checks)) {
    evidence.commands.push_back(run_command(*check, project->root(), output));
  }
  return answer(options, evaluate(*checks, format, *content, evidence));
}

}  // namespace baton::cli
