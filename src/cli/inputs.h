#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "dialect/markdown/no_values.h"
#include "dialect/markdown/reader.h"

namespace baton::cli {

/// One `-i NAME=VALUE`, taken apart: a file's path, JSON as it was given, or `-`, what comes on standard input.
struct GivenInput {
  std::string name;
  std::string value;
  bool is_json = false;
  bool is_piped = false;
};

/// `--file F` is `-i content=F`. Faults: bad-input, duplicate-input.
std::vector<GivenInput> parse_inputs(const std::vector<std::string>& given, const std::string& file, Faults& faults);

/// Reads standard input into the one input that wants it. `others` are further options that want it too.
/// Faults: stdin-used-twice, file-too-large.
void read_piped(std::vector<GivenInput>& given, const std::vector<std::string>& others, Faults& faults);

/// Names that are not declared, files that do not exist, JSON that is none: all at once.
void check_given(const Workflow& workflow, const std::vector<GivenInput>& given, Faults& faults);

/// Required inputs that were neither given nor are in the sandbox already, and defaults that are not what they should.
void check_required(const Workflow& workflow, const std::vector<GivenInput>& given,
                    const std::map<std::string, std::string>& there, Faults& faults);

/// A run goes on with the inputs it began with.
void refuse_replaced(const std::string& sandbox, const std::vector<GivenInput>& given,
                     const std::map<std::string, std::string>& there, Faults& faults);

/// `{slug}-{date}-{4 characters}`; the slug is the file's, the first input's or the workflow's name.
std::string new_sandbox_id(const Project& project, const std::string& workflow, const std::vector<GivenInput>& given,
                           const std::string& file, Time now);

/// Where an input will be in the sandbox, relative to the project root.
std::string input_path(const std::string& sandbox, const std::string& name, bool is_json);

/// What expressions find of these inputs, and of those that are `there` in the sandbox already, by the paths they have
/// or are going to have. Of one that comes on standard input nothing is known before that is read. What it is made of
/// has to outlive it.
class GivenValues final : public markdown::NoValues {
 public:
  GivenValues(const Project& project, const std::string& sandbox, const std::vector<GivenInput>& given,
              const std::map<std::string, std::string>& there)
      : project_{project}, sandbox_{sandbox}, given_{given}, there_{there} {}

  [[nodiscard]] std::optional<std::string> input(const std::string& name) const override;
  [[nodiscard]] std::string path_of_input(const std::string& name) const override;

 private:
  [[nodiscard]] std::optional<std::string> read(const std::string& name) const;

  const Project& project_;
  const std::string& sandbox_;
  const std::vector<GivenInput>& given_;
  const std::map<std::string, std::string>& there_;
  mutable std::map<std::string, std::optional<std::string>> texts_;
};

/// One of the inputs given becomes this file of the sandbox.
bool is_file_of(const std::vector<GivenInput>& given, const std::string& sandbox, const std::string& path);

/// Which ending an input's file gets: the declared type's alone, or also what was given.
enum class Ending { as_given, as_declared };

Status copy_inputs(const Project& project, const std::string& sandbox, const Workflow& workflow,
                   const std::vector<GivenInput>& given, Ending ending);

/// Makes the sandbox's folders and copies the inputs into it, and the defaults of those that are neither given nor
/// there.
Status fill_sandbox(const Project& project, const std::string& sandbox, const Workflow& workflow,
                    const std::vector<GivenInput>& given);

}  // namespace baton::cli
