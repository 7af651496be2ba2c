#include "support/processes.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace baton::test {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

bool eventually(const std::function<bool()>& condition, milliseconds patience) {
  const auto until = steady_clock::now() + patience;
  while (!condition()) {
    if (steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(milliseconds{5});
  }
  return true;
}

std::string read_text(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

void write_text(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path{path}.parent_path());
  std::ofstream{path, std::ios::binary | std::ios::trunc} << text;
}

bool file_exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

int count_lines(const std::string& path, const std::string& line) {
  return static_cast<int>(std::ranges::count(lines_of(read_text(path)), line));
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

namespace {

/// The fields of /proc/PID/stat from the state on (the third); empty if there is no such process.
std::vector<std::string> stat_fields(pid_t pid) {
  const std::string stat = read_text(fmt::format("/proc/{}/stat", pid));
  const auto end = stat.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream in{stat.substr(end + 1)};
  std::vector<std::string> fields;
  for (std::string field; in >> field;) fields.push_back(field);
  return fields;
}

}  // namespace

char state_of(pid_t pid) {
  const auto fields = stat_fields(pid);
  return fields.empty() ? '\0' : fields[0][0];
}

bool is_alive(pid_t pid) {
  const char state = state_of(pid);
  return state != '\0' && state != 'Z' && state != 'X';
}

bool stands_still(pid_t pid) { return state_of(pid) == 'T' || state_of(pid) == 'D'; }

long cpu_ticks(pid_t pid) {
  const auto fields = stat_fields(pid);
  return fields.size() < 13 ? -1 : std::stol(fields[11]) + std::stol(fields[12]);
}

}  // namespace baton::test
