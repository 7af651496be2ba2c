#include "runtime/api/families.h"

#include <algorithm>

#include "base/letters.h"
#include "base/text.h"

namespace baton {
namespace {

constexpr const char* messages_runtime = "anthropic";
constexpr const char* chat_runtime = "openai";

/// Without scheme, port and path.
std::string host_of(std::string_view address) {
  if (const auto scheme = address.find("://"); scheme != std::string_view::npos) address.remove_prefix(scheme + 3);
  return lower(address.substr(0, address.find_first_of(":/?#")));
}

}  // namespace

const std::vector<std::string>& api_runtimes() {
  static const std::vector<std::string> names = {messages_runtime, chat_runtime};
  return names;
}

bool asks_api(std::string_view runtime) { return std::ranges::find(api_runtimes(), runtime) != api_runtimes().end(); }

namespace api {

Protocol protocol_of(std::string_view runtime) {
  return runtime == messages_runtime ? Protocol::messages : Protocol::chat;
}

std::string_view runtime_of(Protocol protocol) {
  return protocol == Protocol::messages ? messages_runtime : chat_runtime;
}

bool is_openai(std::string_view base_url) {
  const std::string host = host_of(base_url);
  return host.empty() || host == "api.openai.com" || host.ends_with(".openai.azure.com");
}

}  // namespace api
}  // namespace baton
