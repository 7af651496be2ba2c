#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "io/descriptor.h"

namespace baton::tool {

/// Whether a path is that folder's or one in it, both as the kernel names them.
bool is_beneath(std::string_view path, std::string_view folder);

/// The files that Baton reads its settings from: they say where keys are sent, and name commands that are run.
bool is_settings_file(std::string_view name);
constexpr std::string_view settings_files[] = {"baton.toml", "agtop.toml"};

/// A folder that a model may work in, and nothing outside of it: files are opened beneath it by the kernel itself, no
/// `..` and no link leads out. Paths are relative to it, or absolute and beneath it. What Git and Baton keep in it is
/// closed: `.git` wherever it is, and the state folder. Baton's settings, wherever they are, can be read and no more.
class WorkFolder {
 public:
  /// `state`: closed, whether it is beneath or not; empty: none.
  static Expected<WorkFolder> open(const std::string& path, const std::string& state = {});

  /// Faults: file-unreadable, file-too-large, path-is-closed, path-leaves-folder.
  [[nodiscard]] Expected<std::string> read(std::string_view path, std::size_t bytes_max) const;
  /// Whole or not at all; missing folders are made.
  [[nodiscard]] Status write(std::string_view path, std::string_view content) const;

  struct Entry {
    std::string path;  ///< relative to the folder
    std::uint64_t bytes = 0;
  };
  /// Every file beneath `path`, sorted by name within its folder; hidden folders and links are passed by. `visit` says
  /// whether to go on.
  [[nodiscard]] Status walk(std::string_view path, const std::function<bool(const Entry&)>& visit) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  WorkFolder(std::string path, Descriptor folder, std::string real, std::string state)
      : path_{std::move(path)}, folder_{std::move(folder)}, real_{std::move(real)}, state_{std::move(state)} {}

  [[nodiscard]] std::string beneath(std::string_view path) const;
  [[nodiscard]] Descriptor open_beneath(const std::string& path, int flags) const;
  /// Whether what is open, or what would be `name` in it, is closed to tools, by whatever links it was reached.
  [[nodiscard]] bool is_closed(const Descriptor& handle, std::string_view name = {}) const;
  /// The folder that a file at `path` is in; made where it is missing.
  [[nodiscard]] Expected<Descriptor> folder_of(std::string_view path, const std::vector<std::string_view>& parts) const;

  std::string path_;
  Descriptor folder_;
  std::string real_;   ///< as the kernel names it
  std::string state_;  ///< likewise
};

}  // namespace baton::tool
