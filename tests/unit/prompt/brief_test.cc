// What a model is told that can read no files, word for word.
#include "prompt/brief.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

PromptParts parts() {
  PromptParts p;
  p.step = "summary";
  p.skill = "writer";
  p.skill_body = "\nWrite well.\n\n";
  p.output = "out/a.json";
  p.output_format = OutputFormat::json;
  p.mission = "Sum it up.";
  return p;
}

TEST(Brief, skill_references_context_and_task_stand_apart) {
  PromptParts p = parts();
  p.task = "A launch.";
  p.checks = {{Check::Kind::required_field, "title", 0}};
  const Brief brief = make_brief(p, {{"fields.md", "Fields.\n\n"}}, {{"in/a.md", "Text of a."}});
  EXPECT_EQ(brief.skill, "Write well.\n");
  EXPECT_THAT(brief.references, ElementsAre("---\n## Reference: fields.md\n\nFields.\n"));
  EXPECT_EQ(brief.context, "# The user's task\n\nA launch.\n\n# Input: in/a.md\n\nText of a.\n\n");
  EXPECT_EQ(brief.task, R"(# Rules

- Answer with one valid JSON document and nothing else: no words around it, no code fence.
- The answer has to meet every rule of the validation below.
- Nobody can answer questions: decide, and say what you decided only where the result has a place for it.

Validation: {"required_fields":["title"]}

# Mission

Sum it up.
)");
  EXPECT_EQ(whole_text(brief),
            "Write well.\n\n---\n## Reference: fields.md\n\nFields.\n\n" + brief.context + "\n" + brief.task);
}

TEST(Brief, siblings_share_all_but_the_task) {
  PromptParts one = parts();
  PromptParts other = parts();
  other.step = "other";
  other.mission = "Something else.";
  other.attempt = 2;
  other.feedback = {{"required_fields", false, "title is missing"}};
  const Brief a = make_brief(one, {{"r.md", "R"}}, {{"in", "x"}});
  const Brief b = make_brief(other, {{"r.md", "R"}}, {{"in", "x"}});
  EXPECT_EQ(a.skill, b.skill);
  EXPECT_EQ(a.references, b.references);
  EXPECT_EQ(a.context, b.context);
  EXPECT_THAT(b.task, HasSubstr("This is attempt 2."));
  EXPECT_THAT(b.task, HasSubstr("- required_fields: title is missing\n"));
}

TEST(Brief, nothing_is_made_up_where_there_is_nothing) {
  PromptParts p = parts();
  p.skill_body = " \n";
  p.output_format = OutputFormat::text;
  const Brief brief = make_brief(p, {}, {});
  EXPECT_THAT(brief.skill, IsEmpty());
  EXPECT_THAT(brief.references, IsEmpty());
  EXPECT_THAT(brief.context, IsEmpty());
  EXPECT_THAT(brief.task, Not(HasSubstr("JSON")));
}

TEST(Brief, results_that_are_handed_on_are_told_whole) {
  PromptParts p = parts();
  p.handed_on = {{"", "All of it.", ""}, {"api", "Its part.", ""}};
  EXPECT_EQ(make_brief(p, {}, {}).context,
            "# Previous output\n\nAll of it.\n\n# Previous output: api\n\nIts part.\n\n");
}

}  // namespace
}  // namespace baton
