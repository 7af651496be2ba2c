// What counts as a step's output: a file of its own, in the project, and of an agent with something in it.
#include <filesystem>

#include "cli/team_place.h"
#include "support/scripted_claude.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

/// A step that makes `out/a.txt`, or the like of it, in each way that steps are carried out.
struct Maker {
  std::string name;
  bool is_agent = false;
  bool is_item = false;
  bool is_text = true;
};

class OwnOutput : public Outside, public testing::WithParamInterface<Maker> {
 protected:
  OwnOutput() {
    write_skill(place);
    write_text(secret_, "{\"title\": \"what is none of ours\"}\n");
  }

  [[nodiscard]] std::string output() const {
    return std::string{GetParam().is_item ? "out/${{ item }}" : "out/a"} + (GetParam().is_text ? ".txt" : ".json");
  }
  /// The step does this, and there it says that it is done. `$BATON_OUTPUT` is where its output belongs.
  Outcome run_making(const std::string& shell) {
    const std::string more =
        "output: " + output() + "\nretries: 0" + (GetParam().is_item ? "\nfor_each: [one, two]" : "");
    claude_.does("default", "begin; answer m1 100 20; " + shell + "; result 100 20 0.0008");
    std::string agent = "  - id: a\n    skill: writer\n    mission: write\n";
    for (const std::string& line : lines_of(more)) agent += "    " + line + "\n";
    place.workflow("w", {GetParam().is_agent ? agent : step("a", shell, more)});
    return place.baton({"run", "w"});
  }
  void expect_not_accepted(const Outcome& ran, const std::string& code) {
    EXPECT_EQ(ran.code, 1) << ran;
    EXPECT_EQ(place.run_state(), "failed");
    EXPECT_TRUE(has(ran.err, code)) << ran;
    EXPECT_FALSE(has(ran.out, "none of ours")) << ran;
    EXPECT_EQ(read_text(secret_), "{\"title\": \"what is none of ours\"}\n");
  }

  std::string secret_ = place.env["HOME"] + "/secret.json";

 private:
  ScriptedClaude claude_{place};
};

TEST_P(OwnOutput, IsNoLink) {
  expect_not_accepted(run_making("mkdir -p out; ln -s '" + secret_ + "' \"$BATON_OUTPUT\""), "Output is a link");
}

TEST_P(OwnOutput, IsNotPutElsewhereByALinkThatItsStepMakes) {
  const std::string elsewhere = place.env["HOME"] + "/elsewhere";
  fs::create_directories(elsewhere);
  expect_not_accepted(run_making("rm -rf out; ln -s '" + elsewhere + "' out; cp '" + secret_ + "' \"$BATON_OUTPUT\""),
                      "outside of the project");
}

TEST_P(OwnOutput, IsNotBegunWhereALinkLeadsOutAlready) {
  const std::string elsewhere = place.env["HOME"] + "/elsewhere";
  fs::create_directories(elsewhere);
  fs::create_directory_symlink(elsewhere, place.file("out"));
  expect_not_accepted(run_making("touch ran; cp '" + secret_ + "' \"$BATON_OUTPUT\""), "path-leaves-folder");
  EXPECT_FALSE(place.exists("ran"));
  EXPECT_TRUE(fs::is_empty(elsewhere));
}

TEST_P(OwnOutput, MayLieInAnotherFolderOfTheProjectByALink) {
  fs::create_directories(place.file("real"));
  fs::create_directory_symlink("real", place.file("out"));
  EXPECT_EQ(run_making("cp '" + secret_ + "' \"$BATON_OUTPUT\"").code, 0);
}

TEST_P(OwnOutput, OfAnAgentIsNotEmpty) {
  for (const char* empty : {"", " \\n\\t \\n"}) {
    const Outcome ran = run_making(std::string{"mkdir -p out; printf '"} + empty + "' > \"$BATON_OUTPUT\"");
    if (GetParam().is_text && !GetParam().is_agent) {
      EXPECT_EQ(ran.code, 0) << "a command may have nothing to say: " << ran;
    } else {
      expect_not_accepted(ran, GetParam().is_text ? "Output is empty" : "checks-failed");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, OwnOutput,
                         testing::Values(Maker{"command"}, Maker{"claude", true}, Maker{"item", false, true},
                                         Maker{"item_of_claude", true, true}, Maker{"document", true, false, false}),
                         [](const auto& info) { return info.param.name; });

class OwnOutputs : public Outside {};

TEST_F(OwnOutputs, OfASandboxThatIsTakenUpAreNoLinks) {
  place.workflow("w", {step("a", "echo ran >> ran; rm -f \"$BATON_OUTPUT\"; echo '{}' > \"$BATON_OUTPUT\"",
                            "output: ${{ sandbox }}/outputs/a.json")});
  const std::string secret = place.env["HOME"] + "/secret.json";
  write_text(secret, "{}\n");
  place.write("sandbox/x/validation.json",
              R"({"workflow": "w", "steps": {"a": {"output": "outputs/a.json", "validated": true}}})");
  fs::create_directories(place.file("sandbox/x/outputs"));
  fs::create_symlink(secret, place.file("sandbox/x/outputs/a.json"));
  EXPECT_EQ(place.baton({"run", "--sandbox-id", "x"}).code, 0);
  EXPECT_EQ(place.read("ran"), "ran\n") << "what others left there is no output of the step";
  fs::remove(place.file("sandbox/x/outputs/a.json"));
  fs::create_symlink(secret, place.file("sandbox/x/outputs/a.json"));
  EXPECT_EQ(place.baton({"run", "--sandbox-id", "x"}).code, 0);
  EXPECT_EQ(place.read("ran"), "ran\nran\n") << "nor is what took its output's place";
}

/// The folder of all sandboxes may lie on another disk, because a person put it there.
TEST_F(OwnOutputs, MayLieInASandboxFolderThatIsALinkItself) {
  fs::create_directories(place.env["HOME"] + "/sandboxes");
  fs::create_directory_symlink(place.env["HOME"] + "/sandboxes", place.file("sandbox"));
  place.workflow("w", {step("a", "echo '{}' > \"$BATON_OUTPUT\"", "output: ${{ sandbox }}/outputs/a.json")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
}

class OwnArtifacts : public WithTeam {};

TEST_F(OwnArtifacts, AreNoLinks) {
  team({{"A-1", "analyst"}, {"B-1", "writer", {"A-1"}}});
  const std::string secret = place.env["HOME"] + "/secret.md";
  write_text(secret, "what is none of ours\n");
  claude.does("A-1", "mkdir -p \"${BATON_OUTPUT%/*}\"; ln -s '" + secret + "' \"$BATON_OUTPUT\"; says done");
  EXPECT_EQ(through().code, 1);
  const json::object a = attempt_of(place.show(), "A-1", 1);
  EXPECT_EQ(text_at(a, "state"), "failed");
  EXPECT_TRUE(has(json::serialize(a), "Output is a link")) << a;
  EXPECT_EQ(step_of(place.show(), "B-1").at("attempts").as_array().size(), 0U);
}

}  // namespace
}  // namespace baton::test
