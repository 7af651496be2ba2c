#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/seams.h"
#include "io/descriptor.h"

namespace baton {

class RealFiles final : public Files {
 public:
  Expected<std::optional<std::string>> read(const std::string& path, std::size_t bytes_max) override;
  std::string read_from(const std::string& path, std::uint64_t offset, std::size_t bytes_max) override;
  Status write(const std::string& path, std::string_view content) override;
  Status write_soon(const std::string& path, std::string_view content) override;
  Status write_brief(const std::string& path, std::string_view content) override;
  Status sync() override;
  void make_folder_for(const std::string& path) override;
  Status append(const std::string& path, std::string_view content) override;
  Status append_last(const std::string& path, std::string_view content) override;
  std::shared_ptr<void> guard(const std::string& path) override;
  Status move(const std::string& from, const std::string& to) override;
  std::uint64_t stamp(const std::string& path) override;
  bool is_there(const std::string& path) override;
  bool is_link(const std::string& path) override;
  bool leads_out(const std::string& path, const std::vector<std::string>& folders) override;

 private:
  struct Written {
    std::string path;
    std::string content;
  };

  std::vector<std::pair<Descriptor, std::string>> unsynced_;  // files and their paths
  Written last_;                                              // the whole of the file that was made last by append_last
};

class RealClock final : public Clock {
 public:
  Time now() override;
};

}  // namespace baton
