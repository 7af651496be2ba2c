#include "tool/tool_box.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "plan/pattern.h"
#include "tool/confined_command.h"
#include "tool/work_folder.h"

namespace baton::tool {
namespace {

using api::ToolUse;

constexpr std::size_t file_bytes_max = 1U << 20U;
constexpr std::size_t answer_bytes_max = 256U << 10U;
constexpr std::size_t files_listed_max = 2000;
constexpr std::size_t matches_max = 200;
constexpr std::size_t line_bytes_max = 400;

struct Answer {
  std::string text;
  bool is_error = false;
  std::string unavailable = {};
};

Answer wrong(const Fault& fault) { return {fault.message, true}; }

/// Lines from `first` (from 1) on, so many of them.
std::string some_lines(const std::string& text, std::int64_t first, std::int64_t count) {
  std::string some;
  std::int64_t n = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++n;
    if (n < first) continue;
    if (count > 0 && n >= std::max<std::int64_t>(first, 1) + count) break;
    some += std::string{line} + "\n";
  }
  return some;
}

Answer read(const ToolUse& use, const WorkFolder& folder) {
  const auto text = folder.read(use.path, file_bytes_max);
  if (!text) return wrong(text.error());
  const std::string told = use.offset > 0 || use.limit > 0 ? some_lines(*text, use.offset, use.limit) : *text;
  return {told.size() <= answer_bytes_max ? told : shorten(told, answer_bytes_max) + "\n[the rest is left out]"};
}

Answer write(const ToolUse& use, const WorkFolder& folder) {
  if (auto wrote = folder.write(use.path, use.content); !wrote) return wrong(wrote.error());
  return {fmt::format("wrote {} bytes to {}", use.content.size(), use.path)};
}

Answer list(const ToolUse& use, const WorkFolder& folder) {
  std::string text;
  std::size_t files = 0;
  const auto walked = folder.walk(use.path, [&](const WorkFolder::Entry& entry) {
    if (++files > files_listed_max) return text += "[there are more]\n", false;
    text += fmt::format("{} ({} bytes)\n", entry.path, entry.bytes);
    return true;
  });
  if (!walked) return wrong(walked.error());
  return {text.empty() ? "no files" : text};
}

/// The lines of one file that fit.
void search_in(const WorkFolder& folder, const std::string& path, const Pattern& pattern, std::string& text,
               std::size_t& matches) {
  const auto content = folder.read(path, file_bytes_max);
  if (!content || content->find('\0') != std::string::npos) return;
  std::size_t number = 0;
  for (const std::string_view line : split(*content, '\n')) {
    ++number;
    if (matches >= matches_max || !pattern.is_in(line)) continue;
    ++matches;
    text += fmt::format("{}:{}: {}\n", path, number, shorten(line, line_bytes_max));
  }
}

Answer search(const ToolUse& use, const WorkFolder& folder) {
  const auto pattern = Pattern::compile(use.pattern);
  if (!pattern) return {fmt::format("the pattern cannot be read: {}", pattern.error()), true};
  std::string text;
  std::size_t matches = 0;
  const auto walked = folder.walk(use.path, [&](const WorkFolder::Entry& entry) {
    if (entry.bytes <= file_bytes_max) search_in(folder, entry.path, *pattern, text, matches);
    return matches < matches_max;
  });
  if (!walked) return wrong(walked.error());
  if (matches >= matches_max) text += "[there may be more]\n";
  return {text.empty() ? "nothing found" : text};
}

/// Settings that are there cannot be written by a command; where there are none, no mount keeps it from making some.
/// Those are put aside as soon as it has ended.
class Settings {
 public:
  explicit Settings(const std::string& folder) {
    for (const std::string_view name : settings_files) {
      std::filesystem::path path = std::filesystem::path{folder} / name;
      if (!is_there(path)) missing_.push_back(std::move(path));
    }
  }
  /// What the model is told of it.
  [[nodiscard]] std::string put_aside() const {
    std::string told;
    for (const std::filesystem::path& path : missing_) {
      if (!is_there(path)) continue;
      std::filesystem::path aside = path;
      aside += ".put-aside";
      std::error_code error;
      std::filesystem::rename(path, aside, error);
      if (error) std::filesystem::remove_all(path, error);
      told += fmt::format("[{} is closed to tools and was put aside]\n", path.filename().string());
    }
    return told;
  }

 private:
  static bool is_there(const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::exists(std::filesystem::symlink_status(path, error));
  }
  std::vector<std::filesystem::path> missing_;
};

Answer run(const ToolUse& use, const Terms& terms) {
  if (terms.forbids) {
    if (const auto why = terms.forbids(use.command)) return {*why, true};
  }
  Millis lasts = terms.command_lasts_max;
  if (use.limit > 0) lasts = std::min(lasts, Millis{use.limit * 1000});
  // By their real names: they are compared with each other.
  std::string nameless;
  const auto real = [&](const std::string& path) {
    std::error_code error;
    const std::string name = path.empty() ? path : std::filesystem::weakly_canonical(path, error).string();
    if (error) nameless = fmt::format("[not started: {}: {}]", path, error.message());
    return name;
  };
  const Enclosure enclosure{real(terms.folder), real(terms.temporary), real(terms.state)};
  if (!nameless.empty()) return {nameless, true};
  const Settings settings{enclosure.folder};
  const ConfinedEnd end =
      run_confined({use.command, enclosure, terms.unconfined}, terms.scratch, lasts, answer_bytes_max);
  if (!end.unavailable.empty()) return {{}, true, end.unavailable};
  std::string text = end.output;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += settings.put_aside() + end.how;
  return {std::move(text), !end.is_good};
}

}  // namespace

api::ToolAnswer use_tools(const std::vector<ToolUse>& uses, const Terms& terms) {
  api::ToolAnswer all;
  const auto folder = WorkFolder::open(terms.folder, terms.state);
  for (const ToolUse& use : uses) {
    Answer answer;
    if (!folder) {
      answer = wrong(folder.error());
    } else if (use.kind == ToolUse::Kind::read) {
      answer = read(use, *folder);
    } else if (use.kind == ToolUse::Kind::write) {
      answer = write(use, *folder);
    } else if (use.kind == ToolUse::Kind::list) {
      answer = list(use, *folder);
    } else if (use.kind == ToolUse::Kind::search) {
      answer = search(use, *folder);
    } else {
      answer = run(use, terms);
    }
    if (!answer.unavailable.empty()) {
      all.unavailable = std::move(answer.unavailable);
      break;
    }
    all.results.push_back({use.id, std::move(answer.text), answer.is_error});
  }
  return all;
}

}  // namespace baton::tool
