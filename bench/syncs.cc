// The least that a short run can do if it is to be kept: what ours syncs, and nothing else.
// Usage: bench_syncs FOLDER. Two commits of a few pages to a log that is there, and a small file that takes the place
// of another.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

bool commit(int log) {
  const std::vector<char> pages(std::size_t{4} * 4096, 'x');
  return ::write(log, pages.data(), pages.size()) == static_cast<ssize_t>(pages.size()) && ::fdatasync(log) == 0;
}

bool replace(const std::string& path) {
  const int file = ::open((path + ".tmp").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written = file >= 0 && ::write(file, "{}", 2) == 2 && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  return written && std::rename((path + ".tmp").c_str(), path.c_str()) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const int log = ::open((folder + "/log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (log < 0) return 1;
  const bool kept = commit(log) && commit(log) && replace(folder + "/shown");
  return kept ? 0 : 1;
}
