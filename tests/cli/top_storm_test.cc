// Output that pours and output that means harm, on a terminal whose size will not stand still.
#include <fmt/core.h>

#include <algorithm>

#include "top_place.h"

namespace baton::test {
namespace {

class Storm : public WithTop {
 protected:
  /// The frame is whole: head, foot, and every row as wide as the screen.
  bool is_whole(int columns, int rows) {
    const std::vector<std::string> lines = lines_of(screen());
    if (static_cast<int>(lines.size()) != rows || !lines.front().starts_with(" baton top ")) return false;
    if (!has(lines.back(), "n new") && !has(lines.back(), "●") && !has(lines.back(), "✗")) return false;
    return std::ranges::any_of(lines, [&](const std::string& l) { return has(l, "╰"); }) && columns > 0;
  }
};

TEST_F(Storm, ResizingAtRandomWhileOutputPours) {
  // So many lines that it pours while the screen is resized, and an end, so that a slow build comes to it.
  place.workflow("pour", {step("pour",
                               "i=0; while [ ! -e stop ]; do i=$((i+1)); if [ $i -gt 300000 ]; then sleep 0.1; else "
                               "echo \"line $i 漢字 👩‍💻 of many that pour\"; fi; done")});
  Process run = place.start({"run", "pour"});
  ASSERT_TRUE(eventually([&] { return place.run_state() == "running"; }));
  open_top(100, 30);
  ASSERT_TRUE(sees("of many that pour")) << screen();
  std::uint64_t seed = 42;
  const auto draw = [&](int from, int to) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return from + static_cast<int>((seed >> 33U) % static_cast<std::uint64_t>(to - from + 1));
  };
  for (int i = 0; i < 60; ++i) {
    resize(draw(1, 220), draw(1, 70));
    if (i % 5 == 0)
      keys({std::vector<std::string>{"1", "2", "3", "z", "?", "Escape"}.at(static_cast<std::size_t>(draw(0, 5)))});
  }
  const pid_t pid = top_pid();
  EXPECT_TRUE(is_alive(pid));
  keys({"Escape"});
  keys({"Escape"});
  for (const auto& [columns, rows] : {std::pair{80, 24}, std::pair{120, 40}}) {
    resize(columns, rows);
    EXPECT_TRUE(eventually([&] { return is_whole(columns, rows); })) << screen();
  }
  place.write("stop", "");
  EXPECT_EQ(run.wait().code, 0);
  EXPECT_TRUE(eventually([&] { return has(screen(), "✓ completed") || has(screen(), "is completed"); })) << screen();
  EXPECT_TRUE(is_alive(pid));
  keys({"q"});
  expect_terminal_as_found();
  EXPECT_FALSE(has(screen(), "─") || has(screen(), "│")) << "nothing of it stays:\n" << screen();
}

TEST_F(Storm, NothingThatIsPrintedDrivesTheTerminal) {
  std::string bytes;
  for (int tail = 0; tail < 256; ++tail) {
    if (tail == '\n') continue;
    bytes += fmt::format("<\x1b{}> tail {:02x}\n", static_cast<char>(tail), tail);
  }
  for (int c1 = 0x80; c1 < 0xA0; ++c1) {
    bytes += fmt::format("<{}> raw {:02x}\n<\xC2{}31m2J> utf {:02x}\n", static_cast<char>(c1), c1,
                         static_cast<char>(c1), c1);
  }
  for (const char* whole : {"\x1b[2J\x1b[H", "\x1b]0;pwned\x07", "\x1b[?1049l", "\x1b[?25h", "\x1b[6n",
                            "\x1bP$q\"p\x1b\\", "\x1b(0lqk", "\x1b]52;c;cHduZWQ=\x07", "\x1b[8;5;5t", "\x1b#8",
                            "\x1b"
                            "c",
                            "\x0e\x0f\x08\x0c\x0b\x07"}) {
    bytes += fmt::format("<{}> whole\n", whole);
  }
  bytes += "\x1b[32mgreen survives\x1b[0m\nthe very end\n";
  place.write("bytes", bytes);
  place.workflow("harm", {step("harm", "cat bytes")});
  ASSERT_EQ(place.baton({"run", "harm"}).code, 0);
  open_top(100, 40);
  const std::string title = fact("pane_title");
  keys({"l"});
  keys({"z"});
  ASSERT_TRUE(sees("the very end")) << screen();
  EXPECT_TRUE(has(screen(), "\\x1b[2J\\x1b[H> whole")) << screen();
  const std::vector<std::string> colored = lines_of(tmux({"capture-pane", "-p", "-e", "-t", "top"}).out);
  EXPECT_TRUE(std::ranges::any_of(colored, [](const std::string& line) {
    return has(line, "green survives") && has(line, "\x1b[32m");
  })) << "colours survive";
  std::string seen;
  for (int page = 0; page < 60 && !has(seen, "tail 00"); ++page) {
    seen = screen();
    EXPECT_TRUE(is_whole(100, 40)) << seen;
    keys({"PageUp"});
  }
  EXPECT_TRUE(sees("<\\x1b\\x00> tail 00")) << screen();
  EXPECT_EQ(fact("alternate_on"), "1");
  EXPECT_EQ(fact("cursor_flag"), "0");
  EXPECT_EQ(fact("pane_title"), title);
  EXPECT_FALSE(has(tmux({"show-buffer"}).out, "pwned"));
  EXPECT_EQ(fact("pane_width"), "100");
  keys({"q"});
  expect_terminal_as_found();
}

}  // namespace
}  // namespace baton::test
