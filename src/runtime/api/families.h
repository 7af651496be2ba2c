#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/answer.h"

namespace baton {

/// The runtimes that ask a model's API themselves, in the order they are looked for.
const std::vector<std::string>& api_runtimes();
bool asks_api(std::string_view runtime);

namespace api {

/// REQUIRES: asks_api(runtime).
Protocol protocol_of(std::string_view runtime);
std::string_view runtime_of(Protocol protocol);

/// Whether OpenAI itself is behind the address, or Azure, which has the same service: where a model's name does not say
/// whose it is, that does. Empty: the provider's own.
bool is_openai(std::string_view base_url);

}  // namespace api
}  // namespace baton
