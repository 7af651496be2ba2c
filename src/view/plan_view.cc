#include "view/plan_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"

namespace baton {
namespace {

constexpr std::size_t indent_levels_max = 20;  // a chain of a thousand steps must stay on the screen
constexpr std::size_t needs_shown_max = 12;

const Work& work_of(const Step& step) {
  static const Work nothing;
  return step.work == nullptr ? nothing : *step.work;
}

/// What a step does, in a few words.
std::string deed_of(const Work& work) {
  if (!work.is_command()) return work.skill;
  const bool is_line = work.command.size() == 3 && work.command[1] == "-c";
  std::string text = is_line ? work.command[2] : join(work.command, " ");
  std::ranges::replace(text, '\n', ' ');
  return "$ " + shorten(trim(text), 60);
}

/// What decides whether, how often and on whose word a step runs.
struct Mark {
  const char* key;
  std::string text;
};

std::vector<Mark> marks_of(const Step& step) {
  std::vector<Mark> marks;
  if (step.flow == nullptr) return marks;
  const Flow& flow = *step.flow;
  if (!flow.when.empty()) marks.push_back({"when", flow.when});
  if (!flow.for_each.empty()) marks.push_back({"for_each", flow.for_each});
  if (flow.loop_max > 0) {
    const std::string until = flow.until.empty() ? "" : "until " + flow.until + ", ";
    marks.push_back({"loop", fmt::format("{}at most {}", until, flow.loop_max)});
  }
  if (flow.gate) marks.push_back({"gate", flow.question});
  return marks;
}

/// ` [when x] [gate]`: what a picture has room for.
std::string short_marks(const Step& step) {
  std::string out;
  for (const Mark& mark : marks_of(step)) {
    const bool has_text = std::string_view{mark.key} != "gate";
    out += fmt::format("{}[{}{}]", out.empty() ? "" : " ", mark.key, has_text ? " " + shorten(mark.text, 40) : "");
  }
  return out;
}

/// A composite does what its body does.
std::string deed_of(const Step& step) {
  if (step.flow == nullptr || step.flow->body.empty()) return deed_of(work_of(step));
  const std::vector<Step>& body = step.flow->body;
  return body.size() == 1 ? deed_of(work_of(body.front())) : fmt::format("{} steps", body.size());
}

/// The lines of a label: the id, what it does, what decides about it.
std::vector<std::string> label_lines(const Step& step) {
  std::vector<std::string> lines{step.id};
  for (std::string& line : std::vector{deed_of(step), short_marks(step)}) {
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string needs_text(const Plan& plan, const Step& step) {
  std::vector<std::string> ids;
  for (const StepIndex need : step.needs) {
    if (ids.size() == needs_shown_max) {
      ids.push_back(fmt::format("and {} more", step.needs.size() - needs_shown_max));
      break;
    }
    ids.push_back(plan.steps[at(need)].id);
  }
  return join(ids, ", ");
}

std::string checks_text(const Work& work) {
  if (work.checks.empty()) return {};
  return fmt::format(" ({} check{})", work.checks.size(), work.checks.size() == 1 ? "" : "s");
}

std::string step_json(const Plan& plan, std::size_t place, const PlanStanding& standing, bool is_final);

std::string string_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(json_quote(text));
  return "[" + join(quoted, ",") + "]";
}

/// `when`, `for_each`, `loop` and `gate`, where they are set; the body of a composite has no needs but its own.
std::string flow_json(const Step& step) {
  if (step.flow == nullptr) return {};
  const Flow& flow = *step.flow;
  std::string json;
  if (!flow.when.empty()) json += fmt::format(R"(,"when":{})", json_quote(flow.when));
  if (!flow.for_each.empty()) json += fmt::format(R"(,"for_each":{})", json_quote(flow.for_each));
  if (flow.loop_max > 0) {
    const std::string until = flow.until.empty() ? "" : fmt::format(R"("until":{},)", json_quote(flow.until));
    json += fmt::format(R"(,"loop":{{{}"max":{}}})", until, flow.loop_max);
  }
  if (flow.gate) json += fmt::format(R"(,"gate":{})", json_quote(flow.question));
  if (flow.body.empty()) return json;
  Plan body;
  body.steps = flow.body;
  const PlanStanding standing = standing_at_start(body);
  json += R"(,"body":[)";
  for (std::size_t i = 0; i < body.steps.size(); ++i) {
    if (i > 0) json += ',';
    json += step_json(body, i, standing, body.steps[i].final);
  }
  return json + "]";
}

std::string budget_json(const StepBudget& budget) {
  if (!budget.is_set()) return {};
  std::vector<std::string> parts;
  if (budget.nano_usd) parts.push_back(fmt::format(R"("usd":{})", static_cast<double>(*budget.nano_usd) / 1e9));
  if (budget.tokens > 0) parts.push_back(fmt::format(R"("tokens":{})", budget.tokens));
  if (budget.turns > 0) parts.push_back(fmt::format(R"("turns":{})", budget.turns));
  return fmt::format(R"(,"budget":{{{}}})", join(parts, ","));
}

std::vector<std::string> ids_of_needs(const Plan& plan, const Step& step) {
  std::vector<std::string> ids;
  for (const StepIndex need : step.needs) ids.push_back(plan.steps[at(need)].id);
  return ids;
}

std::string step_json(const Plan& plan, std::size_t place, const PlanStanding& standing, bool is_final) {
  const Step& step = plan.steps[place];
  const Work& work = work_of(step);
  std::string json = fmt::format(R"({{"id":{},"needs":{},"wave":{})", json_quote(step.id),
                                 string_list(ids_of_needs(plan, step)), standing.waves[place]);
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) json += fmt::format(R"(,"{}":{})", key, json_quote(text));
  };
  if (!standing.states.empty()) add("state", standing.states[place]);
  add("title", work.title);
  add("skill", work.skill);
  add("mission", work.mission);
  if (work.is_command()) json += fmt::format(R"(,"command":{})", string_list(work.command));
  json += fmt::format(R"(,"inputs":{})", string_list(work.inputs));
  add("output", work.output);
  if (!work.checks.empty()) json += fmt::format(R"(,"validate":{})", rules_json(work.checks));
  add("runtime", work.runtime);
  add("model", work.model);
  json += flow_json(step) + budget_json(work.budget);
  json += fmt::format(R"(,"retries":{},"timeout_ms":{},"final":{}}})", step.policy.retries, step.policy.timeout.count(),
                      is_final);
  return json;
}

/// `, 6 completed, 1 blocked`: what became of the steps that are not left to do.
std::string states_text(const PlanStanding& standing) {
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < standing.states.size(); ++i) {
    if (standing.waves[i] == 0) ++counts[standing.states[i]];
  }
  std::string out;
  for (const auto& [state, count] : counts) out += fmt::format(", {} {}", count, state);
  return out;
}

