#include "view/cells.h"

#include "view/char_width.h"

namespace baton {

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Cluster c = next_cluster(text);
    columns += static_cast<std::size_t>(c.width);
    text.remove_prefix(c.text.size());
  }
  return columns;
}

std::string cut(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string{text};
  if (columns == 0) return {};
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const Cluster c = next_cluster(text);
    if (used + static_cast<std::size_t>(c.width) > columns - 1) break;
    used += static_cast<std::size_t>(c.width);
    out += c.text;
    text.remove_prefix(c.text.size());
  }
  return out + "…";
}

std::string fit(std::string_view text, std::size_t columns) {
  std::string out = cut(text, columns);
  out.append(columns - columns_of(out), ' ');
  return out;
}

}  // namespace baton
