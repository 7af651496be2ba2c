// The table of keys: the reader knows just these, editors are told just these, the documents have them all.
#include "dialect/markdown/keys.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/boost_json.h"
#include "base/text.h"
#include "plan/schema.h"
#include "support/places.h"
#include "text/front_matter.h"
#include "text/json_value.h"
#include "text/yaml_json.h"
#include "unit/dialect/markdown/reading.h"

namespace baton {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string read_file(const fs::path& path) {
  const std::ifstream file{path};
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const Schema& schema() {
  static const Schema whole = [] {
    auto read = Schema::read(markdown::front_matter_schema());
    if (!read) throw std::runtime_error{read.error()};
    return *read;
  }();
  return whole;
}

/// What the schema says of front matter.
std::vector<std::string> failures(const std::string& front_matter) {
  const YamlRead yaml = read_yaml(front_matter, "w.md");
  EXPECT_TRUE(yaml.tree && yaml.tree->root()) << front_matter;
  if (!yaml.tree || !yaml.tree->root()) return {"no YAML"};
  const auto document = parse_json(yaml_as_json(*yaml.tree->root()));
  EXPECT_TRUE(document) << front_matter;
  return document ? schema().failures(*document) : std::vector<std::string>{"no JSON"};
}

std::string one_step(const std::string& more) {
  return "name: k\ndescription: d\nsteps:\n  - id: a\n    command: 'true'\n    output: o.json\n" + more;
}

TEST(FrontMatterKeys, TheSchemaTakesEveryExample) {
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator{fs::path{test::source_folder()} / "examples"}) {
    if (entry.path().extension() != ".md" || entry.path().parent_path().filename() != "workflows") continue;
    const std::string text = read_file(entry.path());
    const auto parts = split_front_matter(text, "w.md");
    ASSERT_TRUE(parts) << entry.path();
    EXPECT_THAT(failures(std::string{parts->yaml}), IsEmpty()) << entry.path();
    ++seen;
  }
  EXPECT_GE(seen, 3U);
}

TEST(FrontMatterKeys, TheSchemaTakesWhatTheReaderTakes) {
  const std::string everything = R"(name: all
version: 1.2
description: every key once
skills: [writer]
inputs:
  - content
  - {name: tone, required: false, description: how, type: json, default: 5}
steps:
  - id: draft
    title: A draft
    skill: writer
    mission: Write.
    input: ["${{ inputs.content }}"]
    output: ${{ sandbox }}/outputs/draft.json
    retries: 3
    timeout: 1h30m
    stall: 90
    budget: {usd: 0.5, tokens: 20000, turns: 10}
    runtime: claude
    model: opus
    mode: call
    on_unknown: ask
    validate:
      required_fields: [title]
      min_quotes: 1
      min_key_points: 2
      min_outline_sections: 0
      has_hooks: true
      types: {title: string, rest: [object, 'null']}
      enum: {state: [draft, final]}
      min_length: {title: 3}
      max_length: {title: 90}
      min_items: {bullets: 1}
      max_items: {bullets: 9}
      min: {score: -0.5}
      max: {score: 10}
      pattern: {title: '^[A-Z]'}
      equals: {state: draft}
      schema: {type: object}
      command: [[test, -s, out], [grep, -q, x, out]]
  - id: rounds
    needs: draft
    command: echo ${{ index }} > o
    output: ${{ sandbox }}/outputs/r.json
    loop: {until: output.score >= 8, max: 5}
    budget: 0.25
  - id: parts
    needs: [draft]
    for_each: [de, 1, {x: y}]
    command: [echo, "${{ index }}"]
    when: steps.draft.output.score > 3
  - {id: ask, needs: parts, gate: approve}
  - {id: ask2, needs: ask, gate: {approve: "Really?"}}
  - {id: other, needs: ask2, workflow: other, with: {text: "${{ steps.draft.output }}"}, final: true}
)";
  Reading reading;
  reading.others["other"] = "name: other\ndescription: d\ninputs: [text]\nsteps:\n  - id: x\n    command: 'true'\n";
  reading.good(everything);
  EXPECT_THAT(failures(everything), IsEmpty());
  // Each key stands in it, so none has a schema that its own values fail.
  for (const auto* keys : {&markdown::workflow_keys(), &markdown::input_keys(), &markdown::step_keys(),
                           &markdown::check_keys(), &markdown::budget_keys(), &markdown::loop_keys()}) {
    for (const markdown::Key& key : *keys) {
      EXPECT_THAT(everything, HasSubstr(std::string{key.name} + ":")) << "add it to the test";
      EXPECT_FALSE(key.about.empty()) << key.name;
    }
  }
}

