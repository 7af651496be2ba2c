#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "core/command.h"
#include "core/run.h"
#include "dialect/chain/extend.h"

namespace baton {

/// What time it is. The one place where it comes in.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() = 0;
};

/// The files of runs: prompts, logs, outputs.
class Files {
 public:
  virtual ~Files() = default;
  /// nullopt if there is no such file. Faults: file-too-large, file-unreadable.
  virtual Expected<std::optional<std::string>> read(const std::string& path, std::size_t bytes_max) = 0;
  /// What stands at and after `offset`, at most `bytes_max` of it; empty if there is nothing (yet).
  virtual std::string read_from(const std::string& path, std::uint64_t offset, std::size_t bytes_max) = 0;
  /// Whole or not at all: written beside and renamed. Makes missing folders.
  virtual Status write(const std::string& path, std::string_view content) = 0;
  /// Makes the folder that the file is to lie in, if it is missing. That it cannot be made shows when it is written.
  virtual void make_folder_for(const std::string& /*path*/) {}
  virtual Status append(const std::string& path, std::string_view content) = 0;
  /// Something that is different whenever the file (or the list of a folder's files) has changed.
  virtual std::uint64_t stamp(const std::string& path) = 0;
};

/// A skill as an agent is told it.
struct SkillText {
  std::string body;
  std::string folder;              ///< absolute; empty if it has none
  std::vector<std::string> files;  ///< its other files, absolute
};

/// The skills there are. Asked for every attempt, so that one that was edited meanwhile is told as it is now.
class Skills {
 public:
  virtual ~Skills() = default;
  virtual std::optional<SkillText> find(const std::string& name) = 0;
};

/// What steps' answers mean for the rest of their run. Whoever knows the workflows and skills there are answers.
class Answers {
 public:
  virtual ~Answers() = default;
  /// Whether the answer can be used; empty if any can.
  virtual std::vector<CheckResult> check(const Run& run, StepIndex step, const std::string& answer) = 0;
  virtual chain::Extension extend(const Run& run, StepIndex by, const std::string& answer) = 0;
  /// What sees to a conflict in the tree of a step that waits for it.
  virtual chain::Extension resolve(const Run& run, StepIndex waiting, const std::vector<std::string>& files,
                                   const std::string& with) = 0;
};

/// Whoever watches a run. Told only of what is already on record.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void announced(const std::string& id, const Run& run, const command::Announce& what, Time at) = 0;
  virtual void said(const std::string& id, const Run& run, StepIndex step, int attempt, std::string_view text,
                    Time at) = 0;
  /// The run waits for a place: so many runs have to make room first.
  virtual void queued(const std::string& /*id*/, const Run& /*run*/, std::size_t /*before*/, Time /*at*/) {}
  /// Something is not well, but the run goes on.
  virtual void warned(const std::string& /*id*/, const Fault& /*fault*/) {}
};

}  // namespace baton
