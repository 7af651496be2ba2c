#include "host/holder_messages.h"

#include "host/held_log.h"

namespace baton {

Message key_message(const char* verb, const AttemptKey& key) {
  return {verb, key.run, key.step, std::to_string(key.attempt)};
}

Message spawn_message(const SpawnSpec& spec) {
  const bool is_call = !spec.request_path.empty();
  Message message = key_message(is_call ? "call" : "spawn", spec.key);
  if (is_call) {
    message.push_back(spec.request_path);
  } else {
    message.insert(message.end(), {spec.cwd, spec.stdin_path});
  }
  message.insert(message.end(), {spec.stdout_path, spec.stderr_path, std::to_string(spec.deadline.count()),
                                 std::to_string(spec.grace.count()), std::to_string(spec.slots)});
  if (!is_call) {
    put_list(message, spec.argv);
    put_list(message, spec.env);
    put_list(message, spec.env_unset);
  }
  if (spec.after) {
    message.insert(message.end(),
                   {spec.after->step, std::to_string(spec.after->attempt), std::to_string(spec.after->within.count())});
  }
  return message;
}

std::optional<HolderSighting> parse_sighting(const Message& message) {
  MessageReader reader{message, 1};
  const std::string run = reader.text();
  const std::string kind = reader.text();
  HolderSighting out;
  Sighting& sighting = out.sighting;
  if (kind == "exited") {
    auto record = parse_exit(run, message, 4);
    if (!record) return std::nullopt;
    sighting.kind = Sighting::Kind::exited;
    sighting.key = record->key;
    sighting.pid = record->pid;
    sighting.started = record->started;
    sighting.record = std::move(*record);
    return out;
  }
  sighting.kind = kind == "waiting" ? Sighting::Kind::waiting : Sighting::Kind::alive;
  sighting.key = {.run = run, .step = reader.text(), .attempt = reader.number<int>()};
  sighting.pid = reader.number<int>();
  sighting.started = time_from_ms(reader.number<std::int64_t>());
  sighting.frozen = reader.flag();
  out.grace = Millis{reader.number<std::int64_t>()};
  if (!reader.done()) return std::nullopt;
  return out;
}

std::optional<AttemptStartedNotice> parse_started(const Message& message) {
  MessageReader reader{message, 1};
  AttemptStartedNotice notice;
  notice.key = {.run = reader.text(), .step = reader.text(), .attempt = reader.number<int>()};
  notice.pid = reader.number<int>();
  notice.at = time_from_ms(reader.number<std::int64_t>());
  if (!reader.done()) return std::nullopt;
  return notice;
}

std::optional<ExitRecord> parse_exited(const Message& message) {
  return message.size() < 3 ? std::nullopt : parse_exit(message[1], message, 3);
}

std::optional<AttemptKey> parse_lost(const Message& message) {
  MessageReader reader{message, 1};
  AttemptKey key{.run = reader.text(), .step = reader.text(), .attempt = reader.number<int>()};
  if (!reader.done()) return std::nullopt;
  return key;
}

}  // namespace baton
