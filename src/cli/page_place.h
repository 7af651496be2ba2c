#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/fault.h"

namespace baton::cli {

/// Where a page goes that somebody asked for with `-o`.
class PagePlace {
 public:
  /// "-" is the standard output. Faults (report-not-written): no name, a folder, in a folder that is not there.
  static Expected<PagePlace> find(const std::string& file);

  /// A file is replaced whole or not at all, also the one behind a link. What is no file, a pipe or a device, is
  /// written to as it is.
  [[nodiscard]] Status write(std::string_view page) const;

  /// Where it is to be found afterwards; nothing if it was printed.
  [[nodiscard]] std::optional<std::string> path() const;

 private:
  enum class Kind : std::uint8_t { file, stream, output };
  PagePlace(Kind kind, std::string path) : kind_(kind), path_(std::move(path)) {}

  Kind kind_;
  std::string path_;
};

}  // namespace baton::cli
