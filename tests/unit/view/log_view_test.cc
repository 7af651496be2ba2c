#include "view/log_view.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

TEST(LogView, EveryLineIsHarmlessAndWhole) {
  EXPECT_EQ(log_text({Voice::agent, "one\r\n\x1b[2Jtwo\ttabbed \xE2\x80\xAE x"}, false),
            "one\n\\x1b[2Jtwo\ttabbed \\u202e x\n");
  EXPECT_EQ(log_text({Voice::program, ""}, false), "\n");
  EXPECT_EQ(log_text({Voice::helper, "a\nb"}, false), "[agent] a\n[agent] b\n");
}

TEST(LogView, ColoursAreOursAndEndWithEachLine) {
  EXPECT_EQ(log_text({Voice::trouble, "a\nb\x1b[0m"}, true), "\x1b[31ma\x1b[0m\n\x1b[31mb\\x1b[0m\x1b[0m\n");
  EXPECT_EQ(log_text({Voice::agent, "plain"}, true), "plain\n") << "what was said is read, not looked at";
  EXPECT_EQ(log_text({Voice::tool, "[tool] Bash: ls"}, true), "\x1b[36m[tool] Bash: ls\x1b[0m\n");
}

}  // namespace
}  // namespace baton
