#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/answer.h"
#include "runtime/api/ask.h"

namespace baton::api {

/// The tools there are, by the words of the configuration: `read`, `write`, `list`, `search`, `run`.
const std::vector<std::string>& tool_words();

/// What a model is told of the tools that these words mean. Words that mean none are left out.
std::vector<ToolSpec> tool_specs(const std::vector<std::string>& words);

/// A call as it can be carried out. All paths are as the model wrote them: whoever opens one keeps it beneath the
/// step's folder.
struct ToolUse {
  enum class Kind : std::uint8_t { read, write, list, search, run };
  std::string id;
  Kind kind = Kind::read;
  std::string path;         ///< read, write, list, search
  std::string content;      ///< write
  std::string pattern;      ///< search: RE2
  std::string command;      ///< run
  std::int64_t offset = 0;  ///< read: the first line, from 1; 0: the first
  std::int64_t limit = 0;   ///< read: lines; run: seconds; 0: as many as there are, the default

  bool operator==(const ToolUse&) const = default;
};

/// What a round of calls comes to before any tool is touched: what can be carried out, and answers to what cannot.
struct ToolRound {
  std::vector<ToolUse> uses;
  std::vector<ToolResult> refused;  ///< tools that there are not, inputs that are none
};
ToolRound tool_round(const std::vector<ToolCall>& calls, const std::vector<std::string>& words);

/// What `baton tools` is to do: `{"version":1,"folder":…,"unconfined":true,"uses":[…]}`.
struct ToolOrder {
  std::vector<ToolUse> uses;
  std::string folder;
  bool unconfined = false;  ///< commands are run where the kernel cannot confine them, too
};
std::string tool_uses_file(const ToolOrder& order);
std::optional<ToolOrder> read_tool_uses(std::string_view text);

/// What it answers: `{"results":[{"id","content","is_error"}],"wrote_output","unavailable"}`.
struct ToolAnswer {
  std::vector<ToolResult> results;
  bool wrote_output = false;  ///< the file that is to be the step's output was written meanwhile, by whichever tool
  std::string unavailable;    ///< why the kernel cannot confine a command here: it was not run, nor what came after it
};
std::string tool_results_text(const ToolAnswer& answer);
std::optional<ToolAnswer> read_tool_results(std::string_view text);

/// The results in the order of the calls, each call with exactly one: one that is missing became an error.
std::vector<ToolResult> in_order(const std::vector<ToolCall>& calls, std::vector<ToolResult> results);

/// What people read: `[write_file] notes.md`.
std::string about(const ToolCall& call);

}  // namespace baton::api
