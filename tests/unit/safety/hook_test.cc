#include "safety/hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/boost_json.h"

namespace baton::safety {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

std::string call_of(const std::string& tool, const json::object& arguments) {
  return json::serialize(json::object{{"session_id", "s"},
                                      {"cwd", "/p"},
                                      {"hook_event_name", "PreToolUse"},
                                      {"tool_name", tool},
                                      {"tool_input", arguments}});
}

HookAnswer ask(const std::string& input) { return answer_hook(Policy::built_in(), input); }

TEST(Hook, given_a_command_that_is_blocked_then_claude_is_told_to_stop_and_why) {
  const HookAnswer answer = ask(call_of("Bash", {{"command", "cd x && rm -rf /"}, {"description", "d"}}));
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.said, HasSubstr("recursive-delete"));
  EXPECT_TRUE(answer.said.ends_with("\n"));
  EXPECT_EQ(ask(call_of("Monitor", {{"command", "rm -rf /"}})).code, 2) << "whatever tool runs it";
}

TEST(Hook, given_a_command_that_is_not_then_nothing_is_said) {
  const HookAnswer answer = ask(call_of("Bash", {{"command", "ls"}}));
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.said, "");
}

TEST(Hook, given_what_writes_files_then_it_is_not_judged) {
  EXPECT_EQ(ask(call_of("Write", {{"file_path", "a.sh"}, {"content", "rm -rf /"}})).code, 0);
  EXPECT_EQ(ask(call_of("Edit", {{"new_string", "rm -rf /"}})).code, 0);
}

TEST(Hook, given_what_it_cannot_read_then_it_blocks) {
  for (const std::string& input :
       {std::string{}, std::string{"x"}, std::string{"[]"}, std::string{"{}"}, std::string{R"({"tool_name":7})"},
        call_of("Bash", {}), call_of("Bash", {{"command", 7}}), std::string{R"({"tool_name":"Bash"})"},
        call_of("Bash", {{"command", "ls"}}).substr(0, 60), std::string(100'000, '[')}) {
    const HookAnswer answer = ask(input);
    EXPECT_EQ(answer.code, 2) << input.substr(0, 80);
    EXPECT_THAT(answer.said, HasSubstr("Blocked")) << input.substr(0, 80);
  }
  EXPECT_EQ(blocked_without_policy({{"file-unreadable", "there is none"}}).code, 2);
}

TEST(Hook, given_a_policy_that_is_not_enabled_then_everything_may_run) {
  const auto policy = Policy::from({.enabled = false});
  EXPECT_EQ(answer_hook(*policy, call_of("Bash", {{"command", "rm -rf /"}})).code, 0);
}

std::string command_in(const std::string& settings) {
  const json::value value = json::parse(settings);
  const json::object& entry = value.at("hooks").at("PreToolUse").as_array().back().as_object();
  return std::string{entry.at("hooks").as_array().at(0).at("command").as_string()};
}

TEST(HookSettings, given_paths_with_blanks_and_quotes_then_a_shell_reads_them_as_they_are) {
  EXPECT_EQ(shell_quoted("it's a \"$(b)\""), R"x('it'\''s a "$(b)"')x");
  EXPECT_EQ(command_in(hook_settings("/a b/baton", "/it's/safety.json")),
            R"('/a b/baton' safety hook --policy '/it'\''s/safety.json' || exit 2)");
}

TEST(HookSettings, given_settings_of_the_users_own_then_all_of_them_stay) {
  const auto both =
      hook_settings("/b", "/p", R"({"env":{"A":"b"},"hooks":{"Stop":[1],"PreToolUse":[{"matcher":"X","hooks":[]}]}})");
  ASSERT_TRUE(both.has_value());
  const json::value value = json::parse(*both);
  EXPECT_EQ(value.at("env").at("A"), "b");
  EXPECT_EQ(value.at("hooks").at("Stop").as_array().size(), 1U);
  ASSERT_EQ(value.at("hooks").at("PreToolUse").as_array().size(), 2U);
  EXPECT_EQ(value.at("hooks").at("PreToolUse").at(0).at("matcher"), "X");
  EXPECT_THAT(command_in(*both), HasSubstr("safety hook"));
  for (const char* own : {"x", "[]", R"({"hooks":1})", R"({"hooks":{"PreToolUse":{}}})",
                          R"({"hooks":{"PreToolUse":[1]}})", R"({"hooks":{"PreToolUse":[{"matcher":"X"}]}})"}) {
    EXPECT_FALSE(hook_settings("/b", "/p", own).has_value()) << own;
  }
}

}  // namespace
}  // namespace baton::safety
