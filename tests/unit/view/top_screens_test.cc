// The dashboard as people see it, at several sizes. BATON_WRITE_GOLDEN=1 writes the screens anew; look at each.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/places.h"
#include "top_story.h"
#include "view/cells.h"

namespace baton::top {
namespace {

const std::string folder = test::source_folder() + "/tests/unit/view/golden/";

std::string contents(const std::string& path) {
  const std::ifstream in{path, std::ios::binary};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Every line is as wide as the screen, whatever is on it.
void expect_whole(const Grid& grid) {
  for (int y = 0; y < grid.size().height; ++y) {
    int columns = 0;
    for (int x = 0; x < grid.size().width; ++x) {
      const Cell& c = grid.at(x, y);
      columns += c.width;
      if (c.width == 0) {
        ASSERT_GT(x, 0);
        EXPECT_EQ(grid.at(x - 1, y).width, 2) << "half a character at " << x << "," << y;
        EXPECT_TRUE(c.text.empty());
      } else {
        EXPECT_EQ(columns_of(c.text), c.width) << "'" << c.text << "' at " << x << "," << y;
      }
      EXPECT_EQ(c.text.find('\x1b'), std::string::npos);
    }
    EXPECT_EQ(columns, grid.size().width) << grid.row_text(y);
  }
}

void expect_golden(const Model& m, const std::string& name) {
  const Screen screen = draw(m);
  expect_whole(screen.grid);
  const std::string path = folder + "top_" + name + ".txt";
  if (std::getenv("BATON_WRITE_GOLDEN") != nullptr) std::ofstream{path} << screen.grid.text();
  EXPECT_EQ(screen.grid.text(), contents(path)) << "BATON_WRITE_GOLDEN=1 writes it anew; look at the difference";
}

class Screens : public testing::Test {
 protected:
  Story story;
  Model& m = story.model;
};

TEST_F(Screens, AtTheUsualSizes) {
  for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
    resize(m, size);
    expect_golden(m, fmt::format("{}x{}", size.width, size.height));
  }
}

TEST_F(Screens, AtTinySizes) {
  for (const Size size : {Size{40, 12}, Size{24, 8}, Size{20, 6}, Size{12, 3}}) {
    resize(m, size);
    expect_golden(m, fmt::format("{}x{}", size.width, size.height));
  }
}

TEST_F(Screens, TheHeadLeavesOutWholeWordsAndAllCountsOrNone) {
  const std::string in_words = " ▶ 1 running ‖ 1 paused ? 1 to review ✗ 1 failed ✓ 1 done";
  const std::string in_signs = " ▶1 ‖1 ?1 ✗1 ✓1";
  for (int width = 20; width <= 200; ++width) {
    resize(m, {width, 24});
    std::string head = draw(m).grid.row_text(0);
    ASSERT_TRUE(head.starts_with(" baton top ")) << width << head;
    const bool has_words = head.find(in_words) != std::string::npos;
    const bool has_signs = head.find(in_signs) != std::string::npos;
    EXPECT_TRUE(has_words || has_signs || width < 28) << width << head;
    EXPECT_TRUE(has_words || has_signs || head.find("▶") == std::string::npos) << width << head;
    for (const std::string& part : {in_words, in_signs, std::string{" baton top "}, std::string{" myshop "}}) {
      if (const auto at = head.find(part); at != std::string::npos) head.replace(at, part.size(), " ");
    }
    for (const std::string part : {"1.4M tokens  $15.66", "$15.66", "? help", "q quit"}) {
      if (const auto at = head.find(part); at != std::string::npos) head.erase(at, part.size());
    }
    EXPECT_EQ(head.find_first_not_of(' '), std::string::npos) << width << " '" << head << "' is left of something cut";
  }
}

TEST_F(Screens, EverySizeFromNothingOnIsDrawnWhole) {
  for (int width = 0; width <= 130; width += width < 30 ? 1 : 7) {
    for (int height = 0; height <= 45; height += height < 12 ? 1 : 5) {
      resize(m, {width, height});
      for (const char* keys : {"", "2", "3", "4", "7", "?", "n", "c", "u", "/"}) {
        m.dialog = std::monostate{};
        press(m, keys);
        const Screen screen = draw(m);
        EXPECT_EQ(screen.grid.size(), (Size{width, height}));
        expect_whole(screen.grid);
        if (screen.cursor) {
          EXPECT_TRUE((Rect{0, 0, width, height}.holds(*screen.cursor))) << width << "x" << height << keys;
        }
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Screens, TheOtherPanesAndDialogs) {
  resize(m, {100, 30});
  press(m, "7");
  expect_golden(m, "cost");
  m.document(Pane::diff)
      .set("d", diff_entries("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new \x1b[31m漢\n"
                             "diff --git a/q.sql b/q.sql\n--- a/q.sql\n+++ b/q.sql\n@@ -1 +1 @@\n--- a comment\n"));
  press(m, "4");
  expect_golden(m, "diff");
  press(m, "?");
  expect_golden(m, "help");
  press(m, Key::Kind::escape);
  press(m, "c");
  expect_golden(m, "confirm");
  press(m, Key::Kind::escape);
  press(m, "u");
  for (const char* line : {"Also mention the q in ", "漢字", " and 👩‍💻."}) press(m, Key::Kind::paste, line);
  expect_golden(m, "follow_up");
  press(m, Key::Kind::escape);
  press(m, "n");
  workflows_found(
      m,
      {{"release-notes", "What changed, for people", {{"changes", true, "a list of commits"}, {"style", false}}, true},
       {"quick", "One agent", {}, true}});
  expect_golden(m, "new_run");
  press(m, Key::Kind::enter);
  expect_golden(m, "new_run_form");
}

TEST_F(Screens, FoldedEntriesOpenAndASearchIsMarked) {
  resize(m, {100, 30});
  press(m, "3zgj");
  press(m, " ");
  expect_golden(m, "log_unfolded");
  press(m, "/");
  press(m, "tag");
  press(m, Key::Kind::enter);
  const Document& log = m.document(Pane::log);
  EXPECT_EQ(log.cursor, 5U);
  press(m, "n");
  EXPECT_EQ(log.cursor, 6U);
  press(m, "n");
  EXPECT_EQ(log.cursor, 5U) << "round and round";
  expect_golden(m, "log_search");
}

}  // namespace
}  // namespace baton::top
