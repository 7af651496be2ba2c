#include "view/top/tree.h"

#include <algorithm>

#include "view/run_facts.h"

namespace baton::top {
namespace {

constexpr std::size_t drawn_steps_max = 5000;
constexpr std::size_t nested_max = 12;
constexpr std::size_t nobody = static_cast<std::size_t>(-1);

/// Places in reading order. The tree hangs from one root above all.
class Tree {
 public:
  explicit Tree(const Run& run) : run_(run), order_(steps_in_reading_order(run)) {
    place_of_.assign(run.step_count(), nobody);
    for (std::size_t p = 0; p < order_.size(); ++p) place_of_[at(order_[p])] = p;
    made_for_.assign(order_.size(), nobody);
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (const FlowRun* flow = run.flow_of(order_[p])) {
        for (const StepIndex made : flow->made) {
          if (at(made) < place_of_.size() && place_of_[at(made)] != nobody) made_for_[place_of_[at(made)]] = p;
        }
      }
    }
  }

  std::vector<TreeRow> rows() {
    std::vector<TreeRow> out;
    if (order_.size() > drawn_steps_max) {
      for (const StepIndex i : order_) out.push_back({i, ""});
      return out;
    }
    hang();
    struct Open {
      std::size_t place;
      std::string first, rest;
      std::size_t depth;
    };
    std::vector<Open> open;
    const auto push = [&](const std::vector<std::size_t>& places, const std::string& lead, std::size_t depth) {
      for (std::size_t i = places.size(); i-- > 0;) open.push_back({places[i], lead, lead, depth});
    };
    push(after_root_, "", 0);
    for (std::size_t i = beside_root_.size(); i-- > 0;) {
      const bool only = beside_root_.size() == 1;
      const bool last = i + 1 == beside_root_.size();
      const char* const first = only ? "" : i == 0 ? "┌─ " : last ? "└─ " : "├─ ";
      open.push_back({beside_root_[i], first, only ? "" : last ? "   " : "│  ", only ? 0U : 1U});
    }
    while (!open.empty()) {
      const Open now = std::move(open.back());
      open.pop_back();
      out.push_back({order_[now.place], now.first});
      push(after_[now.place], now.rest, now.depth);
      const std::vector<std::size_t>& beside = beside_[now.place];
      const bool is_line = beside.size() == 1 && after_[now.place].empty();
      for (std::size_t i = beside.size(); i-- > 0;) {
        const bool last = i + 1 == beside.size();
        if (is_line || now.depth >= nested_max) {
          open.push_back({beside[i], now.rest, now.rest, now.depth});
        } else {
          open.push_back(
              {beside[i], now.rest + (last ? "└─ " : "├─ "), now.rest + (last ? "   " : "│  "), now.depth + 1});
        }
      }
    }
    return out;
  }

 private:
  /// Gives every step its parent. What has one need hangs beside others of it, what has several follows after the
  /// last step that all of them have in common.
  void hang() {
    parent_.assign(order_.size(), nobody);
    depth_.assign(order_.size(), 1);
    beside_.resize(order_.size());
    after_.resize(order_.size());
    for (std::size_t p = 0; p < order_.size(); ++p) {
      std::size_t common = nobody;
      std::size_t count = 0;
      const auto add = [&](std::size_t need) {
        if (need == nobody || need >= p) return;  // it comes later to be read
        common = count == 0 ? need : common_of(common, need);
        ++count;
      };
      for (const StepIndex need : run_.needs_of(order_[p])) {
        if (at(need) < place_of_.size()) add(place_of_[at(need)]);
      }
      if (count == 0 && made_for_[p] != nobody) add(made_for_[p]);
      parent_[p] = common;
      depth_[p] = common == nobody ? 1 : depth_[common] + 1;
      const bool joins = count > 1;
      if (common == nobody) {
        (joins ? after_root_ : beside_root_).push_back(p);
      } else {
        (joins ? after_ : beside_)[common].push_back(p);
      }
    }
  }

  [[nodiscard]] std::size_t common_of(std::size_t a, std::size_t b) const {
    while (a != b) {
      if (a == nobody || b == nobody) return nobody;
      if (depth_[a] >= depth_[b]) {
        a = parent_[a];
      } else {
        b = parent_[b];
      }
    }
    return a;
  }

  const Run& run_;
  std::vector<StepIndex> order_;
  std::vector<std::size_t> place_of_, made_for_, parent_, depth_;
  std::vector<std::vector<std::size_t>> beside_, after_;
  std::vector<std::size_t> beside_root_, after_root_;
};

}  // namespace

std::vector<TreeRow> tree_of(const Run& run) { return Tree{run}.rows(); }

}  // namespace baton::top
