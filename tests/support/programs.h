#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/boost_json.h"
#include "support/places.h"
#include "support/processes.h"

namespace baton::test {

namespace json = boost::json;

/// Our programs are instrumented. A sanitizer's shadow counts as memory: sizes mean nothing then.
bool sanitized();

// --- JSON -------------------------------------------------------------------------------------------------------

/// Every line parsed; one that is not an object fails the test.
std::vector<json::object> json_lines(const std::string& text);
json::value parse_json(const std::string& text);
std::string text_at(const json::object& object, std::string_view key);
std::int64_t number_at(const json::object& object, std::string_view key);
std::vector<std::string> types_of(const std::vector<json::object>& lines);
std::vector<json::object> of_type(const std::vector<json::object>& lines, std::string_view type);
/// The step of `show --json`; an empty object (and a failed test) if there is none.
json::object step_of(const json::object& shown, std::string_view id);
/// Attempt `n` (from 1) of a step of `show --json`.
json::object attempt_of(const json::object& shown, std::string_view id, std::size_t n);
/// id=state of every step, in order.
std::vector<std::string> step_states_of(const json::object& shown);

// --- Programs ---------------------------------------------------------------------------------------------------

/// How a program ended and what it said.
struct Outcome {
  int code = -1;        ///< exit code; 128 + signal if a signal ended it
  bool killed = false;  ///< by a signal
  long rss_kb = 0;      ///< the most memory it had
  std::string out;
  std::string err;
};
std::ostream& operator<<(std::ostream& stream, const Outcome& outcome);

struct Launch {
  std::vector<std::string> argv;
  std::string cwd;
  std::map<std::string, std::string> env;
  std::string out_path, err_path;
  int stdout_fd = -1;  ///< instead of out_path
};

/// A program in the background. It has no terminal and nothing on stdin. Killed, if it still runs, when this goes away.
class Process {
 public:
  explicit Process(const Launch& launch);
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::string out() const { return read_text(out_path_); }
  [[nodiscard]] std::string err() const { return read_text(err_path_); }
  void kill(int signal) const;
  /// Waits until it has ended; kills it and fails the test after `patience`.
  Outcome wait(milliseconds patience = patience_max);
  /// True if it has ended already. Does not wait.
  bool ended();

 private:
  bool reap(int flags);
  pid_t pid_ = 0;
  std::string out_path_, err_path_;
  std::optional<Outcome> outcome_;
};

/// A project folder, a home and an environment of its own; nothing that was started in it outlives it.
class Place {
 public:
  Place();
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::string file(const std::string& name) const { return root_ + "/" + name; }
  [[nodiscard]] std::string state(const std::string& name = "") const {
    return root_ + "/.baton" + (name.empty() ? "" : "/" + name);
  }
  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const { return read_text(file(name)); }
  [[nodiscard]] bool exists(const std::string& name) const { return file_exists(file(name)); }

  /// workflows/NAME.md with these steps (see step()).
  void workflow(const std::string& name, const std::vector<std::string>& steps, const std::string& head = "") const;

  /// Runs baton to its end.
  Outcome baton(std::vector<std::string> args);
  /// Starts baton in the background.
  Process start(std::vector<std::string> args, int stdout_fd = -1);
  /// Starts a baton under another program (strace, say).
  Process start_under(std::vector<std::string> prefix, std::vector<std::string> args);
  [[nodiscard]] Launch launch(std::vector<std::string> args);

  /// `show RUN --json`, which has to succeed.
  json::object show(const std::string& run = "last");
  /// The state of the run by `show`, "" if there is none.
  std::string run_state(const std::string& run = "last");

  /// Living processes that were started, however indirectly, from here.
  [[nodiscard]] std::vector<pid_t> living() const;
  /// Those whose program has this name (`baton`, `baton-holder`).
  [[nodiscard]] std::vector<pid_t> living(const std::string& program) const;
  /// Those that are neither: steps and what they started.
  [[nodiscard]] std::vector<pid_t> living_steps() const;
  /// kill -9 for every living process of that program, and waits until they are gone.
  void kill_holder() const;
  void kill_all(const std::string& program) const;

  std::map<std::string, std::string> env;  ///< of every program started from here
  std::string cwd;

 private:
  std::string folder_, root_;
  int launched_ = 0;
};

/// A fixture that has one.
class Outside : public ::testing::Test {
 protected:
  Place place;
};

/// The text of a step with a shell command. `more` holds further lines (`needs: [a]`).
std::string step(const std::string& id, const std::string& shell, const std::string& more = "");
/// A shell line that ends well once the file is there, and badly if it never comes.
std::string await_file(const std::string& path);

/// Numbers out of the journal, read beside the program: SELECT count(*) and the like.
std::int64_t query_number(const std::string& db_path, const std::string& sql);

/// "error[CODE]" is on stderr.
bool says_error(const Outcome& outcome, const std::string& code);

}  // namespace baton::test
