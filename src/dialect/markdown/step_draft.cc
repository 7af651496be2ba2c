#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/ensure.h"
#include "base/text.h"
#include "dialect/markdown/draft.h"
#include "dialect/markdown/keys.h"

namespace baton::markdown {
namespace {

constexpr std::int64_t retries_max = 1000;

const std::vector<std::string>& names_of_step_keys() {
  static const std::vector<std::string> keys = names_of(step_keys());
  return keys;
}

/// A value of an earlier version, as it would be written now.
std::string flow_text(const YamlNode& node) {
  if (node.is_scalar()) return shorten(node.text(), 80);
  std::vector<std::string> items;
  for (std::size_t i = 0; node.is_sequence() && i < std::min<std::size_t>(node.size(), 20); ++i) {
    items.emplace_back(node.item(i).text());
  }
  return fmt::format("[{}]", shorten(join(items, ", "), 400));
}

/// Keys of earlier versions of the format, in today's form; empty for others.
std::string migrated(std::string_view key, const YamlNode& value) {
  if (key == "agent") {
    return fmt::format("Migrate to 'skill:' + 'mission:':\n    skill: {}\n    mission: <what the skill is to do>",
                       flow_text(value));
  }
  if (key == "requires") return fmt::format("Migrate to 'needs:':\n    needs: {}", flow_text(value));
  if (key == "artifact") {
    return fmt::format("Migrate to 'output:':\n    output: ${{{{ sandbox }}}}/outputs/{}", flow_text(value));
  }
  if (key == "inputs") return "did you mean 'input'?";
  if (key == "outputs") return "did you mean 'output'?";
  return key == "if" ? "did you mean 'when'?" : "";
}

/// The name in `agents/NAME`, as version 0.6.0 had it; empty if it is none.
std::string_view agent_name(std::string_view run) {
  constexpr std::string_view folder = "agents/";
  if (!run.starts_with(folder)) return {};
  run.remove_prefix(folder.size());
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool is_name = !run.empty() && is_small(run.front()) && std::ranges::all_of(run, [&](char c) {
    return is_small(c) || (c >= '0' && c <= '9') || c == '-';
  });
  return is_name ? run : std::string_view{};
}

class StepDraftReader {
 public:
  StepDraftReader(const YamlNode& node, std::size_t number, const MarkdownDefaults& defaults, FaultList& faults)
      : node_{node}, defaults_{defaults}, faults_{faults} {
    draft_.display = fmt::format("step {}", number);
    draft_.spot = spot_of(node);
  }

  StepDraft read() {
    static const bool is_whole = reads_every_key();
    BATON_ENSURE(is_whole, "the keys of a step in keys.cc are not those that are read", "");
    read_id();
    for (std::size_t i = 0; i < node_.size(); ++i) read_key(node_.key(i), node_.value(i));
    check_work();
    return std::move(draft_);
  }

 private:
  using Field = void (StepDraftReader::*)(const YamlNode&);

  static const std::map<std::string, Field, std::less<>>& fields() {
    static const std::map<std::string, Field, std::less<>> table{{"id", &StepDraftReader::skip},
                                                                 {"needs", &StepDraftReader::read_needs},
                                                                 {"command", &StepDraftReader::read_command},
                                                                 {"skill", &StepDraftReader::read_skill},
                                                                 {"mission", &StepDraftReader::read_mission},
                                                                 {"run", &StepDraftReader::read_run},
                                                                 {"input", &StepDraftReader::read_input},
                                                                 {"output", &StepDraftReader::read_output},
                                                                 {"validate", &StepDraftReader::read_validate},
                                                                 {"retries", &StepDraftReader::read_retries},
                                                                 {"timeout", &StepDraftReader::read_timeout},
                                                                 {"on_unknown", &StepDraftReader::read_on_unknown},
                                                                 {"final", &StepDraftReader::read_final},
                                                                 {"runtime", &StepDraftReader::read_runtime},
                                                                 {"model", &StepDraftReader::read_model},
                                                                 {"mode", &StepDraftReader::read_mode},
                                                                 {"title", &StepDraftReader::read_title},
                                                                 {"stall", &StepDraftReader::read_stall},
                                                                 {"budget", &StepDraftReader::read_step_budget},
                                                                 {"when", &StepDraftReader::read_when},
                                                                 {"for_each", &StepDraftReader::read_items},
                                                                 {"loop", &StepDraftReader::read_rounds},
                                                                 {"gate", &StepDraftReader::read_step_gate},
                                                                 {"workflow", &StepDraftReader::read_workflow},
                                                                 {"with", &StepDraftReader::read_values}};
    return table;
  }

