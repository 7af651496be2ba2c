#pragma once

#include <string>

#include "runtime/claude_stream.h"

namespace baton {

/// What happens in a stream of Claude Code's, in words: the same ones while it happens and in the logs afterwards.
std::string about(const claude::UsedTool& tool);
std::string about(const claude::Retries& retries);
std::string about(const claude::Denied& denied);
std::string about(const claude::RateLimit& limit);
std::string about(const claude::PassedOver& passed);

}  // namespace baton
