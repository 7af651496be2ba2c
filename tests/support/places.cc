#include "support/places.h"

#include <stdlib.h>

#include <filesystem>

#include "base/ensure.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

std::string find_source() {
  if (const char* told = ::getenv("BATON_SOURCE")) return told;
  fs::path folder = build_folder();
  while (!fs::exists(folder / "CMakePresets.json")) {
    BATON_ENSURE(folder.has_relative_path(), "the sources are not above the build: BATON_SOURCE has to name them",
                 build_folder());
    folder = folder.parent_path();
  }
  return folder.string();
}

}  // namespace

const std::string& build_folder() {
  static const std::string folder = fs::read_symlink("/proc/self/exe").parent_path().parent_path().string();
  return folder;
}

const std::string& source_folder() {
  static const std::string folder = find_source();
  return folder;
}

std::string program_of_ours(const std::string& name) {
  const char* told = ::getenv("BATON_PROGRAMS");
  return (told == nullptr ? build_folder() + "/bin" : std::string{told}) + "/" + name;
}

}  // namespace baton::test
