#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fault.h"

namespace baton::workspace {

/// One `key: value` line of a file's head, with where it stands. The value is cut at the first colon and trimmed, so it
/// may hold colons itself.
struct FrontLine {
  std::string key;
  std::string value;       ///< without quotes around it
  int line = 0;            ///< in the whole file, from 1
  int column = 0;          ///< of the value
  std::size_t begin = 0;   ///< of the value's bytes in the text
  std::size_t size = 0;    ///< of them, without a comment after it
  std::string whole = {};  ///< the value with what may be a comment after it
};

/// The head of a file of a workspace: lines `key: value` between two lines `---`. It is no YAML: indentation says
/// nothing, and a line without a colon is a remark.
struct Front {
  std::vector<FrontLine> lines;
  std::size_t end = 0;   ///< where the closing `---` begins
  std::size_t body = 0;  ///< where the body begins
  int body_line = 1;     ///< the number of its first line
  bool present = false;  ///< false: there is none, and all is body

  /// The last line with that key counts; null if there is none.
  [[nodiscard]] const FrontLine* find(std::string_view key) const;
};

/// Fault: no-front-matter, if it is opened and never closed.
Expected<Front> read_front(std::string_view text, const std::string& file);

/// The same text with these values; what else is in it stays byte for byte: comments, unknown keys, blanks, line ends.
/// A key that is not there is added before the closing `---`. REQUIRES: it has a front matter.
std::string with_values(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values);

/// A value has one line.
std::string on_one_line(std::string_view text);

}  // namespace baton::workspace
