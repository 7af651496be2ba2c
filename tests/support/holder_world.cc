#include "support/holder_world.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/file.h>

#include <fstream>

#include "support/places.h"

extern char** environ;

namespace baton::test {
namespace fs = std::filesystem;
using std::chrono::steady_clock;

long status_kb(pid_t pid, const std::string& field) {
  std::ifstream in{fmt::format("/proc/{}/status", pid)};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(field + ":")) return std::stol(line.substr(field.size() + 1));
  }
  return -1;
}

Engine::Engine(HolderOptions options) : client(std::make_unique<HolderClient>(loop, std::move(options))) {
  client->listen([this](const HostNotice& notice) { notices.push_back(notice); });
}

bool Engine::until(const std::function<bool()>& condition) {
  const auto give_up = steady_clock::now() + std::chrono::seconds{20};
  while (!condition()) {
    if (steady_clock::now() >= give_up) return false;
    loop.restart();
    loop.run_for(milliseconds{5});
  }
  return true;
}

const ExitRecord* Engine::exit_of(const AttemptKey& key) const {
  for (const HostNotice& notice : notices) {
    const auto* exited = std::get_if<AttemptExitedNotice>(&notice);
    if (exited != nullptr && exited->record.key == key) return &exited->record;
  }
  return nullptr;
}

int Engine::exits_of(const AttemptKey& key) const {
  int count = 0;
  for (const HostNotice& notice : notices) {
    const auto* exited = std::get_if<AttemptExitedNotice>(&notice);
    if (exited != nullptr && exited->record.key == key) ++count;
  }
  return count;
}

bool Engine::was_lost(const AttemptKey& key) const {
  for (const HostNotice& notice : notices) {
    const auto* lost = std::get_if<AttemptLostNotice>(&notice);
    if (lost != nullptr && lost->key == key) return true;
  }
  return false;
}

pid_t Engine::pid_of(const AttemptKey& key) const {
  for (const HostNotice& notice : notices) {
    const auto* started = std::get_if<AttemptStartedNotice>(&notice);
    if (started != nullptr && started->key == key) return started->pid;
  }
  return 0;
}

HolderWorld::HolderWorld() {
  std::string pattern = (fs::temp_directory_path() / "baton-host-XXXXXX").string();
  folder = fs::canonical(::mkdtemp(pattern.data()));
  state = folder / ".baton";
  fs::create_directory(state);
}

HolderWorld::~HolderWorld() {
  if (const pid_t holder = holder_pid(); holder > 0) {
    ::kill(holder, SIGKILL);
    eventually([&] { return !is_alive(holder); });
  }
  eventually([&] {
    const auto left = marked();
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    return left.empty();
  });
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

HolderOptions HolderWorld::options() const {
  HolderOptions options{.state_dir = state.string(),
                        .program = program_of_ours("baton-holder"),
                        .project_dir = folder.string(),
                        .held_log =
                            [folder = folder](const std::string& run) {
                              fs::create_directories(folder / "runs" / run);
                              return (folder / "runs" / run / "held.log").string();
                            },
                        .wake_argv = [argv = wake_argv](const std::string&) { return argv; },
                        .environment = {"PATH=/usr/bin:/bin", "BATON_HOLDER_IDLE_MS=" + idle_ms, "INHERITED=yes"}};
  return options;
}

std::unique_ptr<Engine> HolderWorld::driver(const std::string& run) const {
  auto fresh = engine();
  const auto seen = fresh->client->attach(run);
  EXPECT_TRUE(seen.has_value()) << (seen ? "" : seen.error().message);
  return fresh;
}

SpawnSpec HolderWorld::shell(const AttemptKey& key, const std::string& script) const {
  const std::string base = (folder / fmt::format("{}-{}-{}", key.run, key.step, key.attempt)).string();
  return {.key = key,
          .argv = {"/bin/sh", "-c", script},
          .cwd = folder.string(),
          .stdout_path = base + ".out",
          .stderr_path = base + ".err"};
}

std::string HolderWorld::out(const AttemptKey& key) const {
  return read_text(folder / fmt::format("{}-{}-{}.out", key.run, key.step, key.attempt));
}

pid_t HolderWorld::holder_pid() const {
  const int lock = ::open((state / "holder.lock").c_str(), O_RDWR | O_CLOEXEC);
  if (lock < 0) return 0;
  const bool nobody = ::flock(lock, LOCK_SH | LOCK_NB) == 0;
  ::close(lock);
  if (nobody) return 0;
  std::string text;
  eventually([&] { return !(text = read_text(state / "holder.lock")).empty(); });
  return static_cast<pid_t>(std::stol(text));
}

std::vector<pid_t> HolderWorld::marked() const {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string environment = '\0' + read_text(entry.path() / "environ");
    const std::string mark = '\0' + ("_BATON_HOLDER=" + state.string()) + '\0';
    const pid_t pid = static_cast<pid_t>(std::stol(name));
    if (environment.find(mark) != std::string::npos && is_alive(pid)) found.push_back(pid);
  }
  return found;
}

}  // namespace baton::test
