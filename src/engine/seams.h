#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "core/command.h"
#include "core/run.h"
#include "dialect/chain/extend.h"
#include "runtime/prompt_blocks.h"

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
  /// The same, but whether it is still there after a power cut is sure only once sync() has answered.
  virtual Status write_soon(const std::string& path, std::string_view content) { return write(path, content); }
  /// For what nobody needs after a power cut, nor reads before this has answered.
  virtual Status write_brief(const std::string& path, std::string_view content) { return write(path, content); }
  /// All that was written soon is on disk. Together it takes hardly longer than one alone.
  virtual Status sync() { return {}; }
  /// Makes the folder that the file is to lie in, if it is missing. That it cannot be made shows when it is written.
  virtual void make_folder_for(const std::string& /*path*/) {}
  virtual Status append(const std::string& path, std::string_view content) = 0;
  /// The same, and nothing is ever added to it again: a file that says the same words may be known by this name, too.
  virtual Status append_last(const std::string& path, std::string_view content) { return append(path, content); }
  /// Keeps others who ask for the same file's guard away while the answer lives; null if somebody else has it now.
  virtual std::shared_ptr<void> guard(const std::string& /*path*/) { return std::make_shared<int>(0); }
  /// What lies at `from` lies at `to` from now on, in the place of what was there. Makes missing folders.
  virtual Status move(const std::string& from, const std::string& to) = 0;
  /// Something that is different whenever the file (or the list of a folder's files) was written, replaced or touched.
  virtual std::uint64_t stamp(const std::string& path) = 0;
  /// A file or a folder is there.
  virtual bool is_there(const std::string& path) { return stamp(path) != 0; }
  /// The file itself is a link, wherever that leads.
  virtual bool is_link(const std::string& /*path*/) { return false; }
  /// By links on its way a file of this path lies outside of all of `folders`.
  virtual bool leads_out(const std::string& /*path*/, const std::vector<std::string>& /*folders*/) { return false; }
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
  /// The answer is put to use beyond the run, if anybody has a use for it. May happen again after a crash. A failure:
  /// the step cannot stand.
  virtual std::optional<Failure> receive(const Run& /*run*/, StepIndex /*step*/, const std::string& /*answer*/) {
    return std::nullopt;
  }
  /// What sees to a conflict in the tree of a step that waits for it.
  virtual chain::Extension resolve(const Run& run, StepIndex waiting, const std::vector<std::string>& files,
                                   const std::string& with) = 0;
};

/// A prompt as a dialect lays it out: whole, and cut where it changes.
struct LaidOutPrompt {
  std::string text;
  PromptBlocks blocks = {};
  std::string schema = {};  ///< JSON Schema of the answer, where it has to be of a form
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
  /// The whole prompt, where a dialect has a layout of its own; nullopt: mission() among the usual parts.
  virtual std::optional<LaidOutPrompt> prompt(const std::string& /*id*/, const Run& /*run*/, StepIndex /*step*/,
                                              int /*attempt*/) {
    return std::nullopt;
  }
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
