#include "plan/answer_document.h"

#include <algorithm>
#include <vector>

#include "base/boost_json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "text/json_value.h"

namespace baton {
namespace {

bool is_document(std::string_view text) { return !text.empty() && parse_json(text).has_value(); }

/// The marks that a line begins a fenced block with; empty if it begins none.
std::string_view fence_of(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("```") && !line.starts_with("~~~")) return {};
  const std::size_t size = std::min(line.find_first_not_of(line.front()), line.size());
  const bool is_inline = line.front() == '`' && line.find('`', size) != std::string_view::npos;  // code in a sentence
  return is_inline ? std::string_view{} : line.substr(0, size);
}

bool closes(std::string_view line, std::string_view fence) {
  line = trim(line);
  return line.size() >= fence.size() && line.find_first_not_of(fence.front()) == std::string_view::npos;
}

/// What stands in the fenced blocks that are JSON. One that is never closed was cut off, and is none.
std::vector<std::string_view> fenced_documents(std::string_view answer) {
  std::vector<std::string_view> found;
  std::string_view fence;  // of the block that is open
  const char* begin = nullptr;
  for (const std::string_view line : split(answer, '\n')) {
    if (fence.empty()) {
      fence = fence_of(line);
      begin = line.data() + line.size();
    } else if (closes(line, fence)) {
      const std::string_view inside = trim({begin, static_cast<std::size_t>(line.data() - begin)});
      if (is_document(inside)) found.push_back(inside);
      fence = {};
    }
  }
  return found;
}

/// An object or list that begins on a line of its own and goes to the end.
std::optional<std::string_view> ending(std::string_view text) {
  if (!text.ends_with('}') && !text.ends_with(']')) return std::nullopt;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view begin = trim(line);
    if (!begin.starts_with('{') && !begin.starts_with('[')) continue;
    const std::string_view rest = text.substr(static_cast<std::size_t>(begin.data() - text.data()));
    if (is_document(rest)) return rest;
  }
  return std::nullopt;
}

/// Of two that follow each other nobody said which is meant.
std::optional<std::string_view> last_document(std::string_view answer) {
  const auto last = ending(answer);
  return last && ending(trim(answer.substr(0, answer.size() - last->size()))) ? std::nullopt : last;
}

}  // namespace

std::optional<std::string_view> document_of(std::string_view answer) {
  answer = trim(without_byte_order_mark(trim(answer)));
  if (is_document(answer)) return answer;
  const std::vector<std::string_view> fenced = fenced_documents(answer);
  if (fenced.size() == 1) return fenced.front();
  return fenced.empty() ? last_document(answer) : std::nullopt;
}

std::string as_output(std::string_view answer, OutputFormat format) {
  const auto document = format == OutputFormat::json ? document_of(answer) : std::nullopt;
  return std::string{document.value_or(answer)};
}

}  // namespace baton
