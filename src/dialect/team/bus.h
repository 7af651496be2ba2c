#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace baton::team {

/// A line of the message bus, `.msg/messages.jsonl`.
struct Message {
  std::string id = {};  ///< `MSG-012`; empty until it is on the bus
  std::string ts = {};
  std::string from;
  std::string to;
  std::string type;
  std::string summary;
  std::string data = {};  ///< a JSON object; may be empty

  bool operator==(const Message&) const = default;
};

/// What is on the bus. Lines that are no messages are passed over.
std::vector<Message> read_bus(std::string_view text);

/// The highest number that an id on the bus has, also in lines that are cut off.
std::int64_t highest_number(std::string_view text);

/// What has to be written behind `before` to have these on the bus: each gets the next number and, if it has none, the
/// time. A last line that was cut off is ended first, so that it spoils no other.
std::string to_append(std::string_view before, std::vector<Message>& drafts, Time now);

/// Messages that say what is on record of a run carry a key, so that whoever takes the run up sees what was said.
std::string with_key(std::string_view data, const std::string& key);
/// The key of a message; empty if it has none.
std::string key_of(const Message& message);

/// What `message` may leave out: `to` coordinator, `type` message, `summary` from the others.
void fill_in(Message& draft);

/// Which messages are asked for.
struct BusFilter {
  std::string from = {};
  std::string to = {};
  std::string type = {};
  std::size_t last = 20;
};
std::vector<Message> filtered(std::vector<Message> messages, const BusFilter& filter);

/// `MSG-003 [09:30:00] a → b (type) summary`.
std::string to_line(const Message& message);
std::string to_json(const Message& message);

/// `.msg/meta.json` after this was said. A state_update goes into role_state, and some of it to the top. What is no
/// JSON is begun anew.
std::string meta_with(std::string_view meta, const Message& message, Time now);
/// The same for the session's own status: active, completed, paused.
std::string meta_with_status(std::string_view meta, const std::string& status, Time now);

}  // namespace baton::team
