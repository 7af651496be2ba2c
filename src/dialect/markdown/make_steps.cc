#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/markdown/command_line.h"
#include "dialect/markdown/draft.h"
#include "dialect/markdown/expression.h"
#include "dialect/markdown/needs.h"

namespace baton::markdown {
namespace {

constexpr std::size_t path_bytes_max = 4096;
constexpr std::size_t substituted_bytes_max = 32U << 20U;  // over the whole file: short texts can name long paths often

bool leaves_folder(std::string_view path) {
  if (path.starts_with('/')) return true;
  const auto parts = split(path, '/');
  return std::ranges::find(parts, "..") != parts.end();
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

class StepMaker {
 public:
  StepMaker(const WorkflowDraft& draft, const Binding& binding, const MarkdownDefaults& defaults, FaultList& faults)
      : draft_{draft}, drafts_{draft.steps}, binding_{binding}, defaults_{defaults}, faults_{faults} {
    sandbox_ = binding.sandbox.empty() ? "sandbox" : binding.sandbox;
    for (const InputDecl& input : draft.inputs) declared_.emplace(input.name, &input);
  }

  std::vector<Step> make() {
    numbers_ = number_steps(drafts_, faults_);
    std::vector<Step> steps(drafts_.size());
    for (std::size_t i = 0; i < drafts_.size(); ++i) steps[i].id = drafts_[i].id;
    const NeedsOrder order = connect(drafts_, numbers_, steps, faults_);
    check_finals();
    for (const StepDraft& draft : drafts_) outputs_.push_back(output_of(draft));
    report_shared_outputs();
    for (std::size_t i = 0; i < drafts_.size(); ++i) fill(i, steps[i]);
    check_references(references_, drafts_, steps, order, faults_);
    return steps;
  }

 private:
  /// Which text an expression stands in: some are stricter than others.
  enum class In : std::uint8_t { input, output, mission, command, check };

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

  // Paths
  // ----------------------------------------------------------------------------------------------------------------

  std::string output_of(const StepDraft& draft) {
    if (!draft.output) return {};
    const Located& output = *draft.output;
    const std::string_view text = trim(output.text);
    std::string path =
        substitute(text, [&](const Expression& e) { return resolve(e, In::output, draft, output.spot); });
    // The sandbox is ours and may be anywhere; everything else has to stay beneath the project.
    const std::string beneath = substitute(text, [&](const Expression& e) {
      return e.kind == Expression::Kind::input ? input_path(e.name) : std::string{"sandbox"};
    });
    if (leaves_folder(beneath)) {
      faults_.error(
          "path-leaves-folder", output.spot,
          fmt::format("the output of {} leaves the project's folder: '{}'", draft.display, shorten(path, 200)),
          "write it beneath the project, such as ${{ sandbox }}/outputs/<name>.json");
    } else if (path.size() > path_bytes_max || has_control_characters(path) || path.ends_with('/')) {
      faults_.error("bad-path", output.spot,
                    fmt::format("the output of {} is no good path: '{}'", draft.display, shorten(path, 200)),
                    "name a file, such as ${{ sandbox }}/outputs/<name>.json");
      return {};
    }
    return path;
  }

  void report_shared_outputs() {
    std::unordered_map<std::string, std::size_t> writers;
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (outputs_[i].empty()) continue;
      const auto [first, is_new] = writers.try_emplace(outputs_[i], i);
      if (is_new) continue;
      faults_.warning(
          "shared-output", drafts_[i].output->spot,
          fmt::format("{} writes the same output as {}", drafts_[i].display, drafts_[first->second].display),
          "give each step an output of its own");
    }
  }

  std::string input_path(const std::string& name) const {
    const auto given = binding_.inputs.find(name);
    if (given != binding_.inputs.end()) return given->second;
    const auto declared = declared_.find(name);
    const bool is_json = declared != declared_.end() && declared->second->type == "json";
    return fmt::format("{}/inputs/{}{}", sandbox_, name, is_json ? ".json" : ".md");
  }

  // Expressions
  // ----------------------------------------------------------------------------------------------------------

  std::string resolve(const Expression& expression, In where, const StepDraft& draft, Spot spot) {
    std::string value = value_of(expression, where, draft, spot);
    substituted_bytes_ += value.size();
    if (substituted_bytes_ <= substituted_bytes_max) return value;
    if (!said_too_much_) {
      said_too_much_ = true;
      faults_.error("substitution-too-large", spot,
                    fmt::format("the values of all expressions take more than {} MiB", substituted_bytes_max >> 20U),
                    "shorten the paths, or split the workflow");
    }
    return {};
  }

  std::string value_of(const Expression& expression, In where, const StepDraft& draft, Spot spot) {
    switch (expression.kind) {
      case Expression::Kind::sandbox:
        return sandbox_;
      case Expression::Kind::input:
        return input_value(expression, draft, spot);
      case Expression::Kind::step_output:
        return step_value(expression, where, draft, spot);
      case Expression::Kind::unknown:
      case Expression::Kind::unclosed:
        break;
    }
    report_unknown_expression(expression, where, draft, spot);
    return std::string{expression.source};
  }

  void report_unknown_expression(const Expression& expression, In where, const StepDraft& draft, Spot spot) {
    const std::string source = shorten(expression.source, 60);
    const bool is_open = expression.kind == Expression::Kind::unclosed;
    std::string message = is_open
                              ? fmt::format("{} has an expression that is never closed: '{}'", draft.display, source)
                              : fmt::format("{} has an unknown expression '{}'", draft.display, source);
    std::string help = "there are ${{ sandbox }}, ${{ inputs.NAME }} and ${{ steps.ID.output }}";
    // A mission is prose and may well speak about other people's expressions.
    if (where == In::mission) {
      faults_.warning("unknown-expression", spot, std::move(message), help + "; it stays as it is");
    } else {
      faults_.error("unknown-expression", spot, std::move(message), std::move(help));
    }
  }

  std::string input_value(const Expression& expression, const StepDraft& draft, Spot spot) {
    const bool known = declared_.contains(expression.name) || (declared_.empty() && expression.name == "content");
    if (!known && faults_.deserves_hint()) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < std::min<std::size_t>(draft_.inputs.size(), 50); ++i) {
        names.push_back(draft_.inputs[i].name);
      }
      faults_.error("unknown-input", spot,
                    fmt::format("Unknown input reference: inputs.{} in {}", expression.name, draft.display),
                    fmt::format("Declared inputs: {}; declare it with '- name: {}' under 'inputs:'",
                                names.empty() ? "(none)" : shorten(join(names, ", "), 400), expression.name));
    }
    return input_path(expression.name);
  }

