#include "git/git.h"

#include <fmt/core.h>

#include <array>
#include <csignal>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "io/command.h"
#include "io/environment.h"

namespace baton::git {
namespace {

/// Hooks are the user's for the user's own commits (and an agent's); they do not run for bookkeeping. A passphrase
/// nobody can type, a second process that keeps watching, a cache of resolutions in the user's repository: none of
/// them.
constexpr std::array calm_settings{"core.hooksPath=/dev/null", "core.fsmonitor=false",      "commit.gpgSign=false",
                                   "tag.gpgSign=false",        "advice.detachedHead=false", "gc.auto=0",
                                   "maintenance.auto=false",   "rerere.enabled=false",      "submodule.recurse=false"};

std::vector<std::string> environment(const std::vector<std::string>& further) {
  std::vector<std::string> env;
  for (const std::string& entry : own_environment()) {
    // The user's identity, ssh and proxy settings stay; what names another repository, index or editor does not.
    const bool kept = !entry.starts_with("GIT_") || entry.starts_with("GIT_AUTHOR_") ||
                      entry.starts_with("GIT_COMMITTER_") || entry.starts_with("GIT_CONFIG_") ||
                      entry.starts_with("GIT_SSH") || entry.starts_with("GIT_CEILING");
    if (kept && !entry.starts_with("LC_") && !entry.starts_with("LANG")) env.push_back(entry);
  }
  env.insert(env.end(), {"LC_ALL=C.UTF-8", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_PAGER=cat",
                         "GIT_OPTIONAL_LOCKS=0", "GIT_ADVICE=0"});
  env.insert(env.end(), further.begin(), further.end());
  return env;
}

/// The word that says what a command does, past options such as `-c NAME=VALUE`.
std::string command(const std::vector<std::string>& args) {
  for (std::size_t n = 0; n < args.size(); ++n) {
    if (args[n] == "-c")
      ++n;
    else if (!args[n].starts_with('-'))
      return args[n];
  }
  return {};
}

/// The signal that ended git, or one that git had started; 0 if it ended by itself.
int ending_signal(const CommandEnd& end) {
  if (end.signal != 0) return end.signal;
  // As a shell does it, git hands on that its child was killed. Its own codes end with 129, a wrong usage.
  constexpr int first = 128 + SIGINT;
  constexpr int last = 128 + SIGTERM;
  const int code = end.exit.value_or(0);
  return code >= first && code <= last ? code - 128 : 0;
}

/// Why it could not be started. That it was git is said before.
std::string_view without_name(std::string_view why) {
  if (why.ends_with(": git")) why.remove_suffix(std::string_view{": git"}.size());
  return why;
}

std::unexpected<Fault> killed(const std::vector<std::string>& args, int signal) {
  return fault("git-killed",
               fmt::format("git {} was ended by signal {} ({})", command(args), signal,
                           ::sigabbrev_np(signal) == nullptr ? "?" : ::sigabbrev_np(signal)),
               "do the same again: what was half done is finished then");
}

/// The lock that git could not take because it is there; "" if it was stopped by something else.
std::string lock_in_the_way(std::string_view said) {
  constexpr std::string_view before = "Unable to create '";
  constexpr std::string_view after = "': File exists";
  const auto end = said.find(after);
  if (end == std::string_view::npos) return {};
  const auto begin = said.rfind(before, end);
  return begin == std::string_view::npos ? std::string{}
                                         : std::string{said.substr(begin + before.size(), end - begin - before.size())};
}

}  // namespace

std::string Output::line() const { return std::string{trim(out.substr(0, out.find('\n')))}; }

Expected<Output> Git::run(const std::vector<std::string>& args) const { return run(args, {}, {}); }

Expected<Output> Git::run(const std::vector<std::string>& args, const std::string& input) const {
  return run(args, input, {});
}

Expected<Output> Git::run(const std::vector<std::string>& args, const std::string& input,
                          const std::vector<std::string>& env) const {
  std::vector<std::string> argv{"git", "-C", folder_};
  for (const char* setting : calm_settings) argv.insert(argv.end(), {"-c", setting});
  argv.insert(argv.end(), args.begin(), args.end());
  std::vector<std::string> further = env_;
  further.insert(further.end(), env.begin(), env.end());
  std::vector<int> kept;
  for (const Held& held : held_) kept.push_back(held.fd);
  // A git that outlives the one that started it, where that was killed, is waited for: it has its outputs open.
  auto end =
      run_command({.argv = std::move(argv), .env = environment(further), .kept_fds = kept, .in_our_session = true},
                  {.input = input, .awaits_outputs = true});
  if (!end) {
    return fault("git-missing", fmt::format("git cannot be started: {}", without_name(end.error())),
                 "install git, or run with --isolation none");
  }
  // Where SIGCHLD is ignored nobody is told how a child ended: that must not pass for a good end.
  if (!end->exit && end->signal == 0) {
    return fault("git-failed", fmt::format("git {}: how it ended is lost", command(args)));
  }
  const int signal = ending_signal(*end);
  if (signal != 0) {
    for (const Held& held : held_) {
      if (held.killed) *held.killed = true;
    }
    return killed(args, signal);
  }
  return Output{*end->exit, std::move(end->out), std::move(end->err)};
}

Expected<std::string> Git::must(const std::vector<std::string>& args) const {
  auto result = run(args);
  if (!result) return std::unexpected(result.error());
  if (!result->ok()) return std::unexpected(git_failed(args, *result));
  return std::move(result->out);
}

Expected<bool> Git::holds(const std::vector<std::string>& args) const {
  auto result = run(args);
  if (!result) return std::unexpected(result.error());
  if (result->exit > 1) return std::unexpected(git_failed(args, *result));
  return result->ok();
}

Expected<std::string> Git::commit_of(const std::string& revision) const {
  if (revision.empty() || revision.starts_with('-')) return std::string{};
  auto result = run({"rev-parse", "--verify", "--quiet", revision + "^{commit}"});
  if (!result) return std::unexpected(result.error());
  if (result->exit > 1) return std::unexpected(git_failed({"rev-parse"}, *result));
  return result->ok() ? result->line() : std::string{};
}

Git Git::in(const std::string& folder) const {
  Git other = *this;
  other.folder_ = folder;
  return other;
}

Git Git::with(const std::vector<std::string>& env) const {
  Git other = *this;
  other.env_.insert(other.env_.end(), env.begin(), env.end());
  return other;
}

Git Git::holding(int fd, std::shared_ptr<bool> killed) const {
  Git other = *this;
  other.held_.push_back({fd, std::move(killed)});
  return other;
}

std::vector<std::string> zero_separated(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, '\0')) parts.emplace_back(part);
  if (!parts.empty() && parts.back().empty()) parts.pop_back();
  return parts;
}

Fault git_failed(const std::vector<std::string>& args, const Output& output) {
  const std::string_view said = trim(output.err.empty() ? std::string_view{output.out} : std::string_view{output.err});
  if (const std::string lock = lock_in_the_way(said); !lock.empty()) {
    return {"git-locked",
            fmt::format("git {}: {} is there: another git is at work, or one that was killed left it", command(args),
                        printable(lock)),
            fmt::format("let the other one end; if none runs, 'rm {}', and try again", printable(lock))};
  }
  return {"git-failed", fmt::format("git {}: {}", command(args),
                                    said.empty() ? fmt::format("exit code {}", output.exit) : printable(said))};
}

}  // namespace baton::git
