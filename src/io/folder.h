#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "io/descriptor.h"

namespace baton {

/// Opens what is beneath a folder: the kernel sees to it that neither `..` nor a link leads out. `further_rules`:
/// RESOLVE_NO_SYMLINKS and its like. Where it cannot be opened, errno says why: EXDEV if it leads out.
Descriptor open_beneath(const Descriptor& folder, const std::string& path, int flags, std::uint64_t further_rules = 0);

/// Where a path leads from a folder once all links are followed, also where nothing is there yet: "." is the folder
/// itself. nullopt: elsewhere.
std::optional<std::string> path_beneath(const std::string& folder, const std::filesystem::path& path);

/// A folder from which nothing leads out: paths are opened beneath it by the kernel, so neither `..` nor a link that
/// somebody put there meanwhile gets anywhere else.
class Folder {
 public:
  /// Fault: file-unreadable.
  static Expected<Folder> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }

  /// nullopt if there is no such file. Faults: file-unreadable, file-too-large, path-leaves-folder.
  [[nodiscard]] Expected<std::optional<std::string>> read(const std::string& file, std::size_t bytes_max) const;
  /// Whole or not at all: written beside and renamed. Makes missing folders. Faults: file-failed, disk-full,
  /// path-leaves-folder.
  [[nodiscard]] Status write(const std::string& file, std::string_view content) const;
  /// The same for a file that must not be there yet. Fault: file-exists.
  [[nodiscard]] Status create(const std::string& file, std::string_view content) const;
  /// Whether a file could be written there, as far as that can be seen without doing it: nothing is made. Faults: those
  /// of write().
  [[nodiscard]] Status may_write(const std::string& file) const;
  /// Names in a folder, sorted; none if it is not there. With `folders` folders, else files.
  [[nodiscard]] std::vector<std::string> list(const std::string& folder, bool folders = false) const;
  /// Takes away what writes of processes that are gone left half done there.
  void sweep(const std::string& folder) const;

 private:
  Folder(std::string path, Descriptor folder) : path_{std::move(path)}, folder_{std::move(folder)} {}
  [[nodiscard]] Expected<Descriptor> parent_of(const std::string& file) const;
  [[nodiscard]] Status put(const std::string& file, std::string_view content, bool anew) const;

  std::string path_;
  Descriptor folder_;
};

}  // namespace baton
