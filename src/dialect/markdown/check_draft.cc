#include "dialect/markdown/check_draft.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "base/text.h"
#include "plan/path_rule.h"
#include "plan/pattern.h"
#include "plan/schema.h"
#include "text/json_value.h"
#include "text/yaml_json.h"

namespace baton::markdown {
namespace {

using Kind = Check::Kind;

constexpr std::int64_t count_max = 1'000'000;
constexpr std::int64_t size_max = 1'000'000'000;

// The order of the results of these is part of the format, whatever order the rules were written in; the results of all
// others follow in the order in which they are written.
constexpr std::array<Kind, 5> kinds_in_order{Kind::required_field, Kind::min_quotes, Kind::min_key_points,
                                             Kind::min_outline_sections, Kind::has_hooks};

const std::vector<std::string>& known_types() {
  static const std::vector<std::string> types{"string", "number", "integer", "boolean", "array", "object", "null"};
  return types;
}

/// `${{ steps.ID.output.FIELD }}` and nothing else.
struct FieldReference {
  std::string step;
  std::string field;
};

std::optional<FieldReference> read_field_reference(std::string_view text) {
  text = trim(text);
  if (!text.starts_with("${{") || !text.ends_with("}}")) return std::nullopt;
  const std::string_view inner = trim(text.substr(3, text.size() - 5));
  constexpr std::string_view steps = "steps.";
  constexpr std::string_view output = ".output.";
  const std::size_t at = inner.find(output);
  if (!inner.starts_with(steps) || at == std::string_view::npos || at < steps.size()) return std::nullopt;
  FieldReference reference{std::string{inner.substr(steps.size(), at - steps.size())},
                           std::string{inner.substr(at + output.size())}};
  const bool is_good = is_id(reference.step) && !reference.field.empty() &&
                       reference.field.find_first_of(" \t\n{}$") == std::string::npos;
  return is_good ? std::optional{std::move(reference)} : std::nullopt;
}

class CheckReader {
 public:
  CheckReader(const std::string& owner, FaultList& faults) : owner_{owner}, faults_{faults} {}

  std::vector<CheckDraft> read(const YamlNode& node) {
    for (std::size_t i = 0; i < node.size(); ++i) read_rule(node.key(i), node.value(i));
    refuse_contradictions();
    std::vector<CheckDraft> sorted;
    for (const Kind kind : kinds_in_order) {
      std::ranges::copy_if(checks_, std::back_inserter(sorted),
                           [&](const CheckDraft& c) { return c.check.kind == kind; });
    }
    std::ranges::copy_if(checks_, std::back_inserter(sorted), [](const CheckDraft& c) {
      return std::ranges::find(kinds_in_order, c.check.kind) == kinds_in_order.end();
    });
    return sorted;
  }

 private:
  using Reader = void (CheckReader::*)(Kind kind, const YamlNode& value);

  struct Rule {
    Kind kind;
    Reader read;
  };

  static const std::vector<Rule>& rules() {
    static const std::vector<Rule> table{{Kind::required_field, &CheckReader::read_fields},
                                         {Kind::min_quotes, &CheckReader::read_number_of},
                                         {Kind::min_key_points, &CheckReader::read_number_of},
                                         {Kind::min_outline_sections, &CheckReader::read_number_of},
                                         {Kind::has_hooks, &CheckReader::read_hooks},
                                         {Kind::type, &CheckReader::read_paths},
                                         {Kind::one_of, &CheckReader::read_paths},
                                         {Kind::min_length, &CheckReader::read_paths},
                                         {Kind::max_length, &CheckReader::read_paths},
                                         {Kind::min_items, &CheckReader::read_paths},
                                         {Kind::max_items, &CheckReader::read_paths},
                                         {Kind::minimum, &CheckReader::read_paths},
                                         {Kind::maximum, &CheckReader::read_paths},
                                         {Kind::pattern, &CheckReader::read_paths},
                                         {Kind::equals, &CheckReader::read_paths},
                                         {Kind::schema, &CheckReader::read_schema},
                                         {Kind::command, &CheckReader::read_command}};
    return table;
  }

  static std::vector<std::string> known_rules() {
    std::vector<std::string> names;
    for (const Rule& rule : rules()) names.emplace_back(rule_name(rule.kind));
    return names;
  }

  [[nodiscard]] std::string of_this(Kind kind) const { return fmt::format("'{}' of {}", rule_name(kind), owner_); }

  void bad(const YamlNode& node, std::string message, std::string help) {
    faults_.error("bad-check", spot_of(node), std::move(message), std::move(help));
  }

  void add(Check check, const YamlNode& node) { checks_.push_back({std::move(check), spot_of(node)}); }

