#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "runtime/api/api_runtime.h"
#include "runtime/api/families.h"

namespace baton::cli {

/// How the API behind the runtime is called: from `runtime.NAME.*`, and from the variables that its other clients know.
/// `skill` may be empty.
ApiSettings api_settings(const Config& config, const std::string& runtime, const std::string& skill);

/// Where its key is; nothing if there is none.
std::optional<api::Auth> api_key(const Config& config, const std::string& runtime);

/// Why the API cannot be asked at all, each with the place of the setting or the variable's name: no key, a file that
/// is not there, a tool that is none, an address that is none. One's own server need not want a key.
/// Faults: runtime-not-found, bad-config-value.
Faults api_faults(const Config& config, const std::string& runtime);

/// Those tools of `skills.NAME.tools` that mean nothing to a model's API, which has its own.
std::vector<std::string> tools_not_there(const Config& config, const std::string& skill);

/// The model of steps that name none.
std::string api_model(const Config& config, const std::string& runtime);

}  // namespace baton::cli
