#pragma once

#include <string>

namespace baton {

/// Who a process is, beyond its number, which the system gives out again.
struct ProcessIdentity {
  std::string host;
  int pid = 0;
  std::string started;  ///< the process's start time as the kernel counts it; empty if there is no such process

  /// `host:pid:started`, unique for one process.
  [[nodiscard]] std::string text() const;
};

ProcessIdentity own_identity();
/// REQUIRES: `text` came from ProcessIdentity::text().
/// True only if the process was on this machine and is certainly gone (no such pid, or the pid is another's now).
bool is_certainly_dead(const std::string& text);

/// Changes with every boot of the machine.
std::string boot_id();
std::string host_name();

}  // namespace baton
