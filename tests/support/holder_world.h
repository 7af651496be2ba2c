#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/asio.h"
#include "host/holder_client.h"
#include "support/processes.h"

namespace baton::test {

/// A line of /proc/PID/status, in kB.
long status_kb(pid_t pid, const std::string& field);

/// An engine's end of a holder: a loop, a client, and all that was told.
class Engine {
 public:
  explicit Engine(HolderOptions options);

  /// Runs the loop until `condition` holds; false after 20 s.
  bool until(const std::function<bool()>& condition);

  /// Asks for it as an engine does, whose loop comes round next.
  void spawn(const SpawnSpec& spec) {
    client->spawn(spec);
    loop.poll();
  }

  const ExitRecord* exit_of(const AttemptKey& key) const;
  int exits_of(const AttemptKey& key) const;
  bool was_lost(const AttemptKey& key) const;
  pid_t pid_of(const AttemptKey& key) const;

  boost::asio::io_context loop;
  std::unique_ptr<HolderClient> client;
  std::vector<HostNotice> notices;
};

/// A state folder of its own with a holder program to be started in it. At the end nothing of it is left running.
class HolderWorld : public ::testing::Test {
 protected:
  HolderWorld();
  ~HolderWorld() override;

  HolderOptions options() const;
  std::unique_ptr<Engine> engine() const { return std::make_unique<Engine>(options()); }
  /// An engine that drives `run`.
  std::unique_ptr<Engine> driver(const std::string& run = "r") const;

  SpawnSpec shell(const AttemptKey& key, const std::string& script) const;
  std::filesystem::path file(const std::string& name) const { return folder / name; }
  std::string out(const AttemptKey& key) const;

  /// The holder's process, 0 if none runs.
  pid_t holder_pid() const;
  /// Living processes that carry this state folder's mark.
  std::vector<pid_t> marked() const;

  std::filesystem::path folder;
  std::filesystem::path state;
  std::vector<std::string> wake_argv{"/bin/true"};
  std::string idle_ms = "60000";
};

}  // namespace baton::test
