#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/scripted_claude.h"
#include "support/scripted_http.h"

namespace baton::test {

/// A scripted model on loopback (support/scripted_model.py). Its port is taken at once, so that programs can be told of
/// it; it answers once it is started, and until then connections are refused.
class FakeApi {
 public:
  FakeApi();
  ~FakeApi();
  FakeApi(const FakeApi&) = delete;
  FakeApi& operator=(const FakeApi&) = delete;

  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }
  /// Returns once it listens. `rules`: for prompts that carry no FAKE(...) of their own.
  void start(const json::array& rules = {});
  /// Lets the answer that waits for this name go on.
  void go(const std::string& name) { server_->go(name); }
  /// The model requests so far.
  [[nodiscard]] std::vector<json::object> requests();

 private:
  int reserved_ = -1;
  int port_ = 0;
  std::unique_ptr<ScriptedHttp> server_;
};

/// The real claude against a scripted model. Skipped, with the reason, where the program cannot be had.
class RealClaude : public Outside {
 protected:
  void SetUp() override;

  /// A mission that makes the model answer so: a list of steps in the words of scripted_model.py.
  static std::string mission(const json::array& steps) { return "Do it. FAKE(" + json::serialize(steps) + ")"; }
  /// The model writes out/a.json with the program's own tool, then says that it is done.
  static json::array writes() { return {write_call(), says("Done.")}; }
  static json::object write_call() { return {{"text", "Writing."}, {"write", {"out/a.json", R"({"title":"t"})"}}}; }
  static json::object says(const std::string& text) { return {{"text", text}}; }
  static json::object status(int code) { return {{"status", code}}; }
  static json::array joined(std::initializer_list<json::array> parts);

  /// The step `a` of the workflow `w`. `more` holds further lines.
  void workflow(const json::array& steps, const std::string& more = "") const {
    place.workflow("w", {agent_step("a", mission(steps), more)});
  }
  /// A tool call of wait.sh, which leaves its pid in tool.pid, takes all the CPU it gets and ends once `go` is there.
  [[nodiscard]] json::object waits() const;
  pid_t tool_pid() const;
  /// Of the one living claude; 0 and a failed test if there is not exactly one.
  pid_t claude_pid() const;

  std::string code_of(const std::string& step, std::size_t n);
  static double cost_in(const json::object& shown);
  /// Every file under the state folder that holds `text`.
  std::vector<std::string> files_with(const std::string& text) const;

  FakeApi api;
  std::string key = "sk-fake-4711";  ///< the fake counts its steps by key
};

}  // namespace baton::test
