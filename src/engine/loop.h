#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"

namespace boost::asio {
class io_context;
}

namespace baton {

/// Waits for what may happen to one driven run (notices, timers, signals, requests of other processes) and lets the
/// engine deal with it. One thread, plain callbacks.
class Loop {
 public:
  enum class End {
    settled,      ///< the run ended, was paused, or waits for a person
    interrupted,  ///< a signal asked this process to leave; attempts go on under their host
    left,         ///< nothing to do here for now (only with `leave_when_idle`)
    broken,       ///< the journal or the disk failed, or the run was lost to another driver
  };
  struct Result {
    End end = End::settled;
    int signal = 0;
    std::optional<Fault> fault = {};
  };
  struct Options {
    std::string run;
    std::string bell;  ///< a file that is touched when there are requests
    Millis lease_lasts{15'000};
    bool leave_when_idle = false;
    bool leave_at_once = false;  ///< as soon as all that could be done was done
    bool leave_when_parked = false;
    /// Called on SIGINT; true: it is being dealt with (a question was asked), false: leave now.
    std::function<bool()> on_interrupt = {};
    /// Called about ten times a second while the run goes on, for live views. Empty: never.
    std::function<void()> on_refresh = {};
  };

  Loop(boost::asio::io_context& context, Engine& engine, Clock& clock, Options options);
  ~Loop();

  Result run();
  /// Makes run() return. For answers that come from outside the engine.
  void leave(End end, int signal);

 private:
  struct Parts;
  void pump();
  void rearm();
  void check_settled();
  std::unique_ptr<Parts> parts_;
};

}  // namespace baton