  /// The table that editors see and the one that reads have to name the same keys; `run` is told of as an error only.
  static bool reads_every_key() {
    const auto is_read = [](const std::string& key) { return fields().contains(key); };
    return std::ranges::all_of(names_of_step_keys(), is_read) && fields().size() == names_of_step_keys().size() + 1;
  }

  [[nodiscard]] std::string of_this(std::string_view key) const {
    return fmt::format("'{}' of {}", key, draft_.display);
  }

  void missing(const char* code, const char* key, std::string help) {
    faults_.error(code, draft_.spot, fmt::format("{} has no '{}'", draft_.display, key), std::move(help));
  }

  // First, so that every other message can name the step.
  void read_id() {
    const auto node = node_.find("id");
    if (!node || node->is_null()) {
      missing("missing-step-id", "id", "add 'id: <name>', a name of its own for the step");
      return;
    }
    const auto id = read_text(*node, of_this("id"), faults_);
    if (!id) return;
    if (!is_id(*id)) {
      faults_.error("bad-step-id", spot_of(*node), fmt::format("'{}' cannot be the id of a step", shorten(*id, 80)),
                    "use letters, digits, '_', '-', '.' and ':', a letter, digit or '_' first, at most 128");
      return;
    }
    draft_.id = *id;
    draft_.display = fmt::format("step '{}'", *id);
  }

  void read_key(const YamlNode& key, const YamlNode& value) {
    const auto field = fields().find(key.text());
    if (field != fields().end()) return (this->*field->second)(value);
    std::string help = migrated(key.text(), value);
    if (help.empty()) return report_unknown_key(key, draft_.display, names_of_step_keys(), faults_);
    faults_.error("unknown-key", spot_of(key), fmt::format("{} has an unknown key '{}'", draft_.display, key.text()),
                  std::move(help));
  }

  void skip(const YamlNode&) {}

  void read_needs(const YamlNode& node) { draft_.needs = read_texts(node, of_this("needs"), faults_); }

  void read_command(const YamlNode& node) {
    draft_.has_command = true;
    draft_.command_is_line = node.is_scalar();
    const std::size_t before = draft_.command.size();
    draft_.command = read_texts(node, of_this("command"), faults_);
    if (draft_.command.size() == before && !node.is_mapping()) {
      faults_.error("wrong-type", spot_of(node), fmt::format("{} is empty", of_this("command")),
                    "write the program and its arguments as a list, or a line for the shell");
    }
  }

  std::optional<Located> located_text(const YamlNode& node, std::string_view key) {
    auto text = read_text(node, of_this(key), faults_);
    if (!text || trim(*text).empty()) return std::nullopt;
    return Located{std::move(*text), spot_of(node), node.lead()};
  }

  void read_skill(const YamlNode& node) {
    draft_.skill = located_text(node, "skill");
    wrong_skill_type_ = !node.is_scalar();
    if (!draft_.skill || is_id(draft_.skill->text)) return;
    faults_.error("bad-skill-name", draft_.skill->spot,
                  fmt::format("'{}' cannot be the name of a skill", shorten(draft_.skill->text, 80)),
                  "name the skill's folder: letters, digits, '_', '-', '.' and ':'");
  }
  void read_mission(const YamlNode& node) {
    draft_.mission = located_text(node, "mission");
    wrong_mission_type_ = !node.is_scalar();
  }
  void read_run(const YamlNode& node) { draft_.run = Located{std::string{node.text()}, spot_of(node)}; }
  void read_title(const YamlNode& node) { draft_.title = read_text(node, of_this("title"), faults_).value_or(""); }
  void read_runtime(const YamlNode& node) {
    draft_.runtime = read_text(node, of_this("runtime"), faults_).value_or("");
  }
  void read_model(const YamlNode& node) { draft_.model = read_text(node, of_this("model"), faults_).value_or(""); }

  void read_input(const YamlNode& node) {
    draft_.inputs = read_texts(node, of_this("input"), faults_);
    draft_.has_inputs = !draft_.inputs.empty() || node.is_mapping();
  }

  void read_output(const YamlNode& node) {
    draft_.output = located_text(node, "output");
    wrong_output_type_ = !node.is_scalar();
  }

  void read_validate(const YamlNode& node) {
    draft_.validate = spot_of(node);
    draft_.checks = read_checks(node, draft_.display, faults_);
  }

  void read_retries(const YamlNode& node) {
    const auto count = read_count(node, of_this("retries"), retries_max, "bad-number", faults_);
    if (count) draft_.retries = static_cast<std::int32_t>(*count);
  }