  void read_rule(const YamlNode& key, const YamlNode& value) {
    const std::string_view word = key.text();
    const auto rule = std::ranges::find_if(rules(), [&](const Rule& r) { return word == rule_name(r.kind); });
    if (rule != rules().end()) return (this->*rule->read)(rule->kind, value);
    const std::string near = faults_.deserves_hint() ? nearest(word, known_rules()) : "";
    faults_.error("unknown-check", spot_of(key), fmt::format("{} has an unknown check '{}'", owner_, shorten(word, 80)),
                  near.empty() ? fmt::format("known checks: {}", join(known_rules(), ", "))
                               : fmt::format("did you mean '{}'?", near));
  }

  void read_fields(Kind kind, const YamlNode& node) {
    for (const Located& field : read_texts(node, of_this(kind), faults_)) {
      if (field.text.empty()) {
        faults_.error("bad-check", field.spot, fmt::format("a required field of {} has no name", owner_),
                      "name a field of the output, such as 'title' or 'meta.author'");
        continue;
      }
      checks_.push_back({{kind, field.text, 0}, field.spot});
    }
  }

  void read_number_of(Kind kind, const YamlNode& node) {
    const auto count = read_count(node, of_this(kind), count_max, "bad-check", faults_);
    if (count) add({kind, {}, *count}, node);
  }

  void read_hooks(Kind kind, const YamlNode& node) {
    if (read_truth(node, of_this(kind), faults_).value_or(false)) add({kind, {}, 0}, node);
  }

  // Rules that name paths
  // --------------------------------------------------------------------------------------------------

  void read_paths(Kind kind, const YamlNode& node) {
    const bool may_be_bare = kind == Kind::min_length || kind == Kind::max_length || kind == Kind::pattern;
    if (may_be_bare && node.is_scalar() && !node.is_null()) return read_at(kind, "", node);
    if (!node.is_mapping() || node.size() == 0) {
      return bad(node, fmt::format("{} has to be a mapping of fields", of_this(kind)), example_of(kind));
    }
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string path{node.key(i).text()};
      if (path.empty() || split(path, '.').size() > json_depth_max) {
        bad(node.key(i), fmt::format("{} names no field", of_this(kind)),
            "name a field of the output, such as 'title', 'meta.author' or 'items.*.title'");
        continue;
      }
      read_at(kind, path, node.value(i));
    }
  }

  static std::string example_of(Kind kind) {
    static const std::map<Kind, const char*> values{
        {Kind::type, "string"}, {Kind::one_of, "[draft, final]"}, {Kind::pattern, "'^[A-Z]'"}, {Kind::equals, "final"}};
    const auto value = values.find(kind);
    return fmt::format("write it as '{}: {{title: {}}}'", rule_name(kind), value == values.end() ? "3" : value->second);
  }

  void read_at(Kind kind, const std::string& path, const YamlNode& node) {
    Check check{kind, path, 0};
    const std::string what = path.empty() ? of_this(kind) : fmt::format("'{}' in {}", shorten(path, 80), of_this(kind));
    bool is_good = false;
    if (kind == Kind::type) {
      is_good = read_types(node, what, check.value);
    } else if (kind == Kind::one_of) {
      is_good = read_values(node, what, check.value);
    } else if (kind == Kind::minimum || kind == Kind::maximum) {
      is_good = read_bound(node, what, check.value);
    } else if (kind == Kind::pattern) {
      is_good = read_pattern(node, what, check.value);
    } else if (kind == Kind::equals) {
      is_good = read_equal(node, what, check);
    } else {
      const auto count = read_count(node, what, size_max, "bad-check", faults_);
      check.count = count.value_or(0);
      is_good = count.has_value();
    }
    if (is_good) add(std::move(check), node);
  }

  bool read_types(const YamlNode& node, const std::string& what, std::string& value) {
    std::vector<std::string> quoted;
    bool is_good = true;
    for (const Located& type :
         node.is_null() ? std::vector<Located>{{"null", spot_of(node)}} : read_texts(node, what, faults_)) {
      quoted.push_back(json_quote(type.text));
      if (std::ranges::find(known_types(), type.text) != known_types().end()) continue;
      is_good = false;
      const std::string near = nearest(type.text, known_types());
      faults_.error(
          "bad-check", type.spot, fmt::format("{} is no type: '{}'", what, shorten(type.text, 80)),
          near.empty() ? fmt::format("types: {}", join(known_types(), ", ")) : fmt::format("did you mean '{}'?", near));
    }
    if (quoted.empty()) return false;
    value = node.is_sequence() ? "[" + join(quoted, ",") + "]" : quoted.front();
    return is_good;
  }

