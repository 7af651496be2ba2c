#include "dialect/markdown/file_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "dialect/markdown/known_files.h"
#include "dialect/markdown/needs.h"
#include "plan/path_rule.h"

namespace baton::markdown {
namespace {

/// Where a step stands.
struct Origin {
  WorkflowFile* file = nullptr;
  const StepDraft* draft = nullptr;
};

Origin find_origin(WorkflowFile& file, Library& library, std::string_view id) {
  if (!file.draft) return {};
  for (const StepDraft& draft : file.draft->steps) {
    if (draft.id == id) return {&file, &draft};
    const bool may_be_inside =
        draft.workflow && id.size() > draft.id.size() && id.starts_with(draft.id) && id[draft.id.size()] == ':';
    WorkflowFile* inner = may_be_inside ? library.find(draft.workflow->text) : nullptr;
    if (inner == nullptr) continue;
    if (const Origin found = find_origin(*inner, library, id.substr(draft.id.size() + 1)); found.draft != nullptr) {
      return found;
    }
  }
  return {};
}

class FileRules {
 public:
  FileRules(const Plan& plan, WorkflowFile& file, Library& library, const Binding& binding)
      : plan_{plan}, file_{file}, library_{library}, binding_{binding}, known_{known_files(plan, binding.given)} {}

  std::vector<AbsentInput> check() {
    Plan graph;
    graph.steps = known_.graph;
    order_.order = execution_order(graph);
    if (order_.order.size() < graph.steps.size()) return {};  // a cycle, which was reported
    places_.resize(graph.steps.size());
    for (std::size_t i = 0; i < order_.order.size(); ++i) places_[at(order_.order[i])] = i;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!files_[i].output.empty()) writers_[files_[i].output].push_back(i);
      if (!files_[i].pattern.empty() && patterns_.size() < patterns_max) patterns_.push_back(i);
    }
    report_shared();
    if (binding_.is_there) look_for_inputs();
    return std::move(absent_);
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;

  /// Of each pair: whether the second one needs the first. What is made for one item needs nothing of another's.
  [[nodiscard]] std::vector<bool> are_in_line(const std::vector<Pair>& pairs) const {
    std::vector<NeedQuestion> asked;
    for (const auto& [earlier, later] : pairs) asked.push_back({files_[later].node, files_[earlier].node});
    std::vector<bool> answers = are_needed(asked, known_.graph, order_);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const StepFiles& a = files_[pairs[i].first];
      const StepFiles& b = files_[pairs[i].second];
      if (a.top == b.top && a.item > 0 && b.item > 0 && a.item != b.item) answers[i] = false;
    }
    return answers;
  }

  // Two that write one file -------------------------------------------------------------------------------------------

  [[nodiscard]] std::pair<std::size_t, int> turn_of(std::size_t files) const {
    return {places_[files_[files].node], files_[files].item};
  }

  /// In an order in which each might run, neighbours decide: if each needs the one before it, each needs all of them.
  void report_shared() {
    std::vector<Pair> pairs;
    for (auto& [path, writers] : writers_) {
      std::ranges::sort(writers, {}, [&](std::size_t i) { return turn_of(i); });
      for (std::size_t i = 1; i < writers.size(); ++i) {
        if (!is_same_for_all_items(writers[i - 1], writers[i])) pairs.emplace_back(writers[i - 1], writers[i]);
      }
    }
    std::ranges::sort(pairs, {},
                      [&](const Pair& pair) { return std::pair{turn_of(pair.second), turn_of(pair.first)}; });
    const std::vector<bool> in_line = are_in_line(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      report_pair(files_[pairs[i].first], files_[pairs[i].second], in_line[i]);
    }
  }

  /// An output without an item in its name was reported already.
  [[nodiscard]] bool is_same_for_all_items(std::size_t a, std::size_t b) const {
    return files_[a].step == files_[b].step && files_[b].step->work->output.find("${{") == std::string::npos;
  }

  void report_pair(const StepFiles& earlier, const StepFiles& later, bool is_ordered) {
    const Origin origin = find_origin(file_, library_, later.step->id);
    if (origin.draft == nullptr || origin.file->faults.is_full()) return;
    const Spot spot = origin.draft->output ? origin.draft->output->spot : origin.draft->spot;
    const std::string path = shorten(printable(later.output), 200);
    if (earlier.item != later.item && !is_ordered) {
      return origin.file->faults.error(
          "outputs-collide", spot,
          fmt::format("{} and {} both write '{}'", called_with_item(earlier), called_with_item(later), path),
          "put ${{ index }} into the name, so that each item has a file of its own");
    }
    if (is_ordered) {
      return origin.file->faults.warning(
          "shared-output", spot,
          fmt::format("{} writes the same output as {}: '{}'", called(later), called(earlier), path),
          "the later step takes the file over; give each an output of its own to keep both");
    }
    origin.file->faults.error("shared-output", spot,
                              fmt::format("{} writes the same output as {}, and neither needs the other: '{}'",
                                          called(later), called(earlier), path),
                              fmt::format("give each step an output of its own, or add '{}' to the 'needs' of '{}'",
                                          earlier.step->id, later.step->id));
  }

  static std::string called(const StepFiles& files) { return fmt::format("step '{}'", files.step->id); }

