// Variables, commands, and the steps of preparation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "dialect/session/flow_control.h"
#include "dialect/session/flow_record.h"

namespace baton::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using CommandKind = FlowCommand::Kind;

const Variables values{{"one", {"a b; $(rm -rf /)"}}, {"list", {"p 1", "p2"}}, {"none", {}}, {"nest", {"[one]"}}};

TEST(Variables, AreFilledInOnce) {
  EXPECT_EQ(fill_text("x [one] [nest] [list]", values).text, "x a b; $(rm -rf /) [one] p 1\np2");
}

TEST(Variables, AreNotWhateverStandsInBrackets) {
  for (const char* text :
       {"[ ]", "[x]", "[X]", "[0-9]", "[a, b]", "[one](url)", "[^\"]", "[one", "[]", "[one two]", "a["}) {
    EXPECT_EQ(fill_text(text, values).text, text);
    EXPECT_THAT(fill_text(text, values).unknown, IsEmpty()) << text;
  }
  const Filled filled = fill_text("[who] and [who]", values);
  EXPECT_EQ(filled.text, "[who] and [who]");
  EXPECT_THAT(filled.unknown, ElementsAre("who"));
}

TEST(Variables, ReachAShellAsDataOnly) {
  const auto line = [](const char* text) { return fill_command(text, values).text; };
  EXPECT_EQ(line("echo [one]"), "echo \"${BATON_VALUE_one}\"");
  EXPECT_EQ(line("echo \"is [one]\""), "echo \"is ${BATON_VALUE_one}\"");
  EXPECT_EQ(line("echo 'is [one]'"), "echo 'is '\"${BATON_VALUE_one}\"''");
  EXPECT_EQ(line("echo \\\"[one]"), "echo \\\"\"${BATON_VALUE_one}\"");
  EXPECT_EQ(line("ls [list] -l"), "ls \"${BATON_VALUE_list_1}\" \"${BATON_VALUE_list_2}\" -l");
  EXPECT_EQ(line("ls \"[list]\""), "ls \"${BATON_VALUE_list}\"");
  EXPECT_EQ(line("ls [none]"), "ls ");
  EXPECT_EQ(line("ls [abc].txt"), "ls [abc].txt");
  EXPECT_THAT(fill_command("x [one] [one]", values).env, ElementsAre("BATON_VALUE_one=a b; $(rm -rf /)"));
  EXPECT_THAT(fill_command("x [list]", values).env, ElementsAre("BATON_VALUE_list_1=p 1", "BATON_VALUE_list_2=p2"));
}

TEST(Variables, OfATaskAndItsPlan) {
  Task task;
  task.title = "T";
  task.focus_paths = {"a", "b"};
  task.depends_on = {{"IMPL-1"}};
  PlanDoc plan;
  plan.conventions = {"c"};
  const Variables v = variables_of(task, plan);
  EXPECT_THAT(v.at("title"), ElementsAre("T"));
  EXPECT_THAT(v.at("focus_paths"), ElementsAre("a", "b"));
  EXPECT_THAT(v.at("depends_on"), ElementsAre("IMPL-1"));
  EXPECT_THAT(v.at("conventions"), ElementsAre("c"));
  EXPECT_FALSE(v.contains("parent"));
}

const Roots roots{"/home/me/p", ".workflow/WFS-x", "/home/other/q"};

TEST(FlowCommands, ThatAreLinesOfAShell) {
  const auto line = [](const char* text) {
    const FlowCommand c = classify(text, roots);
    EXPECT_EQ(c.kind, CommandKind::shell) << text;
    return c.text;
  };
  EXPECT_EQ(line("bash(ls -la src)"), "ls -la src");
  EXPECT_EQ(line("Bash('rg \"a(b)\" src | wc -l')"), "rg \"a(b)\" src | wc -l");
  EXPECT_EQ(line("bash(curl -s x | jq '.a[] | {b}')"), "curl -s x | jq '.a[] | {b}'");
  EXPECT_EQ(line("bash('a' | 'b')"), "'a' | 'b'");
  EXPECT_EQ(line("npm test -- x"), "npm test -- x");
}

