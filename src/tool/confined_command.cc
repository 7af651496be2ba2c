#include "tool/confined_command.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

#include "base/text.h"
#include "io/descriptor.h"
#include "io/environment.h"
#include "io/process_tree.h"
#include "io/program.h"

namespace baton::tool {
namespace {

std::string output_of(const std::string& path, std::size_t bytes_max) {
  std::ifstream in{path, std::ios::binary | std::ios::ate};
  if (!in) return {};
  const auto size = static_cast<std::size_t>(in.tellg());
  const auto part = [&](std::size_t from, std::size_t bytes) {
    std::string text(bytes, '\0');
    in.seekg(static_cast<std::streamoff>(from));
    in.read(text.data(), static_cast<std::streamsize>(bytes));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
  };
  if (size <= bytes_max) return part(0, size);
  const std::size_t half = bytes_max / 2;
  return fmt::format("{}\n[… {} bytes are left out here …]\n{}", part(0, half), size - 2 * half,
                     part(size - half, half));
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// What the child writes into the pipe before what the system lacks to confine it; why it is no shell comes without.
constexpr char lacking_mark = '!';

/// The child's part: it turns into the shell, or says into the pipe why it cannot.
[[noreturn]] void become(const ConfinedCommand& command, const std::vector<std::string>& env, int output, int trouble) {
  ::setsid();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(open_file("/dev/null", O_RDONLY).get(), 0);
  ::dup2(output, 1);
  ::dup2(output, 2);
  auto [lacking, wrong] = enclose(command.enclosure);
  if (wrong.empty() && (lacking.empty() || command.unconfined)) {
    constexpr unsigned only_at_exec = 1U << 2U;  // CLOSE_RANGE_CLOEXEC
    const std::vector<std::string> argv = {"/bin/sh", "-c", command.line};
    if (::syscall(SYS_close_range, 3U, ~0U, only_at_exec) == 0) {
      ::execve("/bin/sh", pointers(argv).data(), pointers(env).data());
    }
    wrong = strerrordesc_np(errno);
  } else if (wrong.empty()) {
    wrong =
        fmt::format("{}this system cannot confine a model's commands to the working folder: {}", lacking_mark, lacking);
  }
  (void)!::write(trouble, wrong.data(), wrong.size());
  ::_exit(127);
}

struct Started {
  pid_t pid = -1;
  std::string wrong;
};

/// Waits until it is the shell, or is not to be.
Started start(const ConfinedCommand& command, int output) {
  const std::vector<std::string> env = command_environment(own_environment(), command.enclosure.temporary);
  auto trouble = make_pipe();
  if (!trouble) return {-1, strerrordesc_np(errno)};
  const pid_t pid = start_copy([&]() -> int { become(command, env, output, trouble->write.get()); });
  if (pid < 0) return {-1, strerrordesc_np(errno)};
  trouble->write.close();
  Started started{pid, {}};
  std::array<char, 512> bytes{};
  for (ssize_t n = 0; (n = ::read(trouble->read.get(), bytes.data(), bytes.size())) != 0;) {
    if (n > 0) started.wrong.append(bytes.data(), static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  if (!started.wrong.empty()) (void)wait_for_end(pid);
  return started;
}

}  // namespace

std::vector<std::string> command_environment(const std::vector<std::string>& ours, std::string_view temporary) {
  constexpr std::array<std::string_view, 13> names = {
      "PATH",    "HOME",  "LANG",      "LANGUAGE",   "TERM",          "TZ",          "USER",
      "LOGNAME", "SHELL", "BATON_RUN", "BATON_STEP", "BATON_ATTEMPT", "BATON_OUTPUT"};
  std::vector<std::string> env;
  for (const std::string& variable : ours) {
    const std::string_view name = std::string_view{variable}.substr(0, variable.find('='));
    if (name.starts_with("LC_") || std::ranges::find(names, name) != names.end()) env.push_back(variable);
  }
  if (!temporary.empty()) env.push_back(fmt::format("TMPDIR={}", temporary));
  return env;
}

ConfinedEnd run_confined(const ConfinedCommand& command, const std::string& scratch, Millis lasts_max,
                         std::size_t bytes_max) {
  ::unlink(scratch.c_str());
  const Descriptor output = open_file(scratch, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0600);
  if (!output) return {{}, fmt::format("[not started: {}: {}]", scratch, strerrordesc_np(errno)), false};
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);  // what loses its parent becomes our child
  const auto [pid, wrong] = start(command, output.get());
  if (pid < 0 || !wrong.empty()) {
    ::unlink(scratch.c_str());
    if (wrong.starts_with(lacking_mark)) return {{}, {}, false, wrong.substr(1)};
    return {{}, fmt::format("[not started: {}]", wrong), false};
  }
  const bool in_time = ends_within(pid, lasts_max);
  ::kill(-pid, SIGKILL);  // as long as it is not waited for, the number of its session is nobody else's
  const auto how = in_time ? end_if_over(pid) : std::nullopt;
  // A process may have left the shell's session, but it cannot leave us: what started it is gone, or goes now.
  end_own_children();
  ConfinedEnd end;
  end.output = output_of(scratch, bytes_max);
  ::unlink(scratch.c_str());
  if (!in_time) {
    end.how = fmt::format("[ended after {}]", brief(lasts_max));
  } else if (how && how->exit) {
    end.how = fmt::format("[exit code {}]", *how->exit);
    end.is_good = how->exit == 0;
  } else if (how && how->signal != 0) {
    end.how = fmt::format("[ended by signal {}]", how->signal);
  } else {
    end.how = "[ended, and kept from telling how]";
  }
  return end;
}

}  // namespace baton::tool
