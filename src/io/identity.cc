#include "io/identity.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>

#include <array>

#include "base/number.h"
#include "base/text.h"
#include "io/files.h"

namespace baton {
namespace {

/// Field 22 of /proc/PID/stat, counted after the program's name, which may itself hold blanks and brackets.
/// Empty for a process that is gone or only a zombie: that one does nothing any more.
std::string start_time(int pid) {
  const std::string stat = file_text(fmt::format("/proc/{}/stat", pid));
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return {};
  const auto fields = split(std::string_view{stat}.substr(name_end + 2), ' ');
  constexpr std::size_t start_time_field = 19;
  if (fields.size() <= start_time_field || fields[0] == "Z" || fields[0] == "X") return {};
  return std::string{fields[start_time_field]};
}

}  // namespace

std::string ProcessIdentity::text() const { return fmt::format("{}:{}:{}", host, pid, started); }

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

std::string boot_id() { return std::string{trim(file_text("/proc/sys/kernel/random/boot_id"))}; }

ProcessIdentity own_identity() { return {host_name(), ::getpid(), start_time(::getpid())}; }

bool is_certainly_dead(const std::string& text) {
  const auto parts = split(text, ':');
  if (parts.size() != 3 || parts[0] != host_name()) return false;
  const int pid = parse_whole<int>(parts[1]).value_or(0);
  return pid > 0 && start_time(pid) != parts[2];
}

}  // namespace baton
