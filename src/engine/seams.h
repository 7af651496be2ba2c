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

/// What can be said of turns that were asked for.
struct TurnNews {
  /// Work for a held process of our own before a turn can be answered; `Turns::prepared` says what it came to.
  struct Job {
    command::TakeTurn turn;
    std::vector<std::string> argv;
  };
  std::vector<EventBody> events = {};  ///< TurnTaken, or PlanExtended with joins
  std::vector<Job> jobs = {};
  Faults warnings = {};
  bool more = false;                    ///< there is more to be said at once
  std::optional<Time> look_again = {};  ///< when to ask again, where nothing that happens would lead to it
};

/// What there is to be said of an attempt that ended well, beside the checks of its output.
struct TurnJudgement {
  std::vector<CheckResult> results = {};
  std::vector<EventBody> before = {};  ///< on record in the same commit, before its step is completed
};

/// Takes the turns of runs whose order stands in files of their own and not in their plan: those of sessions. What it
/// knows of a run it finds in the run itself, so it can be asked by whoever takes that up.
class Turns {
 public:
  virtual ~Turns() = default;
  [[nodiscard]] virtual bool takes(const Run& run) const = 0;
  /// The core asks for this turn. What it comes to is said by next(), sooner or later.
  virtual void ask(const std::string& id, const Run& run, const command::TakeTurn& turn) = 0;
  /// The step has ended for good: retries and all.
  virtual void ended(const std::string& id, const Run& run, StepIndex step) = 0;
  virtual TurnNews next(const std::string& id, const Run& run) = 0;
  /// What the turn comes to after its job has ended well.
  virtual TurnNews prepared(const std::string& id, const Run& run, const command::TakeTurn& turn) = 0;
  /// What the step's agent is to do, as its files have it now.
  virtual std::string mission(const std::string& id, const Run& run, StepIndex step, int attempt) = 0;
  /// What is to be done after an attempt that ended well, before its step is completed: argv; empty: nothing.
  virtual std::vector<std::string> after(const std::string& id, const Run& run, StepIndex step) = 0;
  /// The same without a process of its own. May be asked more than once.
  virtual TurnJudgement judge(const std::string& /*id*/, const Run& /*run*/, StepIndex /*step*/, int /*attempt*/) {
    return {};
  }
  /// NAME=VALUE: what the step's attempts find beside what all of them find.
  virtual std::vector<std::string> environment(const std::string& /*id*/, const Run& /*run*/, StepIndex /*step*/,
                                               int /*attempt*/) {
    return {};
  }
  /// What attempts say of themselves comes as requests: those are heard before an attempt's end is.
  [[nodiscard]] virtual bool hears_workers(const Run& /*run*/) const { return false; }
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
