#include "engine/shown_file.h"

#include <algorithm>
#include <filesystem>

#include "engine/real_files.h"

namespace baton {
namespace {

namespace fs = std::filesystem;

bool lies_in(const std::string& path, const std::string& folder) {
  std::error_code error;
  const std::string real = fs::canonical(folder, error).string();
  return !error && (path == real || path.starts_with(real + "/"));
}

}  // namespace

bool lies_outside(const std::string& real, const std::vector<std::string>& folders) {
  return std::ranges::none_of(folders, [&](const std::string& f) { return !f.empty() && lies_in(real, f); });
}

ShownFile read_shown(const std::string& path, const std::vector<std::string>& folders, std::size_t bytes_max) {
  if (path.empty()) return {};
  std::error_code error;
  const std::string real = fs::canonical(path, error).string();
  if (error) return {};
  if (lies_outside(real, folders)) return {{}, real};
  return {RealFiles{}.read_from(real, 0, bytes_max), {}};
}

}  // namespace baton
