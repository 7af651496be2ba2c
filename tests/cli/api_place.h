#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/workspace_place.h"
#include "support/scripted_http.h"

namespace baton::test {

/// A key that is looked for wherever it must not be, plain and as others write it.
constexpr const char* canary_key = "sk-canary-7f3a9c51d2e8";
inline std::vector<std::string> canary_forms() {
  return {canary_key,
          "c2stY2FuYXJ5LTdmM2E5YzUxZDJlOA",
          "NrLWNhbmFyeS03ZjNhOWM1MWQyZT",
          "zay1jYW5hcnktN2YzYTljNTFkMm",
          "736b2d63616e6172792d37663361",
          "sk%2Dcanary"};
}

/// A project with a workspace beside a model's API on loopback that does what the test says.
class WithApi : public WithWorkspace {
 protected:
  ScriptedHttp server;

  WithApi() {
    place.env["ANTHROPIC_API_KEY"] = canary_key;
    place.env["OPENAI_API_KEY"] = canary_key;
    place.env["ANTHROPIC_BASE_URL"] = server.url("");
    place.env["OPENAI_BASE_URL"] = server.url("/v1");
    write_skill(place);
    place.write("in.md", "The input.\n");
  }

  /// One step `a` of the workflow `w`; its output is out/a.md.
  void workflow(const std::string& more = "") const {
    place.workflow(
        "w", {"  - id: a\n    skill: writer\n    input: in.md\n    mission: 'Do it.'\n    output: out/a.md\n" + more});
  }
  std::vector<std::string> args_of(const std::string& runtime, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args = {"run", "w", "--runtime", runtime, "--set", "limits.retry_delay=10ms"};
    args.insert(args.end(), {"--model", runtime == "openai" ? "gpt-5.4-mini" : "claude-sonnet-4-6"});
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  Outcome run_api(const std::string& runtime, const std::vector<std::string>& more = {}) {
    return place.baton(args_of(runtime, more));
  }
  std::string code_of(std::size_t n, const std::string& step = "a") {
    const json::object attempt = attempt_of(place.show(), step, n);
    const auto* error = attempt.if_contains("error");
    return error == nullptr || !error->is_object() ? "" : text_at(error->get_object(), "code");
  }
  std::size_t attempts(const std::string& step = "a") {
    return step_of(place.show(), step).at("attempts").as_array().size();
  }
  std::int64_t requests() { return number_at(parse_json(server.stats()).as_object(), "requests"); }
  /// The bodies of all requests so far.
  std::vector<std::string> bodies() {
    std::vector<std::string> texts;
    const json::value all = parse_json(server.seen());
    for (const json::value& seen : all.at("seen").as_array()) {
      texts.push_back(text_at(seen.as_object(), "body"));
    }
    return texts;
  }
  /// Files below the project and the home that hold the key in any form.
  std::vector<std::string> files_with_key() const {
    std::vector<std::string> found;
    for (const std::string& folder : {place.root(), place.env.at("HOME")}) {
      std::error_code gone;
      for (const auto& entry : std::filesystem::recursive_directory_iterator{folder, gone}) {
        // The scripted agent keeps what it was given, which is its own affair.
        if (!entry.is_regular_file() || has(entry.path(), "/claude/kept/")) continue;
        const std::string text = read_text(entry.path());
        for (const std::string& form : canary_forms()) {
          if (has(text, form)) found.push_back(entry.path());
        }
      }
    }
    return found;
  }
};

}  // namespace baton::test
