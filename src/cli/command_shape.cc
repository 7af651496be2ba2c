#include "cli/command_shape.h"

#include <algorithm>

#include "base/text.h"
#include "cli/cli11.h"

namespace baton::cli {
namespace {

/// The parser's own words for a set of choices: `TEXT:{auto,always,never}`.
std::vector<std::string> choices_in(const std::string& type) {
  const auto from = type.find('{');
  const auto to = type.find('}', from);
  if (from == std::string::npos || to == std::string::npos) return {};
  std::vector<std::string> choices;
  for (const std::string_view choice : split(std::string_view{type}.substr(from + 1, to - from - 1), ',')) {
    choices.emplace_back(choice);
  }
  return choices;
}

OptionShape option_shape(const CLI::Option& option) {
  OptionShape shape;
  for (const std::string& name : option.get_snames()) shape.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) shape.names.push_back("--" + name);
  shape.about = option.get_description();
  shape.choices = choices_in(option.get_type_name());
  shape.repeats = option.get_items_expected_max() > 1;
  shape.greedy = shape.repeats && (option.get_positional() || option.get_allow_extra_args());
  if (option.get_items_expected_max() > 0) {
    shape.value = option.get_positional() ? option.get_name(true) : option.get_type_name();
  }
  return shape;
}

VerbShape verb_of(const CLI::App& app) {
  VerbShape shape{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? shape.arguments : shape.options).push_back(option_shape(*option));
  }
  return shape;
}

}  // namespace

const OptionShape* VerbShape::option(std::string_view wanted) const {
  const auto has_name = [&](const OptionShape& o) { return std::ranges::find(o.names, wanted) != o.names.end(); };
  const auto found = std::ranges::find_if(options, has_name);
  return found == options.end() ? nullptr : &*found;
}

const VerbShape* CommandShape::verb(std::string_view name) const {
  const auto found = std::ranges::find(verbs, name, &VerbShape::name);
  return found == verbs.end() ? nullptr : &*found;
}

CommandShape shape_of(const CLI::App& app) {
  CommandShape shape{verb_of(app), {}};
  // A verb without a group is the program's own business, and shown to nobody.
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); })) {
    shape.verbs.push_back(verb_of(*sub));
  }
  return shape;
}

}  // namespace baton::cli
