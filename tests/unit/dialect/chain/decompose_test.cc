// What decompose answers: which sub-tasks there are, and which waits for which.
#include "dialect/chain/decompose.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"

namespace baton::chain {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Decomposition read(std::string_view answer) {
  auto result = read_decomposition(answer);
  EXPECT_TRUE(result) << answer << "\n" << (result ? "" : result.error());
  return result.value_or(Decomposition{});
}

/// "a; b: a; c: a b" - the tasks by name, each with what it needs; "!" and the trouble if it cannot be read.
std::string graph(std::string_view answer) {
  const auto result = read_decomposition(answer);
  if (!result) return "!" + result.error();
  std::vector<std::string> parts;
  for (const SubTask& task : result->tasks) {
    std::string part = task.name;
    for (std::size_t n = 0; n < task.needs.size(); ++n)
      part += (n == 0 ? ": " : " ") + result->tasks[task.needs[n]].name;
    parts.push_back(part);
  }
  return join(parts, "; ");
}

TEST(Decompose, ReadsTheSeedsFixture) {
  EXPECT_EQ(graph(R"({
  "tasks": [
    {"name": "implement-auth-middleware", "parallel_group": "core", "dependencies": []},
    {"name": "implement-auth-routes", "parallel_group": "core", "dependencies": []},
    {"name": "implement-auth-ui", "parallel_group": "frontend", "dependencies": ["implement-auth-routes"]},
    {"name": "implement-auth-tests", "parallel_group": "testing", "dependencies": ["implement-auth-middleware", "implement-auth-routes"]}
  ]
})"),
            "implement-auth-middleware; implement-auth-routes; "
            "implement-auth-ui: implement-auth-middleware implement-auth-routes; "
            "implement-auth-tests: implement-auth-middleware implement-auth-routes implement-auth-ui");
}

TEST(Decompose, TakesEveryFormOfList) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"([{"name":"a"},{"name":"b","dependencies":["a"]}])", "a; b: a"},
      {R"({"tasks":[{"name":"a"},{"name":"b","depends_on":["a"]}]})", "a; b: a"},
      {R"({"subtasks":[{"id":"a"},{"id":"b","needs":["a"]}]})", "a; b: a"},
      {R"({"sub_tasks":[{"title":"a"},{"title":"b","needs":"a"}]})", "a; b: a"},
      {R"({"steps":[{"id":1,"title":"First"},{"id":2,"title":"Second","depends_on":[1]}]})", "1; 2: 1"},
      {R"({"tasks":["a","b"]})", "a; b"},
      {R"(["a","b"])", "a; b"},
      {R"({"tasks":[{"name":"a"},{"name":"b","dependencies":[{"name":"a"}]}],"note":"x"})", "a; b: a"},
      {R"({"tasks":[{"name":"a"},],})", "a"},
      {R"({"tasks":[]})", ""},
      {"[]", ""},
      {"```json\n[]\n```", ""},
      {R"({"tasks":[{"name":" a ","dependencies":null,"parallel_group":null}]})", "a"},
  };
  for (const auto& [answer, expected] : cases) EXPECT_EQ(graph(answer), expected) << answer;
}

TEST(Decompose, ToleratesProseAndFencesAroundTheJson) {
  const std::string list = "{\n  \"tasks\": [{\"name\": \"a\"}, {\"name\": \"b\", \"dependencies\": [\"a\"]}]\n}";
  for (const std::string& answer : {
           "Here is the plan:\n\n" + list + "\n\nI hope it helps.",
           "```json\n" + list + "\n```",
           "I divided it [as asked] {in two}:\n```\n" + list + "\n```\nThe rest is `[]`.",
           "Tasks have `\"dependencies\": []`.\n" + list,
           R"(An example is {"name": "x"} or [1, 2] or ["x"]. )" + list,
           R"(Form: {"tasks": [...]}. )" + list,
           "Broken: {\"tasks\": [{\"name\": \n```json\n" + list + "\n```",
       }) {
    EXPECT_EQ(graph(answer), "a; b: a") << answer;
  }
  EXPECT_EQ(graph("One piece is enough.\n\n{\"tasks\": []}"), "");
}

