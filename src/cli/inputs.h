#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "dialect/markdown/reader.h"

namespace baton::cli {

/// One `-i NAME=VALUE`, taken apart: a file's path, or JSON as it was given.
struct GivenInput {
  std::string name;
  std::string value;
  bool is_json = false;
};

/// `--file F` is `-i content=F`. Faults: bad-input, duplicate-input.
std::vector<GivenInput> parse_inputs(const std::vector<std::string>& given, const std::string& file, Faults& faults);

/// Names that are not declared, required ones that are missing, files that do not exist: all at once.
void check_inputs(const Workflow& workflow, const std::vector<GivenInput>& given, Faults& faults);

/// `{slug}-{date}-{4 characters}`; the slug is the file's, the first input's or the workflow's name.
std::string new_sandbox_id(const Project& project, const std::string& workflow, const std::vector<GivenInput>& given,
                           const std::string& file, Time now);

/// Where an input will be in the sandbox, relative to the project root.
std::string input_path(const std::string& sandbox, const std::string& name, bool is_json);

/// Makes the sandbox's folders and copies the inputs (and the defaults of those not given) into it.
Status fill_sandbox(const Project& project, const std::string& sandbox, const Workflow& workflow,
                    const std::vector<GivenInput>& given);

}  // namespace baton::cli
