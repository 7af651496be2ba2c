#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "base/text.h"
#include "core/facts.h"
#include "view/cells.h"
#include "view/report/html.h"
#include "view/report/parts.h"
#include "view/words.h"

namespace baton {
namespace {

constexpr std::size_t steps_max = 400;
constexpr int box_height = 30, layer_gap = 44, box_gap = 18, margin = 12, box_width_min = 90, box_width_max = 240;
constexpr int lane_gap = 12;

/// From so many on, what was made for a `for_each` or a loop is drawn as one box.
constexpr std::size_t made_drawn_max = 8;

/// A step, or all that was made for one; or a lane: a free place in a layer, for a line that leads past the layer.
struct Node {
  StepIndex step{};
  std::vector<StepIndex> folded = {};  ///< not empty: these, in one box
  std::vector<std::size_t> needs = {};
  std::size_t layer = 0;
  bool is_lane = false;
  double order = 0;  ///< where its needs are, on the average
  int x = 0, y = 0, width = 0;
};

int width_of(const std::string& id) {
  return std::clamp(static_cast<int>(columns_of(printable(id))) * 8 + 36, box_width_min, box_width_max);
}

StepState shown_state_of(const Run& run, const std::vector<StepIndex>& steps) {
  constexpr std::array<StepState, 6> telling{StepState::failed,   StepState::waiting, StepState::running,
                                             StepState::checking, StepState::blocked, StepState::ready};
  for (const StepState wanted : telling) {
    if (std::ranges::any_of(steps, [&](StepIndex i) { return shown_state(run, i) == wanted; })) return wanted;
  }
  return shown_state(run, steps.back());
}

/// "38 completed, 2 failed"
std::string states_of(const Run& run, const std::vector<StepIndex>& steps) {
  std::map<StepState, std::size_t> count;
  for (const StepIndex i : steps) ++count[shown_state(run, i)];
  std::vector<std::string> parts;
  for (const auto& [state, n] : count) parts.push_back(fmt::format("{} {}", n, name(state)));
  return join(parts, ", ");
}

/// The steps as nodes. What was made for the items of a step stands between what that step needs and the step itself,
/// which brings it together; the rounds of a loop stand one beneath the other.
class Graph {
 public:
  explicit Graph(const Run& run) : run_(run) {
    find_made();
    for (const StepIndex i : steps_in_reading_order(run)) {
      if (hidden_.contains(i)) continue;
      add_node({.step = i, .width = width_of(run.step(i).id)});
      if (made_.contains(i) && is_folded(i))
        add_node({.step = i, .folded = all_made_for(i), .width = width_of(folded_name(i))});
    }
    boxes_ = nodes_.size();
    if (boxes_ > steps_max) return;  // nobody draws them
    for (std::size_t n = 0; n < boxes_; ++n) connect(n);
    find_layers();
    add_lanes();
    lay_out();
  }

  [[nodiscard]] std::size_t size() const { return boxes_; }

  [[nodiscard]] std::string svg() const {
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
        "aria-label=\"graph of the steps\">\n",
        width_, height_);
    for (const Node& n : nodes_) {
      for (const std::size_t need : n.needs) add_edge(out, nodes_[need], n);
    }
    for (std::size_t n = 0; n < boxes_; ++n) add_box(out, nodes_[n]);
    return out + "</svg>\n";
  }

