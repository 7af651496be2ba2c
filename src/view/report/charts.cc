#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "core/facts.h"
#include "view/cells.h"
#include "view/report/html.h"
#include "view/report/parts.h"
#include "view/used.h"
#include "view/words.h"

namespace baton {
namespace {

constexpr std::size_t rows_max = 400;
constexpr int label_width = 190, plot_width = 800, row_height = 22, axis_height = 26, bar_height = 12;

std::string svg_head(int width, int height, std::string_view label) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"{2}\">\n",
      width, height, label);
}

std::string label_of(const std::string& id) { return html_text(cut(printable(id), 23)); }

/// 1, 2 or 5 and zeros of some unit, so that there are a few marks and not many.
Millis mark_every(Millis whole) {
  constexpr std::array<long long, 17> steps{100,       200,       500,       1000,       2000,      5000,
                                            10'000,    30'000,    60'000,    120'000,    300'000,   600'000,
                                            1'800'000, 3'600'000, 7'200'000, 21'600'000, 86'400'000};
  for (const long long step : steps) {
    if (whole.count() / step <= 8) return Millis{step};
  }
  return Millis{std::max<long long>(whole.count() / 8, 1)};
}

/// Nothing goes on by itself from here: not before somebody asks for a retry or a follow-up.
bool has_ended(RunState s) { return is_over(s) || s == RunState::failed; }

class Timeline {
 public:
  explicit Timeline(const RunReport& report)
      : run_(*report.run), standstills_(standstills(*report.events, report.now)) {
    from_ = run_.created();
    to_ = run_.finished() != Time{} ? run_.finished() : std::max(run_.last_event(), from_);
    if (run_.finished() == Time{} && run_.state() == RunState::running) to_ = std::max(to_, report.now);
    for (const StepIndex i : steps_in_reading_order(run_)) {
      if (shown_attempts(run_, i).empty()) continue;
      steps_.push_back(i);
      for (const Attempt& a : shown_attempts(run_, i)) to_ = std::max({to_, a.finished, a.started});
    }
    left_out_ = steps_.size() - std::min(steps_.size(), rows_max);
    steps_.resize(steps_.size() - left_out_);
    if (to_ <= from_) to_ = from_ + Millis{1};
  }

  [[nodiscard]] bool is_empty() const { return steps_.empty(); }
  [[nodiscard]] std::size_t left_out() const { return left_out_; }

  std::string svg() {
    const int height = axis_height + static_cast<int>(steps_.size()) * row_height + 8;
    out_ = svg_head(label_width + plot_width + 56, height, "timeline of the attempts");
    axis(height);
    for (const Standstill& s : standstills_) {
      add(s.from, s.to, axis_height, height - axis_height - 8, "w", color_class(s.state),
          fmt::format("the run was {} for {}", name(s.state), brief(s.to - s.from)));
    }
    int y = axis_height;
    for (const StepIndex i : steps_) {
      row(i, y);
      y += row_height;
    }
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double x_of(Time t) const {
    const double share = static_cast<double>((t - from_).count()) / static_cast<double>((to_ - from_).count());
    return label_width + std::clamp(share, 0.0, 1.0) * plot_width;
  }

  void add(Time from, Time to, int y, int height, std::string_view shape, std::string_view color,
           const std::string& title) {
    const double x = x_of(from);
    const double width = std::max(x_of(to) - x, 1.5);
    fmt::format_to(std::back_inserter(out_),
                   "<g class=\"{}\"><rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\">"
                   "<title>{}</title></rect></g>\n",
                   color, shape, x, y, width, height, html_text(title));
  }

  void axis(int height) {
    const Millis every = mark_every(to_ - from_);
    for (Millis t{0}; t <= to_ - from_; t += every) {
      const double x = x_of(from_ + t);
      fmt::format_to(
          std::back_inserter(out_),
          "<path class=\"line\" d=\"M{0:.1f} {1}V{2}\"/><text class=\"quiet\" x=\"{3:.1f}\" y=\"14\">{4}</text>\n", x,
          axis_height - 6, height, x + 3, brief(t));
    }
  }

  /// Since when an attempt was waited for. While the run had ended, nothing waited for anything.
  [[nodiscard]] Time waited_since(const Attempt& a, Time before, Time started) const {
    Time since = before != Time{} ? before : a.admitted != Time{} ? a.admitted : started;
    for (const Standstill& s : standstills_) {
      const bool is_end = has_ended(s.state) || s.state == RunState::reviewing;
      if (is_end && s.to <= started) since = std::max(since, s.to);
    }
    return since;
  }

  void row(StepIndex i, int y) {
    const std::string& id = run_.step(i).id;
    fmt::format_to(std::back_inserter(out_), "<text x=\"0\" y=\"{}\"><title>{}</title>{}</text>\n", y + 15,
                   html_text(id), label_of(id));
    Time before{};
    for (const Attempt& a : shown_attempts(run_, i)) {
      const Time started = a.started != Time{} ? a.started : a.admitted;
      if (started == Time{}) continue;
      const bool ended = a.finished >= started;
      const Time end = ended ? a.finished : to_;
      // What lies between two attempts, or between the leave to start and the start, is a wait.
      const Time waited = waited_since(a, before, started);
      if (started > waited) {
        add(waited, started, y + 8, 6, "w", "c-warn", fmt::format("{} waited {}", id, brief(started - waited)));
      }
      std::string about = fmt::format("{}, attempt {}: {}", id, a.n, name(a.state));
      about += ended ? fmt::format(" after {}", brief(end - started)) : " so far";
      if (a.detail && a.detail->failure) about += "; " + a.detail->failure->message;
      add(started, end, y + 5, bar_height, "f", color_class(a.state), about);
      before = end;
    }
  }

  const Run& run_;
  std::vector<Standstill> standstills_;
  Time from_{}, to_{};
  std::vector<StepIndex> steps_;
  std::size_t left_out_ = 0;
  std::string out_;
};

std::string told_left_out(std::size_t count) {
  if (count == 0) return {};
  return fmt::format("<p class=\"quiet\">{} more {} not drawn; all stand among the steps below.</p>\n",
                     counted(count, "step"), count == 1 ? "is" : "are");
}

}  // namespace

