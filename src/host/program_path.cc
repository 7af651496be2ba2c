#include "host/program_path.h"

#include <filesystem>

namespace baton {

std::string sibling_program(std::string_view name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string{name} : (self.parent_path() / name).string();
}

}  // namespace baton
