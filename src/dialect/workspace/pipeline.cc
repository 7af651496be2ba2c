#include "dialect/workspace/pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "dialect/workspace/ids.h"
#include "text/fault_list.h"
#include "text/yaml_values.h"

namespace baton::workspace {
namespace {

PipelineStep one(std::string skill) { return {PipelineStep::Kind::sequential, {std::move(skill)}}; }
PipelineStep several(std::vector<std::string> skills) { return {PipelineStep::Kind::parallel, std::move(skills)}; }
PipelineStep reviewed_by(std::string who) { return {PipelineStep::Kind::review, {std::move(who)}}; }

std::vector<PipelineStep> chain(const std::vector<std::string>& skills) {
  std::vector<PipelineStep> steps;
  for (const std::string& skill : skills) steps.push_back(one(skill));
  return steps;
}

std::vector<Pipeline> make_built_in_pipelines() {
  using enum Priority;
  return {
      {"Content Production",
       {},
       {},
       p2,
       chain({"content-strategy", "copywriting", "copy-editing", "seo-audit", "schema-markup"})},
      {"Page Launch", {}, {}, p1, chain({"copywriting", "page-cro", "ab-test-setup", "analytics-tracking"})},
      {"Product Launch",
       {},
       {},
       p0,
       {one("launch-strategy"), several({"copywriting", "email-sequence", "social-content", "paid-ads"})}},
      {"Conversion Sprint", {}, {}, p1, chain({"page-cro", "copywriting", "ab-test-setup", "analytics-tracking"})},
      {"Competitive Response",
       {},
       {},
       p1,
       chain({"competitor-alternatives", "copywriting", "pricing-strategy", "paid-ads"})},
      {"Retention Sprint",
       {},
       {},
       p1,
       chain({"onboarding-cro", "email-sequence", "paywall-upgrade-cro", "ab-test-setup"})},
      {"SEO Cycle", {}, {}, p2, {one("seo-audit"), several({"programmatic-seo", "schema-markup", "content-strategy"})}},
      {"Outreach", {}, {}, p2, chain({"cold-email", "ab-test-setup", "analytics-tracking"})},
      {"Copywriting Review Chain",
       {},
       {},
       p1,
       {one("copywriting"), reviewed_by("copy-editing"), reviewed_by("page-cro"), reviewed_by(director)}},
  };
}

class PipelinesReader {
 public:
  PipelinesReader(FaultList& faults, std::string file) : faults_{faults}, file_{std::move(file)} {}

  std::vector<Pipeline> read(const YamlNode& root) {
    const auto list = root.find("pipelines");
    if (!root.is_mapping() || !list || !list->is_sequence()) {
      wrong(root, "the file has no list 'pipelines'", "write 'pipelines:' and beneath it '- name: …'");
      return {};
    }
    for (std::size_t i = 0; i < list->size(); ++i) read_one(list->item(i));
    return std::move(result_);
  }

 private:
  void wrong(const YamlNode& node, std::string message, std::string help = {}) {
    faults_.error("bad-pipeline", spot_of(node), std::move(message), std::move(help));
  }

  void read_one(const YamlNode& node) {
    Pipeline pipeline;
    pipeline.origin = file_;
    if (!node.is_mapping()) {
      return wrong(node, "a pipeline has to have a 'name' and 'steps'", "write '- name: …' and beneath it 'steps:'");
    }
    pipeline.name = text_at(node, "name").value_or("");
    pipeline.description = text_at(node, "description").value_or("");
    pipeline.trigger = text_at(node, "trigger").value_or("");
    if (!is_id(pipeline.id())) {
      return wrong(node, "the pipeline has no name that can be used",
                   near_miss(node, {"name", "description", "trigger", "defaultPriority", "steps"}, "name",
                             "add 'name:' with letters, digits, blanks, '.', '-' and '_'"));
    }
    if (!ids_.insert(pipeline.id()).second) {
      wrong(node, fmt::format("'{}' is there twice", pipeline.name), "give each a name of its own");
    }
    if (const auto value = node.find("defaultPriority")) {
      const auto found = priority(value->text());
      if (!found) wrong(*value, fmt::format("'{}' is no priority", value->text()), "P0, P1, P2 or P3");
      pipeline.priority = found.value_or(Priority::p2);
    }
    const auto steps = node.find("steps");
    if (!steps || !steps->is_sequence() || steps->size() == 0) {
      return wrong(node, fmt::format("pipeline '{}' has no steps", pipeline.name),
                   near_miss(node, {"name", "description", "trigger", "defaultPriority", "steps"}, "steps",
                             "beneath 'steps:' add '- skill: …'"));
    }
    for (std::size_t i = 0; i < steps->size(); ++i) read_step(steps->item(i), i == 0, pipeline);
    result_.push_back(std::move(pipeline));
  }

