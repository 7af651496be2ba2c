#include "io/scratch_folder.h"

#include <stdlib.h>

#include <fmt/core.h>

#include <filesystem>

namespace baton {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(std::string_view purpose) {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / fmt::format("baton-{}-XXXXXX", purpose)).string();
  if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (is_there()) fs::remove_all(path_, ignored);
}

std::string ScratchFolder::file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

}  // namespace baton
