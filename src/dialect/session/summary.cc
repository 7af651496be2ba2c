#include "dialect/session/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/letters.h"
#include "base/text.h"
#include "dialect/session/todo_line.h"
#include "plan/path_rule.h"

namespace baton::session {
namespace {

constexpr std::size_t subject_bytes_max = 200;

bool is_file_heading(std::string_view line) {
  const std::string low = lower(line);
  return std::ranges::any_of(
      std::array{"files modified", "modified files", "files changed", "files created", "修改的文件", "修改文件"},
      [&](const char* words) { return low.find(words) != std::string::npos; });
}

/// The path of a bullet: in backticks or bold, or up to a colon or blank.
std::string path_of(std::string_view bullet) {
  for (const std::string_view mark : {"`", "**"}) {
    const auto open = bullet.find(mark);
    if (open > 2) continue;
    const auto begin = open + mark.size();
    const auto close = bullet.find(mark, begin);
    if (close == std::string_view::npos) continue;
    bullet = bullet.substr(begin, close - begin);
    while (bullet.starts_with('`')) bullet.remove_prefix(1);
    while (bullet.ends_with('`') || bullet.ends_with(':')) bullet.remove_suffix(1);
    break;
  }
  bullet = bullet.substr(0, bullet.find_first_of(" \t("));
  const auto colon = bullet.find(':');
  if (colon != std::string_view::npos) bullet = bullet.substr(0, colon);
  if (bullet.starts_with("./")) bullet.remove_prefix(2);
  return std::string{bullet};
}

}  // namespace

std::string summary_text(const SummaryFacts& facts) {
  std::string text =
      fmt::format("# Task: {} {}\n\n## Implementation Summary\n\n", facts.id, one_line(trim(facts.title)));
  const std::string_view answer = trim(facts.answer);
  text += answer.empty() ? "The task ended well; nothing was said about it." : answer;
  text += "\n";
  if (!facts.files.empty()) {
    text += "\n### Files Modified\n";
    for (const std::string& file : facts.files) text += fmt::format("- `{}`\n", one_line(trim(file)));
  }
  text += "\n## Status: Complete\n";
  if (!facts.finished.empty()) text += fmt::format("\nFinished: {}\n", facts.finished);
  return text;
}

std::vector<std::string> files_in_summary(std::string_view text) {
  std::vector<std::string> files;
  bool inside = false;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    const bool is_label = line.starts_with("**") && (line.ends_with(":") || line.ends_with("**"));
    if (line.starts_with('#') || is_label) {
      inside = is_file_heading(line);
      continue;
    }
    if (!inside || line.size() < 3 || std::string_view{"-*+"}.find(line.front()) == std::string_view::npos ||
        line[1] != ' ') {
      continue;
    }
    std::string path = path_of(trim(line.substr(2)));
    const bool is_new = std::ranges::find(files, path) == files.end();
    if (is_new && is_good_path(path) && !leaves_folder(path, {})) files.push_back(std::move(path));
  }
  return files;
}

std::string first_line_of(std::string_view text) {
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    while (!line.empty() && std::string_view{"-*+> "}.find(line.front()) != std::string_view::npos)
      line.remove_prefix(1);
    const bool is_rule = line.find_first_not_of("-=*_`~") == std::string_view::npos;
    if (!line.empty() && !line.starts_with('#') && !is_rule) return one_line(trim(line));
  }
  return {};
}

std::string commit_message(std::string_view type, std::string_view title, std::string_view summary) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> types{{
      {"feature", "feat"},
      {"bugfix", "fix"},
      {"fix", "fix"},
      {"refactor", "refactor"},
      {"test-gen", "test"},
      {"test-fix", "test"},
      {"docs", "docs"},
  }};
  const auto found = std::ranges::find(types, lower(type), [](const auto& t) { return std::string{t.first}; });
  std::string subject = fmt::format("{}: {}", found == types.end() ? "chore" : found->second, one_line(title));
  if (const std::string line = first_line_of(summary); !line.empty()) subject += " - " + line;
  return shorten(subject, subject_bytes_max);
}

}  // namespace baton::session