/// Where steps stand in files of their own, none of them is the last word of all.
std::optional<StepIndex> final_shown(const Plan& plan, const PlanStanding& standing) {
  return standing.states.empty() ? final_step(plan) : std::nullopt;
}

/// In quotes where a comma, a quote or a line's end would be read as the table's own.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

/// A text inside double quotes for Graphviz: only these two signs end or bend it.
std::string dot_quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// A text inside a Mermaid label: it knows signs by their numbers only.
std::string mermaid_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' ||
                          c == '-' || c == '_' || c == '.' || c == ':' || c == '/' ||
                          static_cast<unsigned char>(c) >= 0x80;
    if (is_plain) {
      out += c;
    } else {
      out += fmt::format("#{};", static_cast<int>(c));
    }
  }
  return out;
}

}  // namespace

PlanStanding standing_at_start(const Plan& plan) {
  PlanStanding standing{{}, execution_order(plan), std::vector<std::size_t>(plan.steps.size(), 1)};
  for (const StepIndex step : standing.order) {
    for (const StepIndex need : plan.steps[at(step)].needs) {
      standing.waves[at(step)] = std::max(standing.waves[at(step)], standing.waves[at(need)] + 1);
    }
  }
  return standing;
}

std::string plan_tree(const Plan& plan, const PlanStanding& standing) {
  const auto final = final_shown(plan, standing);
  std::string out = printable(plan.workflow);
  if (!plan.version.empty()) out += " " + printable(plan.version);
  out += fmt::format(" ({} step{}{})\n", plan.steps.size(), plan.steps.size() == 1 ? "" : "s", states_text(standing));
  std::size_t number = 0;
  for (const StepIndex index : standing.order) {
    const Step& step = plan.steps[at(index)];
    const Work& work = work_of(step);
    const std::string indent(2 * std::min(standing.waves[at(index)], indent_levels_max), ' ');
    out += fmt::format("{}{}. {}", indent, ++number, printable(step.id));
    if (const std::string deed = deed_of(step); !deed.empty()) out += "  " + printable(deed);
    if (!standing.states.empty() && !work.title.empty()) out += "  " + printable(shorten(work.title, 60));
    if (final == index) out += "  [final]";
    out += '\n';
    for (const Mark& mark : marks_of(step)) {
      out += fmt::format("{}   {} {}\n", indent, mark.key, printable(shorten(mark.text, 100)));
    }
    if (!step.needs.empty()) out += fmt::format("{}   needs {}\n", indent, printable(needs_text(plan, step)));
    if (!work.output.empty()) {
      out += fmt::format("{}   writes {}{}\n", indent, printable(work.output), checks_text(work));
    }
  }
  return out;
}