TEST(FlowCommands, ThatAreFilesOfTheProject) {
  const auto path = [](const char* text) {
    const FlowCommand c = classify(text, roots);
    EXPECT_EQ(c.kind, CommandKind::read) << text << ": " << c.why;
    return c.text;
  };
  EXPECT_EQ(path("Read(src/main.ts)"), "src/main.ts");
  EXPECT_EQ(path("Read('./src/main.ts')"), "src/main.ts");
  EXPECT_EQ(path("read(\"/home/me/p/src/a.ts\")"), "src/a.ts");
  EXPECT_EQ(path("Read('/home/other/q/.workflow/active/WFS-y/a.json')"), ".workflow/active/WFS-y/a.json");
  EXPECT_EQ(path("Read('/home/other/q/.workflow/active/WFS-x/a.json')"), ".workflow/WFS-x/a.json") << "it was moved";
  const FlowCommand part = classify("Read(src/main.ts 第 160-170 行)", roots);
  EXPECT_EQ(part.text, "src/main.ts");
  EXPECT_EQ(part.first_line, 160);
  EXPECT_EQ(part.last_line, 170);
  EXPECT_EQ(classify("Read(src/main.ts lines 5-9)", roots).last_line, 9);
  EXPECT_EQ(classify("Read(src/main.ts:7)", roots).first_line, 7);
  EXPECT_EQ(classify("Read(src/v2-1)", roots).text, "src/v2-1");
}

TEST(FlowCommands, ThatOnlyAnAgentCanDo) {
  for (const char* text :
       {"Extract(brainstorm_artifacts.path)", "Read(extracted path)", "Read(each analysis)", "Read(x | jq .a)",
        "Read({{context_package_path}})", "Read(../outside)", "Read(/etc/passwd)", "Read(/home/me/px/a)", "Read()",
        "Read(src/)", "Glob(src/**)", "Grep(auth)", "mcp__code__search(q)", "gemini \"analyse\"", "bash(codex exec x)",
        "Load the context and think", "", "Read(a\nb)", "Read([x_y]/a)"}) {
    EXPECT_EQ(classify(text, roots).kind, CommandKind::agent) << text;
    EXPECT_FALSE(classify(text, roots).why.empty()) << text;
  }
}

TEST(FlowCommands, KnowWhereAPlanWasMade) {
  Task task;
  EXPECT_EQ(foreign_root(task), "");
  task.pre_analysis.push_back({.name = "s", .commands = {"ls", "Read('/home/x/p/.workflow/active/W/a.json')"}});
  EXPECT_EQ(foreign_root(task), "/home/x/p");
  task.context_package_path = "/home/y/.workflow/b";
  EXPECT_EQ(foreign_root(task), "/home/y");
  EXPECT_EQ(root_of_path(".workflow/x"), "");
}

// The steps ---------------------------------------------------------------------------------------------------------

Task task_with(std::vector<PreStep> steps) {
  Task task;
  task.id = "IMPL-1";
  task.pre_analysis = std::move(steps);
  return task;
}

using FlowWorld = std::function<FlowAnswer(const FlowAction&)>;

FlowControl driven(const Task& task, const FlowWorld& world) {
  FlowControl flow{task, {}, roots};
  for (int i = 0; i < 100; ++i) {
    const auto action = flow.next();
    if (!action) return flow;
    flow.answer(world(*action));
  }
  ADD_FAILURE() << "it does not end";
  return flow;
}

FlowAnswer echo(const FlowAction& a) { return {true, "<" + a.text + ">"}; }
FlowAnswer wrong(const FlowAction&) { return {false, "", "no such file"}; }

TEST(FlowSteps, RunInOrderAndHandTheirOutputsOn) {
  const FlowControl flow = driven(task_with({{.name = "s1", .commands = {"bash(ls)", "Read(a.md)"}, .output_to = "v"},
                                             {.name = "s2", .commands = {"bash(echo \"[v]\")"}, .output_to = "w"}}),
                                  [](const FlowAction& a) {
                                    if (a.env.empty()) return echo(a);
                                    EXPECT_THAT(a.env, ElementsAre("BATON_VALUE_v=<ls>\n<a.md>"));
                                    return FlowAnswer{true, "two"};
                                  });
  EXPECT_FALSE(flow.failure());
  ASSERT_THAT(flow.outcomes(), SizeIs(2));
  EXPECT_EQ(flow.outcomes()[0].output, "<ls>\n<a.md>");
  EXPECT_THAT(flow.variables().at("w"), ElementsAre("two"));
  EXPECT_THAT(flow.warnings(), IsEmpty());
}

