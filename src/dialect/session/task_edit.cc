#include "dialect/session/task_edit.h"

#include <algorithm>

#include "base/boost_json.h"
#include "base/text.h"
#include "text/iso_time.h"
#include "text/json_members.h"
#include "text/json_patch.h"

namespace baton::session {
namespace {

namespace json = boost::json;

bool is_on_record(const json::object& task, const StatusChange& change, const std::string& at) {
  const json::value* history = value_at(task, "status_history");
  if (history == nullptr || !history->is_array()) return false;
  return std::ranges::any_of(history->as_array(), [&](const json::value& entry) {
    const auto* o = entry.if_object();
    return o != nullptr && text_at(*o, {"to"}) == change.to && text_at(*o, {"changed_at"}) == at &&
           text_at(*o, {"note"}) == trim(change.note);
  });
}

}  // namespace

bool is_recorded(std::string_view text, const StatusChange& change) {
  const auto object = read_object(text, {}, "corrupt-task-file");
  return object && is_on_record(*object, change, utc_seconds(to_ms(change.at)));
}

Expected<std::string> set_status(std::string_view text, const std::string& file, const StatusChange& change) {
  const auto object = read_object(text, file, "corrupt-task-file");
  if (!object) return std::unexpected(object.error());
  const std::string at = utc_seconds(to_ms(change.at));
  const std::string from = text_at(*object, {"status"});
  const bool says_so = from == change.to && change.note.empty();
  const bool is_done = from == "completed" && !change.even_if_completed;
  if (says_so || is_done || is_on_record(*object, change, at)) return std::string{text};
  JsonPatch patch{text};
  patch.set("status", json_quote(change.to));
  JsonPatch::Fields entry{{"from", from.empty() ? "null" : json_quote(from)},
                          {"to", json_quote(change.to)},
                          {"changed_at", json_quote(at)}};
  if (!change.note.empty()) entry.emplace_back("note", json_quote(trim(change.note)));
  patch.append("status_history", entry);
  return std::move(patch).take();
}

}  // namespace baton::session
