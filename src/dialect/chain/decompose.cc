#include "dialect/chain/decompose.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/boost_json.h"
#include "base/text.h"
#include "dialect/chain/task_draft.h"
#include "text/embedded_json.h"
#include "text/json_members.h"
#include "text/json_value.h"

namespace baton::chain {
namespace {

namespace json = boost::json;

constexpr std::size_t name_bytes_max = 100;
constexpr std::size_t subtask_bytes_max = 32U << 10U;
constexpr std::string_view expected_form =
    R"(expected: {"tasks": [{"name": "api", "description": "…", "dependencies": []}]}, or such a list by itself)";

/// A name as others speak of it.
std::string short_name(std::string_view text) { return shorten(one_line(text), name_bytes_max); }

/// Reads one list of tasks. What is wrong with it is in `trouble` then.
class ListReader {
 public:
  std::string trouble;

  std::optional<Decomposition> read(const json::array& list) {
    if (list.size() > sub_tasks_max) {
      return fail(fmt::format("there are {} tasks; {} is the most there can be, so make them larger", list.size(),
                              sub_tasks_max));
    }
    std::vector<TaskDraft> drafts;
    for (const json::value& item : list) {
      std::optional<TaskDraft> draft = read_task(item, drafts.size() + 1);
      if (!draft) return std::nullopt;
      drafts.push_back(std::move(*draft));
    }
    return bring_together(std::move(drafts), std::move(warnings_));
  }

 private:
  std::optional<Decomposition> fail(std::string why) {
    trouble = std::move(why);
    return std::nullopt;
  }

  std::optional<TaskDraft> read_task(const json::value& item, std::size_t number) {
    TaskDraft draft;
    const auto* object = item.if_object();
    if (object != nullptr) {
      draft.name = word_at(*object, {"name", "id", "title"});
      draft.id = short_name(word_at(*object, {"id"}));
      draft.title = short_name(word_at(*object, {"title"}));
    } else {
      draft.name = word_of(item);
    }
    if (object == nullptr && !item.is_string()) {
      const std::string_view type = type_name(item);
      const bool vowel = type.starts_with('a') || type.starts_with('i');
      trouble = fmt::format("task {} is {} {}, not an object", number, vowel ? "an" : "a", type);
      return std::nullopt;
    }
    if (draft.name.empty()) {
      trouble = fmt::format("task {} has no 'name' (and no 'id' or 'title' either)", number);
      return std::nullopt;
    }
    draft.name = short_name(draft.name);
    if (object == nullptr) return draft;
    draft.text = text_of_task(*object, draft);
    read_group(*object, draft);
    read_dependencies(*object, draft);
    return draft;
  }

  std::string text_of_task(const json::object& object, const TaskDraft& draft) {
    std::vector<std::string> parts;
    if (draft.title != draft.name) parts.push_back(word_at(object, {"title"}));
    for (const std::string_view key : {"description", "prompt", "details"}) parts.push_back(word_at(object, {key}));
    if (const std::string file = word_at(object, {"spec_file"}); !file.empty()) parts.push_back("Spec file: " + file);
    if (const json::value* files = value_at(object, {"files"}); files != nullptr && files->is_array()) {
      std::vector<std::string> names;
      for (const json::value& file : files->get_array()) names.push_back(word_of(file));
      std::erase(names, "");
      if (!names.empty()) parts.push_back("Files: " + join(names, ", "));
    }
    std::erase(parts, "");
    std::string text = join(parts, "\n\n");
    if (text.size() > subtask_bytes_max) {
      warn(fmt::format("what is said of task '{}' is too long and was cut", draft.name));
      text = shorten(text, subtask_bytes_max);
    }
    return text;
  }

  void read_group(const json::object& object, TaskDraft& draft) {
    const json::value* group = value_at(object, {"parallel_group", "stage", "group"});
    if (group == nullptr) return;
    draft.group = short_name(word_of(*group));
    const bool is_blank = group->is_string() && draft.group.empty();
    if (draft.group.empty() && !is_blank) {
      warn(fmt::format("the group of task '{}' is {}, which is no name; it was left out", draft.name, shown(*group)));
    }
  }

  void read_dependencies(const json::object& object, TaskDraft& draft) {
    const json::value* given = value_at(object, {"dependencies", "depends_on", "needs"});
    if (given == nullptr) return;
    if (!given->is_array()) return read_dependency(*given, draft);
    for (const json::value& one : given->get_array()) read_dependency(one, draft);
  }

  void read_dependency(const json::value& value, TaskDraft& draft) {
    const auto* object = value.if_object();
    const std::string name = object != nullptr ? word_at(*object, {"name", "id", "title", "task"}) : word_of(value);
    if (name.empty()) {
      const bool is_blank = value.is_null() || value.is_string();
      if (!is_blank) {
        warn(fmt::format("task '{}' depends on {}, which names no task; it was left out", draft.name, shown(value)));
      }
      return;
    }
    draft.dependencies.push_back(short_name(name));
  }

  void warn(std::string text) { warnings_.push_back(std::move(text)); }

  std::vector<std::string> warnings_;
};

/// The list of tasks in a value that may be meant as a decomposition; null if it is not, or not a list (then
/// `trouble`).
const json::array* list_in(const EmbeddedJson& found, std::string& trouble) {
  if (const auto* object = found.value->if_object()) {
    for (const std::string_view key : {"tasks", "subtasks", "sub_tasks", "steps"}) {
      const json::value* list = object->if_contains({key.data(), key.size()});
      if (list == nullptr) continue;
      if (list->is_array()) return &list->get_array();
      trouble = fmt::format("'{}' is {}, not a list", key, shown(*list));
    }
    return nullptr;
  }
  const json::array& list = found.value->get_array();
  // Lists stand in prose and in code too: what is not alone has to look like tasks.
  if (found.whole) return &list;
  const bool are_objects = std::ranges::all_of(list, [](const json::value& item) { return item.is_object(); });
  return are_objects && !list.empty() ? &list : nullptr;
}

}  // namespace

std::expected<Decomposition, std::string> read_decomposition(std::string_view answer) {
  if (trim(answer).empty()) return std::unexpected(fmt::format("the answer is empty; {}", expected_form));
  std::optional<Decomposition> best;
  std::string trouble;  // the first there is, that of what looks like tasks before others
  bool any = false;
  const auto note = [&](std::string why) {
    if (trouble.empty()) trouble = std::move(why);
  };
  each_json(answer, [&](const EmbeddedJson& found) {
    any = true;
    if (found.value == nullptr) return note("the JSON cannot be read: " + found.trouble), true;
    std::string why;
    const json::array* list = list_in(found, why);
    if (list != nullptr) {
      ListReader reader;
      std::optional<Decomposition> read = reader.read(*list);
      why = reader.trouble;
      // An empty list counts only if no other follows.
      if (read && (!best || best->tasks.empty())) best = std::move(read);
    }
    if (!why.empty()) note(std::move(why));
    return !best || best->tasks.empty();
  });
  const bool spoilt = best && best->tasks.empty() && !trouble.empty();  // the broken one may be what was meant
  if (best && !spoilt) return std::move(*best);
  if (trouble.empty()) {
    trouble = any ? "the JSON in the answer has no list of tasks" : "the answer has no JSON in it";
  }
  return std::unexpected(fmt::format("{}; {}", trouble, expected_form));
}

}  // namespace baton::chain
