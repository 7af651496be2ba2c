#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

/// Files and processes of this machine, as a test sees them.
namespace baton::test {

using std::chrono::milliseconds;

/// No test waits longer than this for anything; one that does has failed.
constexpr milliseconds patience_max = std::chrono::seconds{40};

/// Looks again and again until `condition` holds; false after `patience`.
bool eventually(const std::function<bool()>& condition, milliseconds patience = patience_max);

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);
bool file_exists(const std::string& path);
std::vector<std::string> lines_of(const std::string& text);
/// How often `line` is one of the file's lines.
int count_lines(const std::string& path, const std::string& line);
bool has(const std::string& text, const std::string& part);

/// Not gone and not a zombie.
bool is_alive(pid_t pid);
/// The letter of /proc/PID/stat: R, S, D, T ...; 0 if it is gone.
char state_of(pid_t pid);
/// Stopped, or (a shell in the middle of a vfork) waiting without end for a child that is stopped.
bool stands_still(pid_t pid);
/// Ticks of CPU the process took so far, -1 if it is gone.
long cpu_ticks(pid_t pid);

}  // namespace baton::test
