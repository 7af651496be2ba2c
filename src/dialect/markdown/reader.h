#pragma once

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "base/time.h"
#include "plan/plan.h"

namespace baton {

class Values;

/// A Markdown file that may be a workflow.
struct MarkdownSource {
  std::string text;
  std::string file;  ///< for people: relative to the project root
  std::string stem;  ///< the name people run it by
};

/// A file that a definition names, such as a JSON Schema: its whole text. The path is relative to the project root.
using ReadFile = std::function<Expected<std::string>(const std::string& path)>;

/// The workflows a step can name (`workflow: NAME`). Whoever reads a file looks them up; without, there are none.
struct OtherWorkflows {
  std::function<std::optional<MarkdownSource>(const std::string& name)> find = {};
  std::function<std::vector<std::string>()> names = {};  ///< for those who mistyped one
};

/// What the run gives a workflow to work on.
struct Binding {
  std::string sandbox;                        ///< `${{ sandbox }}`: a folder, relative to the project root
  std::map<std::string, std::string> inputs;  ///< name -> path; one not given is looked for in the sandbox
  OtherWorkflows others = {};
  ReadFile read_file = {};  ///< without it, a definition that names a file is at fault
  /// An input that may be left out is looked for when a step's turn comes, as it may be given until then. Otherwise all
  /// that are declared are taken as given.
  bool looks_for_optional = false;
  /// Whether a file or folder is there, relative to the project root; without it, no input is looked for.
  std::function<bool(const std::string& path)> is_there = {};
  /// The values of the inputs that a run is given, where they are known; only `input` and `path_of_input` are asked.
  const Values* given = nullptr;
};

/// What a reader may ask about skills. It looks at no file itself.
class SkillFinder {
 public:
  struct Facts {
    bool inputless = false;  ///< its steps may leave `input` out
  };
  virtual ~SkillFinder() = default;
  virtual std::optional<Facts> facts_of(const std::string& name) = 0;
  virtual std::vector<std::string> names() = 0;  ///< of all there are
};

/// What holds where a step does not say.
struct MarkdownDefaults {
  int agent_retries = 2;
  int command_retries = 0;
  Millis retry_delay{1000};
  Millis agent_grace{5000};
  Millis command_grace{1000};
  Millis step_timeout{0};
  /// What is said of a skill's attempts, and of those of the runtime a step names: it comes before step_timeout.
  std::function<std::optional<Millis>(const std::string& skill, const std::string& runtime)> skill_timeout = {};
  Millis agent_stall{0};
  std::vector<std::string> inputless_skills{"search", "browser-research"};  ///< may leave `input` out
  SkillFinder* skills = nullptr;                                            ///< none: no skill is looked for
  bool warn_of_missing_skills = true;
};

/// An input that a workflow declares. Whether a required one was given is for whoever binds them to say.
struct InputDecl {
  std::string name;
  bool required = true;
  std::string description = {};
  std::string type = {};  ///< file, json or empty
  std::optional<std::string> default_value = {};
  Place place = {};

  /// It may have no value at all.
  [[nodiscard]] bool is_optional() const { return !required && !default_value; }
};

/// An input that is not there: an error, or a warning where a step before may write it. For whoever runs the step.
struct AbsentInput {
  std::string step;  ///< of the plan
  Fault fault;
};

struct Workflow {
  std::string name;
  std::string version;
  std::string description;
  std::vector<InputDecl> inputs;
  Plan plan;
  Faults warnings;
  std::vector<AbsentInput> absent = {};
};

/// Reads a workflow, and those its steps name. Without errors: the plan, and what deserves a warning; otherwise every
/// fault that could be found, warnings too, in the order of their places, this file's first.
std::expected<Workflow, Faults> read_markdown(const MarkdownSource& source, const Binding& binding,
                                              const MarkdownDefaults& defaults);

/// What a workflow may be called by: a file's name without its ending, with blanks and letters of every kind.
bool is_workflow_name(std::string_view name);

/// Has front matter with `steps` (or `outputs`, as it once was): worth listing. Folders of workflows hold other
/// Markdown too.
bool looks_like_markdown_workflow(std::string_view text);

}  // namespace baton
