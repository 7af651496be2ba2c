#pragma once

#include <string>
#include <string_view>

namespace baton {

/// A private folder for what lies there in between; it goes with this, and with all that is in it.
class ScratchFolder {
 public:
  /// `purpose` stands in its name.
  explicit ScratchFolder(std::string_view purpose);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  /// False: errno said why when it was to be made.
  [[nodiscard]] bool is_there() const { return !path_.empty(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace baton