TEST(FrontMatterKeys, TheSchemaRefusesWhatTheReaderRefuses) {
  EXPECT_THAT(failures(one_step("")), IsEmpty());
  for (const char* more :
       {"colour: red\n", "    colour: red\n", "    validate: {min_quote: 3}\n", "    loop: {max: 3, unless: x}\n",
        "    loop: {until: output.ok}\n", "    gate: {aprove: x}\n", "    gate: yes please\n", "    budget: {eur: 3}\n",
        "    on_unknown: shrug\n", "    retries: 1001\n", "    timeout: soon\n", "    final: maybe\n",
        "inputs: [{nme: x}]\n"}) {
    const std::string text = one_step(more);
    EXPECT_THAT(failures(text), Not(IsEmpty())) << text;
    EXPECT_FALSE(Reading{}.read(text)) << text;
  }
  EXPECT_THAT(failures("name: k\n"), Not(IsEmpty())) << "no steps";
  EXPECT_THAT(failures("name: k\nsteps:\n  - command: x\n"), Not(IsEmpty())) << "no id";
}

/// Nothing is near these words, so the reader tells all that it knows.
std::string help_for(const std::string& text) {
  for (const Fault& fault : Reading{}.bad(text)) {
    if (fault.code == "unknown-key" || fault.code == "unknown-check") return fault.help;
  }
  return "";
}

TEST(FrontMatterKeys, TheReaderKnowsJustThese) {
  const auto known = [](const char* what, const std::vector<markdown::Key>& keys) {
    return fmt::format("known {}: {}", what, join(markdown::names_of(keys), ", "));
  };
  EXPECT_EQ(help_for(one_step("qqqqqqqqqqqq: 1\n")), known("keys", markdown::workflow_keys()));
  EXPECT_EQ(help_for(one_step("    qqqqqqqqqqqq: 1\n")), known("keys", markdown::step_keys()));
  EXPECT_EQ(help_for(one_step("inputs: [{name: a, qqqqqqqqqqqq: 1}]\n")), known("keys", markdown::input_keys()));
  EXPECT_EQ(help_for(one_step("    validate: {qqqqqqqqqqqq: 1}\n")), known("checks", markdown::check_keys()));
  EXPECT_EQ(help_for(one_step("    loop: {max: 1, qqqqqqqqqqqq: 1}\n")), known("keys", markdown::loop_keys()));
  EXPECT_EQ(help_for(one_step("    budget: {qqqqqqqqqqqq: 1}\n")), known("keys", markdown::budget_keys()));
}

TEST(FrontMatterKeys, EachIsDescribedInTheSchemaAndInTheDocuments) {
  const boost::json::value whole = boost::json::parse(markdown::front_matter_schema());
  EXPECT_EQ(whole.at("$schema"), "https://json-schema.org/draft/2020-12/schema");
  for (const markdown::Key& key : markdown::step_keys()) {
    EXPECT_EQ(whole.at_pointer("/$defs/step/properties").at(key.name).at("description").as_string().c_str(), key.about);
  }
  const std::string workflows = read_file(fs::path{test::source_folder()} / "docs/workflows.md");
  for (const auto* keys : {&markdown::workflow_keys(), &markdown::input_keys(), &markdown::step_keys()}) {
    for (const std::string& name : markdown::names_of(*keys)) {
      EXPECT_THAT(workflows, HasSubstr("`" + name + "`")) << "not in docs/workflows.md";
    }
  }
  const std::string checks = read_file(fs::path{test::source_folder()} / "docs/checks.md");
  for (const std::string& name : markdown::names_of(markdown::check_keys())) {
    EXPECT_THAT(checks, HasSubstr("`" + name)) << "not in docs/checks.md";
  }
}

}  // namespace
}  // namespace baton