TEST(Decompose, UnreadableJsonIsNeverIgnoredAndSaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "the answer is empty"},
      {" \n", "the answer is empty"},
      {"I will do it in two steps.", "the answer has no JSON in it"},
      {R"({"tasks":[{"name":"a"},{"name":"b")", "cannot be read: incomplete JSON at line 1, column 35"},
      {"{\n \"tasks\": [{\"name\": \"a\" \"b\": 1}]}", "cannot be read: syntax error at line 2, column 25"},
      {R"({"tasks":[{"name":"a" "x":[{"name":"inner"}]}]})", "cannot be read"},
      {R"({"tasks":[{"name":"a","dependencies":[]},)", "cannot be read"},
      {R"({"tasks":"a, b"})", "'tasks' is \"a, b\", not a list"},
      {R"({"tasks":null})", "'tasks' is null, not a list"},
      {R"({"plan":[{"name":"a"}]})", "has no list of tasks"},
      {R"({"name":"a"})", "has no list of tasks"},
      {R"([1])", "task 1 is an integer, not an object"},
      {R"([{"name":"a"},{"description":"d"}])", "task 2 has no 'name' (and no 'id' or 'title' either)"},
      {R"([{"name":""}])", "task 1 has no 'name'"},
      {R"({"tasks":[[]]})", "task 1 is an array, not an object"},
      {R"(Nothing to divide: [] but {"tasks":[{"name":)", "cannot be read"},
      {R"(See [] for that.)", "has no list of tasks"},
  };
  for (const auto& [answer, trouble] : cases) {
    EXPECT_THAT(graph(answer), HasSubstr(trouble)) << answer;
    EXPECT_THAT(graph(answer), HasSubstr(R"(expected: {"tasks": [{"name":)")) << answer;
  }
}

TEST(Decompose, FindsDependenciesByNameIdOrTitleAndCapitalsLast) {
  EXPECT_EQ(graph(R"([{"name":"api","id":"T1","title":"The API"},{"name":"ui","dependencies":["T1"]},
                      {"name":"docs","dependencies":["The API"]},{"name":"x","dependencies":["API","the api","t1"]}])"),
            "api; ui: api; docs: api; x: api");
  EXPECT_EQ(graph(R"([{"name":"A"},{"name":"a"},{"name":"b","dependencies":["a"]},{"name":"c","dependencies":["A"]}])"),
            "A; a; b: a; c: A");
  EXPECT_EQ(graph(R"([{"name":"x","id":"a"},{"name":"a"},{"name":"b","dependencies":["a"]}])"), "x; a; b: a")
      << "a name comes before an id";
}

TEST(Decompose, LeavesUnknownDependenciesOutWithAWarning) {
  const Decomposition tasks =
      read(R"([{"name":"a","dependencies":["z","a",{},[1],""]},{"name":"b","dependencies":["a","a"]}])");
  EXPECT_THAT(tasks.tasks[0].needs, IsEmpty());
  EXPECT_THAT(tasks.tasks[1].needs, ElementsAre(0));
  EXPECT_THAT(tasks.warnings, SizeIs(4));
  EXPECT_THAT(tasks.warnings, Contains(HasSubstr("task 'a' depends on 'z', which is no task")));
  EXPECT_THAT(tasks.warnings, Contains(HasSubstr("task 'a' depends on itself")));
}

TEST(Decompose, RenamesDuplicatesWithAWarning) {
  const Decomposition tasks =
      read(R"([{"name":"a"},{"name":"a"},{"name":"a-2"},{"name":"a"},{"name":"b","dependencies":["a","a-2"]}])");
  std::vector<std::string> names;
  for (const SubTask& task : tasks.tasks) names.push_back(task.name);
  EXPECT_THAT(names, ElementsAre("a", "a-2", "a-2-2", "a-3", "b"));
  EXPECT_THAT(tasks.tasks[4].needs, ElementsAre(0, 1));
  EXPECT_THAT(tasks.warnings, SizeIs(3));
  EXPECT_THAT(tasks.warnings[0], HasSubstr("there is another task 'a'; the later one is now 'a-2'"));
}