  void read_timeout(const YamlNode& node) { draft_.timeout = read_duration(node, of_this("timeout"), faults_); }
  void read_stall(const YamlNode& node) { draft_.stall = read_duration(node, of_this("stall"), faults_); }

  void read_on_unknown(const YamlNode& node) {
    const std::string_view word = node.text();
    if (word == "retry") {
      draft_.on_unknown = OnUnknown::retry;
    } else if (word == "fail") {
      draft_.on_unknown = OnUnknown::fail;
    } else if (word == "ask") {
      draft_.on_unknown = OnUnknown::ask;
    } else {
      faults_.error("bad-enum", spot_of(node),
                    fmt::format("{} cannot be '{}'", of_this("on_unknown"), shorten(word, 80)),
                    "write retry, fail or ask");
    }
  }

  void read_mode(const YamlNode& node) {
    draft_.mode = node.text();
    if (draft_.mode == "batch" || draft_.mode == "call") return;
    faults_.error("bad-enum", spot_of(node),
                  fmt::format("{} cannot be '{}'", of_this("mode"), shorten(draft_.mode, 80)), "write batch or call");
  }

  void read_final(const YamlNode& node) {
    draft_.final = read_truth(node, of_this("final"), faults_).value_or(false);
    draft_.final_spot = spot_of(node);
  }

  void read_step_budget(const YamlNode& node) { draft_.budget = read_budget(node, draft_.display, faults_); }
  void read_when(const YamlNode& node) { draft_.when = read_condition(node, of_this("when"), faults_); }
  void read_items(const YamlNode& node) { draft_.for_each = read_for_each(node, draft_.display, faults_); }
  void read_rounds(const YamlNode& node) { draft_.loop = read_loop(node, draft_.display, faults_); }
  void read_step_gate(const YamlNode& node) {
    draft_.gate = read_gate(node, draft_.display, faults_);
    has_gate_ = true;
  }
  void read_values(const YamlNode& node) { draft_.with = read_with(node, draft_.display, faults_); }
  void read_workflow(const YamlNode& node) {
    draft_.has_workflow = true;
    draft_.workflow = located_text(node, "workflow");
    if (draft_.workflow && is_workflow_name(draft_.workflow->text)) return;
    if (node.is_scalar()) {
      faults_.error("unknown-workflow", spot_of(node),
                    fmt::format("'{}' cannot be the name of a workflow", shorten(node.text(), 80)),
                    "name a workflow of the project: its file's name without '.md'");
    }
    draft_.workflow.reset();
  }

  // What the step does: a command, a skill with a mission, or a whole workflow; a gate may do nothing at all
  // -------------------------------------------------------------------------------------------------------------

  void check_work() {
    if (draft_.for_each && draft_.loop) {
      faults_.error("nested-fan-out", draft_.loop->spot,
                    fmt::format("{} has both 'for_each' and 'loop'", draft_.display),
                    "leave one out: a step is made for each item, or for each round");
    }
    if (!draft_.has_workflow && node_.find("with")) {
      faults_.error("conflicting-keys", key_spot("with"),
                    fmt::format("{} has 'with', but no 'workflow' it could be for", draft_.display),
                    "'with' gives a sub-workflow its inputs; a step's own are its 'input'");
    }
    if (draft_.has_workflow) return check_workflow();
    if (is_bare_gate()) return;
    if (draft_.validate && !draft_.output && !draft_.checks.empty()) {
      faults_.error("bad-check", *draft_.validate,
                    fmt::format("{} has checks but no 'output' to check", draft_.display), "add 'output: <path>'");
    }
    if (draft_.run) return report_run();
    if (draft_.has_command) return check_command();
    check_skill();
  }

  [[nodiscard]] Spot key_spot(std::string_view key) const {
    for (std::size_t i = 0; i < node_.size(); ++i) {
      if (node_.key(i).text() == key) return spot_of(node_.key(i));
    }
    return draft_.spot;
  }

  /// What it does is written down in the other workflow, so nothing of that may stand here.
  void check_workflow() {
    for (const char* key : {"command", "skill", "mission", "run", "input", "output", "validate", "retries", "timeout",
                            "on_unknown", "stall", "budget", "runtime", "model", "mode"}) {
      if (!node_.find(key)) continue;
      faults_.error("conflicting-keys", key_spot(key),
                    fmt::format("{} is a workflow of its own and cannot have '{}'", draft_.display, key),
                    "say it in that workflow's steps; 'with' gives it its inputs");
    }
  }

