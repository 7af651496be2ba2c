#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fault.h"

namespace baton::git {

/// A run's work: what is in its tree, or on its branch where the tree is gone, as against where it started.
struct DiffOrder {
  std::string root;  ///< the project
  std::string tree;
  std::string branch;
  std::string start;
};

struct DiffOptions {
  bool stat_only = false;
  bool color = false;
};

/// Everything that was changed since `start`: in commits, staged, unstaged and in files git does not know yet. Binary
/// files are named, not shown. Neither index nor objects of the repository are touched.
/// With `color`, control characters of the files are shown as signs. Faults: git-commit-missing, git-failed.
Expected<std::string> diff(const DiffOrder& order, const DiffOptions& options);

struct FileChange {
  std::string path;
  std::string old_path;              ///< where it was renamed; else ""
  std::optional<std::size_t> added;  ///< lines; nullopt for binary files
  std::optional<std::size_t> removed;
};
/// The same as a list.
Expected<std::vector<FileChange>> changes(const DiffOrder& order);

/// A diff in colours, line by line, with control characters shown as signs: it may go to a terminal.
std::string in_color(const std::string& diff);

}  // namespace baton::git
