#include "view/top/verb_words.h"

#include "base/text.h"

namespace baton::top {
namespace {

std::string joined(std::string_view text, bool with_warnings) {
  std::string out;
  bool in_warning = false;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(' ')) in_warning = line.starts_with("warning[");
    const std::string_view part = trim(line);
    if (part.empty() || part.starts_with("-->") || (in_warning && !with_warnings)) continue;
    out += (out.empty() ? "" : "; ") + std::string{part};
  }
  return out;
}

}  // namespace

std::string verb_words(std::string_view out, std::string_view err) {
  constexpr std::size_t bytes_max = 400;
  std::string said = joined(err, false);
  if (said.empty()) said = joined(out, false);
  if (said.empty()) said = joined(err, true);
  return shorten(said, bytes_max);
}

}  // namespace baton::top
