#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/programs.h"

namespace baton::test {

/// A step for an agent, which is to write out/ID.json. `more` holds further lines (`needs: [a]`).
inline std::string agent_step(const std::string& id, const std::string& mission, const std::string& more = "") {
  std::string text = fmt::format(
      "  - id: {0}\n    skill: writer\n    mission: '{1}'\n    output: out/{0}.json\n    validate:\n"
      "      required_fields: [title]\n",
      id, mission);
  for (const std::string& line : lines_of(more)) text += "    " + line + "\n";
  return text;
}

/// The skill of those steps. `more` holds further lines of its head (`allowed-tools: Bash`).
inline void write_skill(const Place& place, const std::string& more = "") {
  place.write(".claude/skills/writer/SKILL.md",
              "---\nname: writer\ndescription: Writes.\ninputless: true\n" + more + "---\n\nWrite well.\n");
}

/// A `claude` of the test's own, first on PATH. It keeps what it was given: arguments, environment and prompt. Then it
/// does what the test said it does at this step, in shell. These words are there:
///   begin                      the first line of a turn
///   answer ID INPUT OUTPUT     a message of the model's with so many tokens, at $4 and $20 a million
///   put JSON                   writes the step's output
///   result INPUT OUTPUT COST   a result that is no error; ends nothing by itself
///   says TEXT                  a whole turn that ends with this answer
///   fails STATUS REASON TEXT   a result that is an error, as for a failed request, and exit code 1
class ScriptedClaude {
 public:
  explicit ScriptedClaude(Place& place) : folder_(place.env["HOME"] + "/claude") {
    std::filesystem::create_directories(folder_ + "/kept");
    std::filesystem::create_directories(folder_ + "/acts");
    install(folder_ + "/bin/claude");
    place.env["PATH"] = folder_ + "/bin:" + place.env["PATH"];
    does("default", "begin; answer m1 100 20; put '{\"title\":1}'; result 100 20 0.0008");
  }