  /// It waits for a person's word, and that is all.
  [[nodiscard]] bool is_bare_gate() const {
    return has_gate_ &&
           std::ranges::none_of(std::array{"command", "skill", "mission", "run", "input", "output", "validate"},
                                [this](const char* key) { return node_.find(key).has_value(); });
  }

  void report_run() {
    const std::string_view agent = agent_name(draft_.run->text);
    const std::string help =
        draft_.skill && draft_.mission
            ? "it has 'skill' and 'mission' already: remove 'run:'"
            : fmt::format("Migrate to 'skill:' + 'mission:':\n    skill: {}\n    mission: <what the skill is to do>",
                          agent.empty() ? "<name>" : agent);
    faults_.error("deprecated-run-field", draft_.run->spot,
                  fmt::format("{} uses deprecated 'run:' syntax", draft_.display), help);
  }

  void check_command() {
    if (!draft_.skill && !draft_.mission) return;
    faults_.error(
        "command-and-skill", draft_.skill ? draft_.skill->spot : draft_.mission->spot,
        fmt::format("{} has both a 'command' and a {}", draft_.display, draft_.skill ? "'skill'" : "'mission'"),
        "a step is either a 'command', or a 'skill' with a 'mission': make two steps of it");
  }

  void check_skill() {
    const bool is_blank = !draft_.skill && !draft_.mission;
    if (!draft_.skill && !wrong_skill_type_) {
      missing("missing-skill-field", "skill",
              (is_blank ? "add 'skill: <name>' and 'mission: <what it is to do>', or 'command: <what to run>'"
                        : "add 'skill: <name>'") +
                  skills_found("; "));
    }
    const auto facts = find_skill();
    if (!draft_.mission && !wrong_mission_type_) {
      missing("missing-mission-field", "mission", "add 'mission: <what the skill is to do>'");
    }
    if (is_blank) return;  // it may have been meant as a command: those need neither
    if (!draft_.output && !wrong_output_type_) {
      missing("missing-output-field", "output", "add 'output: ${{ sandbox }}/outputs/<name>.json'");
    }
    const bool is_listed = draft_.skill && std::ranges::find(defaults_.inputless_skills, draft_.skill->text) !=
                                               defaults_.inputless_skills.end();
    if (!draft_.has_inputs && !is_listed && !(facts && facts->inputless)) {
      missing("missing-input-field", "input",
              fmt::format("add 'input: <path>'; only skills with 'inputless: true' need none, and these: {}",
                          join(defaults_.inputless_skills, ", ")));
    }
  }

  /// Nothing if there is nobody to ask, too.
  std::optional<SkillFinder::Facts> find_skill() {
    if (!draft_.skill || defaults_.skills == nullptr || !is_id(draft_.skill->text)) return std::nullopt;
    auto facts = defaults_.skills->facts_of(draft_.skill->text);
    if (!facts) report_unknown_skill(*draft_.skill);
    return facts;
  }

  void report_unknown_skill(const Located& skill) {
    if (!defaults_.warn_of_missing_skills || faults_.is_full()) return;
    std::string message = fmt::format("{}: there is no skill '{}'", draft_.display, skill.text);
    std::string help;
    if (faults_.deserves_hint()) {
      const std::string near = nearest(skill.text, defaults_.skills->names());
      if (!near.empty()) help = fmt::format("did you mean '{}'? ", near);
      help += skills_found("");
    }
    if (help.empty()) help = "no skills were found; 'baton skills' says where they are looked for";
    faults_.warning("unknown-skill", skill.spot, std::move(message), std::move(help));
  }

  /// Part of a help: what could have been meant.
  [[nodiscard]] std::string skills_found(std::string_view lead) const {
    if (defaults_.skills == nullptr || !faults_.deserves_hint()) return {};
    const std::vector<std::string> names = defaults_.skills->names();
    if (names.empty()) return {};
    return fmt::format("{}skills found: {}", lead, shorten(join(names, ", "), 400));
  }

  const YamlNode& node_;
  const MarkdownDefaults& defaults_;
  FaultList& faults_;
  StepDraft draft_;
  bool wrong_skill_type_ = false;
  bool wrong_mission_type_ = false;
  bool wrong_output_type_ = false;
  bool has_gate_ = false;
};

}  // namespace

StepDraft read_step_draft(const YamlNode& node, std::size_t number, const MarkdownDefaults& defaults,
                          FaultList& faults) {
  return StepDraftReader{node, number, defaults, faults}.read();
}

}  // namespace baton::markdown
