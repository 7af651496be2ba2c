#include "plan/check.h"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/limits.h"
#include "base/text.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr std::size_t output_depth_max = 256;  // of an agent's JSON: more is no result but an attack on our stack

/// The member or element that one part of a dotted path names; null if there is none.
const json::value* child(const json::value& parent, std::string_view part) {
  if (const auto* object = parent.if_object()) return object->if_contains(part);
  const auto* array = parent.if_array();
  if (array == nullptr || part.empty() || (part.size() > 1 && part.front() == '0')) return nullptr;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc{} || end != part.data() + part.size()) return nullptr;
  return array->if_contains(index);
}

const json::value* find(const json::value& root, std::string_view path) {
  const json::value* here = &root;
  for (const std::string_view part : split(path, '.')) {
    here = child(*here, part);
    if (here == nullptr) return nullptr;
  }
  return here;
}

/// How many elements the array at `path` has; nothing where there is no array.
const json::array* array_at(const json::value& root, std::string_view path) {
  const json::value* found = find(root, path);
  return found == nullptr ? nullptr : found->if_array();
}

std::int64_t count_at(const json::value& root, std::string_view path) {
  const json::array* array = array_at(root, path);
  return array == nullptr ? 0 : static_cast<std::int64_t>(array->size());
}

CheckResult check_field(const json::value& root, const std::string& path) {
  const json::value* found = find(root, path);
  const bool passed = found != nullptr && !found->is_null();
  return {"has_" + path, passed, passed ? "OK" : "Missing required field: " + path};
}

CheckResult check_quotes(const json::value& root, std::int64_t least) {
  const std::int64_t count = count_at(root, "importantQuotes");
  if (count >= least) return {"min_quotes", true, fmt::format("Found {} quotes (min: {})", count, least)};
  return {"min_quotes", false, fmt::format("Found {} quotes, need at least {}", count, least)};
}

CheckResult check_key_points(const json::value& root, std::int64_t least) {
  const std::int64_t count = std::max(count_at(root, "bullets"), count_at(root, "keyPoints"));
  if (count >= least) return {"min_key_points", true, fmt::format("Found {} key points (min: {})", count, least)};
  return {"min_key_points", false, fmt::format("Found {} key points, need at least {}", count, least)};
}

CheckResult check_outline(const json::value& root, std::int64_t least) {
  // The skill that writes outlines makes an object with `sections`; a bare array is what the rule first meant.
  const bool bare = array_at(root, "suggestedOutline") != nullptr;
  const std::int64_t count = count_at(root, bare ? "suggestedOutline" : "suggestedOutline.sections");
  if (count >= least) {
    return {"min_outline_sections", true, fmt::format("Found {} outline sections (min: {})", count, least)};
  }
  return {"min_outline_sections", false, fmt::format("Found {} sections, need at least {}", count, least)};
}

CheckResult check_hooks(const json::value& root) {
  const bool nested = array_at(root, "ideas.hooks") != nullptr;
  const std::int64_t count = count_at(root, nested ? "ideas.hooks" : "hooks");
  if (count > 0) return {"has_hooks", true, fmt::format("Found {} hooks", count)};
  return {"has_hooks", false, "No hooks found in artifact"};
}

CheckResult evaluate_one(const Check& check, const json::value& root) {
  switch (check.kind) {
    case Check::Kind::required_field:
      return check_field(root, check.path);
    case Check::Kind::min_quotes:
      return check_quotes(root, check.count);
    case Check::Kind::min_key_points:
      return check_key_points(root, check.count);
    case Check::Kind::min_outline_sections:
      return check_outline(root, check.count);
    case Check::Kind::has_hooks:
      return check_hooks(root);
  }
  return {"unknown", false, "This check is not known"};
}

CheckResult unreadable(std::string_view why) {
  return {"file_readable", false, fmt::format("Failed to read artifact: {}", why)};
}

/// `line 3, column 7` of the byte where reading stopped.
std::string place_in(std::string_view content, std::size_t offset) {
  const std::string_view before = content.substr(0, std::min(offset, content.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

}  // namespace

std::vector<CheckResult> evaluate(const std::vector<Check>& checks, OutputFormat format, std::string_view content) {
  if (content.size() > Limits::output_bytes_max) {
    return {unreadable(fmt::format("it is larger than {} bytes", Limits::output_bytes_max))};
  }
  if (format == OutputFormat::text && checks.empty()) return {};

  json::monotonic_resource memory;
  json::parse_options options;
  options.max_depth = output_depth_max;
  json::parser parser{&memory, options};
  json::error_code error;
  const std::size_t read = parser.write_some(content.data(), content.size(), error);
  if (!error && read < content.size() && !trim(content.substr(read)).empty()) error = json::error::extra_data;
  if (error) return {unreadable(fmt::format("{} at {}", error.message(), place_in(content, read)))};

  const json::value root = parser.release();
  std::vector<CheckResult> results;
  results.reserve(checks.size());
  for (const Check& check : checks) results.push_back(evaluate_one(check, root));
  return results;
}

CheckResult output_missing(const std::string& path) {
  return {"output_written", false, "Output file was not written: " + path};
}

bool all_passed(const std::vector<CheckResult>& results) { return std::ranges::all_of(results, &CheckResult::passed); }

std::string rules_json(const std::vector<Check>& checks) {
  std::vector<std::string> fields;
  std::vector<std::string> rules;
  for (const Check& check : checks) {
    switch (check.kind) {
      case Check::Kind::required_field:
        fields.push_back(json_quote(check.path));
        break;
      case Check::Kind::min_quotes:
        rules.push_back(fmt::format(R"("min_quotes":{})", check.count));
        break;
      case Check::Kind::min_key_points:
        rules.push_back(fmt::format(R"("min_key_points":{})", check.count));
        break;
      case Check::Kind::min_outline_sections:
        rules.push_back(fmt::format(R"("min_outline_sections":{})", check.count));
        break;
      case Check::Kind::has_hooks:
        rules.emplace_back(R"("has_hooks":true)");
        break;
    }
  }
  if (!fields.empty()) rules.insert(rules.begin(), fmt::format(R"("required_fields":[{}])", join(fields, ",")));
  return "{" + join(rules, ",") + "}";
}

}  // namespace baton
