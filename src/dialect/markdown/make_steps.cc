#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialect/markdown/command_line.h"
#include "dialect/markdown/joining.h"
#include "dialect/markdown/meaning.h"
#include "dialect/markdown/needs.h"
#include "dialect/markdown/scope.h"
#include "dialect/markdown/sub_workflow.h"
#include "plan/path_rule.h"
#include "text/yaml_json.h"

namespace baton::markdown {
namespace {

/// The texts of a step before it is known whether any of them has to wait for a value.
struct Texts {
  Composed mission;
  Composed output;
  Composed question;
  std::vector<Composed> inputs = {};
  std::vector<Composed> command = {};
  std::vector<std::pair<std::string, Composed>> env = {};
  std::vector<CommandLine> check_commands = {};

  [[nodiscard]] bool is_known() const {
    return std::ranges::all_of(check_commands, &CommandLine::is_known) && mission.is_known() && output.is_known() &&
           question.is_known() && std::ranges::all_of(inputs, &Composed::is_known) &&
           std::ranges::all_of(command, &Composed::is_known) &&
           std::ranges::all_of(env, [](const auto& entry) { return entry.second.is_known(); });
  }
};

bool ends_like_json(const Composed& output) { return output.known_end().ends_with(".json"); }

/// `.json` of `a/b.json`
std::string ending_of(const Composed& path) {
  const std::string_view end = path.known_end();
  const std::string_view name = end.substr(end.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : std::string{name.substr(dot)};
}

/// What stands in the braces of a condition differs from item to item.
bool speaks_of_item(const std::string& condition) { return Composed::expression(condition).speaks_of_item(); }

class StepMaker {
 public:
  StepMaker(WorkflowFile& file, const Scope& scope, const MarkdownDefaults& defaults, Library& library)
      : drafts_{file.draft->steps},
        scope_{scope},
        defaults_{defaults},
        library_{library},
        faults_{file.faults},
        meaning_{*file.draft, scope, file.faults},
        workflows_(drafts_.size()) {}

  MadeSteps make() {
    StepNumbers numbers = number_steps(drafts_, faults_);
    report_taken_ids(drafts_, numbers, faults_);
    std::vector<Step> links(drafts_.size());
    for (std::size_t i = 0; i < drafts_.size(); ++i) links[i].id = drafts_[i].id;
    const NeedsOrder order = connect(drafts_, numbers, links, faults_);
    meaning_.set_numbers(std::move(numbers));
    check_finals();
    for (const std::size_t step : preparing_order(order)) prepare(step);
    std::vector<JoinedStep> joined;
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      joined.push_back(finish(i));
      joined.back().needs = links[i].needs;
    }
    check_references(meaning_.mentions(), drafts_, links, order, faults_);
    return gather(std::move(joined), order);
  }

 private:
  void check_finals() {
    const StepDraft* first = nullptr;
    for (const StepDraft& draft : drafts_) {
      if (!draft.final) continue;
      if (first != nullptr) {
        faults_.error("two-finals", draft.final_spot,
                      fmt::format("{} is final, and so is {}", draft.display, first->display),
                      "a run has one artifact: leave 'final: true' at one step");
      } else {
        first = &draft;
      }
    }
  }

  /// Needs first: what a step speaks of is then known. Steps of a cycle come in any order; it was reported.
  [[nodiscard]] std::vector<std::size_t> preparing_order(const NeedsOrder& order) const {
    std::vector<std::size_t> steps;
    for (const StepIndex step : order.order) steps.push_back(at(step));
    if (steps.size() == drafts_.size()) return steps;
    steps.resize(drafts_.size());
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = i;
    return steps;
  }

  [[nodiscard]] std::string full_id(const StepDraft& draft) const { return scope_.prefix + draft.id; }

  // Outputs
  // ----------------------------------------------------------------------------------------------------------------

  /// What the step writes, and what others see of it.
  void prepare(std::size_t number) {
    const StepDraft& draft = drafts_[number];
    Composed own;
    bool is_sure = !draft.run;
    if (draft.has_workflow) {
      workflows_[number] = make_workflow(draft, scope_, meaning_, defaults_, library_, faults_);
      is_sure = workflows_[number].has_value();
      if (is_sure) own = workflows_[number]->output;
    } else {
      own = output_of(draft);
    }
    check_items_output(draft, own);
    Composed seen = seen_output(number, own);
    meaning_.set_output(number, std::move(own), std::move(seen), is_sure);
  }

  [[nodiscard]] Composed seen_output(std::size_t number, const Composed& own) const {
    const StepDraft& draft = drafts_[number];
    if (own.is_empty()) return {};
    if (draft.for_each || (draft.loop && !own.is_known())) {
      Composed seen = scope_.sandbox;
      seen.add_text(fmt::format("/outputs/{}{}", draft.id, draft.for_each ? ".items.json" : ".last" + ending_of(own)));
      return seen;
    }
    if (!draft.has_workflow || own.is_known() || draft.loop) return own;
    const MadeSteps& made = *workflows_[number];
    return Composed::expression(fmt::format("steps.{}.output", made.steps[made.final].id));
  }

  void check_items_output(const StepDraft& draft, const Composed& own) {
    if (draft.loop && own.is_empty() && !draft.run && (!draft.has_workflow || draft.workflow) && !draft.output) {
      faults_.error("missing-output-field", draft.loop->spot,
                    fmt::format("{} loops, but has no 'output' that could be looked at", draft.display),
                    draft.has_workflow ? "give the final step of that workflow an 'output'" : "add 'output: <path>'");
    }
    if (!draft.for_each || draft.has_workflow || own.is_empty() || own.speaks_of_item()) return;
    faults_.error("items-share-output", draft.output->spot,
                  fmt::format("every item of {} would write the same file", draft.display),
                  "put ${{ index }} or ${{ item }} into its name, such as ${{ sandbox }}/outputs/" + draft.id +
                      "-${{ index }}.json");
  }

  Composed output_of(const StepDraft& draft) {
    if (!draft.output) return {};
    const Located& output = *draft.output;
    Composed path = meaning_.of_text(output, In::output, draft);
    path.trim();
    const std::string text = path.text(true);
    const std::string sandbox = scope_.sandbox.text(true);
    if (leaves_folder(text, sandbox)) {
      faults_.error(
          "path-leaves-folder", output.spot,
          fmt::format("the output of {} leaves the project's folder: '{}'", draft.display, shorten(text, 200)),
          "write it beneath the project, such as ${{ sandbox }}/outputs/<name>.json");
    } else if (!text.empty() && !is_good_path(text)) {
      faults_.error("bad-path", output.spot,
                    fmt::format("the output of {} is no good path: '{}'", draft.display, shorten(text, 200)),
                    "name a file, such as ${{ sandbox }}/outputs/<name>.json");
      return {};
    }
    return path;
  }

  // Putting a step together
  // ------------------------------------------------------------------------------------------------

  JoinedStep finish(std::size_t number) {
    const StepDraft& draft = drafts_[number];
    FlowParts parts = flow_parts(draft);
    JoinedStep joined;
    if (draft.has_workflow) {
      joined.work.title = draft.title;
      joined.id = full_id(draft);
      put_seen_output(number, joined);
      join_workflow(parts, std::move(workflows_[number]), joined);
      return joined;
    }
    Step own = plain_step(number, parts);
    if (!draft.is_composite()) {
      joined.steps.push_back(std::move(own));
      return joined;
    }
    joined.id = full_id(draft);
    joined.work.title = draft.title;
    put_seen_output(number, joined);
    own.final = true;
    std::vector<Step> body;
    body.push_back(std::move(own));
    join_composite(parts, std::move(body), joined);
    return joined;
  }

  void put_seen_output(std::size_t number, JoinedStep& joined) const {
    const Composed& seen = meaning_.seen_output(number);
    joined.is_deferred = !seen.is_known();
    joined.work.output = seen.text(joined.is_deferred);
    joined.work.output_format = drafts_[number].for_each || ends_like_json(meaning_.own_output(number))
                                    ? OutputFormat::json
                                    : OutputFormat::text;
  }

  /// What decides about the step as a whole, and what about each of its items.
  FlowParts flow_parts(const StepDraft& draft) {
    FlowParts parts;
    parts.is_composite = draft.is_composite();
    parts.sandbox = scope_.sandbox.text(!scope_.sandbox.is_known());
    if (draft.when) {
      std::string when = meaning_.of_condition(*draft.when, In::when, draft);
      (draft.is_composite() && speaks_of_item(when) ? parts.item_when : parts.when) = std::move(when);
    }
    if (draft.for_each) parts.for_each = for_each_of(draft);
    if (draft.loop) {
      parts.loop_max = draft.loop->max;
      if (draft.loop->until) parts.until = meaning_.of_condition(*draft.loop->until, In::until, draft);
    }
    if (!draft.gate) return parts;
    Composed question = meaning_.of_text(draft.gate->question, In::question, draft);
    if (question.is_empty()) question.add_text(fmt::format("Go on with '{}'?", full_id(draft)));
    const bool is_bare = !draft.has_workflow && !draft.has_command && !draft.skill && !draft.mission;
    const bool for_items = draft.is_composite() && (is_bare || question.speaks_of_item());
    (for_items ? parts.item_question : parts.question) = std::move(question);
    return parts;
  }

  std::string for_each_of(const StepDraft& draft) {
    if (draft.for_each->expression) return list_expression(*draft.for_each->expression, draft);
    bool is_known = true;
    std::string list = yaml_as_json_line(*draft.for_each->list, [&](const YamlNode& node) {
      const Composed text = meaning_.of_text(located(node), In::list, draft);
      if (text.is_known()) return text.text(false);
      if (is_known) {
        faults_.error("bad-expression", spot_of(node),
                      fmt::format("an item of {} is known only when its turn comes", draft.display),
                      "let 'for_each' be one expression that gives the whole list");
      }
      is_known = false;
      return std::string{};
    });
    return list;
  }

  std::string list_expression(const Located& source, const StepDraft& draft) {
    if (!trim(source.text).starts_with('[')) return meaning_.of_condition(source, In::for_each, draft);
    if (auto fault = list_fault(source.text)) {
      faults_.error("not-a-list", source.spot, fmt::format("'for_each' of {}: {}", draft.display, fault->message),
                    "write the list in YAML: [a, b]");
    }
    return source.text;
  }

  Step plain_step(std::size_t number, FlowParts& parts) {
    const StepDraft& draft = drafts_[number];
    const Composed& question = draft.is_composite() ? parts.item_question : parts.question;
    const Texts texts = texts_of(number, question);
    const bool deferred = !texts.is_known();
    auto work = std::make_shared<Work>(work_of(number, texts, deferred));
    Step step{.id = full_id(draft), .needs = {}, .work = std::move(work), .policy = policy_of(draft), .final = false};
    Flow flow;
    flow.when = draft.is_composite() ? parts.item_when : parts.when;
    flow.gate = !question.is_empty();
    flow.question = question.text(deferred);
    flow.deferred = deferred;
    if (flow.when.empty() && !flow.gate && !deferred) return step;
    flow.sandbox = parts.sandbox;
    step.flow = std::make_shared<const Flow>(std::move(flow));
    return step;
  }

  Texts texts_of(std::size_t number, const Composed& question) {
    const StepDraft& draft = drafts_[number];
    Texts texts{.mission = {}, .output = meaning_.own_output(number), .question = question};
    if (draft.mission) texts.mission = meaning_.of_text(*draft.mission, In::mission, draft);
    for (const Located& input : draft.inputs) {
      texts.inputs.push_back(meaning_.of_text(input, In::input, draft));
      texts.inputs.back().trim();
      const std::string path = texts.inputs.back().text(true);
      if (path.empty() || has_control_characters(path)) report_bad_input(draft, input);
      if (path.empty()) texts.inputs.pop_back();  // it stands for an input that is not given
    }
    const ResolveAt resolve = [&](const Expression& e, Spot spot) {
      return meaning_.of_expression(e, In::command, draft, spot);
    };
    CommandLine command = make_command(draft.command, draft.command_is_line, resolve);
    texts.command = std::move(command.argv);
    texts.env = std::move(command.env);
    texts.check_commands = check_commands(draft.checks, resolve);
    return texts;
  }

  void report_bad_input(const StepDraft& draft, const Located& input) {
    // An expression that stands for nothing was reported already.
    if (input.text.find("${{") != std::string::npos) return;
    faults_.error("bad-path", input.spot, fmt::format("an input of {} is no good path", draft.display),
                  "name a file, such as ${{ sandbox }}/inputs/content.md");
  }

  Work work_of(std::size_t number, const Texts& texts, bool deferred) {
    const StepDraft& draft = drafts_[number];
    Work work;
    work.title = draft.title;
    if (draft.skill) work.skill = draft.skill->text;
    work.mission = texts.mission.text(deferred);
    for (const Composed& input : texts.inputs) work.inputs.push_back(input.text(deferred));
    if (!draft.command.empty()) {
      for (const Composed& item : texts.command) work.command.push_back(item.text(deferred));
    }
    for (const auto& [name, value] : texts.env) work.env.push_back(name + "=" + value.text(deferred));
    work.output = texts.output.text(deferred);
    work.output_format = ends_like_json(texts.output) ? OutputFormat::json : OutputFormat::text;
    work.checks = checks_of(draft, work, texts.check_commands, deferred);
    work.runtime = draft.runtime;
    work.model = draft.model;
    work.mode = draft.mode;
    work.budget = draft.budget;
    return work;
  }

  std::vector<Check> checks_of(const StepDraft& draft, const Work& work, const std::vector<CommandLine>& commands,
                               bool deferred) {
    if (draft.checks.empty()) return {};
    const CheckLinks links{
        .refer = [&](const std::string& step, Spot spot) { return meaning_.compared_step(step, draft, spot); },
        .read_file = library_.read_file()};
    std::vector<Check> checks =
        finish_checks(draft.checks, commands, {draft.display, work.output_format, deferred}, links, faults_);
    const bool needs_json = !std::ranges::all_of(checks, is_text_check);
    if (!work.output.empty() && work.output_format == OutputFormat::text && needs_json) {
      faults_.warning(
          "checks-need-json", *draft.validate,
          fmt::format("{} checks fields of '{}', which is not named like a JSON file", draft.display, work.output),
          "let the output end in '.json'");
    }
    return checks;
  }

  /// What is said of fewer attempts counts more: the step's own, then its skill's, then everybody's.
  [[nodiscard]] Millis timeout_of(const StepDraft& draft) const {
    if (draft.timeout) return *draft.timeout;
    const auto of_skill = draft.skill && defaults_.skill_timeout
                              ? defaults_.skill_timeout(draft.skill->text, draft.runtime)
                              : std::nullopt;
    return of_skill.value_or(defaults_.step_timeout);
  }

  Policy policy_of(const StepDraft& draft) const {
    const bool is_command = !draft.command.empty();
    return {.retries = draft.retries.value_or(is_command ? defaults_.command_retries : defaults_.agent_retries),
            .on_unknown = draft.on_unknown,
            .timeout = timeout_of(draft),
            .retry_delay = defaults_.retry_delay,
            .stop_grace = is_command ? defaults_.command_grace : defaults_.agent_grace,
            .stall = draft.stall.value_or(is_command ? Millis{0} : defaults_.agent_stall)};
  }

  // All of them
  // ------------------------------------------------------------------------------------------------------------

  MadeSteps gather(std::vector<JoinedStep> joined, const NeedsOrder& order) {
    MadeSteps made;
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (drafts_[i].is_composite()) made.composites.push_back(full_id(drafts_[i]));
      const Composed& own = meaning_.own_output(i);
      if (drafts_[i].output && !own.is_empty() && own.is_known()) made.fixed.push_back(full_id(drafts_[i]));
      std::ranges::copy(joined[i].composites, std::back_inserter(made.composites));
      std::ranges::copy(joined[i].fixed, std::back_inserter(made.fixed));
    }
    const std::size_t final = final_draft(order);
    const std::vector<std::size_t> places = put_in_order(std::move(joined), made.steps);
    if (drafts_.empty()) return made;
    made.final = places[final];
    made.output = meaning_.seen_output(final);
    return made;
  }

  [[nodiscard]] std::size_t final_draft(const NeedsOrder& order) const {
    const auto marked = std::ranges::find(drafts_, true, &StepDraft::final);
    if (marked != drafts_.end()) return static_cast<std::size_t>(marked - drafts_.begin());
    return order.order.empty() ? drafts_.size() - 1 : at(order.order.back());
  }

  const std::vector<StepDraft>& drafts_;
  const Scope& scope_;
  const MarkdownDefaults& defaults_;
  Library& library_;
  FaultList& faults_;
  Meaning meaning_;
  std::vector<std::optional<MadeSteps>> workflows_;
};

}  // namespace

MadeSteps make_steps(WorkflowFile& file, const Scope& scope, const MarkdownDefaults& defaults, Library& library) {
  return StepMaker{file, scope, defaults, library}.make();
}

}  // namespace baton::markdown
