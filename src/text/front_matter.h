#pragma once

#include <string>
#include <string_view>

#include "base/fault.h"

namespace baton {

struct FrontMatter {
  std::string_view yaml;  ///< between the two `---` lines
  std::string_view body;  ///< after them
  int lines_before = 0;   ///< how many lines of the file stand before the first one of `yaml`
};

/// Splits a Markdown file. A byte order mark, CRLF and a closing `---` that ends the file are fine.
/// The parts point into `text`.
Expected<FrontMatter> split_front_matter(std::string_view text, const std::string& file);

}  // namespace baton
