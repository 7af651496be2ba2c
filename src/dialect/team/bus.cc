#include "dialect/team/bus.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/text.h"
#include "text/iso_time.h"
#include "text/json_members.h"
#include "text/json_value.h"

namespace baton::team {
namespace {

namespace json = boost::json;

constexpr const char* key_member = "baton";

std::optional<json::object> object_of(std::string_view text) {
  auto value = parse_json(text);
  if (!value || !value->is_object()) return std::nullopt;
  return std::move(value->as_object());
}

std::int64_t number_of(std::string_view id) {
  constexpr std::string_view prefix = "MSG-";
  if (!id.starts_with(prefix)) return 0;
  constexpr std::size_t digits_max = 12;  // one that is longer is no number of ours, and must not become the highest
  std::int64_t number = 0;
  std::size_t digits = 0;
  for (const char c : id.substr(prefix.size())) {
    if (c < '0' || c > '9') break;
    if (++digits > digits_max) return 0;
    number = number * 10 + (c - '0');
  }
  return number;
}

/// Two spaces deep, in the order of its members: for people too.
std::string pretty(const json::object& object) {
  std::string out = "{";
  for (const auto& [key, value] : object) {
    out +=
        fmt::format("{}\n  {}: {}", out.size() > 1 ? "," : "", json_quote(std::string_view{key}), written_json(value));
  }
  return out + "\n}\n";
}

}  // namespace

std::vector<Message> read_bus(std::string_view text) {
  std::vector<Message> messages;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    const auto object = object_of(line);
    if (!object) continue;
    Message m{text_at(*object, {"id"}),
              text_at(*object, {"ts"}),
              text_at(*object, {"from"}),
              text_at(*object, {"to"}),
              text_at(*object, {"type"}),
              text_at(*object, {"summary"}),
              {}};
    if (m.id.empty() && m.from.empty()) continue;
    const json::value* data = value_at(*object, "data");
    json::object members;
    if (data != nullptr && data->is_object()) members = data->as_object();
    // Old lines have it beside the data.
    if (const json::value* ref = value_at(*object, "ref"); ref != nullptr && !members.contains("ref")) {
      members["ref"] = *ref;
    }
    if (!members.empty()) m.data = written_json(members);
    messages.push_back(std::move(m));
  }
  return messages;
}

std::int64_t highest_number(std::string_view text) {
  std::int64_t highest = 0;
  constexpr std::string_view mark = "\"MSG-";
  for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + mark.size())) {
    highest = std::max(highest, number_of(text.substr(at + 1, 24)));
  }
  return highest;
}

std::string to_append(std::string_view before, std::vector<Message>& drafts, Time now) {
  std::string out;
  if (drafts.empty()) return out;
  if (!before.empty() && !before.ends_with('\n')) out += '\n';
  std::int64_t number = highest_number(before);
  for (Message& draft : drafts) {
    draft.id = fmt::format("MSG-{:03}", ++number);
    if (draft.ts.empty()) draft.ts = bus_time(now);
    out += to_json(draft) + "\n";
  }
  return out;
}

std::string with_key(std::string_view data, const std::string& key) {
  json::object members = object_of(data).value_or(json::object{});
  members[key_member] = key;
  return written_json(members);
}

std::string key_of(const Message& message) {
  const auto members = object_of(message.data);
  return members ? text_at(*members, {key_member}) : std::string{};
}

void fill_in(Message& draft) {
  if (draft.to.empty()) draft.to = "coordinator";
  if (draft.type.empty()) draft.type = "message";
  if (draft.summary.empty()) draft.summary = fmt::format("[{}] {} → {}", draft.from, draft.type, draft.to);
}

std::vector<Message> filtered(std::vector<Message> messages, const BusFilter& filter) {
  const auto fits = [](const std::string& wanted, const std::string& has) { return wanted.empty() || wanted == has; };
  std::erase_if(messages, [&](const Message& m) {
    return !fits(filter.from, m.from) || !fits(filter.to, m.to) || !fits(filter.type, m.type);
  });
  if (messages.size() > filter.last)
    messages.erase(messages.begin(), messages.end() - static_cast<std::ptrdiff_t>(filter.last));
  return messages;
}

std::string to_line(const Message& message) {
  const auto clock = message.ts.find('T');
  const std::string time = clock == std::string::npos ? "--:--:--" : message.ts.substr(clock + 1, 8);
  return fmt::format("{} [{}] {} → {} ({}) {}", message.id, time, message.from, message.to, message.type,
                     message.summary);
}

std::string to_json(const Message& message) {
  std::string out = fmt::format(R"({{"id":{},"ts":{},"from":{},"to":{},"type":{},"summary":{})", json_quote(message.id),
                                json_quote(message.ts), json_quote(message.from), json_quote(message.to),
                                json_quote(message.type), json_quote(message.summary));
  if (!message.data.empty()) out += ",\"data\":" + message.data;
  return out + "}";
}

std::string meta_with(std::string_view meta, const Message& message, Time now) {
  json::object root = object_of(meta).value_or(json::object{});
  const auto data = object_of(message.data);
  if (message.type != "state_update" || !data) return std::string{meta};
  for (const char* lifted : {"pipeline_mode", "pipeline_stages", "team_name", "task_description", "roles"}) {
    if (const json::value* value = data->if_contains(lifted)) root[lifted] = *value;
  }
  if (!root.contains("status")) root["status"] = "active";
  if (!root.contains("created_at")) root["created_at"] = bus_time(now);
  root["updated_at"] = bus_time(now);
  json::value& states = root["role_state"];
  if (!states.is_object()) states = json::object{};
  json::value& own = states.as_object()[message.from];
  if (!own.is_object()) own = json::object{};
  for (const auto& [key, value] : *data) own.as_object()[key] = value;
  own.as_object()["_updated_at"] = bus_time(now);
  return pretty(root);
}

std::string meta_with_status(std::string_view meta, const std::string& status, Time now) {
  json::object root = object_of(meta).value_or(json::object{});
  if (text_at(root, {"status"}) == status) return std::string{meta};
  root["status"] = status;
  if (!root.contains("created_at")) root["created_at"] = bus_time(now);
  root["updated_at"] = bus_time(now);
  return pretty(root);
}

}  // namespace baton::team
