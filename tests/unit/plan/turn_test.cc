#include "plan/turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "known_values.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Step step(std::string id, Work work, std::optional<Flow> flow = {}) {
  Step made{.id = std::move(id),
            .needs = {},
            .work = std::make_shared<const Work>(std::move(work)),
            .policy = {.retries = 2},
            .final = false};
  if (flow) made.flow = std::make_shared<const Flow>(std::move(*flow));
  return made;
}

Flow flow_with(const std::function<void(Flow&)>& change) {
  Flow flow;
  flow.sandbox = "sandbox/x";
  change(flow);
  return flow;
}

std::vector<std::string> ids(const std::vector<Step>& steps) {
  std::vector<std::string> result;
  for (const Step& one : steps) result.push_back(one.id);
  return result;
}

/// A step `t` that is made for each item.
Step fan_out(const std::string& list) {
  Step body = step("t", {.mission = "do ${{ item }}", .output = "sandbox/x/outputs/${{ index }}.json"},
                   flow_with([](Flow& f) { f.deferred = true; }));
  return step("t", {.output = "sandbox/x/outputs/t.items.json"}, flow_with([&](Flow& f) {
                f.for_each = list;
                f.body = {body};
              }));
}

/// A step `w` that is a workflow of two steps, the second after the first.
Step fan_out_workflow() {
  const Flow deferred = flow_with([](Flow& f) { f.deferred = true; });
  Step a = step("w:a", {.command = {"echo", "${{ item }}"}, .output = "${{ sandbox }}/outputs/a.json"}, deferred);
  Flow guarded = deferred;
  guarded.when = "steps.w:a.output.ok && steps.other.output.go";
  Step b =
      step("w:b",
           {.mission = "read ${{ steps.w:a.output }} and ${{ steps.w:a.output.title }} of ${{ steps.wa.output.x }}",
            .env = {"BATON_VALUE_1=${{ steps.w:a.output.title }}"},
            .inputs = {"${{ steps.w:a.output }}"},
            .output = "${{ sandbox }}/outputs/b.json"},
           guarded);
  b.needs = {step_index(0)};
  b.final = true;
  return step("w", {.output = "sandbox/x/outputs/w.items.json"}, flow_with([&](Flow& f) {
                f.for_each = "[1,2]";
                f.body = {a, b};
              }));
}

// Plain steps ---------------------------------------------------------------------------------------------------------

TEST(Turn, given_no_flow_when_taken_then_it_goes_with_its_work_as_it_is) {
  const Step plain = step("a", {.mission = "say ${{ item }}"});
  const TurnResult result = take_turn(plain, {}, KnownValues{});
  EXPECT_EQ(result.verdict, TurnVerdict::go);
  EXPECT_EQ(result.work, plain.work);
}

TEST(Turn, given_a_condition_when_it_does_not_hold_then_the_step_is_skipped_and_told_why) {
  const Step guarded = step("a", {.mission = "m"}, flow_with([](Flow& f) { f.when = "steps.b.output.ok"; }));
  KnownValues values;
  values.outputs["b"] = R"({"ok":false})";
  EXPECT_EQ(take_turn(guarded, {}, values).verdict, TurnVerdict::skip);
  EXPECT_EQ(take_turn(guarded, {}, values).reason, "steps.b.output.ok");
  values.outputs["b"] = R"({"ok":true})";
  EXPECT_EQ(take_turn(guarded, {}, values).verdict, TurnVerdict::go);
  const Step broken = step("a", {}, flow_with([](Flow& f) { f.when = "1 < 'x'"; }));
  EXPECT_EQ(take_turn(broken, {}, values).verdict, TurnVerdict::fail);
  EXPECT_EQ(take_turn(broken, {}, values).code, "bad-expression");
}