 private:
  void find_made() {
    for (std::size_t n = 0; n < run_.step_count(); ++n) {
      const FlowRun* flow = run_.flow_of(step_index(n));
      if (flow == nullptr) continue;
      for (const StepIndex m : flow->made) {
        if (!run_.never_existed(m)) made_[step_index(n)].push_back(m), made_for_[m] = step_index(n);
      }
    }
    for (const auto& [by, made] : made_) {
      if (!is_folded(by)) continue;
      for (const StepIndex m : all_made_for(by)) hidden_.insert(m);
    }
    hide_replaced();
  }
  /// What was made for a step before it was run again gave way to what is made now.
  void hide_replaced() {
    const auto& all = run_.extensions();
    for (std::size_t e = 0; e < all.size(); ++e) {
      const Flow* flow = run_.step(all[e].first).flow.get();
      if (flow == nullptr || !flow->is_composite()) continue;
      const std::size_t end = e + 1 < all.size() ? at(all[e + 1].second) : run_.step_count();
      for (std::size_t n = at(all[e].second); n < end; ++n) {
        if (run_.of(step_index(n)).state.is_replaced()) hidden_.insert(step_index(n));
      }
    }
  }
  [[nodiscard]] bool is_folded(StepIndex by) const { return made_.at(by).size() > made_drawn_max; }
  [[nodiscard]] std::vector<StepIndex> all_made_for(StepIndex by) const {
    std::vector<StepIndex> all;
    const auto found = made_.find(by);
    if (found == made_.end()) return all;
    for (const StepIndex m : found->second) {
      all.push_back(m);
      const std::vector<StepIndex> inner = all_made_for(m);
      all.insert(all.end(), inner.begin(), inner.end());
    }
    return all;
  }
  [[nodiscard]] std::string folded_name(StepIndex by) const {
    const std::string& id = run_.step(by).id;
    return fmt::format("{}:1 … ({})", id, counted(all_made_for(by).size(), "step"));
  }

  void add_node(Node node) {
    if (node.folded.empty()) {
      place_[node.step] = nodes_.size();
    } else {
      for (const StepIndex m : node.folded) place_[m] = nodes_.size();
    }
    nodes_.push_back(std::move(node));
  }

  void need(std::size_t node, StepIndex step) {
    const auto found = place_.find(step);
    if (found == place_.end() || found->second == node) return;
    std::vector<std::size_t>& needs = nodes_[node].needs;
    if (std::ranges::find(needs, found->second) == needs.end()) needs.push_back(found->second);
  }

  void connect(std::size_t n) {
    if (!nodes_[n].folded.empty()) return begin_with_step(n, nodes_[n].step);
    const StepIndex step = nodes_[n].step;
    const std::vector<StepIndex> needs = run_.needs_of(step);
    const bool has_made = made_.contains(step);
    if (has_made && is_folded(step)) return need(n, made_.at(step).front());
    bool is_inner = false;
    for (const StepIndex other : needs) {
      const auto by = made_for_.find(other);
      const bool is_mine = by != made_for_.end() && by->second == step;
      if (has_made && !is_mine) continue;  // what was made for it stands between
      if (!is_mine || ends_body(other, step)) need(n, other);
      is_inner = is_inner || (by != made_for_.end() && made_for_.contains(step) && by->second == made_for_.at(step));
    }
    if (const auto by = made_for_.find(step); by != made_for_.end() && !is_inner) begin_body(n, step, by->second);
  }

  /// The last of an item's or round's steps, and, of a loop, of the last round.
  [[nodiscard]] bool ends_body(StepIndex step, StepIndex by) const {
    const std::vector<StepIndex>& made = made_.at(by);
    const bool is_loop = run_.step(by).flow->loop_max > 0;
    if (is_loop && round_of(step) != round_of(made.back())) return false;
    return !is_needed_within(step, made);
  }
  [[nodiscard]] bool is_needed_within(StepIndex step, const std::vector<StepIndex>& made) const {
    return std::ranges::any_of(made, [&](StepIndex m) {
      const std::vector<StepIndex> needs = run_.needs_of(m);
      return std::ranges::find(needs, step) != needs.end();
    });
  }
  [[nodiscard]] int round_of(StepIndex step) const {
    const Flow* flow = run_.step(step).flow.get();
    return flow == nullptr ? 0 : flow->index;
  }

