#include "dialect/markdown/known_files.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/markdown/expression.h"
#include "dialect/markdown/no_values.h"
#include "plan/body.h"
#include "plan/path_rule.h"

namespace baton::markdown {
namespace {

constexpr std::size_t items_looked_at_max = 10'000;  // of all steps together
constexpr std::size_t inputs_looked_at_max = 1'000;  // each is read whole

/// What is known of values before a run begins: of its inputs, if they are.
class ValuesBefore {
 public:
  explicit ValuesBefore(const Values* inputs) : inputs_{inputs} {}

  /// The path that stands there; empty if only the run can tell.
  std::string path(const std::string& text, const Flow* flow) {
    if (flow == nullptr || !flow->deferred) return plain_path(text);
    const std::vector<Expression> expressions = cut(text).expressions;
    if (!std::ranges::all_of(expressions, [&](const Expression& e) { return is_known(e.inner); })) return {};
    const auto filled =
        fill_in(text, values(), {.sandbox = flow->sandbox, .item = flow->item, .index = flow->index, .self = {}});
    return filled ? plain_path(trim(*filled)) : std::string{};
  }

  std::vector<std::string> items(const std::string& source) {
    const bool is_written_down = trim(source).starts_with('[');
    if (!is_written_down && !is_known(source)) return {};
    return items_of(source, values(), {}).value_or(std::vector<std::string>{});
  }

 private:
  /// It says the same whatever the run comes to.
  bool is_known(std::string_view expression) {
    const auto references = references_of(expression);
    return references && std::ranges::all_of(*references, [&](const Reference& reference) {
             using enum Reference::Kind;
             if (reference.kind == input) return is_given(reference.name);
             return reference.kind == sandbox || reference.kind == item || reference.kind == index;
           });
  }

  bool is_given(const std::string& input) {
    return inputs_ != nullptr && ++looks_ <= inputs_looked_at_max && inputs_->input(input).has_value();
  }

  [[nodiscard]] const Values& values() const { return inputs_ == nullptr ? none_ : *inputs_; }

  const NoValues none_{};
  const Values* inputs_;
  std::size_t looks_ = 0;
};

/// A composite comes after its body, and its body after what the composite needs.
class Finder {
 public:
  Finder(const Plan& plan, const Values* inputs) : plan_{plan}, values_{inputs} {
    found_.graph.resize(plan.steps.size());
  }

  KnownFiles find() && {
    found_.files.reserve(plan_.steps.size());
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      found_.graph[i].needs = step.needs;
      if (step.flow != nullptr && step.flow->is_composite()) {
        find_in_composite(step, i);
      } else if (!step.work->is_nothing()) {
        add(step, step, {.top = i, .node = i});
      }
    }
    return std::move(found_);
  }

 private:
  struct Where {
    std::size_t top = 0;
    std::size_t node = 0;
    int item = 0;
  };

  void find_in_composite(const Step& composite, std::size_t top) {
    const Flow& flow = *composite.flow;
    if (flow.body.empty()) return;
    const std::size_t first = add_graph(flow.body, top);
    if (flow.loop_max > 0) {
      add_body(composite, {.top = top, .node = first}, {.number = 1, .generation = 1, .item = {}});
    } else {
      add_items(composite, {.top = top, .node = first});
    }
    // The list of the items' results, or a copy of the last round's where each round has one of its own.
    const bool is_own = !flow.for_each.empty() || std::ranges::none_of(flow.body, [&](const Step& one) {
      return one.work->output == composite.work->output;
    });
    std::string output = values_.path(composite.work->output, composite.flow.get());
    if (is_own && !output.empty()) {
      found_.files.push_back(
          {.step = &composite, .top = top, .node = top, .output = std::move(output), .pattern = {}, .inputs = {}});
    }
  }

  std::size_t add_graph(const std::vector<Step>& body, std::size_t top) {
    const std::size_t first = found_.graph.size();
    for (const Step& step : body) {
      Step node;
      node.needs = plan_.steps[top].needs;
      for (const StepIndex need : step.needs) node.needs.push_back(step_index(first + at(need)));
      found_.graph.push_back(std::move(node));
    }
    for (std::size_t n = 0; n < body.size(); ++n) found_.graph[top].needs.push_back(step_index(first + n));
    return first;
  }

  void add_items(const Step& composite, const Where& first) {
    const Flow& flow = *composite.flow;
    std::vector<std::string> items = values_.items(flow.for_each);
    items_ += items.size();
    if (items_ > items_looked_at_max) items.clear();
    for (std::size_t n = 0; n < items.size(); ++n) {
      const int number = static_cast<int>(n) + 1;
      add_body(composite, {.top = first.top, .node = first.node, .item = number},
               {.number = number, .generation = 1, .item = items[n]});
    }
    for (std::size_t n = 0; items.empty() && n < flow.body.size(); ++n) {
      StepFiles files{.step = &flow.body[n], .top = first.top, .node = first.node + n, .item = 0};
      files.pattern = flow.body[n].work->output;
      found_.files.push_back(std::move(files));
    }
  }

  void add_body(const Step& composite, const Where& first, const CopyOf& copy) {
    const std::vector<Step> made = copy_body(composite, copy, 0);
    for (std::size_t n = 0; n < made.size(); ++n) {
      if (made[n].work->is_nothing()) continue;
      add(composite.flow->body[n], made[n], {.top = first.top, .node = first.node + n, .item = first.item});
    }
  }

  /// `made` is the step for an item, whose files are looked for; `step` is what people know.
  void add(const Step& step, const Step& made, const Where& where) {
    const Work& work = *made.work;
    StepFiles files{.step = &step, .top = where.top, .node = where.node, .item = where.item};
    if (!work.output.empty()) files.output = values_.path(work.output, made.flow.get());
    if (files.output.empty()) files.pattern = work.output;
    for (const std::string& input : work.inputs) files.inputs.push_back(values_.path(input, made.flow.get()));
    found_.files.push_back(std::move(files));
  }

  const Plan& plan_;
  ValuesBefore values_;
  KnownFiles found_;
  std::size_t items_ = 0;
};

}  // namespace

KnownFiles known_files(const Plan& plan, const Values* inputs) { return Finder{plan, inputs}.find(); }

bool may_become(std::string_view text, std::string_view path) {
  const Template parts = cut(text);
  const std::string_view first = parts.pieces.front();
  if (parts.expressions.empty()) return plain_path(text) == path;
  if (!path.starts_with(first)) return false;
  std::size_t from = first.size();
  for (std::size_t i = 1; i + 1 < parts.pieces.size(); ++i) {
    from = path.find(parts.pieces[i], from);
    if (from == std::string_view::npos) return false;
    from += parts.pieces[i].size();
  }
  return path.size() >= from + parts.pieces.back().size() && path.ends_with(parts.pieces.back());
}

}  // namespace baton::markdown
