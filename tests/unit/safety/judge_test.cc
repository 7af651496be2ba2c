#include "safety/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "safety/built_in.h"

namespace baton::safety {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Policy own(std::vector<std::string> blocked, std::vector<std::string> allow = {}) {
  const auto policy = Policy::from({true, ConfiguredPatterns{std::move(blocked), "baton.toml:3"},
                                    ConfiguredPatterns{std::move(allow), "baton.toml:4"}});
  EXPECT_TRUE(policy.has_value()) << (policy ? "" : policy.error().front().message);
  return policy ? *policy : Policy::built_in();
}

// The built-in list: every example of every rule. ----------------------------------------------------------------
class BuiltIn : public testing::TestWithParam<const BuiltInRule*> {};

TEST_P(BuiltIn, fits_every_command_it_is_for) {
  for (const std::string_view command : GetParam()->blocked) {
    const Verdict verdict = judge(Policy::built_in(), command);
    EXPECT_TRUE(verdict.blocked) << command;
    EXPECT_EQ(verdict.rule.name, GetParam()->name) << command << "\n  read as: " << verdict.read_as;
    EXPECT_FALSE(verdict.found.empty() || verdict.rule.why.empty()) << command;
  }
}

TEST_P(BuiltIn, leaves_harmless_commands_alone_and_so_do_the_others) {
  for (const std::string_view command : GetParam()->harmless) {
    const Verdict verdict = judge(Policy::built_in(), command);
    EXPECT_FALSE(verdict.blocked) << command << "\n  rule: " << verdict.rule.name << "\n  read as: " << verdict.read_as;
  }
}

TEST_P(BuiltIn, alone_blocks_its_own_examples_and_none_of_the_harmless_ones) {
  const Policy policy = own({"@" + std::string{GetParam()->name}});
  for (const std::string_view command : GetParam()->blocked) EXPECT_TRUE(judge(policy, command).blocked) << command;
  for (const BuiltInRule& other : built_in_rules()) {
    for (const std::string_view command : other.harmless) EXPECT_FALSE(judge(policy, command).blocked) << command;
  }
}

std::vector<const BuiltInRule*> pointers() {
  std::vector<const BuiltInRule*> all;
  for (const BuiltInRule& rule : built_in_rules()) all.push_back(&rule);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Safety, BuiltIn, testing::ValuesIn(pointers()), [](const auto& tested) {
  std::string name{tested.param->name};
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST(BuiltInList, has_a_name_a_reason_and_examples_of_both_kinds_for_each_rule) {
  std::set<std::string_view> names;
  for (const BuiltInRule& rule : built_in_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_TRUE(rule.why.starts_with("it ")) << rule.name;
    EXPECT_GE(rule.blocked.size(), 4U) << rule.name;
    EXPECT_GE(rule.harmless.size(), 3U) << rule.name;
    EXPECT_EQ(pattern_of(rule).find("<system>"), std::string::npos);
  }
  EXPECT_GE(names.size(), 9U);
}

// What people and models write on an ordinary day. ---------------------------------------------------------------
TEST(Judge, given_ordinary_work_then_nothing_is_blocked) {
  for (const char* command : {"git status && git diff --stat",
                              "npm ci && npm test -- --force",
                              "make clean && make -j4 2>&1 | tee build.log",
                              "rm -rf node_modules dist",
                              "rm -f *.o",
                              "find . -name '*.tmp' -exec rm -f {} +",
                              "docker compose down -v",
                              "psql -h localhost -c 'CREATE TABLE x (id int)'",
                              "curl -fsSL https://x.org/a.tgz | tar xz",
                              "chmod -R u+rwX .",
                              "for f in $(ls); do echo \"$f\"; done",
                              "python3 - <<'EOF'\nprint('rm -rf /')\nEOF",
                              "cat <<'EOF' > docs/danger.md\nDo not run `rm -rf /` or `git push --force`.\nEOF",
                              "sed -i 's/DROP TABLE/drop table/' a.sql",
                              "git push --force-with-lease origin feature",
                              "kill -9 1234",
                              "tar -C / -cf x.tar etc",
                              "cp -r /etc/nginx ./backup",
                              "ls / ~ $HOME",
                              "cd / && ls",
                              "mkdir -p ~/x && cd ~/x",
                              "sudo apt-get install -y git",
                              "echo done > /dev/stderr",
                              "dd if=/dev/urandom of=x bs=1M count=1"}) {
    const Verdict verdict = judge(Policy::built_in(), command);
    EXPECT_FALSE(verdict.blocked) << command << "\n  rule: " << verdict.rule.name << "\n  read as: " << verdict.read_as;
  }
}

// The user's own. ------------------------------------------------------------------------------------------------
TEST(Judge, given_the_users_own_patterns_then_they_replace_ours_and_are_found_in_the_text_as_it_is) {
  const Policy policy = own({R"(terraform\s+destroy)"});
  EXPECT_TRUE(judge(policy, "terraform   DESTROY -auto-approve").blocked) << "upper and lower case alike";
  EXPECT_TRUE(judge(policy, "echo 'terraform destroy'").blocked) << "as it is written: quotes do not matter to it";
  EXPECT_TRUE(judge(policy, "terra\"form\" destroy").blocked) << "and as a shell reads it";
  EXPECT_TRUE(judge(policy, "terraform \\\n destroy").blocked);
  EXPECT_FALSE(judge(policy, "rm -rf /").blocked) << "ours were replaced";
  const Verdict verdict = judge(policy, "x; terraform destroy");
  EXPECT_EQ(verdict.rule.origin, "baton.toml:3");
  EXPECT_EQ(verdict.found, "terraform destroy");
}

TEST(Judge, given_the_names_of_built_in_rules_then_those_are_added) {
  const Policy policy = own({"@built-in", "terraform"});
  EXPECT_TRUE(judge(policy, "rm -rf /").blocked);
  EXPECT_TRUE(judge(policy, "terraform").blocked);
  EXPECT_FALSE(judge(own({"@force-push"}), "rm -rf /").blocked);
}

TEST(Judge, given_an_exception_then_only_the_command_it_is_found_in_may_run) {
  const Policy policy = own({"@built-in"}, {"git push (?:-f|--force) fork( |$)", "rm -rf /srv"});
  const Verdict allowed = judge(policy, "git push --force fork");
  EXPECT_FALSE(allowed.blocked);
  EXPECT_EQ(allowed.rule.name, "force-push") << "and it is said what was lifted";
  EXPECT_EQ(allowed.allowed_by, "git push (?:-f|--force) fork( |$)");
  EXPECT_TRUE(judge(policy, "git push --force origin").blocked);
  EXPECT_TRUE(judge(policy, "git push --force fork; git push --force origin").blocked) << "the other one is not lifted";
  EXPECT_FALSE(judge(policy, "rm -rf /srv").blocked) << "an exception may be written as the command is";
  EXPECT_TRUE(judge(policy, "rm -rf /srv; rm -rf /").blocked);
}

TEST(Judge, given_an_exception_for_a_pattern_in_the_text_then_each_command_still_counts_by_itself) {
  const Policy policy = own({R"(git\s+push.*--force)"}, {"--force-with-lease"});
  EXPECT_FALSE(judge(policy, "git push --force-with-lease").blocked);
  EXPECT_TRUE(judge(policy, "git push --force-with-lease && git push --force").blocked);
}

TEST(Judge, given_no_patterns_then_nothing_is_blocked) { EXPECT_FALSE(judge(own({}), "rm -rf /").blocked); }

TEST(Judge, given_a_text_that_cannot_be_read_to_its_end_then_it_is_blocked) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "$(";
  const Verdict verdict = judge(Policy::built_in(), deep);
  EXPECT_TRUE(verdict.blocked);
  EXPECT_EQ(verdict.rule.name, "unreadable");
}

TEST(Judge, given_a_verdict_then_the_reason_is_one_line_that_drives_no_terminal) {
  const std::string told = reason(judge(Policy::built_in(), "sudo rm -rf / '\x1b[31m'"));
  EXPECT_THAT(told, HasSubstr("recursive-delete"));
  EXPECT_THAT(told, HasSubstr("rm -f -r /"));
  EXPECT_EQ(told.find('\n'), std::string::npos);
  EXPECT_EQ(told.find('\x1b'), std::string::npos);
  EXPECT_THAT(reason(judge(own({"ter+aform"}), "terraform")), HasSubstr("the project's pattern 'ter+aform'"));
}

// Policies. ------------------------------------------------------------------------------------------------------
TEST(Policy, given_patterns_that_do_not_compile_then_all_are_reported_with_their_place) {
  const auto policy = Policy::from({true, ConfiguredPatterns{{"a(", "fine", "", "@force-puhs"}, "/p/baton.toml:12"},
                                    ConfiguredPatterns{{"[z"}, "--set"}});
  ASSERT_FALSE(policy.has_value());
  ASSERT_THAT(policy.error(), SizeIs(4));
  for (const Fault& fault : policy.error()) EXPECT_EQ(fault.code, "bad-safety-pattern");
  const std::string all = to_text(policy.error()[0]) + to_text(policy.error()[1]) + to_text(policy.error()[3]);
  EXPECT_THAT(to_text(policy.error()[0]), HasSubstr("did you mean '@force-push'?"));
  EXPECT_THAT(all, HasSubstr("a("));
  EXPECT_EQ(policy.error()[1].place.file, "/p/baton.toml");
  EXPECT_EQ(policy.error()[1].place.line, 12);
  EXPECT_EQ(policy.error()[3].place.file, "--set");
}

TEST(Policy, given_the_pattern_of_the_first_such_tool_then_it_is_taken_as_it_is) {
  EXPECT_FALSE(judge(own({":(){.*};"}), ":(){ :|:& };:").blocked) << "() is an empty group: it never fitted";
  EXPECT_TRUE(judge(own({R"(rm\s+-[rf]+\s+/)"}), "rm -r -f /").blocked) << "it fits what a shell would run";
}

TEST(Policy, given_a_policy_then_its_record_reads_back_the_same) {
  const Policy policy = own({"@built-in", "a\"b\\s'\n", "ünï"}, {"x"});
  const auto again = read_policy(to_json(policy.text()));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->text(), policy.text());
  EXPECT_TRUE(judge(*again, "rm -rf /").blocked);
}

TEST(Policy, given_a_record_that_is_damaged_then_it_is_refused_and_never_half_read) {
  for (const char* text : {"", "x", "[]", "{}", R"({"version":2,"enabled":true,"blocked":[],"allow":[]})",
                           R"({"version":1,"enabled":true,"allow":[]})", R"({"version":1,"blocked":[],"allow":[]})",
                           R"({"version":1,"enabled":true,"blocked":["rm"],"allow":[]})",
                           R"({"version":1,"enabled":true,"blocked":[{}],"allow":[]})",
                           R"({"version":1,"enabled":true,"blocked":[{"pattern":"("}],"allow":[]})"}) {
    EXPECT_FALSE(read_policy(text).has_value()) << text;
  }
}

TEST(Policy, given_a_policy_then_agents_are_told_in_plain_sentences) {
  const std::vector<std::string> told = rules(Policy::built_in());
  EXPECT_GE(told.size(), 5U);
  EXPECT_LE(told.size(), 10U);
  for (const std::string& sentence : told) {
    EXPECT_EQ(sentence.find("\\S"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos);
    EXPECT_TRUE(sentence.ends_with('.')) << sentence;
  }
  EXPECT_THAT(rules(own({"ter+a"})), SizeIs(2));
  EXPECT_THAT(rules(own({})), IsEmpty());
  EXPECT_THAT(rules(*Policy::from({.enabled = false})), IsEmpty());
}

}  // namespace
}  // namespace baton::safety
