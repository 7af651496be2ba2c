#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialect/markdown/check_draft.h"
#include "dialect/markdown/reader.h"
#include "text/fault_list.h"
#include "text/yaml_values.h"

namespace baton::markdown {

constexpr std::size_t steps_max = 100'000;  ///< of one plan: read in well under a second and 200 MB

/// What a step fans out over: an expression, or a list with its texts as they stand.
struct ForEachDraft {
  std::optional<Located> expression;
  std::optional<YamlNode> list;  ///< lives as long as the file's tree
  Spot spot;
};

struct LoopDraft {
  std::optional<Located> until;
  std::int32_t max = 0;
  Spot spot;
};

struct GateDraft {
  Located question;  ///< empty text: none was written down
};

/// What an input of a sub-workflow stands for.
struct WithDraft {
  Located name;
  Located value;
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
  std::vector<CheckDraft> checks;
  std::optional<Spot> validate;
  std::optional<std::int32_t> retries;
  std::optional<Millis> timeout;
  OnUnknown on_unknown = OnUnknown::retry;
  bool final = false;
  Spot final_spot;
  std::string runtime;
  std::string model;
  std::string mode;
  StepBudget budget;
  std::optional<Millis> stall;

  // When, how often and on whose word it runs.
  std::optional<Located> when;
  std::optional<ForEachDraft> for_each;
  std::optional<LoopDraft> loop;
  std::optional<GateDraft> gate;
  bool has_workflow = false;        ///< it is a whole workflow
  std::optional<Located> workflow;  ///< of this name
  std::vector<WithDraft> with;

  [[nodiscard]] bool is_composite() const { return for_each.has_value() || loop.has_value(); }
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

// The keys of a step that say when, how often and on whose word it runs. `owner` is how messages call the step.
// --------

std::optional<Located> read_condition(const YamlNode& node, const std::string& what, FaultList& faults);
std::optional<ForEachDraft> read_for_each(const YamlNode& node, const std::string& owner, FaultList& faults);
std::optional<LoopDraft> read_loop(const YamlNode& node, const std::string& owner, FaultList& faults);
std::optional<GateDraft> read_gate(const YamlNode& node, const std::string& owner, FaultList& faults);
std::vector<WithDraft> read_with(const YamlNode& node, const std::string& owner, FaultList& faults);
StepBudget read_budget(const YamlNode& node, const std::string& owner, FaultList& faults);

}  // namespace baton::markdown
