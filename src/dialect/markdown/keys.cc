#include "dialect/markdown/keys.h"

#include <fmt/core.h>

#include "base/text.h"

namespace baton::markdown {
namespace {

// What values look like, by the names under which the schema defines them.
constexpr std::string_view text = R"("$ref":"#/$defs/text")";
constexpr std::string_view texts = R"("$ref":"#/$defs/texts")";
constexpr std::string_view truth = R"("$ref":"#/$defs/truth")";
constexpr std::string_view duration = R"("$ref":"#/$defs/duration")";
constexpr std::string_view count = R"("$ref":"#/$defs/count")";
constexpr std::string_view condition = R"("type":["string","number","boolean"])";
constexpr std::string_view count_or_counts =
    R"("anyOf":[{"$ref":"#/$defs/count"},{"type":"object","additionalProperties":{"$ref":"#/$defs/count"}}])";
constexpr std::string_view counts = R"("type":"object","additionalProperties":{"$ref":"#/$defs/count"})";
constexpr std::string_view numbers = R"("type":"object","additionalProperties":{"type":"number"})";

constexpr std::string_view definitions =
    R"("text":{"type":["string","number","boolean","null"]},)"
    R"("texts":{"anyOf":[{"$ref":"#/$defs/text"},{"type":"array","items":{"$ref":"#/$defs/text"}}]},)"
    R"("truth":{"enum":[true,false,"true","false","True","False","TRUE","FALSE"]},)"
    R"("duration":{"type":["string","number"],"pattern":"^\\s*([0-9.]+(ms|sec|s|min|m|h|d)?)+\\s*$"},)"
    R"("count":{"type":["integer","string"],"minimum":0,"pattern":"^[0-9]+$"},)"
    R"("dollars":{"type":["number","string"],"minimum":0,"pattern":"^\\s*[0-9]+([.][0-9]+)?\\s*$"})";

std::string described(const Key& key) {
  return fmt::format(R"({}:{{{},"description":{}}})", json_quote(key.name), key.schema, json_quote(key.about));
}

/// A mapping with these keys and no others.
std::string mapping(const std::vector<Key>& keys) {
  std::vector<std::string> members;
  std::vector<std::string> required;
  for (const Key& key : keys) {
    members.push_back(described(key));
    if (key.required) required.push_back(json_quote(key.name));
  }
  return fmt::format(R"({{"type":"object","properties":{{{}}},"required":[{}],"additionalProperties":false}})",
                     join(members, ",\n"), join(required, ","));
}

}  // namespace

const std::vector<Key>& workflow_keys() {
  static const std::vector<Key> keys{
      {"name", text, "what the workflow is called; people run it by its file name without .md", true},
      {"version", text, "yours; kept in the record"},
      {"description", text, "one line for lists"},
      {"skills", texts, "skills the workflow speaks of; accepted, and not used yet"},
      {"inputs", R"("type":["array","null"],"items":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/input"}]})",
       "what a run is given: names, or mappings with a name"},
      {"steps", R"("type":"array","minItems":1,"items":{"$ref":"#/$defs/step"})", "the steps, at least one", true},
  };
  return keys;
}

const std::vector<Key>& input_keys() {
  static const std::vector<Key> keys{
      {"name", text, "letters, digits, '_' and '-'", true},
      {"required", truth, "whether a run needs it (true unless said otherwise)"},
      {"description", text, "shown when it is missing"},
      {"type", R"("type":["string","null"],"examples":["file","json"])", "file or json"},
      {"default", text, "the text to use when it is not given"},
  };
  return keys;
}

