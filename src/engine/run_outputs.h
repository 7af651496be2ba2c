#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/run.h"
#include "engine/output_writers.h"
#include "engine/seams.h"

namespace baton {

/// What lies at a path, in a word that is another one when the file is replaced, written or touched; empty: nothing.
std::string sight_of(Files& files, const std::string& path);

/// An output counts for an attempt only if the attempt wrote it. One in the run's sandbox is set aside before an
/// attempt begins, so that whatever lies there afterwards is new. One of the project stays where it is, and so does one
/// that the step reads as well, to change it: these have to become another than they were.
bool is_set_aside(const Run& run, StepIndex step);

/// Where an output that lies there when this attempt of the step begins is set aside, from the project's root:
/// `sandbox/ID/logs/STEP.N.EXT`, named after the attempt that wrote it; N is 0 where no attempt of the run did.
std::string aside_path(const Run& run, OutputWriters& writers, StepIndex step, int attempt);

/// Where the step's last output before this attempt is kept, from the project's root: of an attempt before, of the
/// round before, or what lay there; empty: nowhere. `root`: the project.
std::string previous_output(const Run& run, OutputWriters& writers, StepIndex step, int attempt, Files& files,
                            const std::string& root);

/// Whether outputs that were checked are still what they were then.
class CheckedOutputs {
 public:
  /// The step's output is as it was checked, or no longer its own: a later step took the file over.
  bool stands(const Run& run, OutputWriters& writers, StepIndex step, Files& files, const std::string& root);
  /// The first of the outputs on which the step builds that does not stand, or whose step has to make it first: of the
  /// steps that it needs, if only through steps without one, and of those that made what it reads.
  std::optional<StepIndex> doubted_by(const Run& run, OutputWriters& writers, StepIndex step, Files& files,
                                      const std::string& root);
  /// The first of all that does not stand: the one that was checked first.
  std::optional<StepIndex> doubted(const Run& run, OutputWriters& writers, Files& files, const std::string& root);

 private:
  struct Seen {
    std::uint64_t stamp = 0;
    std::string digest;
  };
  using Steps = std::vector<StepIndex>;

  const Steps& handed_on(const Run& run, StepIndex step);
  void add(Steps& found, const Steps& more);

  std::unordered_map<std::uint32_t, Seen> seen_;        ///< as it was when it was last found to stand
  std::unordered_map<std::uint32_t, Steps> handed_on_;  ///< the steps with an output that one stands for
  std::uint64_t shape_ = 0;                             ///< of the run, for which those hold
  std::vector<std::uint32_t> marks_;                    ///< of steps that were met in this look
  std::uint32_t look_ = 0;
};

}  // namespace baton
