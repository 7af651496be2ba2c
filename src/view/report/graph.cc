#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

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

struct Node {
  StepIndex step{};
  std::vector<std::size_t> needs;
  std::size_t layer = 0;
  double order = 0;  ///< where its needs are, on the average
  int x = 0, y = 0, width = 0;
};

int width_of(const std::string& id) {
  return std::clamp(static_cast<int>(columns_of(printable(id))) * 8 + 36, box_width_min, box_width_max);
}

class Graph {
 public:
  explicit Graph(const Run& run) : run_(run) {
    std::map<StepIndex, std::size_t> place;
    for (const StepIndex i : steps_in_reading_order(run)) {
      place[i] = nodes_.size();
      nodes_.push_back({.step = i, .width = width_of(run.step(i).id)});
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      for (const StepIndex need : run.needs_of(nodes_[n].step)) {
        if (const auto found = place.find(need); found != place.end()) nodes_[n].needs.push_back(found->second);
      }
    }
    lay_out();
  }

  [[nodiscard]] std::string svg() const {
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
        "aria-label=\"graph of the steps\">\n",
        width_, height_);
    for (const Node& n : nodes_) {
      for (const std::size_t need : n.needs) add_edge(out, nodes_[need], n);
    }
    for (const Node& n : nodes_) add_box(out, n);
    return out + "</svg>\n";
  }

 private:
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

  void lay_out() {
    find_layers();
    std::map<std::size_t, std::vector<std::size_t>> layers;
    for (std::size_t n = 0; n < nodes_.size(); ++n) layers[nodes_[n].layer].push_back(n);
    int y = margin;
    for (auto& [layer, places] : layers) {
      for (const std::size_t n : places) {
        double sum = 0;
        for (const std::size_t need : nodes_[n].needs) sum += nodes_[need].x + nodes_[need].width / 2.0;
        nodes_[n].order = nodes_[n].needs.empty() ? 0 : sum / static_cast<double>(nodes_[n].needs.size());
      }
      std::ranges::sort(places, {}, [&](std::size_t n) { return std::pair{nodes_[n].order, n}; });
      int x = margin;
      for (const std::size_t n : places) {
        nodes_[n].x = x;
        nodes_[n].y = y;
        x += nodes_[n].width + box_gap;
      }
      width_ = std::max(width_, x - box_gap + margin);
      y += box_height + layer_gap;
    }
    height_ = y - layer_gap + margin;
    for (auto& [layer, places] : layers) {  // each layer in the middle
      if (places.empty()) continue;
      const Node& last = nodes_[places.back()];
      const int shift = (width_ - margin - (last.x + last.width)) / 2;
      for (const std::size_t n : places) nodes_[n].x += shift;
    }
  }

  static void add_edge(std::string& out, const Node& from, const Node& to) {
    const int x1 = from.x + from.width / 2;
    const int y1 = from.y + box_height;
    const int x2 = to.x + to.width / 2;
    const int middle = (y1 + to.y) / 2;
    fmt::format_to(std::back_inserter(out), "<path class=\"edge\" d=\"M{} {}C{} {} {} {} {} {}\"/>\n", x1, y1, x1,
                   middle, x2, middle, x2, to.y);
  }

  void add_box(std::string& out, const Node& n) const {
    const StepState state = shown_state(run_, n.step);
    const std::string& id = run_.step(n.step).id;
    const int letters = (n.width - 36) / 8 + 1;
    const std::string shown = cut(printable(id), static_cast<std::size_t>(letters));
    fmt::format_to(
        std::back_inserter(out),
        "<g class=\"{}\"><title>{}: {}</title><rect class=\"box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
        "rx=\"6\" style=\"stroke:currentColor\"/><text class=\"sign\" x=\"{}\" y=\"{}\">{}</text>"
        "<text x=\"{}\" y=\"{}\">{}</text></g>\n",
        color_class(state), html_text(id), name(state), n.x, n.y, n.width, box_height, n.x + 9, n.y + 19, sign(state),
        n.x + 26, n.y + 19, html_text(shown));
  }

  const Run& run_;
  std::vector<Node> nodes_;
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
  if (run.step_total() > steps_max) {
    return fmt::format("<p class=\"quiet\">{} are too many to draw; the table below has them all.</p>\n",
                       counted(run.step_total(), "step"));
  }
  return "<div class=\"scroll\">" + Graph{run}.svg() + "</div>\n";
}

}  // namespace baton
