#include "host/holder_link.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "io/program.h"
#include "io/waiting.h"

namespace baton {
namespace {

constexpr int exit_held_already = 3;  // of the holder: another one has the lock

Status start_holder(const HolderProgram& program, SteadyTime until) {
  // In a session of its own from the first moment, so that a Ctrl-C meant for the caller does not end it half started.
  const auto pid = start_program({.argv = {program.path, program.state_dir}, .env = program.environment, .cwd = "/"});
  if (!pid) {
    return fault("holder-unreachable", fmt::format("cannot start the holder: {}", pid.error()),
                 "reinstall Baton: baton-holder belongs beside the baton program");
  }
  const auto left = std::chrono::ceil<Millis>(until - std::chrono::steady_clock::now());
  if (!ends_within(*pid, left)) ::kill(*pid, SIGKILL);
  const ProgramEnd end = wait_for_end(*pid);
  const bool is_lost = !end.exit && end.signal == 0;  // connecting to it says more
  if (is_lost || end.exit == 0 || end.exit == exit_held_already) return {};
  return fault("holder-unreachable", fmt::format("{} could not start in {}", program.path, program.state_dir),
               "check that the state folder exists, is yours and is on a disk with space left");
}

}  // namespace

Descriptor connect_to_holder(const std::string& state_dir) {
  const Descriptor folder = open_file(state_dir, O_PATH | O_DIRECTORY);
  if (!folder) return {};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // A path through the folder's descriptor is short however long the folder's own is.
  fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}/holder.sock", folder.get());
  Descriptor link{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (::connect(link.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return link;
  return {};
}

Expected<Descriptor> reach_holder(const HolderProgram& program, SteadyTime until) {
  for (;;) {
    if (Descriptor link = connect_to_holder(program.state_dir)) return link;
    if (std::chrono::steady_clock::now() >= until) {
      return fault("holder-unreachable", fmt::format("the holder of {} does not answer", program.state_dir),
                   "see holder.log in that folder");
    }
    if (auto started = start_holder(program, until); !started) return std::unexpected(started.error());
    if (Descriptor link = connect_to_holder(program.state_dir)) return link;
    pause_for(Millis{2});  // another one is going away just now
  }
}

}  // namespace baton
