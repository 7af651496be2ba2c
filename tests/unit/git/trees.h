#pragma once

#include <gmock/gmock.h>

#include "git/tree.h"
#include "unit/git/repository.h"

namespace baton::test {

/// A repository in which trees are made, for a run named `r1`.
class Trees : public Repository {
 protected:
  [[nodiscard]] std::string path(const std::string& name = "r1") const { return worktrees() + "/" + name; }
  [[nodiscard]] static std::string branch(const std::string& name = "r1") { return "baton/" + name; }
  [[nodiscard]] std::string mark(const std::string& name = "r1") const { return worktrees() + "/." + name + ".tree"; }
  /// What git keeps of a tree.
  [[nodiscard]] std::string record(const std::string& name = "r1") const { return root + "/.git/worktrees/" + name; }

  [[nodiscard]] git::TreeOrder order(const std::string& name = "r1", std::vector<std::string> merge = {}) const {
    return {root, path(name), branch(name), first, std::move(merge)};
  }
  Expected<git::TreeState> prepare(const std::string& name = "r1", std::vector<std::string> merge = {}) const {
    return git::prepare(order(name, std::move(merge)));
  }
  /// Prepares and expects it to work.
  git::TreeState ready(const std::string& name = "r1", std::vector<std::string> merge = {}) const {
    auto state = prepare(name, std::move(merge));
    EXPECT_TRUE(state) << state.error().code << ": " << state.error().message;
    if (!state) return {};
    EXPECT_EQ(state->kind, git::TreeState::Kind::ready);
    return *state;
  }
  static std::string code_of(const auto& result) { return result ? "" : result.error().code; }

  std::string in_tree(const std::string& words, const std::string& name = "r1") const {
    return git_in(path(name), words);
  }
  void write_in_tree(const std::string& file, const std::string& text, const std::string& name = "r1") const {
    write_in(path(name), file, text);
  }
  /// A sub-task's tree with one commit that writes this file.
  void sub_task(const std::string& name, const std::string& file, const std::string& text) const {
    ready(name);
    write_in_tree(file, text, name);
    EXPECT_FALSE(git::commit(path(name), "work of " + name)->commit.empty());
  }
  /// Removes the tree and its branch, so that all can begin anew.
  void take_away(const std::string& name = "r1") const {
    const auto removed = git::remove(root, path(name));
    EXPECT_TRUE(removed) << removed.error().message;
    git("update-ref -d refs/heads/" + branch(name));
  }
  /// True if one of the notes has this in it.
  static bool notes_say(const std::vector<std::string>& notes, const std::string& part) {
    return std::ranges::any_of(notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
  }

  std::string first = git("rev-parse HEAD");
};

}  // namespace baton::test
