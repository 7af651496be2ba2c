#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "text/fault_list.h"
#include "text/yaml_tree.h"

namespace baton {

/// A text with the place where its value begins.
struct Located {
  std::string text;
  Spot spot;
  std::optional<int> lead = {};  ///< see YamlNode::lead()
};

Located located(const YamlNode& node);

/// The place of a byte of the text, as near as it is known.
Spot spot_at(const Located& text, std::size_t offset);

/// The text of a mapping's member, where it is a text that says something.
std::optional<std::string> text_at(const YamlNode& mapping, std::string_view key);

// Values with their types. Each reports a wrong one, calling it `what`, and answers nothing then. ---------------------

std::optional<std::string> read_text(const YamlNode& node, const std::string& what, FaultList& faults);
std::optional<bool> read_truth(const YamlNode& node, const std::string& what, FaultList& faults);

/// A whole number from 0 to `max`; `code` is the fault's.
std::optional<std::int64_t> read_count(const YamlNode& node, const std::string& what, std::int64_t max,
                                       const char* code, FaultList& faults);

/// A duration (base/time.h).
std::optional<Millis> read_duration(const YamlNode& node, const std::string& what, FaultList& faults);

/// A list of texts; a single text is a list of one, nothing is an empty one.
std::vector<Located> read_texts(const YamlNode& node, const std::string& what, FaultList& faults);

/// `owner` has a key nobody knows.
void report_unknown_key(const YamlNode& key, const std::string& owner, const std::vector<std::string>& known,
                        FaultList& faults);

}  // namespace baton
