#include "plan/turn.h"

#include <fmt/core.h>

#include <unordered_map>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "base/utf8.h"
#include "plan/body.h"
#include "plan/expression_evaluate.h"
#include "plan/path_rule.h"
#include "text/json_value.h"

namespace baton {
namespace {

constexpr std::size_t items_max = 10'000;

TurnResult fail(Fault fault) {
  return {.verdict = TurnVerdict::fail, .reason = std::move(fault.message), .code = std::move(fault.code)};
}

TurnResult done(std::optional<std::string> output) {
  return {.verdict = TurnVerdict::done, .output = std::move(output)};
}

bool has_expression(std::string_view text) { return text.find("${{") != std::string_view::npos; }

/// Fills in the texts of one step; the first fault is kept.
class Filler {
 public:
  Filler(expression::Evaluator& evaluator, const Values& values, const std::string& sandbox)
      : evaluator_{evaluator}, values_{values}, sandbox_{sandbox} {}

  Expected<std::shared_ptr<const Work>> fill(const Work& work) {
    auto filled = std::make_shared<Work>(work);
    fill(filled->mission);
    for (std::string& text : filled->command) fill_argument(text);
    for (std::string& text : filled->env) fill_argument(text);
    std::erase_if(filled->inputs, [&](const std::string& path) { return is_not_given(path); });
    for (std::string& path : filled->inputs) fill_path(path, "an input");
    for (Check& check : filled->checks) {
      for (std::string& text : check.argv) fill_argument(text);
      for (std::string& text : check.env) fill_argument(text);
    }
    fill_path(filled->output, "the output");
    if (has_expression(work.output)) {
      filled->output_format = filled->output.ends_with(".json") ? OutputFormat::json : OutputFormat::text;
    }
    if (fault_) return std::unexpected(std::move(*fault_));
    return filled;
  }

 private:
  void fill(std::string& text) {
    if (fault_ || !has_expression(text)) return;
    auto filled = evaluator_.fill_in(text);
    if (filled) {
      text = std::move(*filled);
    } else {
      fault_ = std::move(filled.error());
    }
  }

  /// A NUL would cut an argument short, and what is run is not what was meant.
  void fill_argument(std::string& text) {
    fill(text);
    if (fault_ || text.find('\0') == std::string::npos) return;
    fault_ = Fault{"bad-value", "a value for the command has a NUL byte in it"};
  }

  /// It is an input of the workflow that has no value.
  bool is_not_given(std::string_view text) {
    if (!text.starts_with("${{") || !text.ends_with("}}")) return false;
    const auto input = lone_reference(text.substr(3, text.size() - 5));
    return input && input->kind == Reference::Kind::input && input->is_path() &&
           values_.path_of_input(input->name).empty();
  }

  /// A value came from outside: where it leads has to be looked at again.
  void fill_path(std::string& path, const char* what) {
    if (!has_expression(path)) return;
    fill(path);
    path = trim(path);
    if (fault_) return;
    const std::string shown = shorten(printable(path), 200);
    if (leaves_folder(path, sandbox_) || has_control_characters(path)) {
      fault_ = Fault{"path-leaves-folder", fmt::format("{} leaves the project's folder: '{}'", what, shown)};
    } else if (!is_good_path(path)) {
      fault_ = Fault{"bad-path", fmt::format("{} is no good path: '{}'", what, shown)};
    }
  }

  expression::Evaluator& evaluator_;
  const Values& values_;
  const std::string& sandbox_;
  std::optional<Fault> fault_;
};

/// One turn of a step that has a flow.
class TurnTaker {
 public:
  TurnTaker(const Step& step, const Turn& turn, const Values& values)
      : step_{step}, flow_{*step.flow}, turn_{turn}, values_{values}, evaluator_{values, around(step, turn)} {}

  TurnResult take() {
    if (turn_.round == 1 && !flow_.when.empty()) {
      const auto holds = evaluator_.is_true(flow_.when);
      if (!holds) return fail(holds.error());
      if (!*holds) return {.verdict = TurnVerdict::skip, .reason = flow_.when};
    }
    TurnResult result = flow_.is_composite() ? take_composite() : take_plain();
    if (result.verdict == TurnVerdict::go && flow_.gate && turn_.round == 1) return ask(std::move(result));
    return result;
  }

 private:
  /// In a loop `index` is the round that has just ended when `until` is looked at.
  static Surroundings around(const Step& step, const Turn& turn) {
    const Flow& flow = *step.flow;
    const int index = flow.loop_max > 0 ? turn.round - 1 : flow.index;
    return {.sandbox = flow.sandbox, .item = flow.item, .index = index, .self = step.id};
  }

  TurnResult ask(TurnResult result) {
    result.question = flow_.question;
    if (!flow_.deferred) return result;
    auto question = evaluator_.fill_in(flow_.question);
    if (!question) return fail(question.error());
    result.question = std::move(*question);
    return result;
  }

  TurnResult take_plain() {
    TurnResult result{.verdict = TurnVerdict::go, .work = step_.work};
    if (!flow_.deferred || step_.work == nullptr) return result;
    auto filled = Filler{evaluator_, values_, flow_.sandbox}.fill(*step_.work);
    if (!filled) return fail(filled.error());
    result.work = std::move(*filled);
    return result;
  }