  /// Any value, as compact JSON.
  bool read_json(const YamlNode& node, const std::string& what, std::string& value) {
    auto text = compact_json(yaml_as_json(node));
    if (!text) {
      bad(node, fmt::format("{} cannot be written as JSON: {}", what, text.error()), "put a text in quotes");
      return false;
    }
    value = std::move(*text);
    return true;
  }

  bool read_values(const YamlNode& node, const std::string& what, std::string& value) {
    if (node.is_sequence() && node.size() > 0) return read_json(node, what, value);
    bad(node, fmt::format("{} has to be a list of values", what), "write it as [draft, final]");
    return false;
  }

  bool read_bound(const YamlNode& node, const std::string& what, std::string& value) {
    const std::string text = node.is_scalar() && !node.is_quoted() ? yaml_as_json(node) : "";
    if (!text.empty() && (text.front() == '-' || (text.front() >= '0' && text.front() <= '9'))) {
      return read_json(node, what, value);
    }
    bad(node, fmt::format("{} has to be a number", what),
        node.is_scalar() ? fmt::format("it is '{}'", shorten(node.text(), 40)) : "");
    return false;
  }

  bool read_pattern(const YamlNode& node, const std::string& what, std::string& value) {
    const auto text = read_text(node, what, faults_);
    if (!text) return false;
    value = *text;
    const auto pattern = Pattern::compile(value);
    if (pattern && !value.empty()) return true;
    bad(node, fmt::format("{} is no pattern: {}", what, pattern ? "it is empty" : pattern.error()),
        "write a regular expression as RE2 has them (no look-around, no back references), in single quotes");
    return false;
  }

  bool read_equal(const YamlNode& node, const std::string& what, Check& check) {
    if (!node.is_scalar() || node.text().find("${{") == std::string_view::npos) {
      return read_json(node, what, check.value);
    }
    auto reference = read_field_reference(node.text());
    if (!reference) {
      bad(node, fmt::format("{} compares with no field of a step: '{}'", what, shorten(node.text(), 80)),
          "write a value, or ${{ steps.ID.output.FIELD }} and nothing else");
      return false;
    }
    check.step = std::move(reference->step);
    check.value = std::move(reference->field);
    return true;
  }

  /// What no output could ever meet costs attempt after attempt, so it is found before the first one.
  void refuse_contradictions() {
    constexpr std::array<std::pair<Kind, Kind>, 3> opposites{
        {{Kind::min_length, Kind::max_length}, {Kind::min_items, Kind::max_items}, {Kind::minimum, Kind::maximum}}};
    for (const auto& [least, most] : opposites) {
      std::map<std::string_view, const CheckDraft*> floors;
      for (const CheckDraft& c : checks_) {
        if (c.check.kind == least) floors.emplace(c.check.path, &c);
      }
      for (const CheckDraft& c : checks_) {
        const auto floor = c.check.kind == most ? floors.find(c.check.path) : floors.end();
        if (floor == floors.end() || compare(bound_of(floor->second->check), bound_of(c.check)) <= 0) continue;
        const std::string at = c.check.path.empty() ? "" : fmt::format("'{}' in ", shorten(c.check.path, 80));
        faults_.error("bad-check", c.spot,
                      fmt::format("{}{} is {}, less than '{}', which is {}", at, of_this(most), bound_text(c.check),
                                  rule_name(least), bound_text(floor->second->check)),
                      "no output could pass both: change one of them");
      }
    }
  }

  static std::string bound_text(const Check& check) {
    return check.value.empty() ? fmt::format("{}", check.count) : check.value;
  }
  static Decimal bound_of(const Check& check) {
    return read_decimal(check.value.empty() ? std::to_string(check.count) : check.value).value_or(Decimal{});
  }

  // Schema and command
  // -----------------------------------------------------------------------------------------------------

  void read_schema(Kind kind, const YamlNode& node) {
    CheckDraft draft{{kind}, spot_of(node)};
    if (node.is_mapping()) {
      if (!read_json(node, of_this(kind), draft.check.value)) return;
    } else if (node.is_scalar() && !trim(node.text()).empty()) {
      draft.schema_file = trim(node.text());
    } else {
      return bad(node, fmt::format("{} has to be a JSON Schema, or the path of one", of_this(kind)),
                 "write it as a mapping, or as a path relative to the project");
    }
    checks_.push_back(std::move(draft));
  }

  void read_command(Kind kind, const YamlNode& node) {
    const bool has_lists = node.is_sequence() && node.size() > 0 && node.item(0).is_sequence();
    if (!has_lists) return read_one_command(kind, node);
    for (std::size_t i = 0; i < node.size(); ++i) read_one_command(kind, node.item(i));
  }

