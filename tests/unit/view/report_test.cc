#include "view/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "view/report/html.h"
#include "view/report/parts.h"

namespace baton {
namespace {

constexpr const char* hostile =
    "</title></style></pre><script>alert(1)</script><img src=x onerror=alert(1)>\"'`&\x1b[2J";

class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    auto plan = std::make_shared<Plan>();
    plan->workflow = std::string{"kit"} + hostile;
    plan->dialect = "markdown";
    auto work = std::make_shared<Work>();
    work->skill = "writer";
    work->title = hostile;
    work->output = "outputs/x.json";
    for (std::size_t i = 0; i < 4; ++i) {
      Step s{"step-" + std::to_string(i) + (i == 3 ? "<b>" : ""), {}, work, {}, {}, false};
      if (i > 0) s.needs = {step_index(i == 3 ? 1 : 0)};
      if (i == 3) s.needs.push_back(step_index(2));
      s.policy.retries = 1;
      plan->steps.push_back(s);
    }
    RunSettings settings;
    settings.options["task"] = hostile;
    happens(0, event::RunCreated{plan, settings});
    happens(0, event::DriverTook{1, "host", 1});
    start(0, 1, 100);
    happens(150, event::AttemptUsed{step_index(0), 1, {{1000, 200, 0, 0}, Cost{12'000'000}, 1}});
    end(0, 1, 2000);
    happens(2000, event::OutputChecked{step_index(0), 1, {{"min_words", true, hostile}}, "d"});
    start(1, 1, 2100);
    happens(3000, event::PauseAsked{"a person"});
    happens(9000, event::ResumeAsked{});
    end(1, 1, 9500, Failure{"agent-failed", hostile, false});
  }
  void happens(std::int64_t ms, EventBody body) {
    events_.push_back({time_from_ms(1'800'000'000'000 + ms), std::move(body)});
    (void)run_.apply(events_.back());
  }
  void start(std::size_t i, int n, std::int64_t ms) {
    happens(ms, event::AttemptAdmitted{step_index(i), n, "claude", "opus", {}});
    happens(ms + 50, event::AttemptStarted{step_index(i), n, 42, time_from_ms(1'800'000'000'000 + ms + 50)});
  }
  void end(std::size_t i, int n, std::int64_t ms, std::optional<Failure> failure = {}) {
    happens(ms, event::AttemptEnded{
                    step_index(i), n, false, std::move(failure), 0, {}, time_from_ms(1'800'000'000'000 + ms)});
  }
  [[nodiscard]] std::string page() const {
    RunReport r{.id = "k7f2m9qx",
                .run = &run_,
                .events = &events_,
                .places = {"/p", "/p/.baton/runs/k7f2m9qx"},
                .now = time_from_ms(1'800'000'010'000),
                .version = "0.1.0"};
    r.prompt = [](const std::string&, int) { return std::string{"Prompt: "} + hostile; };
    r.output = [](const std::string&) { return std::string{"Output: "} + hostile; };
    r.diff = std::string{"diff --git a/x b/x\n@@ -1 +1 @@\n-old\n+"} + hostile + "\n";
    return report_html(r);
  }
  static std::size_t times(const std::string& text, std::string_view part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  }

  baton::Run run_;
  std::vector<Event> events_;
};

TEST_F(ReportTest, WhatAgentsWroteIsNeverMarkup) {
  const std::string html = page();
  EXPECT_EQ(times(html, "<script"), 0U);
  EXPECT_EQ(times(html, "<img"), 0U);
  EXPECT_EQ(times(html, "\x1b"), 0U);
  EXPECT_EQ(times(html, "</style>"), 1U);
  EXPECT_EQ(times(html, "</title>"), 1U + times(html, "<title>") - 1) << "one each, those of the drawings too";
  EXPECT_GT(times(html, "&lt;script&gt;alert(1)&lt;/script&gt;"), 5U) << "it is there to be read";
  EXPECT_GT(times(html, "\\x1b[2J"), 5U);
}