TEST(Decompose, CutsCirclesWhereTheyCloseSoThatAllRun) {
  const Decomposition two = read(R"([{"name":"a","dependencies":["b"]},{"name":"b","dependencies":["a"]}])");
  EXPECT_THAT(two.tasks[0].needs, ElementsAre(1));
  EXPECT_THAT(two.tasks[1].needs, IsEmpty());
  ASSERT_THAT(two.warnings, SizeIs(1));
  EXPECT_THAT(two.warnings[0], HasSubstr("b -> a -> b; that 'b' depends on 'a' was left out"));
  const Decomposition three = read(
      R"([{"name":"a","dependencies":["c"]},{"name":"b","dependencies":["a"]},{"name":"c","dependencies":["b"]},{"name":"d","dependencies":["c"]}])");
  EXPECT_THAT(three.warnings, ElementsAre(HasSubstr("c -> b -> a -> c")));
  EXPECT_THAT(three.tasks[2].needs, IsEmpty());
  EXPECT_THAT(three.tasks[3].needs, ElementsAre(2));
}

TEST(Decompose, GroupsAreBarriersInTheOrderInWhichTheyAppear) {
  EXPECT_EQ(
      graph(
          R"([{"name":"a","group":"x"},{"name":"b","group":"x"},{"name":"c","group":"y"},{"name":"d","group":"y"},{"name":"e","group":"z"}])"),
      "a; b; c: a b; d: a b; e: c d");
  EXPECT_EQ(
      graph(
          R"([{"name":"a","group":"x"},{"name":"free"},{"name":"c","group":"y"},{"name":"last","dependencies":["free"]}])"),
      "a; free; c: a; last: free")
      << "without a group only dependencies count";
}

TEST(Decompose, NumberedGroupsComeInTheOrderOfTheirNumbers) {
  EXPECT_EQ(graph(R"([{"name":"a","stage":10},{"name":"b","stage":9},{"name":"c","stage":"2"}])"), "a: b; b: c; c");
  EXPECT_EQ(graph(R"([{"name":"a","stage":"stage-10"},{"name":"b","stage":"Stage-9"}])"), "a: b; b");
  EXPECT_EQ(graph(R"([{"name":"a","stage":"wave 2"},{"name":"b","stage":"part 1"}])"), "a; b: a") << "not one series";
}

TEST(Decompose, NamedGroupsComeAfterThoseTheyDependOn) {
  EXPECT_EQ(
      graph(
          R"([{"name":"ui","group":"front","dependencies":["api"]},{"name":"api","group":"core"},{"name":"db","group":"core"}])"),
      "ui: api db; api; db");
}

TEST(Decompose, DependenciesWinOverGroups) {
  const Decomposition within = read(R"([{"name":"a","group":"1"},{"name":"b","group":"1","dependencies":["a"]}])");
  EXPECT_THAT(within.tasks[1].needs, ElementsAre(0));
  const Decomposition against = read(
      R"([{"name":"a","stage":1,"dependencies":["c"]},{"name":"b","stage":1},{"name":"c","stage":2},{"name":"d","stage":2}])");
  EXPECT_THAT(against.tasks[0].needs, ElementsAre(2));
  EXPECT_THAT(against.tasks[2].needs, ElementsAre(1)) << "c comes before a, but still after b";
  EXPECT_THAT(against.tasks[3].needs, ElementsAre(0, 1));
  EXPECT_THAT(against.warnings, ElementsAre(HasSubstr("the dependencies count")));
}

