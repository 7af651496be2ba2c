#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/command.h"
#include "core/run.h"
#include "engine/file_edit.h"
#include "runtime/prompt_blocks.h"

namespace baton {

/// The turns of one run that the core asked for and still waits for. The engine keeps them, the dialect looks at them.
class OpenTurns {
 public:
  void ask(const command::TakeTurn& turn);
  /// Something was said to this turn, or the step has ended.
  void close(StepIndex step) { turns_.erase(step); }

  /// All of them, in the order of the steps.
  std::vector<command::TakeTurn> all(const Run& run);
  /// Those that were asked for since this or all() was last called, in that order.
  std::vector<command::TakeTurn> fresh(const Run& run);

 private:
  std::map<StepIndex, command::TakeTurn> turns_;
  std::vector<StepIndex> fresh_;
};

/// What can be said of turns that are open.
struct TurnNews {
  /// Work for a held process of our own before a turn can be answered; `DialectRun::prepared` says what it came to.
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

/// A skill as an agent is told it.
struct SkillText {
  std::string body;
  std::string folder;              ///< absolute; empty if it has none
  std::vector<std::string> files;  ///< its other files, absolute
};

/// A prompt as a dialect lays it out: whole, and cut where it changes.
struct LaidOutPrompt {
  std::string text;
  PromptBlocks blocks = {};
  std::string schema = {};  ///< JSON Schema of the answer, where it has to be of a form
};

/// How often the files in which a dialect shows a run's state are brought up to date.
enum class FilePace : std::uint8_t {
  none,          ///< there are none
  now_and_then,  ///< while the run goes on, and always when it stops
  every_commit,  ///< agents and people decide by them
};

/// All that the engine asks of a dialect about one run. A process that takes a run up makes one object for it; what
/// that needs to know it finds in the run itself, and nothing of it is shared between runs. What is here is what a run
/// without a dialect comes to.
class DialectRun {
 public:
  struct Traits {
    FilePace files = FilePace::none;
    bool own_turns = false;  ///< take_turns() answers turns; else plan/turn.h does
    bool hears_workers =
        false;  ///< what attempts say of themselves comes as requests, heard before an attempt's end is
  };
  /// What an attempt is told beside what the engine lays out for all.
  struct Briefing {
    std::optional<std::string> mission = {};  ///< in the place of the plan's
    std::optional<SkillText> skill = {};
    std::optional<LaidOutPrompt> whole = {};  ///< the whole prompt; then the others do not count
  };
  /// An attempt that ended well.
  struct Finished {
    StepIndex step{};
    int attempt = 0;
    std::optional<std::string> answer = {};  ///< of a step that answers
    bool passed = true;                      ///< the plan's own checks; if not, nothing of it is put to use
  };
  /// What an answer, or a conflict, makes of the plan.
  struct Extension {
    event::PlanExtended plan;
    Faults notes = {};
  };
  struct Judgement {
    std::vector<CheckResult> results = {};    ///< of further checks
    std::optional<Failure> failure = {};      ///< the step cannot stand, though all checks passed
    std::vector<EventBody> before = {};       ///< on record in the same commit, before the step is completed
    std::optional<Extension> extension = {};  ///< likewise, of a step whose answer changes the plan
  };
  /// A merge that stopped.
  struct Conflict {
    std::vector<std::string> files;
    std::string with;  ///< the branch that was to be taken in
  };
  struct Shown {
    std::vector<FileEdit> edits = {};
    bool more = false;  ///< ask again once these are written
    Faults notes = {};  ///< what went wrong beside that
  };
  /// The text of a file, by its path from the project root or absolute; nullopt if there is none.
  using Read = std::function<Expected<std::optional<std::string>>(const std::string& path)>;

  virtual ~DialectRun() = default;
  [[nodiscard]] virtual Traits traits(const Run& /*run*/) const { return {}; }

  /// Answers open turns: now, or when it is asked again.
  virtual TurnNews take_turns(const Run& /*run*/, OpenTurns& /*open*/) { return {}; }
  /// What the turn comes to after its job has ended well.
  virtual TurnNews prepared(const Run& /*run*/, const command::TakeTurn& /*turn*/) { return {}; }
  /// The step has ended for good: retries and all.
  virtual void ended(const Run& /*run*/, StepIndex /*step*/) {}

  virtual Briefing brief(const Run& /*run*/, StepIndex /*step*/, int /*attempt*/) { return {}; }
  /// NAME=VALUE: what the step's attempts find beside what all of them find.
  virtual std::vector<std::string> environment(const Run& /*run*/, StepIndex /*step*/, int /*attempt*/) { return {}; }

  /// What a held process does after an attempt that ended well, before its step is completed: argv; empty: nothing.
  virtual std::vector<std::string> after(const Run& /*run*/, StepIndex /*step*/) { return {}; }
  /// Said once all else is checked. May be asked again after a crash.
  virtual Judgement judge(const Run& /*run*/, const Finished& /*attempt*/) { return {}; }
  /// What sees to a conflict in the tree of the step that waits for it; nullopt: a person has to.
  virtual std::optional<Extension> resolve(const Run& /*run*/, StepIndex /*waiting*/, const Conflict& /*conflict*/) {
    return std::nullopt;
  }

  /// The files that show the run's state say something of this step.
  [[nodiscard]] virtual bool shows(const Run& /*run*/, StepIndex /*step*/) const { return false; }
  /// What has to be written so that they follow the record: nothing if all is as it should be. Idempotent. A fault:
  /// they have to stay as they are.
  virtual Expected<Shown> files(const Run& /*run*/, const Read& /*read*/) { return Shown{}; }
};

/// Makes what a dialect knows of a run.
class Dialects {
 public:
  virtual ~Dialects() = default;
  virtual std::unique_ptr<DialectRun> drive(const std::string& id, const Run& run) = 0;
  /// The engine begins to carry out what it decided: what was looked up for earlier attempts is looked up anew.
  /// Attempts that start together are told the same.
  virtual void look_anew() {}
};

}  // namespace baton