  void read_one_command(Kind kind, const YamlNode& node) {
    CheckDraft draft{{kind}, spot_of(node)};
    draft.command_is_line = node.is_scalar();
    draft.command = read_texts(node, of_this(kind), faults_);
    std::vector<std::string> quoted;
    for (const Located& item : draft.command) quoted.push_back(json_quote(item.text));
    if (quoted.empty() || trim(draft.command.front().text).empty()) {
      if (!node.is_mapping()) {
        bad(node, fmt::format("{} is empty", of_this(kind)),
            "write the program and its arguments as a list, or a line for the shell");
      }
      return;
    }
    draft.check.value = draft.command_is_line ? quoted.front() : "[" + join(quoted, ",") + "]";
    checks_.push_back(std::move(draft));
  }

  const std::string& owner_;
  FaultList& faults_;
  std::vector<CheckDraft> checks_;
};

/// Compact text of a schema that can be used; nothing, and a fault, otherwise.
std::string finish_schema(const CheckDraft& draft, const std::string& owner, const ReadFile& read_file,
                          FaultList& faults) {
  std::string text = draft.check.value;
  std::string name = fmt::format("the schema of {}", owner);
  if (!draft.schema_file.empty()) {
    name += fmt::format(" ({})", shorten(draft.schema_file, 200));
    if (leaves_folder(draft.schema_file, {})) {
      faults.error("bad-schema", draft.spot, name + " lies outside of the project",
                   "name a file beneath the project, such as schemas/summary.json");
      return {};
    }
    const auto read = read_file ? read_file(draft.schema_file) : fault("file-unreadable", "files cannot be read here");
    if (!read) {
      faults.error("bad-schema", draft.spot, fmt::format("{} cannot be read: {}", name, read.error().message),
                   "paths are relative to the project");
      return {};
    }
    text = *read;
  }
  const auto schema = Schema::read(text);
  if (schema) {
    for (const std::string& what : schema->passed_over()) {
      faults.warning("schema-not-checked", draft.spot, fmt::format("{} does not check all it says: {}", name, what),
                     "docs/checks.md says what of a schema is looked at");
    }
    return compact_json(text).value_or("");
  }
  faults.error("bad-schema", draft.spot, fmt::format("{} cannot be used: {}", name, schema.error()),
               "it has to be a JSON Schema of draft 7 that refers to nothing outside of itself");
  return {};
}

void put_command(Check& check, const CommandLine& command, bool deferred) {
  for (const Composed& item : command.argv) check.argv.push_back(item.text(deferred));
  for (const auto& [name, value] : command.env) check.env.push_back(name + "=" + value.text(deferred));
}

}  // namespace

std::vector<CheckDraft> read_checks(const YamlNode& node, const std::string& owner, FaultList& faults) {
  if (node.is_null()) return {};
  if (node.is_mapping()) return CheckReader{owner, faults}.read(node);
  faults.error("wrong-type", spot_of(node), fmt::format("'validate' of {} has to be a mapping", owner),
               "write the checks as 'required_fields: [a, b]' and so on, each on a line of its own");
  return {};
}

std::vector<CommandLine> check_commands(const std::vector<CheckDraft>& drafts, const ResolveAt& resolve) {
  std::vector<CommandLine> commands;
  for (const CheckDraft& draft : drafts) {
    if (draft.check.kind != Kind::command) continue;
    commands.push_back(make_command(draft.command, draft.command_is_line, resolve));
  }
  return commands;
}

std::vector<Check> finish_checks(const std::vector<CheckDraft>& drafts, const std::vector<CommandLine>& commands,
                                 const CheckedOutput& output, const CheckLinks& links, FaultList& faults) {
  std::vector<Check> checks;
  checks.reserve(drafts.size());
  auto command = commands.begin();
  for (const CheckDraft& draft : drafts) {
    Check check = draft.check;
    if (!check.step.empty()) check.step = links.refer(check.step, draft.spot);
    if (check.kind == Kind::schema) check.value = finish_schema(draft, output.owner, links.read_file, faults);
    if (check.kind == Kind::command) {
      put_command(check, *command++, output.deferred);
    } else if (is_text_check(check) && output.format == OutputFormat::json) {
      faults.error(
          "bad-check", draft.spot,
          fmt::format("'{}' of {} names no field, but the output is JSON", rule_name(check.kind), output.owner),
          fmt::format("write it as '{}: {{field: …}}'; only texts are checked whole", rule_name(check.kind)));
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace baton::markdown
