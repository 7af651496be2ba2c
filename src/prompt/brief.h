#pragma once

#include <string>
#include <vector>

#include "prompt/prompt.h"

namespace baton {

/// A file that is told whole.
struct ToldFile {
  std::string name;
  std::string text;
};

/// What a model is told that can read no files: all of it, cut where it changes. What stands first is the same for
/// steps with the same skill, what comes next for steps of the same run.
struct Brief {
  std::string skill;
  std::vector<std::string> references;
  std::string context;
  std::string task;
};

/// `references` are the skill's, `inputs` the step's (those it names, and the results of steps it needs), each whole.
/// What the model answers is the step's output: it is told so.
Brief make_brief(const PromptParts& parts, const std::vector<ToldFile>& references,
                 const std::vector<ToldFile>& inputs);

/// The same as one text, for the record.
std::string whole_text(const Brief& brief);

}  // namespace baton
