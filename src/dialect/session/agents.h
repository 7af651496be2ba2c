#pragma once

#include <string>
#include <string_view>

#include "dialect/session/task.h"

namespace baton::session {

/// Who does a task, and how that was found out.
struct AgentChoice {
  std::string name;  ///< without `@`
  enum class From { task, list, type, title, fallback } from = From::fallback;
};

/// `meta.agent`, else what the list says, else by `meta.type`, else by words of the title, else `code-developer`.
AgentChoice agent_of(const Task& task, std::string_view listed_agent = {});

/// The instructions of an agent that nobody has defined: short, and the same for each kind of work.
std::string built_in_agent(std::string_view name);

}  // namespace baton::session
