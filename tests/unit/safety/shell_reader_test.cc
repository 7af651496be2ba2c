#include "safety/shell_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "safety/command_words.h"
#include "safety/shell_lexer.h"

namespace baton::safety {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> words_of(std::string_view script) {
  ReadingBudget budget;
  std::vector<std::string> words;
  for (const ShellToken& token : shell_tokens(script, budget)) words.push_back(token.text);
  return words;
}

std::vector<std::string> readings_of(std::string_view script) {
  std::vector<std::string> texts;
  for (const Reading& reading : read_shell(script).all) texts.push_back(reading.text);
  return texts;
}

// Words. ---------------------------------------------------------------------------------------------------------
TEST(ShellLexer, given_quotes_of_every_kind_then_words_are_what_the_program_would_get) {
  EXPECT_THAT(words_of(R"(a 'b c' "d e" f\ g h'i'"j" '' "")"), ElementsAre("a", "b c", "d e", "f g", "hij", "", ""));
  EXPECT_THAT(words_of(R"("a\"b" "a\$b" 'a\b' "a\qb")"), ElementsAre("a\"b", "a$b", "a\\b", "a\\qb"));
  EXPECT_THAT(words_of(R"($'a\tb\x41\101\'' $"x y")"), ElementsAre("a\tbAA'", "x y"));
  EXPECT_THAT(words_of("a\\\nb c\\\n d"), ElementsAre("ab", "c", "d"));
  EXPECT_THAT(words_of("a # b c\nd#e"), ElementsAre("a", "\n", "d#e"));
}

TEST(ShellLexer, given_home_and_ifs_then_they_are_seen_through_and_other_variables_stay) {
  EXPECT_THAT(words_of("$HOME \"${HOME}/x\" a$HOME ~ '~' \\~/x"),
              ElementsAre("~", "~/x", "a$HOME", "~", "./~", "./~/x"));
  EXPECT_THAT(words_of("rm${IFS}-rf$IFS/ \"a${IFS}b\""), ElementsAre("rm", "-rf", "/", "a${IFS}b"));
  EXPECT_THAT(words_of("$x ${y:-z} $1a"), ElementsAre("$x", "${y:-z}", "$1a"));
}

TEST(ShellLexer, given_operators_then_they_part_words_and_descriptors_are_none) {
  EXPECT_THAT(words_of("a|b||c&&d;e&f"), ElementsAre("a", "|", "b", "||", "c", "&&", "d", ";", "e", "&", "f"));
  EXPECT_THAT(words_of("a 2>&1 >x 3>>y <z"), ElementsAre("a", ">&", "1", ">", "x", ">>", "y", "<", "z"));
}

TEST(ShellLexer, given_commands_within_words_then_they_are_kept_aside) {
  ReadingBudget budget;
  const auto tokens = shell_tokens("a \"$(b \"$(c)\" ')')\" `d` <(e) ${x:-$(f)}", budget);
  std::vector<std::string> scripts;
  for (const auto& token : tokens) scripts.insert(scripts.end(), token.scripts.begin(), token.scripts.end());
  EXPECT_THAT(scripts, ElementsAre("b \"$(c)\" ')'", "d", "e", "f"));
}

TEST(ShellLexer, given_here_documents_then_each_command_gets_its_own_text) {
  EXPECT_THAT(words_of("a <<X b <<-'Y'\n1\nX\n\t2\n\tY\nc"), ElementsAre("a", "1\n", "b", "2\n", "\n", "c"));
  EXPECT_THAT(words_of("a <<X\nnever closed"), ElementsAre("a", "never closed\n", "\n")) << "its text comes first";
  ReadingBudget budget;
  EXPECT_THAT(shell_tokens("a <<X\n$(b)\nX", budget)[1].scripts, ElementsAre("b"));
  EXPECT_THAT(shell_tokens("a <<'X'\n$(b)\nX", budget)[1].scripts, IsEmpty()) << "a quoted word: nothing is run";
}

/// How agents write the messages of their commits.
TEST(ShellLexer, given_a_here_document_in_a_substitution_then_quotes_in_it_mean_nothing) {
  const std::string script = "git commit -m \"$(cat <<'EOF'\nDon't :) \"\nrm -rf /\n\"\nEOF\n)\" && b";
  EXPECT_THAT(readings_of(script), Not(Contains("rm -f -r /")));
  EXPECT_THAT(readings_of(script), Contains("b")) << "and what comes behind it is read";
}

// Commands. ------------------------------------------------------------------------------------------------------
TEST(ShellReader, given_one_meaning_then_there_is_one_way_to_write_it) {
  for (const char* script : {"rm -rf /x", "rm -fr /x", "rm -r -f /x", "rm /x -rf", "rm --force --recursive /x",
                             "rm -rf -- /x", "rm -rf //x/", "/bin/rm -Rf '/x'", "rm -rf /x/./y/.."}) {
    EXPECT_THAT(readings_of(script), Contains("rm -f -r /x")) << script;
    EXPECT_THAT(readings_of(script), Contains("rm -rf /x")) << "as people write it: " << script;
  }
  EXPECT_THAT(readings_of("git -C a -c b=c --no-pager push -uf origin x"), ElementsAre("git push -u -f origin x"));
}