  /// A key that was meant to be `wanted`, if one looks like it; else `otherwise`.
  static std::string near_miss(const YamlNode& node, const std::vector<std::string>& known, std::string_view wanted,
                               std::string otherwise) {
    for (std::size_t i = 0; node.is_mapping() && i < node.size(); ++i) {
      const std::string word{node.key(i).text()};
      if (std::ranges::find(known, word) != known.end()) continue;
      const std::string near = nearest(word, known);
      if (!near.empty() && (wanted.empty() || near == wanted)) {
        return fmt::format("there is '{}': did you mean '{}'?", shorten(word, 40), near);
      }
    }
    return otherwise;
  }

  void read_step(const YamlNode& node, bool first, Pipeline& pipeline) {
    const auto skill = node.find("skill");
    const auto parallel = node.find("parallel");
    const auto review = node.find("review");
    if (static_cast<int>(skill.has_value()) + static_cast<int>(parallel.has_value()) +
            static_cast<int>(review.has_value()) !=
        1) {
      return wrong(node, "a step has one of 'skill', 'parallel' and 'review'",
                   near_miss(node, {"skill", "parallel", "review"}, {},
                             "write '- skill: NAME', '- parallel: [NAME, NAME]' or '- review: NAME'"));
    }
    PipelineStep step;
    step.kind = parallel ? PipelineStep::Kind::parallel
                : review ? PipelineStep::Kind::review
                         : PipelineStep::Kind::sequential;
    const YamlNode& named = parallel ? *parallel : review ? *review : *skill;
    for (const Located& name : read_texts(named, "a step's skills", faults_)) {
      if (!is_id(name.text)) {
        faults_.error("bad-pipeline", name.spot, fmt::format("'{}' is no skill's name", name.text),
                      "letters, digits, '.', '-', ':' and '_'; no '/'");
      }
      step.skills.push_back(name.text);
    }
    if (step.skills.empty()) return wrong(node, "the step names nobody", "write the skill's name after the colon");
    if (!parallel && step.skills.size() > 1) {
      return wrong(node, "several at once are 'parallel'",
                   fmt::format("write '- parallel: [{}]'", join(step.skills, ", ")));
    }
    if (review && first) {
      return wrong(node, "there is nothing yet to review", "a review comes after the step whose work it looks at");
    }
    if (std::set<std::string>(step.skills.begin(), step.skills.end()).size() < step.skills.size()) {
      return wrong(node, "a skill is there twice in one step", "name each once");
    }
    pipeline.steps.push_back(std::move(step));
  }

  FaultList& faults_;
  std::string file_;
  std::vector<Pipeline> result_;
  std::set<std::string> ids_;
};

}  // namespace

std::string Pipeline::id() const { return pipeline_id(name); }

std::string Pipeline::outline() const {
  std::vector<std::string> parts;
  for (const PipelineStep& step : steps) {
    const std::string who = join(step.skills, ", ");
    parts.push_back(step.kind == PipelineStep::Kind::parallel ? "(" + who + ")"
                    : step.kind == PipelineStep::Kind::review ? "review: " + who
                                                              : who);
  }
  return join(parts, " > ");
}

const std::vector<Pipeline>& built_in_pipelines() {
  static const std::vector<Pipeline> all = make_built_in_pipelines();
  return all;
}

PipelinesRead read_pipelines(std::string_view text, const std::string& file) {
  YamlRead yaml = read_yaml(text, file);
  PipelinesRead read{{}, std::move(yaml.faults)};
  if (!yaml.tree || !yaml.tree->root()) return read;
  FaultList faults{file};
  read.pipelines = PipelinesReader{faults, file}.read(*yaml.tree->root());
  for (Fault& f : faults.take()) read.faults.push_back(std::move(f));
  return read;
}

const Pipeline* find_pipeline(const std::vector<Pipeline>& all, std::string_view named) {
  const std::string id = pipeline_id(named);
  const auto found = std::ranges::find_if(all, [&](const Pipeline& p) { return p.id() == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace baton::workspace