const std::vector<Key>& step_keys() {
  static const std::vector<Key> keys{
      {"id", text, "the step's name: a letter, digit or '_', then also '.', '-', ':'", true},
      {"title", text, "for people"},
      {"needs", texts, "ids of steps that have to be completed first"},
      {"command", texts, "a program and its arguments as a list, or a line for the shell"},
      {"skill", text, "agent steps: the name of the skill"},
      {"mission", text, "agent steps: what it is to do"},
      {"input", texts, "paths of what the step reads"},
      {"output", text, "path of the one file the step writes"},
      {"validate", R"("anyOf":[{"$ref":"#/$defs/validate"},{"type":"null"}])", "checks of the output"},
      {"retries", R"("type":["integer","string"],"minimum":0,"maximum":1000,"pattern":"^[0-9]+$")",
       "further attempts, 0 to 1000"},
      {"timeout", duration, "how long one attempt may take, such as 90s, 20m or 2h"},
      {"on_unknown", R"("enum":["retry","fail","ask"])", "what to do with an attempt whose end nobody saw"},
      {"stall", duration, "an attempt without a sign of life for so long is warned of, and stopped after twice that"},
      {"budget", R"("anyOf":[{"$ref":"#/$defs/dollars"},{"$ref":"#/$defs/budget"}])",
       "what the step may spend: dollars, or {usd, tokens, turns}"},
      {"final", truth, "its output is the run's artifact"},
      {"runtime", text, "what carries the step out, such as claude"},
      {"model", text, "the model: an alias or an id"},
      {"mode", R"("enum":["batch","call"])", "how a model's API is asked: in a batch, for half the price, or at once"},
      {"when", condition, "run only if this condition holds"},
      {"for_each", R"("type":["array","string"],"minLength":1)", "one step for each item: a list, or an expression"},
      {"loop", R"("$ref":"#/$defs/loop")", "again and again, until a condition holds"},
      {"gate", R"("anyOf":[{"enum":["approve"]},{"$ref":"#/$defs/gate"}])", "a person has to approve before it begins"},
      {"workflow", R"("type":"string")", "the step is a whole workflow of this name"},
      {"with", R"("type":["object","null"],"additionalProperties":{"$ref":"#/$defs/text"})",
       "the inputs of that workflow: paths, values, expressions"},
  };
  return keys;
}

const std::vector<Key>& check_keys() {
  static const std::vector<Key> keys{
      {"required_fields", texts, "dotted paths that have to reach a value"},
      {"min_quotes", count, "items that importantQuotes has at least"},
      {"min_key_points", count, "items that the longer of bullets and keyPoints has at least"},
      {"min_outline_sections", count, "items that suggestedOutline has at least"},
      {"has_hooks", truth, "ideas.hooks, or hooks, is not empty"},
      {"types", R"("type":"object","additionalProperties":{"$ref":"#/$defs/texts"})", "the types of fields"},
      {"enum", R"("type":"object","additionalProperties":{"type":"array","minItems":1})", "the values fields may have"},
      {"min_length", count_or_counts, "characters a text has at least"},
      {"max_length", count_or_counts, "characters a text has at most"},
      {"min_items", counts, "items a list has at least"},
      {"max_items", counts, "items a list has at most"},
      {"min", numbers, "a number's lower bound"},
      {"max", numbers, "a number's upper bound"},
      {"pattern", R"("type":["string","object"],"additionalProperties":{"type":"string"})",
       "a regular expression that has to be found in a text"},
      {"equals", R"("type":"object")", "the value of a field, or a field of another step's output"},
      {"schema", R"("type":["object","string"])", "a JSON Schema, or the path of one"},
      {"command", R"("type":["string","array"],"items":{"$ref":"#/$defs/texts"})",
       "a command that ends with 0 if the output is right; also a list of lists"},
  };
  return keys;
}

const std::vector<Key>& budget_keys() {
  static const std::vector<Key> keys{
      {"usd", R"("$ref":"#/$defs/dollars")", "dollars"},
      {"tokens", count, "tokens of all kinds"},
      {"turns", count, "answers of the model"},
  };
  return keys;
}

const std::vector<Key>& loop_keys() {
  static const std::vector<Key> keys{
      {"until", condition, "no further round once this holds; 'output' is what the round wrote"},
      {"max", R"("type":["integer","string"],"minimum":1,"maximum":1000,"pattern":"^[0-9]+$")",
       "rounds there may be, 1 to 1000", true},
  };
  return keys;
}

const std::vector<Key>& gate_keys() {
  static const std::vector<Key> keys{{"approve", text, "the question a person is asked", true}};
  return keys;
}

std::vector<std::string> names_of(const std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.emplace_back(key.name);
  return names;
}

std::string front_matter_schema() {
  std::string root = mapping(workflow_keys());
  root.erase(0, 1);  // its members stand at the top, beside the definitions
  return fmt::format(
      R"({{"$schema":"https://json-schema.org/draft/2020-12/schema",
"title":"Front matter of a Baton workflow",
"$defs":{{{},
"input":{},
"validate":{},
"budget":{},
"loop":{},
"gate":{},
"step":{}}},
{})",
      definitions, mapping(input_keys()), mapping(check_keys()), mapping(budget_keys()), mapping(loop_keys()),
      mapping(gate_keys()), mapping(step_keys()), root);
}

}  // namespace baton::markdown
