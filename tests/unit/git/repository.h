#pragma once

#include <stdlib.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "support/scratch.h"

extern char** environ;

namespace baton::test {

namespace fs = std::filesystem;

/// One word for a shell, whatever is in it.
inline std::string shell_word(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

/// What a shell command prints, standard error included. Fails the test where the command does, unless `may_fail`.
inline std::string sh(const std::string& folder, const std::string& command, bool may_fail = false) {
  FILE* pipe = ::popen(("cd " + shell_word(folder) + " && { " + command + "\n} 2>&1").c_str(), "r");
  std::string out;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), n);
  const int ended = ::pclose(pipe);
  EXPECT_TRUE(may_fail || ended == 0) << command << "\n" << out;
  return out;
}

/// A user's repository in a world of its own: a home without settings, a checkout, a state folder as Baton makes it.
class Repository : public ::testing::Test {
 protected:
  explicit Repository(const std::string& branch = "main") {
    ::setenv("HOME", scratch.path().c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (scratch.path() + "/none").c_str(), 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    ::setenv("GIT_CEILING_DIRECTORIES", scratch.path().c_str(), 1);
    for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL",
                             "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL", "GIT_CONFIG_GLOBAL"}) {
      ::unsetenv(name);
    }
    write_bytes(scratch.file(".gitconfig"),
                "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
                "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n");
    sh(scratch.path(), "git init -q -b " + branch + " " + shell_word(root));
    write("README", "first\n");
    git("add -A && git -c commit.gpgSign=false commit -q -m first");
    make_state_folder();
  }

  void make_state_folder() const {
    fs::create_directories(state());
    write_bytes(state() + "/.gitignore", "*\n");
  }

  [[nodiscard]] std::string state() const { return root + "/.baton"; }
  [[nodiscard]] std::string worktrees() const { return state() + "/worktrees"; }

  /// A file of the user's checkout, or of any other folder.
  void write(const std::string& name, const std::string& text) const { write_in(root, name, text); }
  static void write_in(const std::string& folder, const std::string& name, const std::string& text) {
    const std::string path = folder + "/" + name;
    fs::create_directories(fs::path{path}.parent_path());
    write_bytes(path, text);
  }

  /// `git WORDS` in the user's checkout, its output without the last newline.
  std::string git(const std::string& words) const { return git_in(root, words); }
  static std::string git_in(const std::string& folder, const std::string& words) {
    std::string out = sh(folder, "git " + words);
    if (out.ends_with('\n')) out.pop_back();
    return out;
  }
  /// A commit of the user's own, past hooks and keys.
  std::string commit(const std::string& message) const { return commit_in(root, message); }
  static std::string commit_in(const std::string& folder, const std::string& message) {
    git_in(folder, "add -A && git -c commit.gpgSign=false commit -q --no-verify -m " + shell_word(message));
    return git_in(folder, "rev-parse HEAD");
  }

  /// Everything of the user's checkout that Baton must leave as it is, byte for byte.
  [[nodiscard]] std::string users_things() const {
    std::string all = bytes_of(root + "/.git/index") + git("stash list") + bytes_of(root + "/.git/HEAD");
    // Asking the question must not change the answer.
    all += git("--no-optional-locks status --porcelain --ignored -z");
    for (const auto& entry : fs::recursive_directory_iterator{root}) {
      const std::string path = entry.path().string();
      if (path.starts_with(root + "/.git") || path.starts_with(state())) continue;
      all += path + "\n" + (entry.is_regular_file() ? bytes_of(path) : std::string{});
    }
    return all;
  }

  Scratch scratch;
  std::string root = scratch.file("project");
};

}  // namespace baton::test

/// So that `test::` means the same in baton::git, where some helpers of its own stand.
namespace baton::git::test {
using namespace baton::test;
}
