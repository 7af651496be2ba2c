#include "dialect/chain/route.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/boost_json.h"
#include "base/letters.h"
#include "base/text.h"
#include "text/embedded_json.h"
#include "text/json_members.h"

namespace baton::chain {
namespace {

namespace json = boost::json;

constexpr std::size_t short_line_words_max = 4;
constexpr std::size_t short_line_bytes_max = 200;

/// Without what only marks a word: backticks, quotes, asterisks, parentheses, punctuation.
std::string_view bare(std::string_view text) {
  constexpr std::string_view marks = "`'\"*_()<> \t\r";
  constexpr std::string_view closing = ".,;:!?";
  const auto is_in = [](std::string_view set, char c) { return set.find(c) != std::string_view::npos; };
  while (!text.empty() && is_in(marks, text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_in(marks, text.back()) || is_in(closing, text.back()))) text.remove_suffix(1);
  return text;
}

/// Looks names up: as they are, else without regard to capitals if only one is meant then.
class Names {
 public:
  explicit Names(const Workflows& workflows) : workflows_(workflows) {
    for (const auto& [name, skills] : workflows) {
      by_lower_.emplace(lower(name), name);
    }
  }
  [[nodiscard]] std::optional<std::string> find(std::string_view text) const {
    if (const auto found = workflows_.find(std::string{text}); found != workflows_.end()) return found->first;
    const auto [first, last] = by_lower_.equal_range(lower(text));
    if (first == last || std::next(first) != last) return std::nullopt;
    return first->second;
  }

 private:
  const Workflows& workflows_;
  std::multimap<std::string, std::string> by_lower_;
};

/// Removes what makes a line an item of a list, a heading or a quotation; true if there was any.
bool remove_marker(std::string_view& line) {
  line = trim(line);
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits > 0 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') &&
      line[digits + 1] == ' ') {
    line = trim(line.substr(digits + 2));
    return true;
  }
  const std::size_t marks = std::min(line.find_first_not_of("-+*#>"), line.size());
  if (marks == 0 || marks == line.size() || line[marks] != ' ') return false;
  line = trim(line.substr(marks));
  return true;
}

/// "use plan-build", "Workflow: sdlc": words that all lead to a name, and the one name.
std::optional<std::string> in_few_words(std::string_view line, const Names& names) {
  static constexpr std::array<std::string_view, 34> fillers = {
      "use", "run",         "choose", "chose",  "chosen", "pick",   "select",   "selected",       "recommend",
      "i",   "recommended", "i'd",    "would",  "i'll",   "go",     "with",     "recommendation", "the",
      "my",  "a",           "best",   "choice", "answer", "result", "decision", "workflow",       "workflows",
      "is",  "route",       "to",     "=",      "->",     "→",      "suggest"};
  if (line.size() > short_line_bytes_max) return std::nullopt;
  std::vector<std::string> words;
  for (const std::string_view part : split(line, ' ')) {
    if (trim(part).empty()) continue;
    const std::string_view word = bare(part);
    words.emplace_back(word.empty() ? trim(part) : word);
  }
  if (words.empty() || words.size() > short_line_words_max) return std::nullopt;
  std::set<std::string> found;
  for (std::size_t i = 0; i < words.size();) {
    std::size_t taken = 0;
    // The longest name counts: "plan build" is plan-build, and not build.
    for (std::size_t size = words.size() - i; size > 0 && taken == 0; --size) {
      for (const std::string_view separator : {"-", "_", " "}) {
        const auto name = names.find(join(
            {words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i + size)},
            separator));
        if (!name || taken > 0) continue;
        found.insert(*name);
        taken = size;
      }
    }
    if (taken == 0 && std::ranges::find(fillers, lower(words[i])) == fillers.end()) return std::nullopt;
    i += std::max<std::size_t>(taken, 1);
  }
  if (found.size() != 1) return std::nullopt;
  return *found.begin();
}

/// The last object with a `workflow` counts; nothing if there is none.
std::optional<std::string> json_workflow(std::string_view answer) {
  std::optional<std::string> last;
  each_json(answer, [&](const EmbeddedJson& found) {
    const auto* object = found.value != nullptr ? found.value->if_object() : nullptr;
    const json::value* workflow = object != nullptr ? object->if_contains("workflow") : nullptr;
    if (workflow != nullptr && workflow->is_string()) last = word_of(*workflow);
    return true;
  });
  return last;
}

}  // namespace

std::optional<std::string> route_answer(std::string_view answer, const Workflows& workflows) {
  const Names names{workflows};
  if (const auto said = json_workflow(answer)) return names.find(bare(*said));

  std::vector<std::string_view> lines = split(answer, '\n');
  std::ranges::reverse(lines);  // what is said last is meant
  std::set<std::string> listed;
  for (std::string_view line : lines) {
    if (const auto name = names.find(trim(line))) return name;
    if (const auto name = names.find(bare(line))) return name;
    if (!remove_marker(line)) continue;
    if (const auto name = names.find(bare(line))) listed.insert(*name);
  }
  if (listed.size() == 1) return *listed.begin();
  for (std::string_view line : lines) {
    if (remove_marker(line) && names.find(bare(line))) continue;  // one of a list that was looked at already
    if (const auto name = in_few_words(line, names)) return name;
  }
  return std::nullopt;
}

}  // namespace baton::chain
