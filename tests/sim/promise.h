#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace baton::test {

/// A promise that was not kept.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void promise(bool kept, const std::string& what, const std::string& run, const std::string& detail) {
  if (!kept) throw Violation(fmt::format("{}: run {}: {}", what, run, detail));
}

}  // namespace baton::test
