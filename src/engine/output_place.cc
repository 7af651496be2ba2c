#include "engine/output_place.h"

#include <fmt/core.h>

#include "base/text.h"

namespace baton {
namespace {

/// Those of the dialects may be somewhere else as a whole, by a link of the user's.
std::vector<std::string> folders_of_outputs(const std::string& root) {
  return {root, root + "/sandbox", root + "/.workflow"};
}

}  // namespace

std::optional<std::string> why_outside(Files& files, const Work& work, const std::string& root) {
  if (work.output.empty() || work.answers) return std::nullopt;
  if (!files.leads_out(root + "/" + work.output, folders_of_outputs(root))) return std::nullopt;
  return fmt::format("the output leaves the project's folder by a link: '{}'", work.output);
}

std::optional<CheckResult> why_not_its_own(Files& files, const Work& work, const std::string& root) {
  if (work.output.empty() || work.answers) return std::nullopt;
  if (files.is_link(root + "/" + work.output)) {
    return CheckResult{"output_written", false, "Output is a link, and has to be a file of its own: " + work.output};
  }
  if (!why_outside(files, work, root)) return std::nullopt;
  return CheckResult{"output_written", false, "Output lies outside of the project, by a link: " + work.output};
}

std::optional<CheckResult> why_empty(const Work& work, const std::string& content) {
  const bool may_be = work.is_command() || work.answers || work.output_format != OutputFormat::text;
  if (may_be || !trim(content).empty()) return std::nullopt;
  return CheckResult{"output_not_empty", false, "Output is empty: " + work.output};
}

}  // namespace baton