std::vector<Standstill> standstills(const std::vector<Event>& events, Time now) {
  Run run;
  std::vector<Standstill> out;
  const auto stands = [](RunState s) {
    return s == RunState::paused || s == RunState::parked || s == RunState::reviewing || has_ended(s);
  };
  bool open = false;
  for (const Event& e : events) {
    (void)run.apply(e);
    if (open && run.state() != out.back().state) {
      out.back().to = e.at;
      open = false;
    }
    if (!open && stands(run.state())) {
      out.push_back({run.state(), e.at, now});
      open = true;
    }
  }
  if (open && has_ended(out.back().state)) out.pop_back();
  return out;
}

std::string timeline_svg(const RunReport& report) {
  Timeline timeline{report};
  if (timeline.is_empty()) return "<p class=\"quiet\">Nothing was started.</p>\n";
  return html_scroll(timeline.svg()) +
         "<p class=\"quiet\">Solid: an attempt at work. Faint: waiting, for a retry or a slot; over the whole "
         "height: the run stood still.</p>\n" +
         told_left_out(timeline.left_out());
}

std::string usage_svg(const Run& run) {
  std::vector<std::pair<StepIndex, Used>> rows;
  std::int64_t most_tokens = 0;
  std::int64_t most_nano = 0;
  for (const StepIndex i : steps_in_reading_order(run)) {
    const Used used = used_by(run, i);
    if (used.tokens.total() == 0 && used.known.nano_usd == 0 && !used.unknown) continue;
    rows.emplace_back(i, used);
    most_tokens = std::max(most_tokens, used.tokens.total());
    most_nano = std::max(most_nano, used.known.nano_usd);
  }
  if (rows.empty()) return "<p class=\"quiet\">No agent has used anything.</p>\n";
  const std::size_t left_out = rows.size() - std::min(rows.size(), rows_max);
  rows.resize(rows.size() - left_out);
  constexpr int half = plot_width / 2 - 90;
  const int height = axis_height + static_cast<int>(rows.size()) * row_height;
  std::string out = svg_head(label_width + plot_width + 20, height, "tokens and cost by step");
  fmt::format_to(
      std::back_inserter(out),
      "<text class=\"quiet\" x=\"{}\" y=\"14\">tokens</text><text class=\"quiet\" x=\"{}\" y=\"14\">cost</text>\n",
      label_width, label_width + plot_width / 2);
  int y = axis_height;
  const auto bar = [&](int x, std::int64_t part, std::int64_t most, std::string_view color, const std::string& text) {
    const double width = most > 0 ? std::max(static_cast<double>(part) / static_cast<double>(most) * half, 1.0) : 1.0;
    fmt::format_to(std::back_inserter(out),
                   "<g class=\"{}\"><rect class=\"f\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/></g>"
                   "<text x=\"{:.1f}\" y=\"{}\">{}</text>\n",
                   color, x, y + 5, width, bar_height, x + width + 6, y + 15, html_text(text));
  };
  for (const auto& [i, used] : rows) {
    fmt::format_to(std::back_inserter(out), "<text x=\"0\" y=\"{}\">{}</text>\n", y + 15, label_of(run.step(i).id));
    bar(label_width, used.tokens.total(), most_tokens, "c-active",
        used.tokens_unknown > 0 && used.tokens.total() == 0 ? "unknown" : short_number(used.tokens.total()));
    bar(label_width + plot_width / 2, used.known.nano_usd, most_nano, "c-good",
        used.unknown ? "unknown" : money(used.known));
    y += row_height;
  }
  return html_scroll(out + "</svg>") + told_left_out(left_out);
}

}  // namespace baton
