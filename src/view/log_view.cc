#include "view/log_view.h"

#include "base/text.h"

namespace baton {
namespace {

std::string_view voice_color(Voice voice) {
  switch (voice) {
    case Voice::program:
    case Voice::agent:
      return {};
    case Voice::helper:
    case Voice::note:
    case Voice::thinking:
    case Voice::answer:
      return "\x1b[2m";
    case Voice::tool:
      return "\x1b[36m";
    case Voice::trouble:
      return "\x1b[31m";
    case Voice::result:
      return "\x1b[32m";
  }
  return {};
}

/// Whose words these are, where their looks do not tell: every line of them is marked.
std::string_view mark_of(Voice voice) { return voice == Voice::helper ? "[agent] " : ""; }

}  // namespace

std::string log_text(const LogLine& line, bool color) {
  const std::string_view paint = color ? voice_color(line.voice) : std::string_view{};
  std::string out;
  for (std::string_view part : split(line.text, '\n')) {
    if (part.ends_with('\r')) part.remove_suffix(1);
    const std::string text = std::string{mark_of(line.voice)} + printable(part);
    out += paint.empty() ? text + "\n" : std::string{paint} + text + "\x1b[0m\n";
  }
  return out;
}

}  // namespace baton