TEST_F(ReportTest, NeedsNothingElse) {
  const std::string html = page();
  for (const char* part : {"src=", "href=", "url(", "@import", "http-equiv=\"refresh"}) {
    // In the texts of agents these stand too, but as text: no quote follows.
    EXPECT_EQ(times(html, std::string{part} + "\""), 0U) << part;
  }
  EXPECT_EQ(times(html, "url("), 0U);
  EXPECT_EQ(times(html, "http"), times(html, "http-equiv") + times(html, "http://www.w3.org/2000/svg"));
  EXPECT_EQ(times(html, "default-src 'none'"), 1U);
}

TEST_F(ReportTest, HasAllItsParts) {
  const std::string html = page();
  for (const char* id : {"summary", "graph", "timeline", "cost", "checks", "steps", "diff"}) {
    EXPECT_EQ(times(html, std::string{"<section id=\""} + id + "\""), 1U) << id;
  }
  EXPECT_EQ(times(html, "class=\"edge\""), 4U) << "a diamond has four edges";
  EXPECT_EQ(times(html, "class=\"box\""), 4U);
  EXPECT_NE(html.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(html.find("@media print"), std::string::npos);
  EXPECT_NE(html.find("the run was paused for 6.0s"), std::string::npos) << html.substr(html.find("timeline of"), 1500);
  EXPECT_NE(html.find("$0.012"), std::string::npos);
  EXPECT_NE(html.find("class=\"add\""), std::string::npos);
}

/// What the page's style says of a selector that begins a rule.
std::string rule_of(std::string_view selector) {
  const std::string_view style = report_style();
  for (auto at = style.find(selector); at != std::string_view::npos; at = style.find(selector, at + 1)) {
    const char before = style[at - 1];
    if ((before != '\n' && before != '}') || style[at + selector.size()] != '{') continue;
    return std::string{style.substr(at, style.find('}', at) - at)};
  }
  return {};
}

TEST_F(ReportTest, ALongWordOfTheTaskOrTheNameStaysOnThePage) {
  for (const char* selector : {".task", "h1"}) {
    EXPECT_NE(rule_of(selector).find("overflow-wrap:anywhere"), std::string::npos) << selector;
  }
}

TEST_F(ReportTest, ANarrowWindowBreaksNoShortWordOfATable) {
  EXPECT_NE(rule_of("th,td").find("overflow-wrap:break-word"), std::string::npos) << rule_of("th,td");
  EXPECT_NE(rule_of("td.mono,td.long").find("overflow-wrap:anywhere"), std::string::npos);
  EXPECT_NE(rule_of(".scroll").find("overflow-x:auto"), std::string::npos);
  const std::string html = page();
  EXPECT_EQ(times(html, "<table>"), 5U) << "facts, models, checks, and the attempts of two steps";
  EXPECT_EQ(times(html, "<div class=\"scroll\"><table>"), times(html, "<table"));
}

TEST_F(ReportTest, LongTextsAreCutAndSaidToBe) {
  const std::string cut = html_excerpt(std::string(1000, 'x') + "<", 100);
  EXPECT_LT(cut.size(), 300U);
  EXPECT_NE(cut.find("901 more bytes"), std::string::npos);
}

TEST_F(ReportTest, OfAVeryBigRunItSaysWhatIsLeftOut) {
  auto plan = std::make_shared<Plan>();
  plan->workflow = "big";
  auto work = std::make_shared<Work>();
  work->command = {"true"};
  for (std::size_t i = 0; i < 1200; ++i) plan->steps.push_back({"step-" + std::to_string(i), {}, work, {}, {}, false});
  run_ = {};
  events_.clear();
  happens(0, event::RunCreated{plan, {}});
  happens(0, event::DriverTook{1, "host", 1});
  for (std::size_t i = 0; i < 402; ++i) {
    start(i, 1, 100);
    happens(150, event::AttemptUsed{step_index(i), 1, {{1000, 200, 0, 0}, Cost{12'000'000}, 1}});
    end(i, 1, 200);
  }
  const std::string html = page();
  EXPECT_NE(html.find("1200 steps are too many to draw"), std::string::npos);
  EXPECT_EQ(times(html, "2 steps more are not drawn"), 2U) << "in the timeline, and in the chart";
  EXPECT_NE(html.find("those of the first 1000 steps"), std::string::npos);
  EXPECT_NE(html.find("step-1199"), std::string::npos);
}

/// A run of `find`, `each` (for each of so many items, or so many rounds of a loop) and `after`.
class FlowReport : public ReportTest {
 protected:
  void run_with(std::size_t count, const Flow& flow, int per_item = 1) {
    auto plan = std::make_shared<Plan>();
    plan->workflow = "flow";
    const auto step = [&](const std::string& id, std::vector<StepIndex> needs) {
      return Step{id, std::move(needs), std::make_shared<Work>(), {}, {}, false};
    };
    plan->steps = {step("find", {}), step("each", {step_index(0)}), step("after", {step_index(1)})};
    plan->steps[1].flow = std::make_shared<const Flow>(flow);
    run_ = {};
    events_.clear();
    happens(0, event::RunCreated{plan, {}});
    happens(0, event::DriverTook{1, "host", 1});
    start(0, 1, 100);
    end(0, 1, 200);
    const bool is_loop = flow.loop_max > 0;
    for (std::size_t i = 1, round = 1; i <= count; ++round) {
      std::vector<Step> made;
      for (; i <= count; ++i) {
        const std::string id = "each:" + std::to_string(i);
        for (int part = 0; part < per_item; ++part) {
          Step s = step(per_item == 1 ? id : id + ":" + std::to_string(part), {});
          if (part > 0) s.needs = {step_index(made.size() - 1)};
          s.flow = std::make_shared<const Flow>(Flow{.index = static_cast<std::int32_t>(i)});
          made.push_back(s);
        }
        if (is_loop) break;
      }
      const std::size_t first = run_.step_count();
      happens(300,
              event::TurnTaken{step_index(1), 1, static_cast<int>(round), TurnVerdict::go, "", "", nullptr, made, ""});
      for (std::size_t n = first; n < run_.step_count(); ++n) {
        happens(300, event::TurnTaken{step_index(n), 1, 1, TurnVerdict::go, "", "", nullptr, {}, ""});
        start(n, 1, 400);
        end(n, 1, 500);
      }
      if (!is_loop) break;
      ++i;
    }
  }
  /// The upper edge of the step's box; its layer, that is.
  static int y_of(const std::string& svg, const std::string& id) {
    const std::size_t at = svg.find("<title>" + id + ":");
    if (at == std::string::npos) return -1;
    const std::size_t y = svg.find(" y=\"", at) + 4;
    return std::stoi(svg.substr(y));
  }
};

TEST_F(FlowReport, ItemsStandBetweenWhatTheirStepNeedsAndTheStep) {
  run_with(3, {.for_each = "[1,2,3]"});
  const std::string svg = graph_svg(run_);
  EXPECT_EQ(times(svg, "class=\"box\""), 6U);
  EXPECT_EQ(times(svg, "class=\"edge\""), 7U) << "three to the items, three from them, one to 'after'\n" << svg;
  EXPECT_LT(y_of(svg, "find"), y_of(svg, "each:1"));
  EXPECT_EQ(y_of(svg, "each:1"), y_of(svg, "each:3"));
  EXPECT_LT(y_of(svg, "each:3"), y_of(svg, "each"));
  EXPECT_LT(y_of(svg, "each"), y_of(svg, "after"));
}

TEST_F(FlowReport, ItemsOfSeveralStepsAreDrawnAsTheyDependOnEachOther) {
  run_with(2, {.for_each = "[1,2]"}, 2);
  const std::string svg = graph_svg(run_);
  EXPECT_EQ(times(svg, "class=\"edge\""), 7U) << svg;
  EXPECT_LT(y_of(svg, "find"), y_of(svg, "each:1:0"));
  EXPECT_LT(y_of(svg, "each:1:0"), y_of(svg, "each:1:1"));
  EXPECT_LT(y_of(svg, "each:2:1"), y_of(svg, "each"));
}

TEST_F(FlowReport, ManyItemsAreOneBox) {
  run_with(600, {.for_each = "[…]"});
  const std::string svg = graph_svg(run_);
  EXPECT_EQ(times(svg, "class=\"box\""), 4U) << "find, the items, each, after";
  EXPECT_EQ(times(svg, "class=\"edge\""), 3U);
  EXPECT_NE(svg.find("600 steps"), std::string::npos) << svg;
  EXPECT_NE(svg.find("600 completed"), std::string::npos) << svg;
  EXPECT_NE(page().find("each:600"), std::string::npos) << "the table has them all";
}

TEST_F(FlowReport, RoundsOfALoopFollowEachOther) {
  run_with(3, {.until = "false", .loop_max = 3});
  const std::string svg = graph_svg(run_);
  EXPECT_LT(y_of(svg, "find"), y_of(svg, "each:1")) << svg;
  EXPECT_LT(y_of(svg, "each:1"), y_of(svg, "each:2"));
  EXPECT_LT(y_of(svg, "each:2"), y_of(svg, "each:3"));
  EXPECT_LT(y_of(svg, "each:3"), y_of(svg, "each"));
  EXPECT_EQ(times(svg, "class=\"edge\""), 5U);
}

TEST_F(ReportTest, StandstillsAreFoundInWhatHappened) {
  const auto all = standstills(events_, time_from_ms(1'800'000'010'000));
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].state, RunState::paused);
  EXPECT_EQ(all[0].to - all[0].from, Millis{6000});
}

