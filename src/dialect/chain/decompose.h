#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace baton::chain {

/// One part of a divided task.
struct SubTask {
  std::string name;                ///< no other has it
  std::string slug;                ///< of [a-z0-9-], at most 40 bytes; no other has it
  std::string text;                ///< what is to be done, as it was described; may be empty
  std::vector<std::size_t> needs;  ///< of the list; ascending, without cycles

  bool operator==(const SubTask&) const = default;
};

struct Decomposition {
  std::vector<SubTask> tasks;
  std::vector<std::string> warnings;  ///< what was wrong and how it was taken
};

constexpr std::size_t sub_tasks_max = 64;

/// Reads the answer of `decompose`: a list of tasks, or an object with one, by itself, fenced or within prose.
///
/// Tasks wait for what they depend on. Groups come after that: a task of a group also waits for every task of the group
/// before, unless its dependencies say otherwise. What cannot be meant (unknown or circular dependencies, a name given
/// twice) is put right with a warning. The error says what is wrong and what is expected.
std::expected<Decomposition, std::string> read_decomposition(std::string_view answer);

}  // namespace baton::chain
