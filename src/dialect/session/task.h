#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton::session {

/// What becomes of a task whose step of preparation went wrong.
enum class OnError : std::uint8_t {
  unstated,       ///< as `go_on`, and said
  fail,           ///< the task fails
  skip_optional,  ///< without its output
  retry_once,     ///< once more, then the task fails
  go_on,          ///< with whatever it gave
  ask,            ///< a person has to see to it: the task is blocked
};

/// One step of `pre_analysis`.
struct PreStep {
  std::string name;
  std::string action;
  std::vector<std::string> commands;
  std::string output_to;  ///< the variable its output is kept as; may be empty
  OnError on_error = OnError::unstated;
};

/// One step of `implementation_approach` or `implementation`.
struct ApproachStep {
  std::string number;
  std::string title;
  std::string description;
  std::vector<std::string> modification_points;
  std::vector<std::string> logic_flow;
  std::vector<std::string> depends_on;  ///< numbers of other steps
  std::string output;
  std::string command;
};

/// `path:function:lines`, or an entry of `files`.
struct TargetFile {
  std::string path;
  std::string function = {};
  std::string lines = {};
  std::string change = {};  ///< what is to be done there

  bool operator==(const TargetFile&) const = default;
};

struct Artifact {
  std::string type;
  std::string source;
  std::string path;
  std::string priority;  ///< highest, high, medium, low; may be empty
  std::string usage;
  std::string contains;
};

/// A task, in whichever shape its file has.
struct Task {
  std::string id;
  std::string title;
  std::string description;
  std::string status = "pending";
  std::string type;
  std::string agent;                 ///< as it is written, `@` and all; may be empty
  std::string model;                 ///< may be empty
  std::optional<std::string> group;  ///< `meta.execution_group` or `parallel_group`; nullopt: runs by itself
  std::string context_signature;
  std::vector<std::string> requirements;
  std::vector<std::string> focus_paths;
  std::vector<std::string> acceptance;
  std::string parent;
  std::optional<std::vector<std::string>> depends_on;  ///< nullopt: it does not say
  std::string inherited_from;
  std::vector<std::string> inherited;
  std::string shared_context;  ///< JSON; may be empty
  std::vector<Artifact> artifacts;
  std::vector<PreStep> pre_analysis;
  std::vector<ApproachStep> approach;
  std::vector<TargetFile> target_files;
  std::string context_package_path;
  std::vector<std::string> test_commands;
  std::string verification;  ///< a command or sentence that shows that it is done; may be empty

  [[nodiscard]] bool is_container() const { return status == "container"; }
  [[nodiscard]] bool is_completed() const { return status == "completed"; }
};

struct TaskRead {
  std::optional<Task> task;
  Faults faults;  ///< without a task: why; with one: warnings
};

/// Reads a task file, nested or flat or anything between. Nothing but an id has to be there: what is missing is said in
/// one warning. `stem`: the name of the file without its ending, which is the id that the list knows the task by.
TaskRead read_task(std::string_view text, const std::string& file, const std::string& stem);

/// `path:function:75-120`, taken apart from the right; drive letters stay.
TargetFile target_file(std::string_view text);

/// `file:line:column: message`: a fault of a task's file on one line.
std::string on_one_line(const Fault& fault);

}  // namespace baton::session
