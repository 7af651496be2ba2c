#include "base/fault.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace baton {

bool has_errors(const Faults& faults) {
  return std::ranges::any_of(faults, [](const Fault& f) { return f.severity == Severity::error; });
}

std::string to_text(const Fault& fault) {
  const char* kind = fault.severity == Severity::error ? "error" : "warning";
  std::string text = fmt::format("{}[{}]: {}\n", kind, fault.code, printable(fault.message));
  if (!fault.place.file.empty()) {
    text += fmt::format("  --> {}", printable(fault.place.file));
    if (fault.place.line > 0) text += fmt::format(":{}:{}", fault.place.line, fault.place.column);
    text += '\n';
  }
  if (!fault.help.empty()) text += fmt::format("  help: {}\n", printable(fault.help));
  return text;
}

std::string to_json(const Fault& fault) {
  std::string json =
      fmt::format(R"({{"type":"{}","code":{},"message":{})", fault.severity == Severity::error ? "error" : "warning",
                  json_quote(fault.code), json_quote(fault.message));
  if (!fault.place.file.empty()) {
    json += fmt::format(R"(,"file":{},"line":{},"column":{})", json_quote(fault.place.file), fault.place.line,
                        fault.place.column);
  } else {
    json += R"(,"file":null,"line":null,"column":null)";
  }
  json += fmt::format(R"(,"help":{}}})", json_quote(fault.help));
  return json;
}

}  // namespace baton
