#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::workspace {

constexpr const char* learnings_path = "memory/learnings.md";

/// One entry of `memory/learnings.md`.
struct Learning {
  enum class Outcome : std::uint8_t { success, failure, partial };
  std::string time;  ///< as it stands in the file
  std::string agent;
  std::string goal_id = {};
  Outcome outcome = Outcome::partial;
  std::string learning;
  std::string action;
  std::vector<std::string> tags = {};
  std::optional<double> confidence = {};

  bool operator==(const Learning&) const = default;
};

/// The same text with one entry more at its end; what was there stays byte for byte. An entry that is there already is
/// not added again, so that whoever is not sure may say it twice.
std::string with_learning(std::string_view text, const Learning& learning);

}  // namespace baton::workspace
