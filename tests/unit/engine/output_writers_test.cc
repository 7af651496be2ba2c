// Names of outputs that values make: two steps that turn out to write one file.
#include "engine/output_writers.h"

#include <gtest/gtest.h>

#include "support/story.h"

namespace baton::test {
namespace {

Story begun(std::string_view graph, const std::vector<std::string>& writers) {
  Story story{graph};
  for (const std::string& id : writers) story.with_output(id);  // ID.json
  story.begin();
  return story;
}

std::optional<std::string> other(OutputWriters& writers, const Story& story, const std::string& step,
                                 const std::string& output) {
  const auto found = writers.note(story.run, story.step(step), output);
  return found ? std::optional{story.run.step(*found).id} : std::nullopt;
}

TEST(OutputWriters, AStepThatWritesWhatAnotherOneWritesIsToldOf) {
  const Story story = begun("a; b; c; d: a; e: d", {"a"});
  OutputWriters writers;
  EXPECT_EQ(other(writers, story, "b", "./a.json"), "a");
  EXPECT_EQ(other(writers, story, "b", "b.json"), std::nullopt);
  EXPECT_EQ(other(writers, story, "c", "b.json"), "b") << "whose name was found a moment ago";
  EXPECT_EQ(other(writers, story, "b", "b.json"), std::nullopt) << "tried again, it meets itself";
  EXPECT_EQ(other(writers, story, "e", "a.json"), std::nullopt) << "it needs that step through another one";
}

}  // namespace
}  // namespace baton::test
