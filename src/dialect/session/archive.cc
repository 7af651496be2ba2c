#include "dialect/session/archive.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/text.h"
#include "text/iso_time.h"
#include "text/json_members.h"
#include "text/json_patch.h"
#include "text/json_value.h"

namespace baton::session {
namespace {

namespace json = boost::json;

constexpr double ms_in_hour = 3'600'000.0;

JsonPatch::Fields fields_of(const ArchiveEntry& entry) {
  std::string tags;
  for (const std::string& tag : entry.tags) tags += (tags.empty() ? "" : ", ") + json_quote(tag);
  std::string metrics = "{";
  if (entry.duration) {
    metrics += fmt::format("\"duration_hours\": {:.2f}, ", static_cast<double>(entry.duration->count()) / ms_in_hour);
  }
  metrics +=
      fmt::format("\"tasks_completed\": {}, \"summaries_generated\": {}}}", entry.tasks_completed, entry.summaries);
  return {{"session_id", json_quote(entry.session)},
          {"description", json_quote(entry.description)},
          {"archived_at", json_quote(utc_seconds(to_ms(entry.archived)))},
          {"archive_path", json_quote(entry.path)},
          {"metrics", metrics},
          {"tags", "[" + tags + "]"},
          {"lessons", R"({"successes": [], "challenges": [], "watch_patterns": []})"}};
}

bool has_entry(const json::value& list, const ArchiveEntry& entry) {
  if (!list.is_array()) return false;
  return std::ranges::any_of(list.as_array(), [&](const json::value& item) {
    const auto* o = item.if_object();
    return o != nullptr && text_at(*o, {"session_id"}) == entry.session && text_at(*o, {"archive_path"}) == entry.path;
  });
}

std::unexpected<Fault> corrupt(const std::string& file, const std::string& why) {
  return fault("corrupt-manifest", fmt::format("{} cannot be added to: {}", file, why),
               "mend it, or move it aside; then finish the archive with the same command");
}

}  // namespace

Expected<std::string> add_to_manifest(const std::optional<std::string>& existing, const ArchiveEntry& entry,
                                      const std::string& file) {
  if (!existing || trim(*existing).empty()) return appended("[]\n", {0, 2}, fields_of(entry));
  const std::string& text = *existing;
  const auto value = parse_json(text);
  if (!value) return corrupt(file, value.error());
  if (value->is_array()) {
    if (has_entry(*value, entry)) return text;
    const std::size_t begin = text.find('[');
    return appended(text, {begin, end_of_value(text, begin)}, fields_of(entry));
  }
  if (!value->is_object()) return corrupt(file, "it is neither a list nor an object");
  const json::value* archives = value->as_object().if_contains("archives");
  if (archives != nullptr && has_entry(*archives, entry)) return text;
  JsonPatch patch{text};
  if (!patch.append("archives", fields_of(entry))) return corrupt(file, "its 'archives' is no list");
  return std::move(patch).take();
}

std::vector<std::string> tags_of(std::string_view session, std::string_view type) {
  constexpr std::size_t tags_max = 5;
  std::vector<std::string> tags;
  const auto add = [&](std::string_view word) {
    std::string tag = slug(word);
    if (tag.size() > 1 && tag != "wfs" && tags.size() < tags_max && std::ranges::find(tags, tag) == tags.end()) {
      tags.push_back(std::move(tag));
    }
  };
  add(type.empty() ? "workflow" : type);
  for (const std::string_view word : split(session, '-')) add(word);
  return tags;
}

ArchiveStep next_archive_step(const ArchiveState& s) {
  if (s.source && s.destination) return ArchiveStep::refuse;
  if (s.source) return s.marked ? ArchiveStep::move : ArchiveStep::mark;
  if (!s.destination) return ArchiveStep::refuse;
  if (!s.recorded) return ArchiveStep::record;
  return s.marked ? ArchiveStep::unmark : ArchiveStep::done;
}

}  // namespace baton::session
