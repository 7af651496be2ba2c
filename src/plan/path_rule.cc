#include "plan/path_rule.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace baton {

bool leaves_folder(std::string_view path, std::string_view sandbox) {
  const bool is_ours =
      !sandbox.empty() && path.size() > sandbox.size() && path.starts_with(sandbox) && path[sandbox.size()] == '/';
  if (is_ours) path.remove_prefix(sandbox.size() + 1);
  if (!is_ours && path.starts_with('/')) return true;
  const auto parts = split(path, '/');
  return std::ranges::find(parts, "..") != parts.end();
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

bool is_good_path(std::string_view path) {
  return !path.empty() && path.size() <= path_bytes_max && !path.ends_with('/') && !has_control_characters(path);
}

std::string plain_path(std::string_view path) {
  std::vector<std::string_view> parts;
  const bool is_absolute = path.starts_with('/');
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    const bool goes_back = part == ".." && (is_absolute || (!parts.empty() && parts.back() != ".."));
    if (!goes_back) {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  std::string plain;
  for (const std::string_view part : parts) {
    if (is_absolute || !plain.empty()) plain += '/';
    plain += part;
  }
  return plain;
}

}  // namespace baton
