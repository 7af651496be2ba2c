#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/splice.h"

namespace baton::session {

/// What a task's box says.
enum class BoxState : std::uint8_t { pending, in_progress, completed, blocked };

std::string_view name(BoxState state);

/// How a line says that it is a task's, the weakest way first.
enum class LineForm : std::uint8_t {
  bare,     ///< `- [ ] IMPL-1 text`
  heading,  ///< `### ✅ Phase 1: text - IMPL-001`
  colon,    ///< `- [ ] IMPL-1: text`
  marked,   ///< the id is bold or in backticks
  linked,   ///< there is a link to its task file
};

/// A Markdown link. All bytes count from the beginning of its line.
struct LineLink {
  Bytes bytes;
  std::string target;

  [[nodiscard]] bool is_task() const { return target.find(".task/") != std::string::npos; }
  [[nodiscard]] bool is_summary() const { return target.find(".summaries/") != std::string::npos; }
};

/// One line that speaks of a task.
struct TaskLine {
  std::string id;
  std::string title;
  LineForm form = LineForm::bare;
  BoxState state = BoxState::pending;
  bool has_mark = false;
  bool knows_mark = true;  ///< false: what is in its box means nothing to us
  Bytes mark;              ///< what is between the brackets, or the sign in their place
  bool container = false;  ///< no box of its own: it is done when its children are
  std::size_t indent = 0;
  std::vector<LineLink> links;
  std::optional<std::vector<std::string>> depends_on;  ///< nullopt: it does not say
};

/// A list item with a box, or a container.
std::optional<TaskLine> read_item(std::string_view line);
/// A heading with a task's id at its beginning or end.
std::optional<TaskLine> read_heading(std::string_view line);

std::vector<LineLink> links_in(std::string_view line);
/// Columns of blanks that a line begins with; a tab is four.
std::size_t indent_of(std::string_view line);
/// Begins with a box, whatever comes after it.
bool has_box(std::string_view line);

/// What a list's word for a state means; nullopt for a word that is none.
std::optional<BoxState> state_of_word(std::string_view word);

/// `- **Dependencies**: IMPL-001`: a key and its value beneath a task.
struct NoteLine {
  std::string key;  ///< lower case
  std::string_view value;
  Bytes value_bytes;
};
std::optional<NoteLine> read_note(std::string_view line);

}  // namespace baton::session
