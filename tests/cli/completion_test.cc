// Completion, as the shells themselves see it.
#include <fmt/core.h>

#include <algorithm>

#include "support/programs.h"

namespace baton::test {
namespace {

using Words = std::vector<std::string>;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string{c};
  return out + "'";
}

/// As readline parts a line: at blanks, and '=' and ':' are words of their own.
Words parted(const std::string& line) {
  Words words{""};
  for (const char c : line) {
    const bool is_mark = c == '=' || c == ':';
    if (c == ' ' || is_mark) words.emplace_back(is_mark ? std::string{c} : "");
    if (is_mark) words.emplace_back("");
    if (c != ' ' && !is_mark) words.back() += c;
  }
  const std::string last = words.back();
  std::erase(words, "");
  const bool at_mark = line.ends_with('=') || line.ends_with(':');
  if (last.empty() && !at_mark) words.emplace_back("");
  return words;
}

class Completing : public Outside {
 protected:
  Completing() { place.env["PATH"] = program_of_ours("") + ":" + place.env["PATH"]; }

  Outcome shell(const Words& argv) {
    Launch launch = place.launch({});
    launch.argv = argv;
    return Process{launch}.wait();
  }

  /// What bash would offer at the end of this line.
  Words offered(const std::string& line) {
    std::string script = "source <(baton completion bash)\nCOMP_WORDS=(";
    const Words words = parted(line);
    for (const std::string& word : words) script += quoted(word) + " ";
    script +=
        fmt::format(")\nCOMP_CWORD={}\nCOMP_LINE={}\nCOMP_POINT={}\n", words.size() - 1, quoted(line), line.size());
    script += "[[ $(complete -p baton) == 'complete -F _baton baton' ]] || exit 9\n";
    script +=
        "_baton baton \"${COMP_WORDS[COMP_CWORD]}\" ''\n((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "
        "\"${COMPREPLY[@]}\"\n";
    const Outcome ran = shell({"/bin/bash", "--norc", "-c", script});
    EXPECT_EQ(ran.code, 0) << ran;
    EXPECT_EQ(ran.err, "") << line;
    return lines_of(ran.out);
  }

  static bool holds(const Words& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  }

