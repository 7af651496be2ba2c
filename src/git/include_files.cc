#include "git/include_files.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "git/git.h"
#include "io/folder.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t files_max = 20'000;
constexpr std::size_t notes_max = 10;

/// The folder that `path` is to be in, made where it is missing; never through a link.
Descriptor folder_for(const Descriptor& tree, const fs::path& path) {
  Descriptor at{::fcntl(tree.get(), F_DUPFD_CLOEXEC, 0)};
  for (const fs::path& part : path.parent_path()) {
    ::mkdirat(at.get(), part.c_str(), 0777);
    Descriptor next = open_in(at, part.string(), O_DIRECTORY | O_NOFOLLOW | O_PATH);
    if (!next) return next;
    at = std::move(next);
  }
  return at;
}

bool copy_bytes(int from, int to) {
  for (;;) {
    const ssize_t n = ::sendfile(to, from, nullptr, 1U << 30U);
    if (n == 0) return true;
    if (n < 0 && errno != EINTR) return false;
  }
}

/// Why it was not copied; "" if it was, or if something is there already.
std::string copy_file(const Descriptor& top, const Descriptor& tree, const fs::path& path) {
  const Descriptor from = open_beneath(top, path.string(), O_RDONLY | O_NONBLOCK, RESOLVE_NO_SYMLINKS);
  struct stat s{};
  if (!from || ::fstat(from.get(), &s) != 0) return strerrordesc_np(errno);
  if (!S_ISREG(s.st_mode)) return "it is no file";
  const Descriptor folder = folder_for(tree, path);
  if (!folder) return strerrordesc_np(errno);
  const Descriptor to = open_in(folder, path.filename().string(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!to) return errno == EEXIST ? "" : strerrordesc_np(errno);
  if (!copy_bytes(from.get(), to.get())) return strerrordesc_np(errno);
  ::fchmod(to.get(), s.st_mode & 07777U);
  return {};
}

std::string copy_link(const Descriptor& top, const Descriptor& tree, const fs::path& path) {
  std::array<char, 4096> target{};
  const Descriptor parent =
      path.has_parent_path() ? open_beneath(top, path.parent_path().string(), O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS)
                             : Descriptor{::fcntl(top.get(), F_DUPFD_CLOEXEC, 0)};
  const ssize_t size =
      parent ? ::readlinkat(parent.get(), path.filename().c_str(), target.data(), target.size() - 1) : -1;
  if (size < 0) return strerrordesc_np(errno);
  const fs::path leads_to = (path.parent_path() / target.data()).lexically_normal();
  if (fs::path{target.data()}.is_absolute() || leads_to.string().starts_with(".."))
    return "it is a link out of the project";
  const Descriptor folder = folder_for(tree, path);
  if (!folder) return strerrordesc_np(errno);
  const bool made = ::symlinkat(target.data(), folder.get(), path.filename().c_str()) == 0 || errno == EEXIST;
  return made ? "" : strerrordesc_np(errno);
}

std::string copy(const Descriptor& top, const Descriptor& tree, const std::string& path) {
  struct stat s{};
  if (::fstatat(top.get(), path.c_str(), &s, AT_SYMLINK_NOFOLLOW) != 0) return strerrordesc_np(errno);
  return S_ISLNK(s.st_mode) ? copy_link(top, tree, path) : copy_file(top, tree, path);
}

/// True if there is such a file at all: looking at every file that git ignores can take long.
Expected<bool> is_asked_for(const Git& git) {
  std::error_code error;
  if (fs::exists(git.folder() + "/.worktreeinclude", error)) return true;
  auto found = git.must(
      {"ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ":(top,glob)**/.worktreeinclude"});
  if (!found) return std::unexpected(found.error());
  return !found->empty();
}

/// Untracked files that both a `.worktreeinclude` and git's own rules speak of.
Expected<std::vector<std::string>> included(const std::string& top) {
  const Git git{top};
  auto asked = is_asked_for(git);
  if (!asked) return std::unexpected(asked.error());
  if (!*asked) return std::vector<std::string>{};
  auto named = git.must({"ls-files", "--others", "--ignored", "--exclude-per-directory=.worktreeinclude", "-z"});
  if (!named) return std::unexpected(named.error());
  if (named->empty()) return std::vector<std::string>{};
  auto ignored = git.run({"check-ignore", "-z", "--stdin"}, *named);
  if (!ignored) return std::unexpected(ignored.error());
  if (ignored->exit > 1) return std::unexpected(git_failed({"check-ignore"}, *ignored));
  return zero_separated(ignored->out);
}

}  // namespace

Status include_files(const std::string& top, const std::string& state, const std::string& tree,
                     std::vector<std::string>& notes) {
  auto paths = included(top);
  if (!paths) return std::unexpected(paths.error());
  const Descriptor from = open_file(top, O_DIRECTORY | O_PATH);
  const Descriptor to = open_file(tree, O_DIRECTORY | O_PATH);
  if (!from || !to) return fault("file-failed", fmt::format("cannot open {} or {}", top, tree));
  std::size_t copied = 0;
  std::size_t left_out = 0;
  for (const std::string& path : *paths) {
    const std::string whole = fmt::format("{}/{}", top, path);
    if (whole.starts_with(state + "/") || path.ends_with('/')) continue;
    const std::string why = ++copied > files_max ? "there are too many" : copy(from, to, path);
    if (why.empty()) continue;
    if (left_out++ < notes_max)
      notes.push_back(fmt::format(".worktreeinclude: '{}' was left out: {}", printable(path), why));
  }
  if (left_out > notes_max) notes.push_back(fmt::format(".worktreeinclude: {} files were left out", left_out));
  return {};
}

}  // namespace baton::git
