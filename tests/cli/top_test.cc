// The dashboard, driven by keys in a real terminal and read back from its screen.
#include <signal.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "top_place.h"

namespace baton::test {
namespace {

class Top : public WithTop {
 protected:
  Top() {
    place.workflow("pair", {step("left", "echo left says hello; " + await_file("go") + "; echo left is done"),
                            step("right", "echo right says hello; " + await_file("go")),
                            step("join", "echo joined", "needs: [left, right]")});
    place.write("script.yaml",
                "speed: 100\nsteps:\n  left: {real: true}\n  right: {real: true}\n  join: {real: true}\n");
  }
  /// A rehearsal whose two parallel steps are at work until `go` is there.
  std::string start_pair() {
    const Outcome ran = place.baton({"run", "pair", "--rehearse=script.yaml", "--detach"});
    EXPECT_EQ(ran.code, 0) << ran;
    const std::vector<std::string> lines = lines_of(ran.out);
    return lines.empty() ? "" : lines.front();
  }
};

TEST_F(Top, NeedsATerminal) {
  const Outcome refused = place.baton({"top"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says_error(refused, "no-terminal")) << refused;
}

TEST_F(Top, ShowsARunOfAnotherProcessWithItsTreeAndLog) {
  const std::string id = start_pair();
  ASSERT_TRUE(becomes(id, "running"));
  open_top();
  EXPECT_TRUE(sees(id) && sees("2 steps  pair " + id) && sees("left says hello")) << screen();
  EXPECT_TRUE(has(screen(), "join"));
  keys({"2"});
  keys({"Down"});
  EXPECT_TRUE(sees("right says hello")) << screen();
  place.write("go", "");
  EXPECT_TRUE(sees("3/3")) << screen();
  EXPECT_TRUE(sees("completed")) << screen();
  keys({"q"});
  expect_terminal_as_found();
}

TEST_F(Top, PausesResumesCancelsAndRetries) {
  const std::string id = start_pair();
  ASSERT_TRUE(becomes(id, "running"));
  open_top();
  ASSERT_TRUE(sees("left says hello")) << screen();
  keys({"p"});
  EXPECT_TRUE(becomes(id, "paused"));
  EXPECT_TRUE(sees("is paused")) << screen();
  keys({"r"});
  EXPECT_TRUE(becomes(id, "running"));
  EXPECT_TRUE(sees("▶ running")) << screen();
  keys({"c"});
  EXPECT_TRUE(sees("Cancel " + id)) << screen();
  keys({"n"});
  EXPECT_TRUE(sees_no_more("Cancel " + id));
  EXPECT_EQ(place.run_state(id), "running") << "it was asked first";
  keys({"c"});
  EXPECT_TRUE(sees("Cancel " + id));
  keys({"y"});
  EXPECT_TRUE(becomes(id, "cancelled"));
  EXPECT_TRUE(sees("■ cancelled")) << screen();
  place.write("go", "");
  keys({"t"});
  EXPECT_TRUE(sees("Retry " + id)) << screen();
  keys({"y"});
  EXPECT_TRUE(becomes(id, "completed")) << screen();
  EXPECT_TRUE(sees("✓ completed")) << screen();
}

TEST_F(Top, StartsARunFromItsFormWithTheEditorsHelp) {
  place.write("../edit.sh", "#!/bin/sh\nprintf 'Mind the q, and 漢字\\n' > \"$1\"\n");
  ASSERT_EQ(::chmod(place.file("../edit.sh").c_str(), 0755), 0);
  place.env["EDITOR"] = place.file("../edit.sh");
  open_top();
  EXPECT_TRUE(sees("no runs yet")) << screen();
  keys({"n"});
  EXPECT_TRUE(sees("which workflow?")) << screen();
  type("pai");
  keys({"Enter"});
  EXPECT_TRUE(sees("New run of pair")) << screen();
  type("quit?");
  EXPECT_TRUE(sees("quit?")) << "letters are text";
  (void)tmux({"set-buffer", " pasted:\nq and more"});
  (void)tmux({"paste-buffer", "-p", "-t", "top"});
  EXPECT_TRUE(sees("quit? pasted:") && sees("q and more")) << screen();
  keys({"C-e"});
  EXPECT_TRUE(sees("Mind the q, and 漢字")) << screen();
  keys({"Tab"});
  keys({"Tab"});
  keys({"Space"});
  EXPECT_TRUE(sees("[x] Rehearse")) << screen();
  keys({"C-s"});
  EXPECT_TRUE(sees("is started")) << screen();
  EXPECT_TRUE(becomes("last", "completed"));
  EXPECT_TRUE(sees("✓ completed")) << screen();
  EXPECT_EQ(text_at(place.show(), "task"), "Mind the q, and 漢字");
  EXPECT_FALSE(place.show().at("steps").as_array().empty());
}

TEST_F(Top, StartsARunWithItsInputs) {
  place.write("list.txt", "first\n");
  place.workflow("count", {step("count", "cat ${{ inputs.changes }}; echo counted")},
                 "inputs:\n  - name: changes\n    description: a list of changes\n");
  open_top();
  keys({"n"});
  ASSERT_TRUE(sees("which workflow?")) << screen();
  type("count");
  keys({"Enter"});
  ASSERT_TRUE(sees("changes *") && sees("a list of changes")) << screen();
  keys({"C-s"});
  EXPECT_TRUE(sees("'changes' is needed")) << screen();
  type("list.txt");
  keys({"C-s"});
  EXPECT_TRUE(becomes("last", "completed")) << screen();
  EXPECT_TRUE(sees("✓ completed") && sees("counted")) << screen();
}

TEST_F(Top, WhatIsRefusedCanBeMendedAndSentAgain) {
  place.workflow("count", {step("count", "cat ${{ inputs.changes }}; echo counted")},
                 "inputs:\n  - name: changes\n    description: a list of changes\n");
  open_top();
  keys({"n"});
  ASSERT_TRUE(sees("which workflow?")) << screen();
  type("count");
  keys({"Enter"});
  ASSERT_TRUE(sees("changes *")) << screen();
  type("A long task that nobody wants to type twice");
  keys({"Tab"});
  type("nosuch.txt");
  keys({"C-s"});
  EXPECT_TRUE(sees("error[")) << screen();
  EXPECT_TRUE(has(screen(), "nobody wants to type twice") && has(screen(), "nosuch.txt")) << screen();
  place.write("nosuch.txt", "first\n");
  keys({"C-s"});
  EXPECT_TRUE(becomes("last", "completed")) << screen();
  EXPECT_TRUE(sees("✓ completed")) << screen();
}

TEST_F(Top, RejectsAGateWithItsReason) {
  place.workflow(
      "w", {"  - id: ask\n    gate: {approve: \"Publish it?\"}\n", step("publish", "touch published", "needs: [ask]")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 3);
  open_top();
  ASSERT_TRUE(sees("waits for you: Publish it?")) << screen();
  keys({"a"});
  EXPECT_TRUE(sees("Approve 'ask'")) << screen();
  keys({"Escape"});
  EXPECT_TRUE(sees_no_more("Approve 'ask'"));
  keys({"x"});
  EXPECT_TRUE(sees("Reject 'ask'") && !has(screen(), "thrown away")) << screen();
  type("not yet");
  keys({"Enter"});
  EXPECT_TRUE(becomes("last", "rejected")) << screen();
  EXPECT_TRUE(sees("not yet")) << "the reason is shown\n" << screen();
}

TEST_F(Top, WhatIsSetForItHoldsForWhatItStarts) {
  place.workflow("retried", {step("no", "false", "retries: 1")});
  open_terminal(120, 40);
  type("clear; '" + program_of_ours("baton") + "' top --set limits.retry_delay=1ms --set top.notify=bell");
  keys({"Enter"});
  ASSERT_TRUE(sees(" baton top ")) << screen();
  keys({"n"});
  ASSERT_TRUE(sees("which workflow?")) << screen();
  type("retried");
  keys({"Enter"});
  ASSERT_TRUE(sees("New run of retried")) << screen();
  keys({"C-s"});
  EXPECT_TRUE(becomes("last", "failed")) << screen();
  const std::string record = place.read(".baton/baton.db") + place.read(".baton/baton.db-wal");
  EXPECT_TRUE(has(record, "set.limits.retry_delay")) << "it is on record";
  EXPECT_FALSE(has(record, "set.top.notify")) << "what is the dashboard's own is not";
}

TEST_F(Top, AStateFolderThatIsMovedAwayIsNoticedAndANewOneFound) {
  place.write("go", "");
  const std::string id = start_pair();
  ASSERT_TRUE(becomes(id, "completed"));
  open_top();
  ASSERT_TRUE(sees("2 steps  pair " + id) && sees("│  joined")) << screen();
  std::filesystem::rename(place.file(".baton"), place.file("../moved"));
  EXPECT_TRUE(sees("no runs yet") && sees("is not what it was") && sees_no_more("│  joined")) << screen();
  const std::string other = start_pair();
  EXPECT_TRUE(sees("2 steps  pair " + other) && sees("✓ completed")) << screen();
  EXPECT_FALSE(has(screen(), id)) << screen();
}

TEST_F(Top, ALineOfMegabytesDoesNotStopIt) {
  place.workflow("long", {step("long", "head -c 5000000 /dev/zero | tr '\\0' x; echo; echo the end of it")});
  ASSERT_EQ(place.baton({"run", "long"}).code, 0);
  open_top();
  ASSERT_TRUE(sees("the end of it") && sees("xxxxxxxx")) << screen();
  keys({"l"});
  keys({"PageUp"});
  EXPECT_TRUE(sees_no_more("the end of it")) << screen();
  for (int i = 0; i < 5; ++i) keys({"PageUp"});
  keys({"PageDown", "PageDown", "PageDown", "PageDown", "PageDown", "PageDown"});
  EXPECT_TRUE(sees("the end of it")) << screen();
  keys({"G"});
  resize(80, 24);
  EXPECT_TRUE(sees("the end of it")) << screen();
  keys({"q"});
  expect_terminal_as_found();
}

TEST_F(Top, AnOutputThatALinkLeadsToElsewhereIsNotShown) {
  write_text(place.file("../secret.txt"), "a secret");
  place.workflow("w", {step("link", "ln -s ../secret.txt made.txt", "output: made.txt")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 1) << "a link is no output";
  open_top();
  keys({"6"});
  EXPECT_TRUE(sees("a link leads out of the project") && sees("secret.txt")) << screen();
  EXPECT_FALSE(has(screen(), "a secret")) << screen();
  const Outcome page = place.baton({"report", "last", "-o", "-"});
  EXPECT_TRUE(has(page.out, "It lies outside the project") && !has(page.out, "a secret"));
}

TEST_F(Top, TheKeysInTheLastLineCanBeClicked) {
  const std::string id = start_pair();
  ASSERT_TRUE(becomes(id, "running"));
  open_top();
  ASSERT_TRUE(sees("left says hello") && sees("n new p pause")) << screen();
  type("\x1b[<0;8;40M\x1b[<0;8;40m");
  EXPECT_TRUE(becomes(id, "paused")) << screen();
}

TEST_F(Top, CopiesTheIdAndOpensTheFolder) {
  place.write("go", "");
  const std::string id = start_pair();
  ASSERT_TRUE(becomes(id, "completed"));
  open_top();
  ASSERT_TRUE(sees(id));
  keys({"y"});
  EXPECT_TRUE(eventually([&] { return has(tmux({"show-buffer"}).out, id); })) << screen();
  keys({"o"});
  EXPECT_TRUE(sees("goes back to baton top")) << screen();
  type("pwd; exit");
  keys({"Enter"});
  EXPECT_TRUE(sees("1 runs")) << screen();
  EXPECT_EQ(fact("alternate_on"), "1");
}

TEST_F(Top, EveryPaneFilterSearchAndHelp) {
  place.write("go", "");
  const std::string id = start_pair();
  ASSERT_TRUE(becomes(id, "completed"));
  open_top();
  ASSERT_TRUE(sees("3/3")) << screen();
  keys({"4"});
  EXPECT_TRUE(sees("worked in place")) << screen();
  keys({"5"});
  EXPECT_TRUE(sees("no prompt")) << screen();
  keys({"7"});
  EXPECT_TRUE(sees("MODEL")) << screen();
  keys({"2"});
  keys({"g"});
  keys({"l"});
  EXPECT_TRUE(sees("left is done")) << screen();
  keys({"/"});
  type("hello");
  keys({"Enter"});
  EXPECT_TRUE(sees("n next")) << screen();
  keys({"Escape"});
  EXPECT_TRUE(sees_no_more("n next")) << screen();
  keys({"?"});
  EXPECT_TRUE(sees("Doing, to the selected run")) << screen();
  keys({"Escape"});
  EXPECT_TRUE(sees_no_more("Doing, to the selected run"));
  keys({"1"});
  keys({"/"});
  type("nosuchrun");
  EXPECT_TRUE(sees("none fits the filter")) << screen();
  keys({"Escape"});
  EXPECT_TRUE(sees(id));
  keys({"s"});
  EXPECT_TRUE(sees("by state")) << screen();
  keys({"z"});
  EXPECT_TRUE(sees_no_more("2 steps")) << screen();
}

TEST_F(Top, TheMouseWorks) {
  place.write("go", "");
  const std::string first = start_pair();
  ASSERT_TRUE(becomes(first, "completed"));
  const std::string second = start_pair();
  ASSERT_TRUE(becomes(second, "completed"));
  open_top();
  ASSERT_TRUE(sees("2 steps  pair " + second)) << screen();
  // The second run of the list: lines 6 and 7 of the screen, by the sequence that terminals send for a click.
  type("\x1b[<0;10;6M\x1b[<0;10;6m");
  EXPECT_TRUE(sees("2 steps  pair " + first)) << screen();
  EXPECT_FALSE(has(screen(), "› ")) << screen();
  // A tab: "7 cost" stands in the upper edge of the pane to be read.
  const std::vector<std::string> rows = lines_of(screen());
  std::size_t row = 0;
  while (row < rows.size() && !has(rows[row], "7 cost")) ++row;
  ASSERT_LT(row, rows.size()) << screen();
  // Every character before it takes one column, whatever bytes it has.
  const std::string before = rows[row].substr(0, rows[row].find("7 cost"));
  const auto column = std::ranges::count_if(before, [](char c) { return (c & '\xC0') != '\x80'; });
  type(fmt::format("\x1b[<0;{0};{1}M\x1b[<0;{0};{1}m", column + 1, row + 1));
  EXPECT_TRUE(sees("MODEL")) << screen();
  // The wheel, over the list.
  type("\x1b[<64;10;6M");
  EXPECT_TRUE(sees("2 steps  pair " + second)) << screen();
}

TEST_F(Top, QuittingLeavesRunsGoingAndSaysSo) {
  const std::string id = start_pair();
  ASSERT_TRUE(becomes(id, "running"));
  open_top();
  ASSERT_TRUE(sees("left says hello")) << screen();
  keys({"q"});
  EXPECT_TRUE(sees("1 run goes on without the dashboard: " + id)) << screen();
  expect_terminal_as_found();
  EXPECT_EQ(place.run_state(id), "running");
  place.write("go", "");
  EXPECT_TRUE(becomes(id, "completed"));
}

TEST_F(Top, RingsTheBellWhenARunEndsIfThatIsWanted) {
  const std::string id = start_pair();
  ASSERT_TRUE(becomes(id, "running"));
  open_top();
  ASSERT_TRUE(sees("left says hello")) << screen();
  keys({"b"});
  EXPECT_TRUE(sees("when a run ends: bell")) << screen();
  EXPECT_EQ(fact("window_bell_flag"), "0") << "it is quiet until then";
  place.write("go", "");
  EXPECT_TRUE(sees("pair " + id + " is completed")) << screen();
  EXPECT_TRUE(eventually([&] { return fact("window_bell_flag") == "1"; }));
}

TEST_F(Top, IsQuietUnlessAskedToBeOtherwise) {
  const std::string id = start_pair();
  ASSERT_TRUE(becomes(id, "running"));
  open_top();
  ASSERT_TRUE(sees("left says hello")) << screen();
  place.write("go", "");
  EXPECT_TRUE(sees("pair " + id + " is completed")) << screen();
  EXPECT_EQ(fact("window_bell_flag"), "0");
}

TEST_F(Top, TellsTheDesktopIfThatIsWanted) {
  place.write("../bin/notify-send",
              "#!/bin/sh\nprintf '%s\\n' \"$@\" > ../notified.tmp; mv ../notified.tmp ../notified\n");
  ASSERT_EQ(::chmod(place.file("../bin/notify-send").c_str(), 0755), 0);
  place.env["PATH"] = place.file("../bin") + ":" + place.env["PATH"];
  place.write("baton.toml", "[top]\nnotify = \"desktop\"\n");
  const std::string id = start_pair();
  ASSERT_TRUE(becomes(id, "running"));
  open_top();
  ASSERT_TRUE(sees("left says hello")) << screen();
  place.write("go", "");
  EXPECT_TRUE(eventually([&] { return has(place.read("../notified"), "pair " + id + " is completed"); }));
}

TEST_F(Top, WhatHadFailedBeforeIsNoNews) {
  place.workflow("bad", {step("no", "false")});
  ASSERT_EQ(place.baton({"run", "bad"}).code, 1);
  open_top();
  ASSERT_TRUE(sees("✗ failed")) << screen();
  EXPECT_FALSE(has(screen(), "is failed")) << screen();
  EXPECT_TRUE(has(screen(), "n new p pause")) << "the foot is free";
}

TEST_F(Top, SuspendsAndComesBack) {
  open_top();
  keys({"C-z"});
  EXPECT_TRUE(sees("Stopped")) << screen();
  EXPECT_EQ(fact("mouse_any_flag"), "0");
  EXPECT_EQ(fact("alternate_on"), "0");
  type("stty -g > ../stty.after; fg");
  keys({"Enter"});
  EXPECT_TRUE(sees("1 runs")) << screen();
  EXPECT_NE(fact("mouse_any_flag"), "0");
  EXPECT_EQ(place.read("../stty.after"), place.read("../stty.before")) << "what the shell had in between";
  keys({"q"});
  expect_terminal_as_found();
}

TEST_F(Top, TakesTheTerminalBackAfterBeingStoppedFromOutside) {
  open_top();
  const pid_t pid = top_pid();
  ASSERT_GT(pid, 0);
  ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  EXPECT_TRUE(sees("Stopped")) << screen();
  // Woken behind the shell it keeps off the shell's terminal.
  ASSERT_EQ(::kill(pid, SIGCONT), 0);
  EXPECT_TRUE(eventually([&] { return has(read_text("/proc/" + std::to_string(pid) + "/stat"), ") T "); }));
  // A screen that was left meanwhile.
  type("tput rmcup; echo back at the shell");
  keys({"Enter"});
  EXPECT_TRUE(sees("back at the shell\nshell$")) << screen();
  EXPECT_EQ(fact("alternate_on"), "0");
  type("fg");
  keys({"Enter"});
  EXPECT_TRUE(sees("1 runs") && sees_no_more("back at the shell")) << screen();
  EXPECT_EQ(fact("alternate_on"), "1");
  EXPECT_NE(fact("mouse_any_flag"), "0");
  keys({"?"});
  EXPECT_TRUE(sees("Doing, to the selected run")) << "keys are heard one by one\n" << screen();
  keys({"q"});
  expect_terminal_as_found();
}

TEST_F(Top, LeavesTheTerminalAsItFoundItHoweverItEnds) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT}) {
    if (sanitized() && (signal == SIGSEGV || signal == SIGABRT)) continue;  // the sanitizer keeps these for itself
    open_top();
    const pid_t pid = top_pid();
    ASSERT_GT(pid, 0);
    ASSERT_EQ(::kill(pid, signal), 0);
    EXPECT_TRUE(eventually([&] { return !is_alive(pid); })) << signal;
    expect_terminal_as_found();
    type("clear");
    keys({"Enter"});
  }
}

}  // namespace
}  // namespace baton::test
