#include "text/front_matter.h"

#include "base/utf8.h"

namespace baton {
namespace {

/// Takes one line with its end off the front of `rest`.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

bool is_fence(std::string_view line) {
  if (!line.starts_with("---")) return false;
  return line.find_first_not_of(" \t\r", 3) == std::string_view::npos;
}

}  // namespace

Expected<FrontMatter> split_front_matter(std::string_view text, const std::string& file) {
  text = without_byte_order_mark(text);
  const auto refuse = [&](std::string message, std::string help) {
    return std::unexpected(Fault{"no-front-matter", std::move(message), std::move(help), {file, 1, 1}});
  };
  std::string_view rest = text;
  if (!is_fence(take_line(rest))) {
    return refuse("there is no YAML front matter: the file has to begin with a line '---'",
                  "put 'name', 'description' and 'steps' between two lines '---' at the top of the file");
  }
  const std::string_view after_fence = rest;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (!is_fence(line)) continue;
    const auto size = static_cast<std::size_t>(line.data() - after_fence.data());
    return FrontMatter{after_fence.substr(0, size), rest, 1};
  }
  return refuse("the YAML front matter that begins on line 1 is never closed", "end it with a line '---'");
}

}  // namespace baton
