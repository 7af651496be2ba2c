#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace baton::session {

/// `IMPL-001`, `IMPL-1.2`, `IMPL-A1`, `TDD-AUTH-01`, `T1`: capitals, then a number.
bool is_task_id(std::string_view word);

/// How many bytes of `text` are the task id that it begins with; 0 if it begins with none.
std::size_t task_id_size(std::string_view text);

/// All ids in a text, in order, each once. What stands in parentheses is a remark and not looked at.
std::vector<std::string> task_ids_in(std::string_view text);

/// `IMPL-2` before `IMPL-10`: runs of digits are compared as numbers.
bool comes_before(std::string_view one, std::string_view other);

}  // namespace baton::session
