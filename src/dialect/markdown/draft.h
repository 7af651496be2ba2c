#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialect/fault_list.h"
#include "dialect/markdown/check_draft.h"
#include "dialect/markdown/reader.h"
#include "dialect/yaml_values.h"

namespace baton::markdown {

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
  std::vector<CheckDraft> checks;
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
StepDraft read_step_draft(const YamlNode& node, std::size_t number, const MarkdownDefaults& defaults,
                          FaultList& faults);

/// Puts the steps together: needs, cycles, references, paths. What is wrong goes to `faults`.
std::vector<Step> make_steps(const WorkflowDraft& draft, const Binding& binding, const MarkdownDefaults& defaults,
                             FaultList& faults);

}  // namespace baton::markdown
