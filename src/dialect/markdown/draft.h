#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialect/markdown/fault_list.h"
#include "dialect/markdown/reader.h"

namespace baton::markdown {

/// A text with the place where its value begins.
struct Located {
  std::string text;
  Spot spot;
};

/// A step as its own lines say it: types are right, but nothing is yet compared with other steps.
struct StepDraft {
  std::string id;       ///< empty if there is none
  std::string display;  ///< how messages call it: `step 'x'` or `step 3`
  Spot spot;
  std::vector<Located> needs;
  std::string title;
  std::optional<Located> skill;
  std::optional<Located> mission;
  std::optional<Located> run;  ///< the old form of skill and mission
  std::vector<Located> command;
  bool command_is_line = false;  ///< one text for the shell
  bool has_command = false;
  bool has_inputs = false;
  std::vector<Located> inputs;
  std::optional<Located> output;
  std::vector<Check> checks;
  std::optional<Spot> validate;
  std::optional<std::int32_t> retries;
  std::optional<Millis> timeout;
  OnUnknown on_unknown = OnUnknown::retry;
  bool final = false;
  Spot final_spot;
  std::string runtime;
  std::string model;
};

struct WorkflowDraft {
  std::string name;
  std::string version;
  std::string description;
  std::vector<InputDecl> inputs;
  std::vector<StepDraft> steps;
};

WorkflowDraft read_workflow_draft(const YamlNode& root, const std::string& file, const MarkdownDefaults& defaults,
                                  FaultList& faults);
StepDraft read_step_draft(const YamlNode& node, std::size_t number, const MarkdownDefaults& defaults, FaultList& faults);

/// Puts the steps together: needs, cycles, references, paths. What is wrong goes to `faults`.
std::vector<Step> make_steps(const WorkflowDraft& draft, const Binding& binding, const MarkdownDefaults& defaults,
                             FaultList& faults);

// Values with their types. Each reports a wrong one and answers nothing then. ------------------------------------------

std::optional<std::string> read_text(const YamlNode& node, const std::string& what, FaultList& faults);
std::optional<bool> read_truth(const YamlNode& node, const std::string& what, FaultList& faults);
std::optional<std::int64_t> read_count(const YamlNode& node, const std::string& what, std::int64_t max,
                                       const char* code, FaultList& faults);
/// A list of texts; a single text is a list of one, nothing is an empty one.
std::vector<Located> read_texts(const YamlNode& node, const std::string& what, FaultList& faults);

/// `owner` has a key nobody knows.
void report_unknown_key(const YamlNode& key, const std::string& owner, const std::vector<std::string>& known,
                        FaultList& faults);

std::vector<Check> read_checks(const YamlNode& node, const std::string& owner, FaultList& faults);

}  // namespace baton::markdown
