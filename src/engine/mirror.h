#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fault.h"
#include "core/run.h"

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

/// How a dialect shows a run's state in files of its own. The journal is the truth; these follow it, and are put right
/// whenever a run is taken up.
class Mirror {
 public:
  /// The text of a file, by its path from the project root or absolute; nullopt if there is none.
  using Read = std::function<Expected<std::optional<std::string>>(const std::string& path)>;

  /// One that has very many to make may stop after so many; then it is asked again when those are written.
  static constexpr std::size_t edits_at_once = 64;

  virtual ~Mirror() = default;
  /// True if the files say something of this step.
  [[nodiscard]] virtual bool shows(const Run& run, StepIndex step) const = 0;
  /// True if the files follow every commit, and not only now and then: others decide by them.
  [[nodiscard]] virtual bool is_prompt(const Run& /*run*/) const { return false; }
  /// What has to be written: nothing if all is as it should be. Idempotent. A fault: it has to stay as it is.
  [[nodiscard]] virtual Expected<std::vector<FileEdit>> edits(const std::string& id, const Run& run,
                                                              const Read& read) const = 0;
  /// What went wrong beside that, since it was last asked.
  [[nodiscard]] virtual std::optional<Fault> trouble() const { return std::nullopt; }
};

}  // namespace baton
