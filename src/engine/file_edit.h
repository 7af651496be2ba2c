#pragma once

#include <memory>
#include <optional>
#include <string>

namespace baton {

/// A file as it should be.
struct FileEdit {
  std::string path;  ///< relative to the project root, or absolute
  std::string content;
  /// What it was made from, if others write to the file too: when it is not that any more, it is not written but made
  /// anew.
  std::optional<std::string> before = {};
  bool guarded = false;  ///< others who write to it take turns by its lock (Files::guard)
  /// Another file that is to be written just before this one, and only if this one is.
  std::shared_ptr<const FileEdit> companion = {};
};

}  // namespace baton
