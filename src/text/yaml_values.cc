#include "text/yaml_values.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"

namespace baton {
namespace {

const char* name_of(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::scalar:
      return "a text";
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::mapping:
      return "a mapping";
  }
  return "";
}

}  // namespace

Located located(const YamlNode& node) { return {std::string{node.text()}, spot_of(node), node.lead()}; }

Spot spot_at(const Located& text, std::size_t offset) {
  if (!text.lead) return text.spot;
  const std::string_view before = std::string_view{text.text}.substr(0, offset);
  return {text.spot.line, text.spot.column + *text.lead + static_cast<int>(count_characters(before))};
}

std::optional<std::string> text_at(const YamlNode& mapping, std::string_view key) {
  const auto value = mapping.find(key);
  return value && value->is_scalar() && !value->is_null() ? std::optional{std::string{value->text()}} : std::nullopt;
}

std::optional<std::string> read_text(const YamlNode& node, const std::string& what, FaultList& faults) {
  if (node.is_scalar()) return std::string{node.is_null() ? std::string_view{} : node.text()};
  faults.error("wrong-type", spot_of(node), fmt::format("{} has to be a text, not {}", what, name_of(node.kind())),
               "write it on one line, or as a block that begins with '|'");
  return std::nullopt;
}

std::optional<bool> read_truth(const YamlNode& node, const std::string& what, FaultList& faults) {
  const std::string_view word = node.text();
  if (node.is_scalar()) {
    if (word == "true" || word == "True" || word == "TRUE") return true;
    if (word == "false" || word == "False" || word == "FALSE") return false;
  }
  faults.error("wrong-type", spot_of(node), fmt::format("{} has to be true or false", what), "write 'true' or 'false'");
  return std::nullopt;
}

std::optional<std::int64_t> read_count(const YamlNode& node, const std::string& what, std::int64_t max,
                                       const char* code, FaultList& faults) {
  const auto number = parse_whole<std::int64_t>(node.text());
  if (number && *number >= 0 && *number <= max) return number;
  faults.error(code, spot_of(node), fmt::format("{} has to be a whole number from 0 to {}", what, max),
               node.is_scalar() ? fmt::format("it is '{}'", shorten(node.text(), 40)) : "");
  return std::nullopt;
}

std::optional<Millis> read_duration(const YamlNode& node, const std::string& what, FaultList& faults) {
  const auto text = read_text(node, what, faults);
  if (!text) return std::nullopt;
  const auto duration = parse_duration(trim(*text));
  if (duration) return *duration;
  faults.error("bad-duration", spot_of(node), fmt::format("{}: {}", what, duration.error().message),
               duration.error().help);
  return std::nullopt;
}

std::vector<Located> read_texts(const YamlNode& node, const std::string& what, FaultList& faults) {
  std::vector<Located> texts;
  if (node.is_null()) return texts;
  if (node.is_scalar()) return {located(node)};
  if (node.is_mapping()) {
    faults.error("wrong-type", spot_of(node),
                 fmt::format("{} has to be a text or a list of texts, not a mapping", what), "write it as [a, b]");
    return texts;
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const YamlNode item = node.item(i);
    if (item.is_scalar()) {
      texts.push_back(located(item));
    } else {
      faults.error("wrong-type", spot_of(item),
                   fmt::format("an item of {} has to be a text, not {}", what, name_of(item.kind())),
                   "put it in quotes if it is one");
    }
  }
  return texts;
}

void report_unknown_key(const YamlNode& key, const std::string& owner, const std::vector<std::string>& known,
                        FaultList& faults) {
  if (faults.is_full()) return;
  const std::string word = shorten(key.text(), 80);
  const std::string near = faults.deserves_hint() ? nearest(key.text(), known) : "";
  faults.error(
      "unknown-key", spot_of(key), fmt::format("{} has an unknown key '{}'", owner, word),
      near.empty() ? fmt::format("known keys: {}", join(known, ", ")) : fmt::format("did you mean '{}'?", near));
}

}  // namespace baton