  /// The first step of an item begins when what `by` needs is done; that of a later round after the round before.
  void begin_body(std::size_t n, StepIndex step, StepIndex by) {
    const bool is_loop = run_.step(by).flow->loop_max > 0;
    if (!is_loop || round_of(step) <= 1) return begin_with_step(n, by);
    const std::vector<StepIndex>& made = made_.at(by);
    for (const StepIndex m : made) {
      if (round_of(m) == round_of(step) - 1 && !is_needed_within(m, made)) need(n, m);
    }
  }
  void begin_with_step(std::size_t n, StepIndex by) {
    for (const StepIndex other : run_.needs_of(by)) {
      const auto made = made_for_.find(other);
      if (made == made_for_.end() || made->second != by) need(n, other);
    }
    if (nodes_[n].needs.empty()) {
      if (const auto outer = made_for_.find(by); outer != made_for_.end()) begin_body(n, by, outer->second);
    }
  }

  /// Needs may be found in any order: as often as it takes, and no more than there are steps.
  void find_layers() {
    bool moved = true;
    for (std::size_t round = 0; moved && round <= nodes_.size(); ++round) {
      moved = false;
      for (Node& n : nodes_) {
        for (const std::size_t need : n.needs) {
          if (nodes_[need].layer + 1 <= n.layer || nodes_[need].layer >= nodes_.size()) continue;
          n.layer = nodes_[need].layer + 1;
          moved = true;
        }
      }
    }
  }

  /// Lines that skip layers get lanes there, or boxes would hide them. All that need a node share its lanes.
  void add_lanes() {
    std::vector<std::vector<std::size_t>> lanes(boxes_);
    for (std::size_t n = 0; n < boxes_; ++n) {
      for (std::size_t k = 0; k < nodes_[n].needs.size(); ++k) {  // by index: new lanes may move the nodes
        const std::size_t from = nodes_[n].needs[k];
        const std::size_t first = nodes_[from].layer + 1;
        if (first >= nodes_[n].layer) continue;
        lengthen(lanes[from], from, nodes_[n].layer - first);
        nodes_[n].needs[k] = lanes[from][nodes_[n].layer - first - 1];
      }
    }
  }
  void lengthen(std::vector<std::size_t>& lanes, std::size_t from, std::size_t length) {
    while (lanes.size() < length) {
      const std::size_t above = lanes.empty() ? from : lanes.back();
      lanes.push_back(nodes_.size());
      nodes_.push_back(
          {.step = nodes_[from].step, .needs = {above}, .layer = nodes_[above].layer + 1, .is_lane = true});
    }
  }

  void lay_out() {
    std::map<std::size_t, std::vector<std::size_t>> layers;
    for (std::size_t n = 0; n < nodes_.size(); ++n) layers[nodes_[n].layer].push_back(n);
    int y = margin;
    for (auto& [layer, places] : layers) {
      for (const std::size_t n : places) nodes_[n].order = middle_of_needs(nodes_[n]), nodes_[n].y = y;
      std::ranges::sort(places, {}, [&](std::size_t n) { return std::pair{nodes_[n].order, n}; });
      width_ = std::max(width_, put_in_a_row(places) + 2 * margin);
      y += box_height + layer_gap;
    }
    height_ = y - layer_gap + margin;
    for (Node& n : nodes_) n.x += width_ / 2;
  }
  [[nodiscard]] double middle_of_needs(const Node& node) const {
    if (node.needs.empty()) return 0;
    double sum = 0;
    for (const std::size_t need : node.needs) sum += nodes_[need].x + nodes_[need].width / 2.0;
    return sum / static_cast<double>(node.needs.size());
  }
  /// With the row's middle at 0. Returns how wide the row is.
  int put_in_a_row(const std::vector<std::size_t>& places) {
    int width = 0;
    const Node* before = nullptr;
    for (const std::size_t n : places) {
      if (before != nullptr) width += before->is_lane || nodes_[n].is_lane ? lane_gap : box_gap;
      nodes_[n].x = width;
      width += nodes_[n].width;
      before = &nodes_[n];
    }
    for (const std::size_t n : places) nodes_[n].x -= width / 2;
    return width;
  }

