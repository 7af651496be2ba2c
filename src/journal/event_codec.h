#pragma once

#include <string>
#include <string_view>

#include "core/event.h"

namespace baton {

/// The stable name of an event's kind, as it stands in the journal (docs/journal.md).
std::string_view kind_of(const EventBody& body);

/// The body as JSON. Same event, same bytes: tests compare journals byte for byte.
std::string encode(const EventBody& body);

/// REQUIRES nothing of its input: what is not a whole, known event is a fault `journal-corrupt`.
Expected<EventBody> decode(std::string_view kind, std::string_view json);

}  // namespace baton