  /// The same program under another name.
  void install(const std::string& path) const {
    write_text(path, program());
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  /// For a step (`a`), or for one attempt at it (`a.2`).
  void does(const std::string& whom, const std::string& shell) const {
    write_text(folder_ + "/acts/" + whom, shell + "\n");
  }

  /// Each process that was started: "a.1 4711", in that order.
  [[nodiscard]] std::vector<std::string> processes() const { return lines_of(read_text(folder_ + "/kept/processes")); }
  /// Only whom they were started for: "a.1".
  [[nodiscard]] std::vector<std::string> started() const {
    std::vector<std::string> names;
    for (const std::string& line : processes()) names.push_back(line.substr(0, line.find(' ')));
    return names;
  }
  /// Of the first process for `whom` ("a.1"), once its prompt was read; 0 and a failed test if it never came.
  [[nodiscard]] pid_t pid_of(const std::string& whom) const {
    EXPECT_TRUE(eventually([&] { return file_exists(kept(whom, "begun")); })) << whom << " never began";
    for (const std::string& line : processes()) {
      if (line.starts_with(whom + " ")) return static_cast<pid_t>(std::stol(line.substr(whom.size() + 1)));
    }
    return 0;
  }
  [[nodiscard]] std::vector<std::string> arguments(const std::string& whom = "a.1") const {
    return lines_of(read_text(kept(whom, "args")));
  }
  /// What follows this option among the arguments; "(none)" if it is not there.
  [[nodiscard]] std::string option(const std::string& name, const std::string& whom = "a.1") const {
    const auto all = arguments(whom);
    const auto at = std::ranges::find(all, name);
    return at == all.end() || at + 1 == all.end() ? "(none)" : *(at + 1);
  }
  [[nodiscard]] bool has_argument(const std::string& word, const std::string& whom = "a.1") const {
    return std::ranges::count(arguments(whom), word) > 0;
  }
  /// The value of a variable of its environment; "(none)" if it has none.
  [[nodiscard]] std::string variable(const std::string& name, const std::string& whom = "a.1") const {
    for (const std::string& line : lines_of(read_text(kept(whom, "env")))) {
      if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
    }
    return "(none)";
  }
  [[nodiscard]] std::string prompt(const std::string& whom = "a.1") const { return read_text(kept(whom, "prompt")); }

 private:
  [[nodiscard]] std::string kept(const std::string& whom, const std::string& what) const {
    return fmt::format("{}/kept/{}.{}", folder_, whom, what);
  }

  [[nodiscard]] std::string program() const {
    return "#!/bin/sh\nfolder='" + folder_ + R"sh('
me="$BATON_STEP.$BATON_ATTEMPT"
echo "$me $$" >> "$folder/kept/processes"
printf '%s\n' "$@" > "$folder/kept/$me.args"
env > "$folder/kept/$me.env"
cat > "$folder/kept/$me.prompt"
: > "$folder/kept/$me.begun"
model=claude-opus-5-5
begin() { echo '{"type":"system","subtype":"init","session_id":"s1","model":"'$model'","tools":[]}'; }
answer() {
  echo '{"type":"assistant","message":{"id":"'$1'","model":"'$model'","content":[{"type":"text","text":"Said '$1'."}],'\
'"usage":{"input_tokens":'$2',"output_tokens":'$3'}},"parent_tool_use_id":null,"session_id":"s1"}'
}
put() { mkdir -p "${BATON_OUTPUT%/*}"; printf '%s' "$1" > "$BATON_OUTPUT"; }
result() {
  use='{"'$model'":{"inputTokens":'$1',"outputTokens":'$2',"costUSD":'$3'}}'
  echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","stop_reason":"end_turn",'\
'"terminal_reason":"completed","num_turns":1,"total_cost_usd":'$3',"modelUsage":'$use','\
'"model_usage_since_last_result":'$use',"session_id":"s1"}'
}
escaped() { printf '%s' "$1" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' | awk '{printf "%s%s", sep, $0; sep="\\n"}'; }
says() {
  use='{"'$model'":{"inputTokens":100,"outputTokens":20,"costUSD":0.0008}}'
  begin
  answer m1 100 20
  printf '%s' '{"type":"result","subtype":"success","is_error":false,"result":"'
  escaped "$1"
  echo '","stop_reason":"end_turn","terminal_reason":"completed","num_turns":1,"total_cost_usd":0.0008,"modelUsage":'$use','\
'"model_usage_since_last_result":'$use',"session_id":"s1"}'
}
fails() {
  echo '{"type":"result","subtype":"success","is_error":true,"result":"'$3'","terminal_reason":"'$2'",'\
'"api_error_status":'$1',"num_turns":1,"total_cost_usd":0,"modelUsage":{},"session_id":"s1"}'
  exit 1
}
until_there() { while [ ! -e "$1" ]; do sleep 0.02; done; }
for act in "$me" "$BATON_STEP" default; do
  if [ -e "$folder/acts/$act" ]; then . "$folder/acts/$act"; exit; fi
done
)sh";
  }

  std::string folder_;
};

/// A project with one, and with the skill of agent_step().
class WithScriptedClaude : public Outside {
 protected:
  WithScriptedClaude() { write_skill(place); }

  /// How attempt `n` at the step failed: its code, "" if it did not.
  std::string code_of(const std::string& step, std::size_t n) { return code_in(place.show(), step, n); }
  static std::string code_in(const json::object& shown, const std::string& step, std::size_t n) {
    const json::object attempt = attempt_of(shown, step, n);
    const json::value* error = attempt.if_contains("error");
    return error == nullptr || !error->is_object() ? "" : text_at(error->as_object(), "code");
  }
  /// What a run or an attempt cost; -1 if that is not known.
  static double cost_in(const json::object& shown) {
    const json::value& cost = shown.at("cost_usd");
    return cost.is_number() ? cost.to_number<double>() : -1;
  }

  ScriptedClaude claude{place};
};

}  // namespace baton::test