TEST(Turn, given_values_that_were_not_known_when_taken_then_every_text_is_filled_in) {
  const Step deferred = step("a",
                             {.title = "${{ not a text to be filled in }}",
                              .skill = "s",
                              .mission = "${{ item.name }} ${{ sandbox }} ${{ '${{' }}",
                              .command = {"run", "${{ item.name }}"},
                              .env = {"BATON_VALUE_1=${{ item.name }}", "X=1"},
                              .inputs = {"in/${{ index }}.md", "plain.md"},
                              .output = "out/${{ item.name }}.json",
                              .output_format = OutputFormat::text},
                             flow_with([](Flow& f) {
                               f.deferred = true;
                               f.item = R"({"name":"n o"})";
                               f.index = 7;
                             }));
  const TurnResult result = take_turn(deferred, {}, KnownValues{});
  ASSERT_EQ(result.verdict, TurnVerdict::go) << result.reason;
  EXPECT_EQ(result.work->title, "${{ not a text to be filled in }}");
  EXPECT_EQ(result.work->mission, "n o sandbox/x ${{");
  EXPECT_THAT(result.work->command, ElementsAre("run", "n o"));
  EXPECT_THAT(result.work->env, ElementsAre("BATON_VALUE_1=n o", "X=1"));
  EXPECT_THAT(result.work->inputs, ElementsAre("in/7.md", "plain.md"));
  EXPECT_EQ(result.work->output, "out/n o.json");
  EXPECT_EQ(result.work->output_format, OutputFormat::json);
}

TEST(Turn, given_work_that_is_not_deferred_when_taken_then_what_looks_like_an_expression_stays) {
  const Step gated = step("a", {.mission = "${{ item }}"}, flow_with([](Flow& f) { f.gate = true; }));
  EXPECT_EQ(take_turn(gated, {}, KnownValues{}).work, gated.work);
}

