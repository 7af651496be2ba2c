#include "tui/children.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

extern char** environ;

namespace baton::tui {
namespace {

constexpr std::size_t said_bytes_max = 8U << 20U;

/// What a program is to read, as a file that nobody else sees.
int as_input(const std::string& text) {
  if (text.empty()) return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int fd = ::memfd_create("input", MFD_CLOEXEC);
  std::size_t done = 0;
  while (fd >= 0 && done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  if (fd >= 0) ::lseek(fd, 0, SEEK_SET);
  return fd;
}

/// False when the other side has closed it.
bool read_some(int fd, std::string& into) {
  std::array<char, 16384> buffer{};
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0) {
      if (into.size() < said_bytes_max) into.append(buffer.data(), static_cast<std::size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    return n < 0 && errno == EAGAIN;
  }
}

void close_one(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

pid_t spawn(const std::vector<std::string>& argv, int in, int out, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  sigset_t none;
  sigset_t defaults;
  ::sigemptyset(&none);
  ::sigfillset(&defaults);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes,
                             static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, words[0], &actions, &attributes, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return failed == 0 ? pid : 0;
}

}  // namespace

Children::~Children() {
  for (Child& c : children_) {
    close_one(c.out);
    close_one(c.err);
  }
}

bool Children::start(const std::vector<std::string>& argv, const std::string& input, Then then) {
  std::array<int, 2> out{-1, -1};
  std::array<int, 2> err{-1, -1};
  int in = as_input(input);
  if (in < 0 || ::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) {
    for (int* fd : {&in, &out[0], &out[1], &err[0], &err[1]}) close_one(*fd);
    return false;
  }
  const pid_t pid = spawn(argv, in, out[1], err[1]);
  for (int* fd : {&in, &out[1], &err[1]}) close_one(*fd);
  for (const int fd : {out[0], err[0]}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  if (pid == 0) {
    close_one(out[0]);
    close_one(err[0]);
    return false;
  }
  children_.push_back({pid, out[0], err[0], {}, std::move(then)});
  return true;
}

void Children::add_to(std::vector<pollfd>& fds) const {
  for (const Child& c : children_) {
    if (c.out >= 0) fds.push_back({c.out, POLLIN, 0});
    if (c.err >= 0) fds.push_back({c.err, POLLIN, 0});
  }
}

bool Children::look() {
  std::vector<Child> ended;
  for (std::size_t i = 0; i < children_.size();) {
    Child& c = children_[i];
    if (c.out >= 0 && !read_some(c.out, c.ended.out)) close_one(c.out);
    if (c.err >= 0 && !read_some(c.err, c.ended.err)) close_one(c.err);
    int status = 0;
    if (::waitpid(c.pid, &status, WNOHANG) != c.pid) {
      ++i;
      continue;
    }
    // What it started may still hold the other end: what there is now has to do.
    if (c.out >= 0) (void)read_some(c.out, c.ended.out);
    if (c.err >= 0) (void)read_some(c.err, c.ended.err);
    close_one(c.out);
    close_one(c.err);
    c.ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ended.push_back(std::move(c));
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const Child& c : ended) c.then(c.ended);
  return !ended.empty();
}

}  // namespace baton::tui
