#include "dialect/session/session_file.h"

#include "base/boost_json.h"
#include "base/text.h"
#include "text/iso_time.h"
#include "text/json_members.h"
#include "text/json_patch.h"

namespace baton::session {

Expected<SessionFile> read_session_file(std::string_view text, const std::string& file) {
  const auto object = read_object(text, file, "corrupt-session-file");
  if (!object) return std::unexpected(object.error());
  SessionFile session;
  session.id = text_at(*object, {"session_id", "id"});
  session.project = text_at(*object, {"project", "description", "topic"});
  session.has_project = !text_at(*object, {"project", "description"}).empty();
  session.has_status = !text_at(*object, {"status"}).empty();
  if (session.has_status) session.status = text_at(*object, {"status"});
  session.type = text_at(*object, {"type", "workflow_type"});
  session.created_at = text_at(*object, {"created_at", "initialized_at", "timestamp"});
  session.started_at = text_at(*object, {"execution_started_at"});
  return session;
}

Expected<std::string> edit_session_file(std::string_view text, const std::string& file, const SessionChange& change) {
  const auto before = read_session_file(text, file);
  if (!before) return std::unexpected(before.error());
  JsonPatch patch{text};
  bool changes = false;
  const auto set = [&](std::string_view key, const std::string& value) {
    const std::string json = json_quote(value);
    if (patch.raw(key) == json) return;
    patch.set(key, json);
    changes = true;
  };
  const auto set_time = [&](std::string_view key, const std::optional<Time>& time) {
    if (time) set(key, utc_seconds(to_ms(*time)));
  };
  if (!change.status.empty()) set("status", change.status);
  if (before->started_at.empty()) set_time("execution_started_at", change.started);
  set_time("completed_at", change.completed);
  set_time("archived_at", change.archived);
  if (changes) set_time("updated_at", change.updated);
  return changes ? std::move(patch).take() : std::string{text};
}

}  // namespace baton::session