  static void add_edge(std::string& out, const Node& from, const Node& to) {
    const int x1 = from.x + from.width / 2;
    const int y1 = from.y + box_height;
    const int x2 = to.x + to.width / 2;
    const int middle = (y1 + to.y) / 2;
    const std::string along = to.is_lane ? fmt::format("V{}", to.y + box_height) : "";
    fmt::format_to(std::back_inserter(out), "<path class=\"edge\" d=\"M{} {}C{} {} {} {} {} {}{}\"/>\n", x1, y1, x1,
                   middle, x2, middle, x2, to.y, along);
  }

  void add_box(std::string& out, const Node& n) const {
    const bool is_fold = !n.folded.empty();
    const StepState state = is_fold ? shown_state_of(run_, n.folded) : shown_state(run_, n.step);
    const std::string id = is_fold ? folded_name(n.step) : run_.step(n.step).id;
    const std::string told = is_fold ? states_of(run_, n.folded) : std::string{name(state)};
    const int letters = (n.width - 36) / 8 + 1;
    const std::string shown = cut(printable(id), static_cast<std::size_t>(letters));
    fmt::format_to(
        std::back_inserter(out),
        "<g class=\"{}\"><title>{}: {}</title><rect class=\"box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
        "rx=\"6\" style=\"stroke:currentColor\"/><text class=\"sign\" x=\"{}\" y=\"{}\">{}</text>"
        "<text x=\"{}\" y=\"{}\">{}</text></g>\n",
        color_class(state), html_text(id), told, n.x, n.y, n.width, box_height, n.x + 9, n.y + 19, sign(state),
        n.x + 26, n.y + 19, html_text(shown));
  }

  const Run& run_;
  std::map<StepIndex, std::vector<StepIndex>> made_;  ///< for each step that had some made
  std::map<StepIndex, StepIndex> made_for_;
  std::set<StepIndex> hidden_;              ///< in one box with others, or replaced
  std::map<StepIndex, std::size_t> place_;  ///< of a step's node
  std::vector<Node> nodes_;                 ///< the boxes, and after them the lanes
  std::size_t boxes_ = 0;
  int width_ = 0, height_ = 0;
};

}  // namespace

std::string_view color_class(StepState state) {
  switch (state) {
    case StepState::completed:
      return "c-good";
    case StepState::failed:
    case StepState::blocked:
      return "c-bad";
    case StepState::waiting:
      return "c-warn";
    case StepState::running:
    case StepState::checking:
      return "c-active";
    case StepState::pending:
    case StepState::ready:
    case StepState::skipped:
    case StepState::cancelled:
      break;
  }
  return "c-idle";
}

std::string_view color_class(RunState state) {
  switch (state) {
    case RunState::completed:
    case RunState::accepted:
      return "c-good";
    case RunState::failed:
      return "c-bad";
    case RunState::paused:
    case RunState::parked:
    case RunState::reviewing:
      return "c-warn";
    case RunState::running:
      return "c-active";
    case RunState::queued:
    case RunState::cancelled:
    case RunState::rejected:
      break;
  }
  return "c-idle";
}

std::string_view color_class(AttemptState state) {
  switch (state) {
    case AttemptState::completed:
      return "c-good";
    case AttemptState::failed:
      return "c-bad";
    case AttemptState::unknown:
      return "c-warn";
    case AttemptState::admitted:
    case AttemptState::running:
      return "c-active";
    case AttemptState::cancelled:
      break;
  }
  return "c-idle";
}

std::string graph_svg(const Run& run) {
  if (run.step_total() == 0) return {};
  const Graph graph{run};
  if (graph.size() > steps_max) {
    return fmt::format("<p class=\"quiet\">{} are too many to draw; the table below has them all.</p>\n",
                       counted(run.step_total(), "step"));
  }
  return html_scroll(graph.svg());
}

}  // namespace baton
