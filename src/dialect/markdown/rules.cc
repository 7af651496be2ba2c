#include "dialect/markdown/rules.h"

#include <fmt/core.h>

#include "base/text.h"
#include "dialect/markdown/check_draft.h"
#include "text/json_value.h"

namespace baton {

std::expected<std::vector<Check>, Faults> read_rules(std::string_view text, const std::string& file,
                                                     OutputFormat format, const ReadFile& read_file) {
  constexpr const char* help = R"(write an object, such as '{"required_fields":["title"],"min_quotes":3}')";
  const auto compact = compact_json(text);
  if (!compact) {
    return std::unexpected(Faults{{"bad-rules", "the rules are no JSON: " + compact.error(), help, {file, 0, 0}}});
  }
  // JSON is YAML, but for a few ways to write things; whoever wrote it in one of these gets no exact places.
  YamlRead yaml = read_yaml(text, file);
  if (!yaml.tree) yaml = read_yaml(*compact, file);
  FaultList faults{file};
  faults.add(std::move(yaml.faults));
  const auto root = yaml.tree ? yaml.tree->root() : std::nullopt;
  if (!root || !root->is_mapping()) {
    faults.error("bad-rules", {1, 1}, "the rules have to be an object", help);
    return std::unexpected(faults.take());
  }
  const std::string owner = "RULES-JSON";
  const auto resolve = [&](const markdown::Expression& e, Spot spot) {
    faults.error("unknown-expression", spot, fmt::format("an expression means nothing here: '{}'", e.source),
                 "write the value itself; the output's path is in $BATON_OUTPUT");
    return markdown::Composed{};
  };
  const markdown::CheckLinks links{
      .refer =
          [&](const std::string& step, Spot spot) {
            faults.error("bad-check", spot,
                         fmt::format("there is no step '{}' here to compare with", shorten(step, 80)),
                         "write the value itself");
            return std::string{};
          },
      .read_file = read_file};
  const auto drafts = markdown::read_checks(*root, owner, faults);
  auto checks =
      markdown::finish_checks(drafts, markdown::check_commands(drafts, resolve), {owner, format}, links, faults);
  Faults found = faults.take();
  if (has_errors(found)) return std::unexpected(std::move(found));
  return checks;
}

}  // namespace baton