std::string plan_view_json(const Plan& plan, const PlanStanding& standing) {
  const auto final = final_shown(plan, standing);
  std::string out =
      fmt::format(R"({{"workflow":{},"dialect":{},"version":{},"source":{},"steps":[)", json_quote(plan.workflow),
                  json_quote(plan.dialect), json_quote(plan.version), json_quote(plan.source));
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (i > 0) out += ',';
    out += step_json(plan, i, standing, final == step_index(i));
  }
  out += R"(],"order":[)";
  for (std::size_t i = 0; i < standing.order.size(); ++i) {
    if (i > 0) out += ',';
    out += json_quote(plan.steps[at(standing.order[i])].id);
  }
  return out + fmt::format(R"(],"final":{}}})", final ? json_quote(plan.steps[at(*final)].id) : "null") + "\n";
}

std::string plan_csv(const Plan& plan, const PlanStanding& standing) {
  std::string out = "id,title,state,wave,skill,needs\r\n";
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    const std::string state = standing.states.empty() ? "pending" : standing.states[i];
    out +=
        fmt::format("{},{},{},{},{},{}\r\n", csv_field(step.id), csv_field(work_of(step).title), csv_field(state),
                    standing.waves[i], csv_field(work_of(step).skill), csv_field(join(ids_of_needs(plan, step), " ")));
  }
  return out;
}

std::string plan_dot(const Plan& plan) {
  const auto final = final_step(plan);
  std::string out =
      fmt::format("digraph {} {{\n  rankdir=LR;\n  node [shape=box, style=rounded];\n", dot_quote(plan.workflow));
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    out += fmt::format("  {} [label={}{}];\n", dot_quote(step.id), dot_quote(join(label_lines(step), "\n")),
                       final == step_index(i) ? ", peripheries=2" : "");
  }
  for (const Step& step : plan.steps) {
    for (const StepIndex need : step.needs) {
      out += fmt::format("  {} -> {};\n", dot_quote(plan.steps[at(need)].id), dot_quote(step.id));
    }
  }
  return out + "}\n";
}

std::string plan_mermaid(const Plan& plan) {
  const auto final = final_step(plan);
  std::string out = "flowchart LR\n";
  // Nodes are numbered: an id such as 'end' or 'a-->b' would be read as Mermaid's own language.
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    std::vector<std::string> lines = label_lines(step);
    for (std::string& line : lines) line = mermaid_label(line);
    const std::string label = join(lines, "<br/>");
    const bool is_final = final == step_index(i);
    out += fmt::format("  s{}{}\"{}\"{}\n", i, is_final ? "([" : "[", label, is_final ? "])" : "]");
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    for (const StepIndex need : plan.steps[i].needs) out += fmt::format("  s{} --> s{}\n", at(need), i);
  }
  return out;
}

}  // namespace baton