/// One step that failed after a second, and was asked for again a minute later.
class EndedReport : public ReportTest {
 protected:
  EndedReport() {
    auto plan = std::make_shared<Plan>();
    plan->workflow = "ends";
    auto work = std::make_shared<Work>();
    work->command = {"true"};
    plan->steps.push_back({"work", {}, work, {}, {}, false});
    run_ = {};
    events_.clear();
    happens(0, event::RunCreated{plan, {}});
    happens(0, event::DriverTook{1, "host", 1});
    start(0, 1, 0);
    end(0, 1, 1000, Failure{"agent-failed", "no", false});
  }
  void go_on_after_a_minute() {
    happens(61'000, event::ResumeAsked{});
    start(0, 2, 64'000);
    end(0, 2, 65'000);
  }
};

TEST_F(EndedReport, AnEndThatWasNotTheLastIsAStandstill) {
  ASSERT_EQ(run_.state(), RunState::failed);
  EXPECT_TRUE(standstills(events_, time_from_ms(1'900'000'000'000)).empty()) << "the run is over, and does not stand";
  go_on_after_a_minute();
  ASSERT_EQ(run_.state(), RunState::completed);
  const auto all = standstills(events_, time_from_ms(1'900'000'000'000));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].state, RunState::failed);
  EXPECT_EQ(all[0].to - all[0].from, Millis{60'000});
  EXPECT_NE(page().find("the run was failed for 1m"), std::string::npos);
}

TEST_F(EndedReport, AStepDoesNotWaitWhileTheRunHasEnded) {
  go_on_after_a_minute();
  const std::string html = page();
  EXPECT_EQ(times(html, "work waited"), 2U) << "for its first start, and for its second";
  EXPECT_EQ(times(html, "work waited 3.0s"), 1U) << "since the run went on";
}

TEST_F(EndedReport, AChangeThatWasTakenLaterLayUntilThen) {
  go_on_after_a_minute();
  happens(900'000, event::ReviewAnswered{true, "", ""});
  ASSERT_EQ(run_.state(), RunState::accepted);
  EXPECT_NE(page().find("the run was completed for 13m"), std::string::npos);
  EXPECT_EQ(page().find("the run was accepted for"), std::string::npos);
}

/// The boxes and lines of a drawn graph, read back from it.
class DrawnGraph : public testing::Test {
 protected:
  struct Point {
    double x = 0, y = 0;
    auto operator<=>(const Point&) const = default;
  };
  struct Box {
    Point from, to;
    /// On its border it may be touched: there lines begin and end.
    [[nodiscard]] bool has_inside(const Point& p) const {
      return p.x > from.x && p.x < to.x && p.y > from.y && p.y < to.y;
    }
    [[nodiscard]] Point top() const { return {(from.x + to.x) / 2, from.y}; }
    [[nodiscard]] Point bottom() const { return {(from.x + to.x) / 2, to.y}; }
  };
  using Line = std::vector<Point>;

  /// Steps by their ids, each with the places of those that it needs.
  void draw(const std::vector<std::pair<std::string, std::vector<std::size_t>>>& steps) {
    auto plan = std::make_shared<Plan>();
    plan->workflow = "graph";
    auto work = std::make_shared<Work>();
    work->command = {"true"};
    for (const auto& [id, needs] : steps) {
      Step s{id, {}, work, {}, {}, false};
      for (const std::size_t need : needs) s.needs.push_back(step_index(need));
      plan->steps.push_back(s);
    }
    baton::Run run;
    (void)run.apply({time_from_ms(1), event::RunCreated{plan, {}}});
    svg_ = graph_svg(run);
    for (const auto& [id, needs] : steps) boxes_[id] = box_of(id);
    for (auto at = svg_.find(" d=\"M"); at != std::string::npos; at = svg_.find(" d=\"M", at + 1)) {
      lines_.push_back(line_of(svg_.substr(at + 4, svg_.find('"', at + 4) - at - 4)));
    }
  }
  /// Whether lines lead from the one box to the other, through no third: into one at its top, and out at its bottom.
  [[nodiscard]] bool leads(const std::string& from, const std::string& to) const {
    std::set<Point> reached{boxes_.at(from).bottom()};
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const Line& l : lines_) {
        if (reached.contains(l.front())) reached.insert(l.back());
      }
    }
    return reached.contains(boxes_.at(to).top());
  }
  void expect_no_line_under_a_box() const {
    for (const auto& [id, box] : boxes_) {
      for (const Line& l : lines_) {
        EXPECT_TRUE(std::ranges::none_of(l, [&](const Point& p) { return box.has_inside(p); })) << id << "\n" << svg_;
      }
    }
  }

  std::string svg_;
  std::map<std::string, Box> boxes_;
  std::vector<Line> lines_;

 private:
  [[nodiscard]] double number_after(std::string_view what, std::size_t at) const {
    return std::stod(svg_.substr(svg_.find(what, at) + what.size()));
  }
  [[nodiscard]] Box box_of(const std::string& id) const {
    const std::size_t at = svg_.find("<title>" + id + ":");
    const Point p{number_after(" x=\"", at), number_after(" y=\"", at)};
    return {p, {p.x + number_after(" width=\"", at), p.y + number_after(" height=\"", at)}};
  }
  /// A curve, and maybe a straight piece down from its end, as many points on them.
  static Line line_of(const std::string& path) {
    std::istringstream in{path};
    char letter = 0;
    std::array<Point, 4> c{};
    in >> letter >> c[0].x >> c[0].y >> letter;
    for (std::size_t i = 1; i < c.size(); ++i) in >> c[i].x >> c[i].y;
    Line line;
    constexpr int parts = 64;
    for (int i = 0; i <= parts; ++i) {
      const double t = static_cast<double>(i) / parts;
      const double u = 1 - t;
      const auto along = [&](double Point::* v) {
        return u * u * u * c[0].*v + 3 * u * u * t * c[1].*v + 3 * u * t * t * c[2].*v + t * t * t * c[3].*v;
      };
      line.push_back({along(&Point::x), along(&Point::y)});
    }
    if (double y = 0; in >> letter >> y) {
      for (int i = 1; i <= parts; ++i) line.push_back({c[3].x, c[3].y + (y - c[3].y) * i / parts});
    }
    return line;
  }
};

TEST_F(DrawnGraph, ALineThatSkipsLayersRunsUnderNoBox) {
  draw({{"a", {}}, {"b", {0}}, {"c", {1}}, {"d", {0, 2}}});
  expect_no_line_under_a_box();
  EXPECT_EQ(lines_.size(), 6U) << "three from step to step, and three by the lanes beside 'b' and 'c'";
  EXPECT_TRUE(leads("a", "d")) << "also past 'b' and 'c'\n" << svg_;
}

TEST_F(DrawnGraph, ManyLinesThatSkipLayersRunUnderNoBoxEither) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> steps;
  for (std::size_t i = 0; i < 40; ++i) {
    steps.push_back({"step-" + std::to_string(i) + std::string(i % 7, 'x'), {}});
    if (i >= 3) steps.back().second = {i - 3, i / 2, i % 3};
  }
  draw(steps);
  expect_no_line_under_a_box();
  for (const auto& [id, needs] : steps) {
    for (const std::size_t need : needs) EXPECT_TRUE(leads(steps[need].first, id)) << steps[need].first << " " << id;
  }
}

}  // namespace
}  // namespace baton