  std::string step_value(const Expression& expression, In where, const StepDraft& draft, Spot spot) {
    if (where == In::output) {
      faults_.error(
          "bad-output-reference", spot,
          fmt::format("the output of {} is named after another step's: '{}'", draft.display, expression.source),
          "give it a path of its own; read the other one with 'input'");
      return {};
    }
    const auto found = numbers_.find(expression.name);
    if (found == numbers_.end()) {
      report_unknown_step(expression, draft, spot);
      return {};
    }
    if (!drafts_[found->second].output && !drafts_[found->second].run) {
      faults_.error("unknown-step-reference", spot,
                    fmt::format("{} uses the output of step '{}', which has none", draft.display, expression.name),
                    fmt::format("add 'output: <path>' to step '{}'", expression.name));
    }
    const bool is_own = &drafts_[found->second] == &draft;
    if (!is_own || where == In::input || where == In::check) {
      references_.push_back({static_cast<std::size_t>(&draft - drafts_.data()), found->second, spot});
    }
    return outputs_[found->second];
  }

  void report_unknown_step(const Expression& expression, const StepDraft& draft, Spot spot) {
    if (!faults_.deserves_hint()) return;
    const std::vector<std::string> ids = known_ids(drafts_);
    const std::string near = nearest(expression.name, ids);
    faults_.error("unknown-step-reference", spot,
                  fmt::format("{} uses the output of '{}', but there is no such step", draft.display, expression.name),
                  near.empty() ? fmt::format("steps: {}", shorten(join(ids, ", "), 400))
                               : fmt::format("did you mean '{}'?", near));
  }

