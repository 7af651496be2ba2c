#include "dialect/session/agents.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/letters.h"
#include "base/text.h"
#include "dialect/session/todo_line.h"

namespace baton::session {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> by_type{{
    {"feature", "code-developer"},
    {"test-gen", "code-developer"},
    {"test-fix", "test-fix-agent"},
    {"review", "universal-executor"},
    {"docs", "doc-generator"},
}};

/// The first that the title has counts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> by_words{{
    {"fix tests", "test-fix-agent"},
    {"execute tests", "test-fix-agent"},
    {"run tests", "test-fix-agent"},
    {"validate", "test-fix-agent"},
    {"review code", "universal-executor"},
    {"code review", "universal-executor"},
    {"design schema", "action-planning-agent"},
    {"plan ", "action-planning-agent"},
    {"documentation", "doc-generator"},
}};

constexpr std::string_view otherwise = "code-developer";

std::string bare(std::string_view name) {
  name = trim(name);
  while (name.starts_with('@')) name.remove_prefix(1);
  return std::string{trim(name)};
}

}  // namespace

AgentChoice agent_of(const Task& task, std::string_view listed_agent) {
  if (std::string name = bare(task.agent); is_id(name)) return {std::move(name), AgentChoice::From::task};
  if (std::string name = bare(listed_agent); is_id(name)) return {std::move(name), AgentChoice::From::list};
  const std::string type = lower(task.type);
  for (const auto& [word, agent] : by_type) {
    if (word == type) return {std::string{agent}, AgentChoice::From::type};
  }
  const std::string title = lower(task.title);
  for (const auto& [words, agent] : by_words) {
    if (title.find(words) != std::string::npos) return {std::string{agent}, AgentChoice::From::title};
  }
  return {std::string{otherwise}, AgentChoice::From::fallback};
}

std::string built_in_agent(std::string_view name) {
  std::string body;
  if (name == "test-fix-agent") {
    body =
        "You run a project's tests, find out why they fail, and mend the code until they pass. Change a test only "
        "where it is the test that is wrong, and say so.";
  } else if (name == "doc-generator") {
    body = "You write documentation that follows the code as it is. Read the code first; change none of it.";
  } else if (name == "action-planning-agent") {
    body =
        "You plan: you read what is there, and write down what is to be done, in which order and why. Change no "
        "code.";
  } else if (name == "universal-executor") {
    body = "You carry out one task of whatever kind: analysis, review, configuration, text. Keep to the task.";
  } else {
    body =
        "You are a developer who carries out one task in an existing project. Read the code around the change "
        "first, follow its conventions, keep the change small, and test it.";
  }
  return body + "\n";
}

}  // namespace baton::session