TEST(FlowSteps, AreSkippedFailedRetriedOrPassedOver) {
  const auto flow_of = [](OnError on_error, const FlowWorld& world) {
    return driven(task_with({{.name = "s", .commands = {"bash(a)", "bash(b)"}, .output_to = "v", .on_error = on_error},
                             {.name = "t", .commands = {"bash(c)"}}}),
                  world);
  };
  const FlowControl skipped =
      flow_of(OnError::skip_optional, [](const FlowAction& a) { return a.text == "b" ? wrong(a) : echo(a); });
  EXPECT_EQ(skipped.outcomes().at(0).state, FlowOutcome::State::skipped);
  EXPECT_FALSE(skipped.variables().contains("v"));
  EXPECT_THAT(skipped.outcomes(), SizeIs(2));

  const FlowControl failed = flow_of(OnError::fail, wrong);
  ASSERT_TRUE(failed.failure());
  EXPECT_EQ(failed.failure()->code, "flow-step-failed");
  EXPECT_THAT(failed.failure()->message, HasSubstr("no such file"));
  EXPECT_THAT(failed.outcomes(), SizeIs(1));

  int tries = 0;
  const FlowControl retried = flow_of(OnError::retry_once, [&](const FlowAction& a) {
    if (a.text == "a" && ++tries == 1) return wrong(a);
    return echo(a);
  });
  EXPECT_EQ(tries, 2);
  EXPECT_FALSE(retried.failure());
  EXPECT_EQ(flow_of(OnError::retry_once, wrong).failure()->code, "flow-step-failed");
  EXPECT_EQ(flow_of(OnError::ask, wrong).failure()->code, "flow-step-asks");

  const FlowControl went_on = flow_of(OnError::unstated, wrong);
  EXPECT_FALSE(went_on.failure());
  EXPECT_THAT(went_on.outcomes(), SizeIs(2));
  ASSERT_FALSE(went_on.warnings().empty());
  EXPECT_EQ(went_on.warnings()[0].code, "flow-note");
  EXPECT_THAT(flow_of(OnError::go_on, wrong).warnings(), SizeIs(1)) << "only of the step that does not say";
}

TEST(FlowSteps, ThatOnlyAnAgentCanDoAreHandedOn) {
  const FlowControl flow = driven(
      task_with({{.name = "s", .action = "Find", .commands = {"bash(ls)", "Extract([v].path)"}, .output_to = "v"},
                 {.name = "t", .action = "Think", .output_to = "idea"}}),
      echo);
  ASSERT_THAT(flow.outcomes(), SizeIs(2));
  EXPECT_EQ(flow.outcomes()[0].state, FlowOutcome::State::handed_on);
  EXPECT_THAT(flow.outcomes()[0].for_agent, ElementsAre("Extract([v].path)"));
  EXPECT_EQ(flow.outcomes()[0].output, "<ls>");
  EXPECT_EQ(flow.outcomes()[1].state, FlowOutcome::State::handed_on);
  EXPECT_FALSE(flow.variables().contains("idea"));
  EXPECT_THAT(flow.warnings(), SizeIs(1)) << "[v] was not known yet";
}

TEST(FlowSteps, MayReadAPathThatAnEarlierOneFound) {
  std::vector<std::string> read;
  const FlowControl flow = driven(task_with({{.name = "s", .commands = {"bash(find)"}, .output_to = "path"},
                                             {.name = "t", .commands = {"Read([path])", "Read([path]/../../x)"}}}),
                                  [&](const FlowAction& a) {
                                    if (a.kind == CommandKind::read) read.push_back(a.text);
                                    return FlowAnswer{true, "src/a.ts"};
                                  });
  EXPECT_THAT(read, ElementsAre("src/a.ts"));
  EXPECT_THAT(flow.outcomes()[1].for_agent, ElementsAre("Read(src/a.ts/../../x)"));
}