  std::string run() {
    place.workflow("kit", {step("first", "true"), step("second", "true", "needs: [first]")},
                   "inputs:\n  - {name: text, required: false}\n");
    EXPECT_EQ(place.baton({"run", "kit"}).code, 0);
    return text_at(place.show(), "run");
  }
};

TEST_F(Completing, VerbsComeFromTheProgramItself) {
  const Words all = offered("baton ");
  for (const char* verb : {"run", "resume", "accept", "reject", "validate", "models", "cost", "completion"}) {
    EXPECT_TRUE(holds(all, verb)) << verb;
  }
  EXPECT_FALSE(holds(all, "__complete"));
  EXPECT_EQ(offered("baton res"), Words{"resume"});
  EXPECT_EQ(offered("baton -C / -q res"), Words{"resume"});
  EXPECT_EQ(offered("baton nonsense "), Words{});
  EXPECT_FALSE(file_exists(place.state()));
}

TEST_F(Completing, OptionsAndTheirChoices) {
  const Words all = offered("baton run --");
  for (const char* option :
       {"--task", "--rehearse", "--turn-budget", "--no-wait", "--sandbox-id", "--help", "--color"}) {
    EXPECT_TRUE(holds(all, option)) << option;
  }
  EXPECT_FALSE(holds(all, "--older-than"));
  EXPECT_FALSE(holds(offered("baton run --jobs 2 --"), "--jobs")) << "it is given already";
  EXPECT_TRUE(holds(offered("baton run --set limits.jobs=2 --"), "--set")) << "it may be given again";
  const Words colors{"auto", "always", "never"};
  EXPECT_EQ(offered("baton list --color "), colors);
  EXPECT_EQ(offered("baton list --color="), colors) << "readline keeps what stands before the '='";
  EXPECT_EQ(offered("baton list --color=al"), Words{"always"});
  EXPECT_EQ(offered("baton plan kit --format d"), Words{"dot"});
  EXPECT_EQ(offered("baton completion "), (Words{"bash", "zsh", "fish"}));
  EXPECT_EQ(offered("baton run --jobs "), Words{}) << "nobody knows";
}

TEST_F(Completing, WorkflowsAndFiles) {
  place.workflow("kit", {step("a", "true")});
  place.workflow("news", {step("a", "true")});
  place.write("notes.md", "x");
  const Words targets = offered("baton run ");
  EXPECT_TRUE(holds(targets, "kit") && holds(targets, "news") && holds(targets, "notes.md"));
  EXPECT_EQ(offered("baton run ne"), Words{"news"});
  EXPECT_EQ(offered("baton check kit ne"), Words{"news"}) << "check takes several";
  EXPECT_EQ(offered("baton run kit --task-file no"), Words{"notes.md"});
  EXPECT_EQ(offered("baton run kit -i content=no"), Words{"notes.md"});
  EXPECT_EQ(offered("baton run kit --rehearse=no"), Words{"notes.md"});
  EXPECT_EQ(offered("baton run --set limits.jobs=2 ne"), Words{"news"}) << "one setting takes one word";
  place.write("folder/x", "");
  EXPECT_EQ(offered("baton -C fo"), Words{"folder"});
  EXPECT_EQ(offered("baton list -C n"), Words{}) << "no folder begins so";
  EXPECT_FALSE(file_exists(place.state()));
}

TEST_F(Completing, RunsStepsAndInputs) {
  EXPECT_EQ(offered("baton show "), Words{}) << "there are no runs yet";
  EXPECT_FALSE(file_exists(place.state())) << "asking makes nothing";
  const std::string id = run();
  EXPECT_EQ(offered("baton show "), (Words{"last", id}));
  EXPECT_EQ(offered("baton logs " + id.substr(0, 4)), Words{id});
  EXPECT_EQ(offered("baton why last "), (Words{"first", "second"}));
  EXPECT_EQ(offered("baton retry " + id + " s"), Words{"second"});
  EXPECT_EQ(offered("baton why nobody "), Words{});
  EXPECT_EQ(offered("baton run kit --only f"), Words{"first"});
  EXPECT_EQ(offered("baton run kit --only first s"), Words{"second"}) << "it takes several";
  EXPECT_EQ(offered("baton run kit -i te"), Words{"text="});
  const std::string sandbox = text_at(place.show(), "sandbox");
  EXPECT_EQ(offered("baton run --sandbox-id "), Words{sandbox.substr(sandbox.rfind('/') + 1)});
  place.cwd = "/";
  EXPECT_EQ(offered("baton show -C " + place.root() + " las"), Words{"last"}) << "the project that was named";
}

TEST_F(Completing, IdsWithColonsAreKeptWhole) {
  place.workflow("kit", {step("part:one", "true"), step("part:two", "true")});
  ASSERT_EQ(place.baton({"run", "kit"}).code, 0);
  EXPECT_EQ(offered("baton why last part:t"), Words{"two"}) << "readline keeps what stands before the ':'";
}

TEST_F(Completing, SkillsModelsAndSettings) {
  place.write(".claude/skills/writer/SKILL.md", "---\nname: writer\ndescription: Writes.\n---\nWrite.\n");
  EXPECT_EQ(offered("baton skills w"), Words{"writer"});
  EXPECT_TRUE(holds(offered("baton run x --model "), "opus"));
  EXPECT_EQ(offered("baton run x --runtime "), (Words{"claude", "anthropic", "openai"}));
  const Words keys = offered("baton config --set ");
  for (const char* key : {"limits.jobs=", "limits.stall=", "runtime.claude.model=", "skills.writer.timeout="}) {
    EXPECT_TRUE(holds(keys, key)) << key;
  }
  EXPECT_EQ(offered("baton run x --set git.merge="), (Words{"merge", "squash", "rebase"}));
  EXPECT_EQ(offered("baton run x --set=review.auto_accept=t"), Words{"true"});
  EXPECT_EQ(offered("baton run x --set runtime.claude.permission_mode=by"), Words{"bypassPermissions"});
}

TEST_F(Completing, ChainsOfSkills) {
  place.write("baton.toml", "[workflows]\nship = [\"build\"]\n");
  EXPECT_EQ(offered("baton run sh"), Words{"ship"});
  EXPECT_EQ(offered("baton run sd"), Words{"sdlc"});
  EXPECT_TRUE(holds(offered("baton config --set workflows.s"), "workflows.ship="));
}

TEST_F(Completing, NothingIsEverSaidLoudly) {
  place.write("baton.toml", "this is [no toml");
  for (const Words& words :
       {Words{}, Words{""}, Words{"run", ""}, Words{"show", "--color"}, Words{"--", "-"},
        Words{"run", "--only", "x", "y", "--", "\x1b[31m", ""}, Words{"-C", "/nowhere", "show", ""}}) {
    Words argv{"__complete"};
    argv.insert(argv.end(), words.begin(), words.end());
    const Outcome asked = place.baton(argv);
    EXPECT_EQ(asked.code, 0) << asked;
    EXPECT_EQ(asked.err, "");
    EXPECT_TRUE(asked.out.starts_with(":")) << asked;
  }
  EXPECT_FALSE(file_exists(place.state()));
  EXPECT_EQ(place.baton({"completion", "tcsh"}).code, 2);
}

/// Loads the script in the shell, where there is one.
class OtherShells : public Completing {
 protected:
  bool is_there(const std::string& program) {
    return shell({"/bin/sh", "-c", "command -v " + program + " >/dev/null"}).code == 0;
  }
};

TEST_F(OtherShells, ZshLoadsTheScript) {
  if (!is_there("zsh")) GTEST_SKIP() << "zsh is not installed";
  const Outcome checked = shell({"/bin/sh", "-c", "baton completion zsh > z && zsh -n z"});
  EXPECT_EQ(checked.code, 0) << checked;
  const Outcome loaded =
      shell({"/bin/sh", "-c",
             "zsh -f -c 'autoload -U compinit && compinit -D -u && source <(baton completion zsh) && "
             "print -r -- ${_comps[baton]}'"});
  EXPECT_EQ(loaded.out, "_baton\n") << loaded;
}

TEST_F(OtherShells, FishOffersTheSame) {
  if (!is_there("fish")) GTEST_SKIP() << "fish is not installed";
  const Outcome checked = shell({"/bin/sh", "-c", "baton completion fish > f && fish --no-execute f"});
  EXPECT_EQ(checked.code, 0) << checked;
  place.workflow("kit", {step("a", "true")});
  const auto fish = [&](const std::string& line) {
    return shell({"/bin/sh", "-c", "fish --no-config -c 'source f; complete -C \"" + line + "\"'"}).out;
  };
  EXPECT_TRUE(has(fish("baton res"), "resume\t"));
  EXPECT_TRUE(has(fish("baton run "), "kit\t"));
  EXPECT_TRUE(has(fish("baton list --color=al"), "--color=always"));
  EXPECT_TRUE(has(fish("baton run kit --task-file=workfl"), "--task-file=workflows/"));
}

}  // namespace
}  // namespace baton::test
