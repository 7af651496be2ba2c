#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dialect/markdown/command_line.h"
#include "dialect/markdown/reader.h"
#include "plan/check.h"
#include "text/fault_list.h"
#include "text/yaml_values.h"

namespace baton::markdown {

/// A check as its own lines say it. What it refers to is looked up when all steps are known.
struct CheckDraft {
  Check check;
  Spot spot;
  std::vector<Located> command = {};
  bool command_is_line = false;
  std::string schema_file = {};
};

/// The rules of `validate`, in the order in which their results are told.
std::vector<CheckDraft> read_checks(const YamlNode& node, const std::string& owner, FaultList& faults);

/// What checks refer to outside of themselves. Whoever answers reports what is not there.
struct CheckLinks {
  /// A step's output is compared with: its id as the run knows it.
  std::function<std::string(const std::string& step, Spot spot)> refer;
  ReadFile read_file;
};

/// The commands among them, in order.
std::vector<CommandLine> check_commands(const std::vector<CheckDraft>& drafts, const ResolveAt& resolve);

/// The output that checks are for.
struct CheckedOutput {
  const std::string& owner;  ///< whose it is, in words
  OutputFormat format;       ///< what does not go with it is reported
  bool deferred = false;     ///< the texts of its step are filled in when its turn comes, and those of the commands too
};

/// `commands`: what check_commands() made of the same drafts; all of them known, or `deferred`.
std::vector<Check> finish_checks(const std::vector<CheckDraft>& drafts, const std::vector<CommandLine>& commands,
                                 const CheckedOutput& output, const CheckLinks& links, FaultList& faults);

}  // namespace baton::markdown
