// What steps need, as it is planned and as it becomes.
#include "core/step_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/story.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A graph, and its steps by name.
class GraphOfSteps {
 public:
  explicit GraphOfSteps(std::string_view text) : plan_(std::make_shared<const Plan>(plan_of(text))), graph(plan_) {}

  [[nodiscard]] StepIndex at(std::string_view id) const {
    for (std::size_t n = 0; n < graph.size(); ++n) {
      if (graph.step(step_index(n)).id == id) return step_index(n);
    }
    ADD_FAILURE() << "no step " << id;
    return {};
  }
  [[nodiscard]] std::vector<std::string> needs(std::string_view id) const { return names(graph.needs_of(at(id))); }
  [[nodiscard]] std::vector<std::string> successors(std::string_view id) const {
    std::vector<StepIndex> found;
    graph.each_successor(at(id), [&](StepIndex i) { found.push_back(i); });
    return names(found);
  }
  [[nodiscard]] std::vector<std::string> names(const std::vector<StepIndex>& steps) const {
    std::vector<std::string> ids;
    for (const StepIndex i : steps) ids.push_back(graph.step(i).id);
    return ids;
  }
  [[nodiscard]] std::vector<std::string> downstream(std::string_view root, std::string_view border = {}) const {
    return names(graph.downstream({at(root)}, [&](StepIndex i) { return graph.step(i).id == border; }));
  }

 private:
  std::shared_ptr<const Plan> plan_;

 public:
  StepGraph graph;
};

TEST(StepGraph, KnowsNeedsAndSuccessorsOfAPlan) {
  const GraphOfSteps g{"a; b: a; c: a; d: b c"};
  EXPECT_THAT(g.needs("d"), ElementsAre("b", "c"));
  EXPECT_THAT(g.successors("a"), ElementsAre("b", "c"));
  EXPECT_THAT(g.successors("d"), IsEmpty());
  EXPECT_EQ(g.graph.unmet(g.at("a")), 0U);
  EXPECT_EQ(g.graph.unmet(g.at("d")), 2U);
}

TEST(StepGraph, CountsDownToTheLastNeed) {
  GraphOfSteps g{"a; b; c: a b"};
  EXPECT_FALSE(g.graph.meet_one(g.at("c")));
  EXPECT_TRUE(g.graph.meet_one(g.at("c")));
  g.graph.set_unmet(g.at("c"), 1);
  EXPECT_TRUE(g.graph.meet_one(g.at("c")));
}

TEST(StepGraph, AppendsStepsThatNeedEachOther) {
  GraphOfSteps g{"a"};
  Step later = g.graph.step(g.at("a"));
  later.id = "x";
  later.needs = {g.at("a"), step_index(2)};
  EXPECT_EQ(g.graph.append(later), step_index(1));
  later.id = "y";
  later.needs = {};
  EXPECT_EQ(g.graph.append(later), step_index(2));
  EXPECT_THAT(g.successors("a"), ElementsAre("x"));
  EXPECT_THAT(g.successors("y"), ElementsAre("x"));
  EXPECT_EQ(g.graph.unmet(step_index(1)), 2U);
}

TEST(StepGraph, JoinsNeedsBehindThoseThatArePlanned) {
  GraphOfSteps g{"a; b; c: a"};
  const std::uint64_t shape = g.graph.shape();
  EXPECT_FALSE(g.graph.has_joins(g.at("c")));
  g.graph.join(g.at("c"), g.at("b"));
  EXPECT_TRUE(g.graph.has_joins(g.at("c")));
  EXPECT_THAT(g.needs("c"), ElementsAre("a", "b"));
  EXPECT_THAT(g.successors("b"), ElementsAre("c"));
  EXPECT_TRUE(g.graph.needs(g.at("c"), g.at("b")));
  EXPECT_FALSE(g.graph.needs(g.at("b"), g.at("c")));
  EXPECT_GT(g.graph.shape(), shape);
}

TEST(StepGraph, LetsACompositeWaitForItsParts) {
  GraphOfSteps g{"a; b: a"};
  g.graph.append_made(g.at("b"), plan_of("b1; b2: b1").steps);
  EXPECT_THAT(g.needs("b"), ElementsAre("a", "b1", "b2"));
  EXPECT_THAT(g.needs("b2"), ElementsAre("b1"));
  EXPECT_THAT(g.successors("b1"), ElementsAre("b", "b2"));
  EXPECT_EQ(g.graph.unmet(g.at("b")), 2U) << "what is planned has been met";
  EXPECT_EQ(g.graph.unmet(g.at("b2")), 1U);
  EXPECT_EQ(g.graph.made_for(g.at("b1")), g.at("b"));
  EXPECT_FALSE(g.graph.made_for(g.at("b")));
}

TEST(StepGraph, PartsFromWhatGaveWay) {
  GraphOfSteps g{"a; b: a; c"};
  g.graph.append_made(g.at("b"), plan_of("b1; b2: b1").steps);
  g.graph.join(g.at("c"), g.at("b1"));
  EXPECT_THAT(g.names(g.graph.part_from({g.at("b1"), g.at("b2")})), ElementsAre("b", "c", "b"));
  EXPECT_THAT(g.needs("b"), ElementsAre("a"));
  EXPECT_THAT(g.needs("c"), IsEmpty());
  EXPECT_THAT(g.needs("b2"), ElementsAre("b1")) << "those that gave way keep each other";
}

TEST(StepGraph, GoesDownstreamAsFarAsTheBorder) {
  const GraphOfSteps g{"a; b: a; c: b; d: a; e: c d"};
  EXPECT_THAT(g.downstream("a"), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(g.downstream("a", "b"), ElementsAre("a", "d", "e")) << "only what is behind the border alone is left out";
  EXPECT_THAT(g.downstream("c", "e"), ElementsAre("c"));
  EXPECT_THAT(g.downstream("c", "c"), IsEmpty());
}

TEST(StepGraphDeathTest, MeetsNoNeedTwice) {
  GraphOfSteps g{"a; b: a"};
  (void)g.graph.meet_one(g.at("b"));
  EXPECT_DEATH((void)g.graph.meet_one(g.at("b")), "a need was met twice \\(b\\)");
}

TEST(StepGraphDeathTest, JoinsNoStepToItself) {
  GraphOfSteps g{"a; b: a"};
  EXPECT_DEATH(g.graph.join(g.at("b"), g.at("b")), "a step is joined to itself");
  EXPECT_DEATH(g.graph.join(g.at("b"), step_index(9)), "or to none");
}

TEST(StepGraphDeathTest, TakesNoNeedFromOutside) {
  GraphOfSteps g{"a"};
  Step part = g.graph.step(g.at("a"));
  part.needs = {step_index(1)};
  EXPECT_DEATH(g.graph.append_made(g.at("a"), {part}), "a part of a composite needs what is no part of it");
  Plan plan = plan_of("a");
  plan.steps[0].needs = {step_index(1)};
  EXPECT_DEATH(StepGraph{std::make_shared<const Plan>(plan)}, "a step needs one that is not in the plan");
}

TEST(StepGraphDeathTest, MakesPartsForAStepThatIsThere) {
  GraphOfSteps g{"a"};
  EXPECT_DEATH(g.graph.append_made(step_index(1), plan_of("x").steps), "parts are made for a step that is not there");
}

TEST(StepGraphDeathTest, PartsOnlyFromWhatWasMade) {
  GraphOfSteps g{"a; b: a"};
  EXPECT_DEATH(g.graph.part_from({g.at("a")}), "a step gave way that was made for none");
}

}  // namespace
}  // namespace baton::test