  // Putting a step together
  // ------------------------------------------------------------------------------------------------

  void fill(std::size_t number, Step& step) {
    const StepDraft& draft = drafts_[number];
    auto work = std::make_shared<Work>();
    work->title = draft.title;
    if (draft.skill) work->skill = draft.skill->text;
    if (draft.mission) work->mission = substituted(*draft.mission, In::mission, draft);
    for (const Located& input : draft.inputs) {
      work->inputs.push_back(std::string{trim(substituted(input, In::input, draft))});
      if (work->inputs.back().empty() || has_control_characters(work->inputs.back())) report_bad_input(draft, input);
    }
    fill_command(draft, *work);
    work->output = outputs_[number];
    work->output_format = work->output.ends_with(".json") ? OutputFormat::json : OutputFormat::text;
    work->checks = checks_of(draft, *work);
    work->runtime = draft.runtime;
    work->model = draft.model;
    step.policy = policy_of(draft);
    step.final = draft.final;
    step.work = std::move(work);
  }

  void report_bad_input(const StepDraft& draft, const Located& input) {
    if (has_errors_in(input)) return;
    faults_.error("bad-path", input.spot, fmt::format("an input of {} is no good path", draft.display),
                  "name a file, such as ${{ sandbox }}/inputs/content.md");
  }

  /// An expression that stands for nothing was reported already.
  static bool has_errors_in(const Located& input) { return input.text.find("${{") != std::string::npos; }

  std::string substituted(const Located& text, In where, const StepDraft& draft) {
    return substitute(text.text, [&](const Expression& e) { return resolve(e, where, draft, text.spot); });
  }

  void fill_command(const StepDraft& draft, Work& work) {
    CommandLine command = make_command(draft.command, draft.command_is_line, [&](const Expression& e, Spot spot) {
      return resolve(e, In::command, draft, spot);
    });
    work.command = std::move(command.argv);
    work.env = std::move(command.env);
  }

  std::vector<Check> checks_of(const StepDraft& draft, const Work& work) {
    const CheckLinks links{
        .resolve = [&](const Expression& e, Spot spot) { return resolve(e, In::command, draft, spot); },
        .refer = [&](const std::string& step,
                     Spot spot) { (void)resolve({Expression::Kind::step_output, step, step}, In::check, draft, spot); },
        .read_file = binding_.read_file};
    std::vector<Check> checks = finish_checks(draft.checks, draft.display, work.output_format, links, faults_);
    const bool needs_json = !std::ranges::all_of(checks, is_text_check);
    if (!work.output.empty() && work.output_format == OutputFormat::text && needs_json) {
      faults_.warning(
          "checks-need-json", *draft.validate,
          fmt::format("{} checks fields of '{}', which is not named like a JSON file", draft.display, work.output),
          "let the output end in '.json'");
    }
    return checks;
  }

  Policy policy_of(const StepDraft& draft) const {
    const bool is_command = !draft.command.empty();
    return {.retries = draft.retries.value_or(is_command ? defaults_.command_retries : defaults_.agent_retries),
            .on_unknown = draft.on_unknown,
            .timeout = draft.timeout.value_or(defaults_.step_timeout),
            .retry_delay = defaults_.retry_delay,
            .stop_grace = is_command ? defaults_.command_grace : defaults_.agent_grace};
  }

  const WorkflowDraft& draft_;
  const std::vector<StepDraft>& drafts_;
  const Binding& binding_;
  const MarkdownDefaults& defaults_;
  FaultList& faults_;
  std::string sandbox_;
  std::unordered_map<std::string, const InputDecl*> declared_;
  StepNumbers numbers_;
  std::vector<std::string> outputs_;
  std::vector<Reference> references_;
  std::size_t substituted_bytes_ = 0;
  bool said_too_much_ = false;
};

}  // namespace

std::vector<Step> make_steps(const WorkflowDraft& draft, const Binding& binding, const MarkdownDefaults& defaults,
                             FaultList& faults) {
  return StepMaker{draft, binding, defaults, faults}.make();
}

}  // namespace baton::markdown