TEST(Decompose, KeepsWhatIsSaidOfATask) {
  const Decomposition tasks = read(R"([{"id":"t1","title":"The API","description":"Add it.","prompt":"Well.",
    "details":"All of it.","spec_file":"specs/api.md","files":["a.ts","b.ts"]},{"title":"Alone"}])");
  EXPECT_EQ(tasks.tasks[0].name, "t1");
  EXPECT_EQ(tasks.tasks[0].text,
            "The API\n\nAdd it.\n\nWell.\n\nAll of it.\n\nSpec file: specs/api.md\n\nFiles: a.ts, b.ts");
  EXPECT_EQ(tasks.tasks[1].text, "");
  const Decomposition groups = read(R"([{"name":"a","group":{"x":1}}])");
  EXPECT_THAT(groups.warnings, ElementsAre(HasSubstr("which is no name")));
  const Decomposition much = read(fmt::format(R"([{{"name":"a","description":"{}"}}])", std::string(100'000, 'x')));
  EXPECT_LT(much.tasks[0].text.size(), 40'000U);
  EXPECT_THAT(much.warnings, ElementsAre(HasSubstr("too long and was cut")));
}

TEST(Decompose, GivesEveryTaskASlugOfItsOwn) {
  const std::string name(60, 'x');
  const Decomposition tasks = read(fmt::format(
      R"([{{"name":"The API!"}},{{"name":"the api"}},{{"name":"../../etc"}},{{"name":"日本"}},{{"name":"{0}1"}},{{"name":"{0}2"}},{{"name":"a\nb"}}])",
      name));
  std::set<std::string> slugs;
  for (const SubTask& task : tasks.tasks) {
    EXPECT_LE(task.slug.size(), 40U);
    EXPECT_EQ(task.slug, slug(task.slug, 40)) << task.name;
    EXPECT_TRUE(is_id(task.slug)) << task.name;
    EXPECT_EQ(task.name.find('\n'), std::string::npos);
    slugs.insert(task.slug);
  }
  EXPECT_EQ(slugs.size(), tasks.tasks.size());
  EXPECT_TRUE(slugs.contains("the-api") && slugs.contains("the-api-2") && slugs.contains("task-4")) << slugs.size();
}

TEST(Decompose, HasLimits) {
  const auto many = [](std::size_t count) {
    std::string list = "[";
    for (std::size_t i = 0; i < count; ++i) list += fmt::format(R"({}{{"name":"t{}"}})", i > 0 ? "," : "", i);
    return list + "]";
  };
  EXPECT_THAT(read(many(64)).tasks, SizeIs(64));
  EXPECT_THAT(graph(many(65)), HasSubstr("there are 65 tasks; 64 is the most there can be"));
  EXPECT_THAT(graph(std::string(100'000, '[')), HasSubstr("cannot be read"));
  EXPECT_THAT(graph(std::string(5U << 20U, ' ') + "[]"),
              HasSubstr("the JSON cannot be read: there is more than 4 MiB of it"));
}

TEST(Decompose, BrokenPartsWithoutEndAreReadInAMoment) {
  std::string text;
  while (text.size() < (3U << 20U)) text += "{\"\n```";
  EXPECT_THAT(graph(text), HasSubstr("cannot be read"));
  std::string lists(1U << 20U, '\n');
  while (lists.size() < (3U << 20U)) lists += "[]";
  EXPECT_THAT(graph(lists), HasSubstr("has no list of tasks"));
}

TEST(Decompose, ACompleteGraphOfTheMostTasksIsFine) {
  std::string list = "[";
  for (int i = 0; i < 64; ++i) {
    list += fmt::format(R"({}{{"name":"t{}","dependencies":[)", i > 0 ? "," : "", i);
    for (int j = 0; j < 64; ++j) list += fmt::format(R"({}"t{}")", j > 0 ? "," : "", j);
    list += "]}";
  }
  const Decomposition tasks = read(list + "]");
  EXPECT_THAT(tasks.tasks[0].needs, SizeIs(63)) << "the first one's dependencies were there first";
}

}  // namespace
}  // namespace baton::chain
