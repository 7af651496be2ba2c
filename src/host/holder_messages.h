#pragma once

#include <optional>

#include "base/frame.h"
#include "host/attempt_host.h"

namespace baton {

/// What is said to the holder, and what its answers mean. Pure.
Message spawn_message(const SpawnSpec& spec);
Message key_message(const char* verb, const AttemptKey& key);

/// A sighting, with the grace to use if that attempt must be ended.
struct HolderSighting {
  Sighting sighting;
  Millis grace{0};
};
std::optional<HolderSighting> parse_sighting(const Message& message);
std::optional<AttemptStartedNotice> parse_started(const Message& message);
std::optional<ExitRecord> parse_exited(const Message& message);
std::optional<AttemptKey> parse_lost(const Message& message);

}  // namespace baton
