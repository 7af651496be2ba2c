#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "dialect/markdown/reader.h"

namespace baton {

/// A project whose workflows are written down in a test.
struct Reading {
  Binding binding{.sandbox = "sandbox/kit-1", .inputs = {{"content", "articles/a b.md"}}};
  std::map<std::string, std::string> others = {};  ///< name -> front matter

  std::expected<Workflow, Faults> read(const std::string& front_matter) const {
    Binding with_others = binding;
    with_others.others = {.find = [this](const std::string& name) -> std::optional<MarkdownSource> {
                            const auto found = others.find(name);
                            if (found == others.end()) return std::nullopt;
                            return source(name, found->second);
                          },
                          .names =
                              [this] {
                                std::vector<std::string> names;
                                for (const auto& [name, text] : others) names.push_back(name);
                                return names;
                              }};
    return read_markdown(source("kit", front_matter), with_others, {});
  }

  static MarkdownSource source(const std::string& name, const std::string& front_matter) {
    return {"---\n" + front_matter + "---\nbody\n", "workflows/" + name + ".md", name};
  }

  Plan good(const std::string& front_matter) const {
    auto workflow = read(front_matter);
    EXPECT_TRUE(workflow) << (workflow ? "" : to_text(workflow.error().at(0)));
    return workflow ? workflow->plan : Plan{};
  }

  Faults bad(const std::string& front_matter) const {
    auto workflow = read(front_matter);
    EXPECT_FALSE(workflow) << front_matter;
    return workflow ? Faults{} : workflow.error();
  }
};

/// `code line:column`, with the file's name in front where it is not the main one.
inline std::vector<std::string> places(const Faults& faults) {
  std::vector<std::string> lines;
  for (const Fault& fault : faults) {
    const std::string file = fault.place.file == "workflows/kit.md" ? "" : fault.place.file + " ";
    lines.push_back(file + fault.code + " " + std::to_string(fault.place.line) + ":" +
                    std::to_string(fault.place.column));
  }
  return lines;
}

inline std::vector<std::string> ids(const std::vector<Step>& steps) {
  std::vector<std::string> result;
  for (const Step& step : steps) result.push_back(step.id);
  return result;
}

inline std::vector<std::string> needs(const Plan& plan, const std::string& id) {
  std::vector<std::string> result;
  const auto step = find_step(plan, id);
  EXPECT_TRUE(step) << id;
  if (!step) return result;
  for (const StepIndex need : plan.steps[at(*step)].needs) result.push_back(plan.steps[at(need)].id);
  return result;
}

inline const Step& step_of(const Plan& plan, const std::string& id) {
  static const Step none{
      .id = "", .needs = {}, .work = std::make_shared<Work>(), .flow = std::make_shared<Flow>(), .policy = {}};
  const auto step = find_step(plan, id);
  EXPECT_TRUE(step) << id;
  return step ? plan.steps[at(*step)] : none;
}

inline const std::string head = "name: kit\ndescription: d\nsteps:\n";  // the first step is on line 5 of the file

inline std::string command_step(const std::string& id, const std::string& more = "") {
  return "  - id: " + id + "\n    command: [\"true\"]\n" + more;
}

}  // namespace baton