  static std::string called_with_item(const StepFiles& files) {
    return files.item == 0 ? called(files) : fmt::format("item {} of {}", files.item, called(files));
  }

  // Inputs that are not there -----------------------------------------------------------------------------------------

  /// One input of one step.
  struct OpenInput {
    std::size_t reader;
    std::size_t number;
    std::size_t questions;  ///< who of those that write it is needed
  };

  void look_for_inputs() {
    std::vector<OpenInput> open;
    std::vector<Pair> pairs;
    for (std::size_t reader = 0; reader < files_.size(); ++reader) {
      for (std::size_t n = 0; n < files_[reader].inputs.size(); ++n) {
        const std::string& path = files_[reader].inputs[n];
        if (path.empty()) continue;
        const auto writers = writers_.find(path);
        if (writers != writers_.end() && writers->second.size() > writers_max) continue;  // that was told
        const std::size_t before = pairs.size();
        if (writers != writers_.end()) {
          for (const std::size_t writer : writers->second) pairs.emplace_back(writer, reader);
        }
        open.push_back({reader, n, pairs.size() - before});
      }
    }
    const std::vector<bool> in_line = are_in_line(pairs);
    std::size_t question = 0;
    for (const OpenInput& input : open) {
      const auto first = in_line.begin() + static_cast<std::ptrdiff_t>(question);
      question += input.questions;
      const auto last = in_line.begin() + static_cast<std::ptrdiff_t>(question);
      if (std::find(first, last, true) == last && absent_.size() < absent_max) look_for(input);
    }
  }

  void look_for(const OpenInput& input) {
    const StepFiles& reader = files_[input.reader];
    const std::string& path = reader.inputs[input.number];
    const std::string given = given_name(path);
    if (is_always_there(given) || binding_.is_there(path) || may_be_written(reader, path)) return;
    const Origin origin = find_origin(file_, library_, reader.step->id);
    if (origin.draft == nullptr) return;
    const Spot spot =
        input.number < origin.draft->inputs.size() ? origin.draft->inputs[input.number].spot : origin.draft->spot;
    Fault fault{.code = "input-not-found", .message = {}, .help = {}, .place = {}};
    fault.place = {origin.file->source.file, spot.line, spot.column};
    const auto writers = writers_.find(path);
    const std::string shown = shorten(printable(path), 200);
    if (!given.empty()) {
      fault.message = fmt::format("{} reads the input '{}', which was not given", called(reader), given);
      fault.help = fmt::format("give it with -i {}=FILE", given);
    } else if (writers != writers_.end()) {
      const std::string& writer = files_[writers->second.front()].step->id;
      fault.message = fmt::format("{} reads '{}', which is not there: step '{}' writes it, but is not needed",
                                  called(reader), shown, writer);
      fault.help = fmt::format("add '{}' to its 'needs'", writer);
    } else {
      fault.message = fmt::format("{} reads '{}', which is not there", called(reader), shown);
      fault.help = "correct the path, or write the file first";
    }
    if (needs_others(reader)) {
      fault.severity = Severity::warning;
      fault.message += ", and no step that it needs declares it as its output";
      fault.help = "let the step that writes it have it as its 'output'; it is looked for when the step's turn comes";
    }
    absent_.push_back({plan_.steps[reader.top].id, std::move(fault)});
  }

  /// A step has an output whose name only the run will know, and this may be it.
  [[nodiscard]] bool may_be_written(const StepFiles& reader, const std::string& path) const {
    return needs_others(reader) && std::ranges::any_of(patterns_, [&](std::size_t writer) {
             return files_[writer].top != reader.top && may_become(files_[writer].pattern, path);
           });
  }

  [[nodiscard]] bool needs_others(const StepFiles& reader) const { return !known_.graph[reader.node].needs.empty(); }

  /// The name of the input of the workflow that this is the path of.
  [[nodiscard]] std::string given_name(std::string_view path) const {
    const std::string folder = binding_.sandbox + "/inputs/";
    if (!path.starts_with(folder)) return {};
    path.remove_prefix(folder.size());
    const std::string_view name = path.substr(0, path.rfind('.'));
    return is_id(name) ? std::string{name} : std::string{};
  }

  /// No run begins without it.
  [[nodiscard]] bool is_always_there(const std::string& input) const {
    if (input.empty() || !file_.draft) return false;
    const auto declared = std::ranges::find(file_.draft->inputs, input, &InputDecl::name);
    return declared != file_.draft->inputs.end() && !declared->is_optional();
  }

  static constexpr std::size_t absent_max = 1000;
  static constexpr std::size_t patterns_max = 100;
  static constexpr std::size_t writers_max = 100;

  const Plan& plan_;
  WorkflowFile& file_;
  Library& library_;
  const Binding& binding_;
  KnownFiles known_;
  const std::vector<StepFiles>& files_ = known_.files;
  NeedsOrder order_;
  std::vector<std::size_t> places_;    ///< of the graph's steps, in an order in which they might run
  std::vector<std::size_t> patterns_;  ///< those whose output is not known yet
  std::unordered_map<std::string, std::vector<std::size_t>> writers_;
  std::vector<AbsentInput> absent_;
};

}  // namespace

std::vector<AbsentInput> check_files(const Plan& plan, WorkflowFile& file, Library& library, const Binding& binding) {
  return FileRules{plan, file, library, binding}.check();
}

}  // namespace baton::markdown