TEST(FlowSteps, KnowTheSessionAndItsContextPackage) {
  Task task = task_with({{.name = "s",
                          .commands = {"Read(.workflow/WFS-[session]/.process/a.json)",
                                       "Read({{context_package_path}})", "Read({{other}})"}}});
  task.context_package_path = ".workflow/WFS-x/.process/context-package.json";
  std::vector<std::string> read;
  const FlowControl flow = driven(task, [&](const FlowAction& a) {
    read.push_back(a.text);
    return FlowAnswer{true, ""};
  });
  EXPECT_THAT(read, ElementsAre(".workflow/WFS-x/.process/a.json", ".workflow/WFS-x/.process/context-package.json"));
  EXPECT_THAT(flow.outcomes()[0].for_agent, ElementsAre("Read({{other}})"));
}

TEST(FlowSteps, LeaveALineToTheAgentThatWouldReadAValueAsCode) {
  for (const char* command : {"bash(sh -c \"echo [v]\")", "bash(eval [v])", "bash(awk \"[v]\" f)",
                              "bash(python3 -c [v])", "bash(find . -exec [v] {} +)", "bash(/usr/bin/sed \"[v]\")"}) {
    const FlowControl flow = driven(
        task_with({{.name = "s", .commands = {"bash(ls)"}, .output_to = "v"}, {.name = "t", .commands = {command}}}),
        [](const FlowAction& a) {
          EXPECT_EQ(a.text, "ls");
          return FlowAnswer{true, "x"};
        });
    EXPECT_THAT(flow.outcomes().at(1).for_agent, SizeIs(1)) << command;
  }
}

TEST(FlowRecords, KeepWhatThePreparationGave) {
  const Task task = task_with({{.name = "s", .action = "a", .commands = {"bash(ls)"}, .output_to = "v"},
                               {.name = "t", .commands = {"Extract([none])"}},
                               {.name = "u", .commands = {"bash(b)"}, .on_error = OnError::fail}});
  const FlowControl flow =
      driven(task, [](const FlowAction& a) { return a.text == "b" ? wrong(a) : FlowAnswer{true, " x\n"}; });
  const auto record = read_flow_record(to_json(record_of(flow)), "f");
  ASSERT_TRUE(record);
  ASSERT_THAT(record->outcomes, SizeIs(3));
  EXPECT_EQ(record->outcomes[0].output, " x\n");
  EXPECT_EQ(record->outcomes[0].action, "a");
  EXPECT_EQ(record->outcomes[1].state, FlowOutcome::State::handed_on);
  EXPECT_THAT(record->outcomes[1].for_agent, ElementsAre("Extract([none])"));
  EXPECT_EQ(record->outcomes[2].state, FlowOutcome::State::failed);
  ASSERT_TRUE(record->failure);
  EXPECT_EQ(record->failure->code, "flow-step-failed");
  EXPECT_THAT(record->warnings, SizeIs(1));
  EXPECT_THAT(variables_after(task, {}, record->outcomes).at("v"), ElementsAre(" x\n"));
  EXPECT_EQ(read_flow_record("", "f").error().code, "corrupt-flow-record");
}

TEST(FlowSteps, GiveOnlySoMuch) {
  std::vector<PreStep> steps;
  for (int i = 0; i < 8; ++i) steps.push_back({.name = "s" + std::to_string(i), .commands = {"bash(a)", "bash(b)"}});
  const FlowControl flow =
      driven(task_with(steps), [](const FlowAction&) { return FlowAnswer{true, std::string(50'000, 'x')}; });
  std::size_t total = 0;
  for (const FlowOutcome& o : flow.outcomes()) {
    EXPECT_LE(o.output.size(), flow_output_max + 8);
    total += o.output.size();
  }
  EXPECT_LE(total, flow_total_max + 100);
  EXPECT_EQ(flow.outcomes()[0].note, "its output was cut off");
}

}  // namespace
}  // namespace baton::session
