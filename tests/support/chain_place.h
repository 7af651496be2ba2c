#pragma once

#include <string>
#include <vector>

#include "support/scripted_claude.h"

namespace baton::test {

/// A project in a git repository of its own, with a scripted `claude` that does the work of chains.
class WithChain : public Outside {
 protected:
  explicit WithChain(const std::string& branch = "main") {
    place.env["GIT_CONFIG_NOSYSTEM"] = "1";
    write_text(place.env["HOME"] + "/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
    place.write("README", "first\n");
    place.write("notes", "mine\n");
    git("init -q -b " + branch + " && git add -A && git commit -q -m first");
    claude.does("default", "says 'Done.'");
    claude.does("review", R"(says '{"success": true, "review_summary": "It is well made.", "review_issues": []}')");
  }

  /// What a git command (or several, `&& git …`) prints in the project's folder, without the last line's end.
  std::string git(const std::string& command) { return sh("git " + command); }
  std::string sh(const std::string& command) {
    const std::string out = place.file("../sh.out");
    Process shell{{.argv = {"/bin/sh", "-c", "{ " + command + "\n} 2>&1"},
                   .cwd = place.root(),
                   .env = place.env,
                   .out_path = out,
                   .err_path = out + ".err"}};
    const Outcome ended = shell.wait();
    EXPECT_EQ(ended.code, 0) << command << "\n" << ended;
    std::string text = ended.out;
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }

  /// The skill writes this file in its working tree, and says that it did.
  void writes(const std::string& step, const std::string& file, const std::string& text = "made") {
    claude.does(step, "mkdir -p \"$(dirname '" + file + "')\"; echo '" + text + "' > '" + file + "'; says 'Wrote " +
                          file + ".'");
  }
  Outcome run(const std::string& workflow, std::vector<std::string> more = {}) {
    std::vector<std::string> args{"run", workflow, "--task", "Add a login page"};
    args.insert(args.end(), more.begin(), more.end());
    return place.baton(std::move(args));
  }

  Process start(const std::string& workflow, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", workflow, "--task", "Add a login page"});
    return place.start(std::move(more));
  }

  /// A chain of the user's own: `"spec", "build"`.
  void workflow(const std::string& name, const std::string& skills) {
    place.write("baton.toml", place.read("baton.toml") + "[workflows." + name + "]\nskills = [" + skills + "]\n");
    git("add baton.toml && git commit -q -m workflows");
  }

  /// The skill answers when let_go() was told this word.
  void waits(const std::string& step, const std::string& word, const std::string& answer = "Done.") {
    claude.does(step, "until_there '" + place.file("../" + word) + "'; says '" + answer + "'");
  }
  void let_go(const std::string& word) { place.write("../" + word, ""); }

  /// "1 of 3: ["build"]": what is done, what there is, what is at work.
  std::string progress() {
    const json::object shown = place.show().at("progress").as_object();
    return fmt::format("{} of {}: {}", number_at(shown, "done"), number_at(shown, "total"),
                       json::serialize(shown.at("current")));
  }
  /// What the step of the newest run answered.
  std::string output_of(const std::string& step) { return read_text(text_at(step_of(place.show(), step), "output")); }
  /// The subjects of the newest run's commits, the last one first.
  std::string branch_log() { return git("log --format=%s main.." + text_at(place.show(), "branch")); }

  ScriptedClaude claude{place};
};

}  // namespace baton::test