TEST(Turn, given_a_value_that_leads_out_of_the_project_when_put_in_a_path_then_the_step_fails) {
  const auto code = [](const std::string& value, bool is_output) {
    Work work{.skill = "s", .mission = "m"};
    (is_output ? work.output : work.inputs.emplace_back()) = "${{ item }}";
    const Step one = step("a", work, flow_with([&](Flow& f) {
                            f.deferred = true;
                            f.item = value;
                          }));
    const TurnResult result = take_turn(one, {}, KnownValues{});
    return result.verdict == TurnVerdict::fail ? result.code : "";
  };
  for (const bool is_output : {true, false}) {
    for (const char* value : {R"("/etc/passwd")", R"("../x")", R"("a/../../x")", R"("a\nb")", R"("\u001b[2J")",
                              R"("sandbox/x/../../../x")", R"("..")"}) {
      EXPECT_EQ(code(value, is_output), "path-leaves-folder") << value;
    }
    EXPECT_EQ(code(R"("")", is_output), "bad-path");
    EXPECT_EQ(code(R"("folder/")", is_output), "bad-path");
    EXPECT_EQ(code(R"("a/b.md")", is_output), "");
    EXPECT_EQ(code(R"("..a/b..md")", is_output), "");
  }
}

TEST(Turn, given_an_input_of_the_workflow_that_was_not_given_when_taken_then_it_is_left_out) {
  const Step one = step("a",
                        {.skill = "s",
                         .mission = "[${{ inputs.notes }}]",
                         .command = {"cat", "${{ inputs.notes }}"},
                         .inputs = {"${{ inputs.notes }}", "plain.md"}},
                        flow_with([](Flow& f) { f.deferred = true; }));
  KnownValues values;
  const TurnResult without = take_turn(one, {}, values);
  ASSERT_EQ(without.verdict, TurnVerdict::go) << without.reason;
  EXPECT_THAT(without.work->inputs, ElementsAre("plain.md"));
  EXPECT_THAT(without.work->command, ElementsAre("cat", ""));
  EXPECT_EQ(without.work->mission, "[]");
  values.input_paths["notes"] = "sandbox/x/inputs/notes.md";
  const TurnResult with = take_turn(one, {}, values);
  EXPECT_THAT(with.work->inputs, ElementsAre("sandbox/x/inputs/notes.md", "plain.md"));
  EXPECT_THAT(with.work->command, ElementsAre("cat", "sandbox/x/inputs/notes.md"));
  EXPECT_EQ(with.work->mission, "[sandbox/x/inputs/notes.md]");
}

TEST(Turn, given_items_whose_values_make_one_name_when_taken_then_none_of_them_begins) {
  const auto result_of = [](const std::string& items, const std::string& output) {
    Flow own;
    own.deferred = true;
    own.sandbox = "sandbox/x";
    const Step body = step("t", {.skill = "s", .output = output}, own);
    Flow flow;
    flow.for_each = items;
    flow.sandbox = "sandbox/x";
    flow.body = {body};
    return take_turn(step("t", {}, flow), {}, KnownValues{});
  };
  const TurnResult same = result_of(R"(["de","fr","de"])", "out.${{ item }}");
  EXPECT_EQ(same.verdict, TurnVerdict::fail);
  EXPECT_EQ(same.code, "outputs-collide");
  EXPECT_EQ(same.reason, "items 1 and 3 would both write 'out.de'");
  EXPECT_EQ(result_of(R"(["x","./x"])", "out/${{ item }}").code, "outputs-collide");
  EXPECT_EQ(result_of(R"(["de","fr"])", "out.${{ item }}").verdict, TurnVerdict::go);
  EXPECT_EQ(result_of(R"(["de","de"])", "out.${{ index }}").verdict, TurnVerdict::go);
}

TEST(Turn, given_a_nul_byte_in_a_value_when_a_command_would_get_it_then_the_step_fails) {
  const Step one = step("a", {.command = {"echo", "${{ item }}"}}, flow_with([](Flow& f) {
                          f.deferred = true;
                          f.item = R"("a\u0000b")";
                        }));
  EXPECT_EQ(take_turn(one, {}, KnownValues{}).code, "bad-value");
}

TEST(Turn, given_a_value_that_is_missing_when_taken_then_the_step_fails_and_names_it) {
  const Step one = step("a", {.mission = "${{ steps.b.output.title }}"}, flow_with([](Flow& f) { f.deferred = true; }));
  const TurnResult result = take_turn(one, {}, KnownValues{});
  EXPECT_EQ(result.verdict, TurnVerdict::fail);
  EXPECT_EQ(result.code, "unknown-value");
  EXPECT_THAT(result.reason, HasSubstr("steps.b.output.title"));
}

TEST(Turn, given_a_gate_when_taken_then_the_question_is_filled_in) {
  Flow flow = flow_with([](Flow& f) {
    f.gate = true;
    f.question = "Publish ${{ steps.b.output.title }}?";
    f.deferred = true;
  });
  KnownValues values;
  values.outputs["b"] = R"({"title":"It"})";
  EXPECT_EQ(take_turn(step("a", {}, flow), {}, values).question, "Publish It?");
  EXPECT_EQ(take_turn(step("a", {}, flow), {}, KnownValues{}).code, "unknown-value");
  flow.deferred = false;
  EXPECT_EQ(take_turn(step("a", {}, flow), {}, values).question, "Publish ${{ steps.b.output.title }}?");
}

// Items ---------------------------------------------------------------------------------------------------------------

TEST(ForEach, given_three_items_when_its_turn_comes_then_a_copy_is_made_for_each) {
  const TurnResult result = take_turn(fan_out(R"(["a",{"b":1},3])"), {}, KnownValues{});
  EXPECT_EQ(result.verdict, TurnVerdict::go);
  ASSERT_THAT(ids(result.made), ElementsAre("t:1", "t:2", "t:3"));
  EXPECT_EQ(result.made[1].flow->item, R"({"b":1})");
  EXPECT_EQ(result.made[1].flow->index, 2);
  EXPECT_EQ(result.made[1].flow->sandbox, "sandbox/x");
  EXPECT_EQ(result.made[1].policy.retries, 2);
  EXPECT_FALSE(result.made[1].final);
  EXPECT_EQ(result.made[0].work, result.made[2].work) << "the work is shared until its turn comes";
  const TurnResult of_copy = take_turn(result.made[1], {}, KnownValues{});
  EXPECT_EQ(of_copy.work->mission, R"(do {"b":1})");
  EXPECT_EQ(of_copy.work->output, "sandbox/x/outputs/2.json");
}

TEST(ForEach, given_a_later_generation_when_its_turn_comes_then_the_copies_have_new_names) {
  const TurnResult result = take_turn(fan_out("[1,2]"), {.round = 1, .generation = 2}, KnownValues{});
  EXPECT_THAT(ids(result.made), ElementsAre("t:r2:1", "t:r2:2"));
}

TEST(ForEach, given_copies_that_ended_when_its_turn_comes_again_then_their_outputs_are_one_list) {
  KnownValues values;
  values.outputs = {{"t:1", "{\"a\": 1.0}\n"}, {"t:3", "no json"}};
  const TurnResult result =
      take_turn(fan_out("[1,2,3]"), {.round = 2, .generation = 1, .made = {"t:1", "t:2", "t:3"}}, values);
  EXPECT_EQ(result.verdict, TurnVerdict::done);
  EXPECT_EQ(result.output, "[\n{\"a\": 1.0},\nnull,\n\"no json\"\n]\n");
}

TEST(ForEach, given_outputs_that_are_text_when_joined_then_each_is_a_text_whatever_it_looks_like) {
  Step composite = fan_out("[1]");
  Flow flow = *composite.flow;
  Work work = *flow.body[0].work;
  work.output_format = OutputFormat::text;
  flow.body[0].work = std::make_shared<const Work>(work);
  composite.flow = std::make_shared<const Flow>(flow);
  KnownValues values;
  values.outputs["t:1"] = "42\n";
  EXPECT_EQ(take_turn(composite, {.round = 2, .made = {"t:1"}}, values).output, "[\n\"42\\n\"\n]\n");
}

TEST(ForEach, given_no_items_when_its_turn_comes_then_it_is_done_at_once_with_an_empty_list) {
  const TurnResult result = take_turn(fan_out("[]"), {}, KnownValues{});
  EXPECT_EQ(result.verdict, TurnVerdict::done);
  EXPECT_EQ(result.output, "[]\n");
  Step without = fan_out("[]");
  without.work = std::make_shared<const Work>();
  EXPECT_EQ(take_turn(without, {}, KnownValues{}).output, std::nullopt);
}

TEST(ForEach, given_a_wrong_or_endless_list_when_its_turn_comes_then_it_fails_with_its_code) {
  KnownValues values;
  values.outputs["object"] = "{}";
  EXPECT_EQ(take_turn(fan_out("steps.object.output"), {}, values).code, "not-a-list");
  EXPECT_EQ(take_turn(fan_out("steps.nobody.output"), {}, values).code, "unknown-value");
  std::string list = "[0";
  for (int i = 1; i < 10'000; ++i) list += ",0";
  EXPECT_THAT(take_turn(fan_out(list + "]"), {}, values).made, SizeIs(10'000));
  EXPECT_EQ(take_turn(fan_out(list + ",0]"), {}, values).code, "too-many-items");
}

TEST(ForEach, given_a_condition_when_false_then_nothing_is_made_and_later_rounds_do_not_ask) {
  Step composite = fan_out("[1]");
  Flow flow = *composite.flow;
  flow.when = "false";
  composite.flow = std::make_shared<const Flow>(flow);
  EXPECT_EQ(take_turn(composite, {}, KnownValues{}).verdict, TurnVerdict::skip);
  EXPECT_EQ(take_turn(composite, {.round = 2, .made = {"t:1"}}, KnownValues{}).verdict, TurnVerdict::done);
}

TEST(ForEach, given_a_workflow_as_its_body_when_its_turn_comes_then_each_copy_is_a_world_of_its_own) {
  const TurnResult result = take_turn(fan_out_workflow(), {}, KnownValues{});
  ASSERT_THAT(ids(result.made), ElementsAre("w:1:a", "w:1:b", "w:2:a", "w:2:b"));
  EXPECT_THAT(result.made[0].needs, IsEmpty());
  EXPECT_THAT(result.made[1].needs, ElementsAre(step_index(0)));
  EXPECT_THAT(result.made[3].needs, ElementsAre(step_index(2)));
  const Step& b = result.made[3];
  EXPECT_EQ(b.flow->sandbox, "sandbox/x/w/2");
  EXPECT_EQ(b.flow->item, "2");
  EXPECT_EQ(b.flow->when, "steps.w:2:a.output.ok && steps.other.output.go");
  EXPECT_FALSE(b.final) << "the run has a final step of its own";
  EXPECT_EQ(b.work->mission,
            "read ${{ steps.w:2:a.output }} and ${{ steps.w:2:a.output.title }} of ${{ steps.wa.output.x }}");
  EXPECT_THAT(b.work->env, ElementsAre("BATON_VALUE_1=${{ steps.w:2:a.output.title }}"));
  EXPECT_THAT(b.work->inputs, ElementsAre("${{ steps.w:2:a.output }}"));
  EXPECT_EQ(take_turn(result.made[2], {}, KnownValues{}).work->output, "sandbox/x/w/2/outputs/a.json");

  KnownValues values;
  values.outputs = {{"w:1:b", "1"}, {"w:2:a", "2"}, {"w:2:b", "3"}};
  const Turn again{.round = 2, .generation = 1, .made = ids(result.made)};
  EXPECT_EQ(take_turn(fan_out_workflow(), again, values).output, "[\n1,\n3\n]\n") << "the final step of each copy";
  const TurnResult later = take_turn(fan_out_workflow(), {.round = 1, .generation = 3}, KnownValues{});
  EXPECT_EQ(later.made[3].id, "w:r3:2:b");
  EXPECT_EQ(later.made[3].flow->sandbox, "sandbox/x/w/r3/2");
}

// Rounds --------------------------------------------------------------------------------------------------------------

Step loop(const std::string& until, int max, const std::string& output) {
  const bool is_deferred = output.find("${{") != std::string::npos;
  Step body = step("l", {.mission = "m", .output = output}, flow_with([&](Flow& f) { f.deferred = is_deferred; }));
  return step("l", {.output = is_deferred ? "sandbox/x/outputs/l.last.json" : output}, flow_with([&](Flow& f) {
                f.until = until;
                f.loop_max = max;
                f.body = {body};
              }));
}

TEST(Loop, given_a_condition_when_it_holds_after_the_second_round_then_it_is_done) {
  const Step rounds = loop("output.done && index > 0", 3, "o.json");
  KnownValues values;
  EXPECT_THAT(ids(take_turn(rounds, {}, values).made), ElementsAre("l:1"));
  values.outputs["l:1"] = R"({"done":false})";
  values.paths = {{"l:1", "o.json"}, {"l:2", "o.json"}};
  const TurnResult second = take_turn(rounds, {.round = 2, .made = {"l:1"}}, values);
  ASSERT_THAT(ids(second.made), ElementsAre("l:2"));
  EXPECT_EQ(second.made[0].flow->index, 2);
  EXPECT_EQ(second.made[0].flow->item, "");
  values.outputs["l:2"] = R"({"done":true})";
  const TurnResult third = take_turn(rounds, {.round = 3, .made = {"l:1", "l:2"}}, values);
  EXPECT_EQ(third.verdict, TurnVerdict::done);
  EXPECT_EQ(third.output, std::nullopt) << "the last round wrote it itself";
}

TEST(Loop, given_an_output_of_each_round_when_done_then_the_last_one_is_the_whole_ones) {
  const Step rounds = loop("index == 2", 3, "o${{ index }}.json");
  KnownValues values;
  values.outputs = {{"l:1", "1"}, {"l:2", "2"}};
  values.paths = {{"l:1", "o1.json"}, {"l:2", "o2.json"}};
  EXPECT_EQ(take_turn(rounds, {.round = 2, .made = {"l:1"}}, values).verdict, TurnVerdict::go);
  EXPECT_EQ(take_turn(rounds, {.round = 3, .made = {"l:1", "l:2"}}, values).output, "2");
}

TEST(Loop, given_a_condition_that_never_holds_when_all_rounds_are_over_then_it_fails) {
  const Step rounds = loop("output.done", 2, "o.json");
  const TurnResult result = take_turn(rounds, {.round = 3, .made = {"l:1", "l:2"}}, KnownValues{});
  EXPECT_EQ(result.verdict, TurnVerdict::fail);
  EXPECT_EQ(result.code, "loop-exhausted");
  EXPECT_THAT(result.reason, HasSubstr("output.done"));
  EXPECT_EQ(take_turn(loop("1 < 'x'", 2, "o"), {.round = 2, .made = {"l:1"}}, KnownValues{}).code, "bad-expression");
}

TEST(Loop, given_no_condition_when_all_rounds_are_over_then_it_is_done) {
  const Step rounds = loop("", 2, "o.json");
  EXPECT_EQ(take_turn(rounds, {.round = 2, .made = {"l:1"}}, KnownValues{}).verdict, TurnVerdict::go);
  EXPECT_EQ(take_turn(rounds, {.round = 3, .made = {"l:1", "l:2"}}, KnownValues{}).verdict, TurnVerdict::done);
}

TEST(Loop, given_a_workflow_as_its_body_when_a_round_ended_then_its_final_step_is_looked_at) {
  Step rounds = fan_out_workflow();
  Flow flow = *rounds.flow;
  flow.for_each.clear();
  flow.until = "output.done";
  flow.loop_max = 5;
  rounds.flow = std::make_shared<const Flow>(flow);
  KnownValues values;
  values.outputs = {{"w:1:a", R"({"done":true})"}, {"w:1:b", R"({"done":false})"}};
  const TurnResult second = take_turn(rounds, {.round = 2, .made = {"w:1:a", "w:1:b"}}, values);
  EXPECT_THAT(ids(second.made), ElementsAre("w:2:a", "w:2:b"));
  EXPECT_THAT(second.made[1].needs, ElementsAre(step_index(0)));
}

}  // namespace
}  // namespace baton