TEST(ShellReader, given_a_blank_within_a_word_then_it_is_told_from_one_between_words) {
  EXPECT_THAT(readings_of("git commit -m 'a  b | sh'"), ElementsAre("git commit -m a␣b␣|␣sh"));
  EXPECT_THAT(readings_of("echo '|' sh"), ElementsAre("echo \"|\" sh"));
}

TEST(ShellReader, given_programs_that_start_others_then_both_are_seen) {
  EXPECT_THAT(readings_of("sudo -u me env -i A=b nice -n 5 ls -l"),
              ElementsAre("sudo -u me env -i A=b nice -n 5 ls -l", "ls -l"));
  EXPECT_THAT(readings_of("timeout --signal KILL 5 ls"), Contains("ls"));
  EXPECT_THAT(readings_of("A=b B=c ls"), Contains("ls"));
}

TEST(ShellReader, given_scripts_within_scripts_then_all_their_commands_are_seen) {
  EXPECT_THAT(readings_of("bash -c 'a; sh -c \"b; eval c\"'"), testing::IsSupersetOf({"a", "b", "c"}));
  EXPECT_THAT(readings_of("echo $(a `b` \"$(c)\")"), testing::IsSupersetOf({"b", "c"}));
  EXPECT_THAT(readings_of("ssh -p 22 host 'a b'"), Contains("a b"));
  EXPECT_THAT(readings_of("find . -exec a b {} \\;"), Contains("a b {}"));
  EXPECT_THAT(readings_of("echo 'a b' | sudo bash"), Contains("a b"));
  EXPECT_THAT(readings_of("echo x y | xargs -n1 a b"), Contains("a b x y"));
}

TEST(ShellReader, given_what_is_only_told_then_it_is_no_command) {
  EXPECT_THAT(readings_of("echo 'a; b'"), ElementsAre("echo a;␣b"));
  EXPECT_THAT(readings_of("cat > f <<'E'\na b\nE\n"), ElementsAre("cat > f << a␣b"));
  EXPECT_THAT(readings_of("bash script -c"), Not(Contains("script")));
}

TEST(ShellReader, given_pipes_then_they_are_seen_as_a_whole_also_behind_braces_and_parentheses) {
  EXPECT_THAT(readings_of("a x | sudo b"), Contains("a x | b"));
  EXPECT_THAT(readings_of("(a x) | b"), Contains("a x | b"));
  EXPECT_THAT(readings_of("{ a x; } | b"), Contains("a x | b"));
  EXPECT_THAT(readings_of("if c; then a x; fi | b"), Contains("a x | b"));
  EXPECT_THAT(readings_of("a x; b"), Not(Contains("a x | b")));
}

TEST(ShellReader, given_a_folder_that_the_script_went_to_then_rm_is_read_from_there) {
  EXPECT_THAT(readings_of("cd / && rm -r *"), Contains("rm -r /*"));
  EXPECT_THAT(readings_of("cd; rm -r x"), Contains("rm -r ~/x"));
  EXPECT_THAT(readings_of("cd build && rm -r *"), Contains("rm -r *"));
  EXPECT_THAT(readings_of("cd / && cd build && rm -r *"), Contains("rm -r *")) << "not known any more";
}

TEST(ShellReader, given_a_reading_then_the_words_it_came_from_are_beside_it) {
  const Readings readings = read_shell("ls; sudo rm  -rf \"/x\" # why");
  EXPECT_EQ(readings.all.back().text, "rm -rf /x");
  EXPECT_EQ(readings.all.back().source, "sudo rm  -rf \"/x\"");
}

// Limits. --------------------------------------------------------------------------------------------------------
std::string repeated(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

TEST(ShellReader, given_hostile_texts_then_there_is_an_answer_and_what_was_not_read_is_said) {
  for (const char* part : {"$(", "${a", "`", "\"$(", "(", "{ ", "eval \"$(", "a|", "a <<X\n", "f() {", "}|;", "'", "\\",
                           "bash -c '", "{a,b}", "echo x|xargs ", "$'\\x"}) {
    for (const std::size_t times : {1UL, 7UL, 1000UL, 100'000UL}) (void)read_shell(repeated(part, times));
  }
  EXPECT_FALSE(read_shell(repeated("$(", 1000)).complete);
  EXPECT_FALSE(read_shell(std::string((1U << 20U) + 1, 'a')).complete);
  EXPECT_TRUE(read_shell("cat > f <<'E'\n" + repeated("some line of a file\n", 20'000) + "E\n").complete)
      << "400 KB in a here-document are nothing unusual";
  EXPECT_TRUE(read_shell("").complete);
}

}  // namespace
}  // namespace baton::safety
