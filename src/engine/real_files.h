#pragma once

#include "engine/seams.h"

namespace baton {

class RealFiles final : public Files {
 public:
  Expected<std::optional<std::string>> read(const std::string& path, std::size_t bytes_max) override;
  std::string read_from(const std::string& path, std::uint64_t offset, std::size_t bytes_max) override;
  Status write(const std::string& path, std::string_view content) override;
  void make_folder_for(const std::string& path) override;
  Status append(const std::string& path, std::string_view content) override;
  std::uint64_t stamp(const std::string& path) override;
};

class RealClock final : public Clock {
 public:
  Time now() override;
};

}  // namespace baton