  TurnResult take_composite() {
    if (flow_.body.empty()) return done(std::nullopt);
    return flow_.loop_max > 0 ? take_loop() : take_items();
  }

  // Items -------------------------------------------------------------------------------------------------------------

  TurnResult take_items() {
    if (turn_.round > 1) return join();
    auto items = evaluator_.items_of(flow_.for_each);
    if (!items) return fail(items.error());
    if (items->size() > items_max) {
      return fail(
          {"too-many-items", fmt::format("there are {} items; {} is the most there may be", items->size(), items_max)});
    }
    if (items->empty()) return join();
    TurnResult result;
    for (std::string& item : *items) {
      const CopyOf copy{static_cast<int>(result.made.size() / flow_.body.size()) + 1, turn_.generation,
                        std::move(item)};
      append(result.made, copy_body(step_, copy, result.made.size()));
    }
    if (auto collision = find_collision(result.made)) return fail(std::move(*collision));
    return result;
  }

  /// Two items whose values make the same name. What cannot be filled in yet is looked at when its own turn comes.
  [[nodiscard]] std::optional<Fault> find_collision(const std::vector<Step>& made) const {
    std::unordered_map<std::string, std::size_t> writers;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const Step& one = made[i];
      if (one.work == nullptr || !one.flow->deferred || !has_expression(one.work->output)) continue;
      expression::Evaluator evaluator{values_, around(one, {})};
      const auto output = evaluator.fill_in(one.work->output);
      if (!output) continue;
      const auto [first, is_new] = writers.try_emplace(plain_path(trim(*output)), i);
      const std::size_t item = i / flow_.body.size();
      const std::size_t other = first->second / flow_.body.size();
      if (is_new || item == other) continue;
      return Fault{"outputs-collide", fmt::format("items {} and {} would both write '{}'", other + 1, item + 1,
                                                  shorten(printable(first->first), 200))};
    }
    return std::nullopt;
  }

  static void append(std::vector<Step>& steps, std::vector<Step> more) {
    for (Step& step : more) steps.push_back(std::move(step));
  }

  /// The outputs of all copies as one list.
  TurnResult join() {
    if (step_.work == nullptr || step_.work->output.empty()) return done(std::nullopt);
    const std::size_t final = final_of_body(flow_.body);
    const bool is_text =
        flow_.body[final].work != nullptr && flow_.body[final].work->output_format == OutputFormat::text;
    std::string list = "[";
    for (std::size_t first = 0; first + final < turn_.made.size(); first += flow_.body.size()) {
      if (first > 0) list += ',';
      list += '\n' + as_json(values_.output_of(turn_.made[first + final]), is_text);
      if (list.size() > Limits::output_bytes_max) {
        return fail({"file-too-large", fmt::format("the items' outputs together are larger than {} MiB",
                                                   Limits::output_bytes_max >> 20U)});
      }
    }
    return done(list + (list.size() > 1 ? "\n]\n" : "]\n"));
  }

  /// JSON stays to the letter what it is; other text becomes a JSON text.
  static std::string as_json(const std::optional<std::string>& output, bool is_text) {
    if (!output) return "null";
    if (is_text || !expression::is_json(*output)) return json_quote(*output);
    return std::string{trim(without_byte_order_mark(*output))};
  }

  // Rounds ------------------------------------------------------------------------------------------------------------

  TurnResult take_loop() {
    if (turn_.round > 1) {
      const auto ends = has_ended();
      if (!ends) return fail(ends.error());
      if (*ends) return done(last_output());
      if (turn_.round > flow_.loop_max) {
        return fail({"loop-exhausted", fmt::format("'{}' did not hold after {} round{}", flow_.until, flow_.loop_max,
                                                   flow_.loop_max == 1 ? "" : "s")});
      }
    }
    TurnResult result;
    result.made = copy_body(step_, {turn_.round, turn_.generation, ""}, 0);
    return result;
  }

  Expected<bool> has_ended() {
    if (flow_.until.empty()) return turn_.round > flow_.loop_max;
    evaluator_.set_self(last_id());
    return evaluator_.is_true(flow_.until);
  }

  /// The step that wrote what counts as the last round's output.
  [[nodiscard]] std::string last_id() const {
    if (turn_.made.size() < flow_.body.size()) return {};
    return turn_.made[turn_.made.size() - flow_.body.size() + final_of_body(flow_.body)];
  }

  [[nodiscard]] std::optional<std::string> last_output() const {
    if (step_.work == nullptr || step_.work->output.empty()) return std::nullopt;
    const std::string id = last_id();
    if (id.empty() || values_.path_of(id) == step_.work->output) return std::nullopt;
    return values_.output_of(id);
  }

  const Step& step_;
  const Flow& flow_;
  const Turn& turn_;
  const Values& values_;
  expression::Evaluator evaluator_;
};

}  // namespace

TurnResult take_turn(const Step& step, const Turn& turn, const Values& values) {
  if (step.flow == nullptr) return {.verdict = TurnVerdict::go, .work = step.work};
  return TurnTaker{step, turn, values}.take();
}

}  // namespace baton
