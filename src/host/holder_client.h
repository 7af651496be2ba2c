#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/attempt_host.h"

namespace boost::asio {
class io_context;
}

namespace baton {

struct HolderOptions {
  std::string state_dir;                                        ///< the `.baton` folder; it exists
  std::string program;                                          ///< path of baton-holder
  std::string project_dir;                                      ///< where wakes start
  std::function<std::string(const std::string& run)> held_log;  ///< absolute path of the run's held log
  std::function<std::vector<std::string>(const std::string& run)> wake_argv;
  std::vector<std::string> environment;  ///< NAME=VALUE: of attempts, wakes and the holder itself
};

/// The attempts' host that is a program of its own, so that they outlive this process. If that program is killed, a new
/// one is started at once, what the old one left running is ended, and what had begun without an end on record is
/// reported as lost.
class HolderClient final : public AttemptHost {
 public:
  HolderClient(boost::asio::io_context& loop, HolderOptions options);
  ~HolderClient() override;  ///< lets go of all runs: the holder then wakes those that have news
  HolderClient(const HolderClient&) = delete;
  HolderClient& operator=(const HolderClient&) = delete;

  void listen(std::function<void(const HostNotice&)> sink) override;
  Expected<std::vector<Sighting>> attach(const std::string& run) override;
  bool was_started(const AttemptKey& key) override;
  std::uint64_t work_done(const AttemptKey& key) override;
  void spawn(const SpawnSpec& spec) override;
  void stop(const AttemptKey& key, Millis grace) override;
  void set_slots(const std::string& run, int slots) override;
  void limit_logs(const std::string& run, std::int64_t bytes_max) override;
  void freeze(const std::string& run) override;
  void thaw(const std::string& run) override;
  void acknowledge(const AttemptKey& key) override;
  void note(const AttemptKey& key) override;
  void wake_at(const std::string& run, std::optional<Time> when) override;

  /// Lets go of one run.
  void detach(const std::string& run);

  /// Asks for a wake of a run that somebody else may be driving (it then comes when that one lets go). False if no
  /// holder runs or it knows nothing of the run: then there is nobody but the caller to start the wake.
  bool wake_now(const std::string& run);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with the handlers that are still in the loop
};

}  // namespace baton
