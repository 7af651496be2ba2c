// The example is built against the installed package, as a user would do it, and run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/places.h"
#include "support/scratch.h"
#include "support/scripted_http.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// The exit code; what it prints goes to the log.
int sh(const Scratch& scratch, const std::string& line) {
  const int status = std::system(("{ " + line + " ; } >> " + scratch.file("log") + " 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Package, TheExampleBuildsAgainstItAndRuns) {
  const Scratch scratch;
  const auto log = [&] { return bytes_of(scratch.file("log")); };
  const std::string prefix = scratch.file("prefix");
  ASSERT_EQ(sh(scratch, "cmake --install '" + build_folder() + "' --component library --prefix " + prefix), 0) << log();
  EXPECT_TRUE(fs::exists(prefix + "/include/baton/baton.h"));
  ASSERT_EQ(sh(scratch, "cmake -S '" + source_folder() + "/examples/library' -B " + scratch.file("build") +
                            " -G Ninja -DCMAKE_PREFIX_PATH=" + prefix + " && cmake --build " + scratch.file("build")),
            0)
      << log();

  const std::string project = scratch.file("project");
  fs::create_directories(project + "/workspace/tasks");
  fs::create_directories(project + "/.agents/skills/copywriting");
  write_bytes(project + "/.agents/skills/copywriting/SKILL.md", "You write.\n");
  write_bytes(
      project + "/workspace/tasks/t-1.md",
      "---\nid: t-1\nstatus: pending\npriority: P2\nfrom: director\nto: copywriting\ncreated_at: x\nupdated_at: "
      "x\nrevision_count: 0\noutput_path: outputs/creative/copywriting/t-1.md\noutput_format: "
      "Markdown\nnext_type: complete\n---\n\n## Context\n- **Goal:** g\n\n## Requirements\n\nr\n");
  EXPECT_EQ(sh(scratch, "env -u ANTHROPIC_API_KEY " + scratch.file("build") + "/example " + project + " t-1"), 0)
      << log();
  EXPECT_THAT(log(), HasSubstr("outputs/creative/copywriting/t-1.md, 120 tokens"));
  EXPECT_THAT(bytes_of(project + "/workspace/outputs/creative/copywriting/t-1.md"), HasSubstr("# A draft by claude"));
  EXPECT_THAT(bytes_of(project + "/workspace/tasks/t-1.md"), HasSubstr("status: completed"));
  EXPECT_EQ(sh(scratch, "env -u ANTHROPIC_API_KEY " + scratch.file("build") + "/example " + project + " t-1"), 1)
      << "it is done";
  EXPECT_THAT(log(), HasSubstr("TASK_NOT_EXECUTABLE"));

  // The same over HTTP.
  ScriptedHttp server{R"([{"answer":{"text":"# From afar"}}])"};
  std::string task = bytes_of(project + "/workspace/tasks/t-1.md");
  task.replace(task.find("completed"), 9, "pending");
  write_bytes(project + "/workspace/tasks/t-1.md", task);
  EXPECT_EQ(sh(scratch, "ANTHROPIC_API_KEY=sk-some-key ANTHROPIC_BASE_URL=" + server.url("") + " " +
                            scratch.file("build") + "/example " + project + " t-1"),
            0)
      << log();
  EXPECT_EQ(bytes_of(project + "/workspace/outputs/creative/copywriting/t-1.md"), "# From afar");
}

}  // namespace
}  // namespace baton::test
