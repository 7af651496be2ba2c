#include "unit/git/land_world.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>

namespace baton::git::test {
namespace {

namespace fs = std::filesystem;
using baton::test::bytes_of;
using baton::test::write_bytes;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
  return out + "'";
}

struct ShellResult {
  bool ok = false;
  std::string out;
};

ShellResult shell(const std::string& folder, const std::string& script) {
  const std::string line = fmt::format("cd {} && {{ set -e\n{}\n}} 2>&1", quoted(folder), script);
  FILE* pipe = ::popen(line.c_str(), "r");
  ShellResult result;
  std::array<char, 4096> buffer{};
  std::size_t n = 0;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) result.out.append(buffer.data(), n);
  result.ok = ::pclose(pipe) == 0;
  return result;
}

std::string shown(const fs::directory_entry& entry) {
  struct stat info{};
  ::lstat(entry.path().c_str(), &info);
  if (S_ISLNK(info.st_mode)) return "link " + fs::read_symlink(entry.path()).string();
  return fmt::format("{:o} {}", info.st_mode & 0777U, bytes_of(entry.path().string()));
}

}  // namespace

void PrintTo(const Picture& picture, std::ostream* out) {
  for (const auto& [path, content] : picture.files) *out << path << ": " << testing::PrintToString(content) << "\n";
  *out << "index:\n" << picture.index << "status:\n" << picture.status << "refs:\n" << picture.refs;
  *out << "stash:\n" << picture.stash;
}

LandWorld::LandWorld(std::string target) : target_{std::move(target)} {
  const std::map<std::string, std::string> ours{{"HOME", scratch_.path()},
                                                {"XDG_CONFIG_HOME", scratch_.path()},
                                                {"GIT_CONFIG_NOSYSTEM", "1"},
                                                {"GIT_CONFIG_GLOBAL", scratch_.file("gitconfig")}};
  for (const auto& [name, value] : ours) {
    const char* was = ::getenv(name.c_str());
    environment_[name] = was == nullptr ? "" : was;
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  // What the machine says of people and repositories is not meant for these.
  for (const char* role : {"AUTHOR", "COMMITTER"}) {
    for (const char* what : {"NAME", "EMAIL", "DATE"}) ::unsetenv(fmt::format("GIT_{}_{}", role, what).c_str());
  }
  for (const char* name : {"EMAIL", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}) ::unsetenv(name);
  write_bytes(scratch_.file("gitconfig"),
              "[user]\n name = Uma\n email = uma@example.org\n[protocol \"file\"]\n allow = always\n");
  fs::create_directories(repo());
  sh("git init -q -b " + target_ +
     "\nprintf '.baton/\\n*.ign\\n' > .git/info/exclude\n"
     "for f in a b c d e moved.txt gone.txt; do echo $f > $f; done\n"
     "mkdir dir && echo x > dir/x && ln -s a link && echo run > tool.sh\n"
     "git add . && git commit -qm base");
  base_ = sh("git rev-parse HEAD");
  base_.pop_back();
  sh("git worktree add -q .baton/worktrees/r1 -b baton/r1");
}

LandWorld::~LandWorld() {
  for (const auto& [name, value] : environment_) {
    value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
  }
}

std::string LandWorld::sh_in(const std::string& folder, const std::string& script) {
  const ShellResult result = shell(folder, script);
  EXPECT_TRUE(result.ok) << script << "\n" << result.out;
  return result.out;
}

bool LandWorld::succeeds(const std::string& folder, const std::string& script) { return shell(folder, script).ok; }

void LandWorld::run_commits(const std::string& script) const {
  in_run(script + "\ngit add -A && git commit -qm 'by the run'");
}

void LandWorld::user_commits(const std::string& script) const {
  sh(script + "\ngit add -A && git commit -qm 'by the user'");
}

LandOrder LandWorld::order(LandOrder::Strategy strategy) const {
  return {.root = repo(),
          .branch = "baton/r1",
          .base_commit = base_,
          .target = target_,
          .strategy = strategy,
          .message = "Do the task",
          .trees = trees(),
          .run = "r1"};
}

Picture LandWorld::picture_of(const std::string& tree) {
  Picture picture;
  for (fs::recursive_directory_iterator it{tree}, end; it != end; ++it) {
    const std::string path = it->path().lexically_relative(tree).string();
    if (path == ".git" || path == ".baton") {
      it.disable_recursion_pending();
      continue;
    }
    if (!fs::is_directory(it->symlink_status())) picture.files[path] = shown(*it);
  }
  const std::string git = "GIT_OPTIONAL_LOCKS=0 git ";
  picture.index = sh_in(tree, git + "ls-files --stage -v --debug | grep -v -E '^  (ctime|mtime|dev|uid|size)'");
  picture.status =
      sh_in(tree, git + "status --porcelain=v2 --untracked-files=all --ignored | grep -v ' .baton/' || true");
  picture.refs = sh_in(tree, git + "for-each-ref; " + git + "symbolic-ref -q HEAD || git rev-parse HEAD");
  picture.stash = sh_in(tree, git + "stash list -p; " + git + "reflog show refs/stash 2>/dev/null || true");
  return picture;
}

std::vector<std::string> LandWorld::litter() const {
  std::vector<std::string> found;
  std::error_code none;
  for (fs::directory_iterator it{trees(), none}, end; it != end; ++it) {
    const std::string name = it->path().filename().string();
    if (name.find("landing") != std::string::npos) found.push_back(name);
  }
  for (fs::recursive_directory_iterator it{repo() + "/.git"}, end; it != end; ++it) {
    const std::string name = it->path().filename().string();
    if (name == "baton-landing.lock") continue;
    if (name.starts_with("baton-index") || name.ends_with(".lock") || name == "packed-refs.new" ||
        name.find("_landing") != std::string::npos) {
      found.push_back(it->path().string());
    }
  }
  return found;
}

std::string LandWorld::at(const std::string& commit, const std::string& path) const {
  return sh(fmt::format("git show {}:{}", commit, path));
}

bool land_until(LandOrder order, LandPhase phase, int times) {
  const pid_t child = ::fork();
  if (child == 0) {
    order.at = [&](LandPhase reached) {
      if (reached == phase && --times == 0) ::kill(::getpid(), SIGKILL);
    };
    (void)land(order);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

}  // namespace baton::git::test
