#include "support/programs.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace baton::test {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

bool sanitized() { return ::getenv("BATON_SANITIZED") != nullptr; }

namespace {

std::vector<pid_t> all_processes() {
  std::vector<pid_t> all;
  std::error_code error;
  for (fs::directory_iterator it{"/proc", error}, end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find_first_not_of("0123456789") == std::string::npos) all.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return all;
}

std::string program_of(pid_t pid) {
  std::error_code error;
  const std::string path = fs::read_symlink(fmt::format("/proc/{}/exe", pid), error).filename().string();
  constexpr std::string_view replaced = " (deleted)";
  return path.ends_with(replaced) ? path.substr(0, path.size() - replaced.size()) : path;
}

}  // namespace

// --- JSON -------------------------------------------------------------------------------------------------------

json::value parse_json(const std::string& text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  EXPECT_FALSE(error) << "not JSON: " << text;
  return value;
}

std::vector<json::object> json_lines(const std::string& text) {
  std::vector<json::object> objects;
  for (const std::string& line : lines_of(text)) {
    const json::value value = parse_json(line);
    EXPECT_TRUE(value.is_object()) << line;
    if (value.is_object()) objects.push_back(value.as_object());
  }
  return objects;
}

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string{value->as_string()} : std::string{};
}

std::int64_t number_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? value->as_int64() : -1;
}

std::vector<std::string> types_of(const std::vector<json::object>& lines) {
  std::vector<std::string> types;
  for (const json::object& line : lines) types.push_back(text_at(line, "type"));
  return types;
}

std::vector<json::object> of_type(const std::vector<json::object>& lines, std::string_view type) {
  std::vector<json::object> found;
  for (const json::object& line : lines) {
    if (text_at(line, "type") == type) found.push_back(line);
  }
  return found;
}

json::object step_of(const json::object& shown, std::string_view id) {
  if (const json::value* steps = shown.if_contains("steps")) {
    for (const json::value& s : steps->as_array()) {
      if (text_at(s.as_object(), "id") == id) return s.as_object();
    }
  }
  ADD_FAILURE() << "there is no step " << id << " in " << json::serialize(shown);
  return {};
}

json::object attempt_of(const json::object& shown, std::string_view id, std::size_t n) {
  const json::object found = step_of(shown, id);
  const json::value* attempts = found.if_contains("attempts");
  if (attempts != nullptr && attempts->as_array().size() >= n) return attempts->as_array()[n - 1].as_object();
  ADD_FAILURE() << "step " << id << " has no attempt " << n << ": " << json::serialize(found);
  return {};
}

std::vector<std::string> step_states_of(const json::object& shown) {
  std::vector<std::string> states;
  if (const json::value* steps = shown.if_contains("steps")) {
    for (const json::value& s : steps->as_array()) {
      states.push_back(text_at(s.as_object(), "id") + "=" + text_at(s.as_object(), "state"));
    }
  }
  return states;
}

// --- Programs ---------------------------------------------------------------------------------------------------

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
  return stream << "exit code " << outcome.code << "\nstdout: " << outcome.out << "\nstderr: " << outcome.err << "\n";
}

namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

Process::Process(const Launch& launch) : out_path_(launch.out_path), err_path_(launch.err_path) {
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  constexpr int fresh = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  if (launch.stdout_fd >= 0) {
    posix_spawn_file_actions_adddup2(&files, launch.stdout_fd, 1);
  } else {
    posix_spawn_file_actions_addopen(&files, 1, launch.out_path.c_str(), fresh, 0600);
  }
  posix_spawn_file_actions_addopen(&files, 2, launch.err_path.c_str(), fresh, 0600);
  posix_spawn_file_actions_addchdir_np(&files, launch.cwd.c_str());
  posix_spawnattr_t how{};
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  std::vector<std::string> env;
  for (const auto& [name, value] : launch.env) env.push_back(name + "=" + value);
  const int error = ::posix_spawnp(&pid_, launch.argv.front().c_str(), &files, &how, pointers(launch.argv).data(),
                                   pointers(env).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  if (error != 0) {
    ADD_FAILURE() << "cannot start " << launch.argv.front() << ": " << strerror(error);
    outcome_.emplace();
  }
}

Process::Process(Process&& other) noexcept
    : pid_(other.pid_),
      out_path_(std::move(other.out_path_)),
      err_path_(std::move(other.err_path_)),
      outcome_(std::move(other.outcome_)) {
  other.outcome_.emplace();
}

Process::~Process() {
  if (outcome_) return;
  kill(SIGKILL);
  reap(0);
}

void Process::kill(int signal) const {
  if (!outcome_) ::kill(pid_, signal);
}

bool Process::reap(int flags) {
  if (outcome_) return true;
  int status = 0;
  rusage used{};
  const pid_t got = ::wait4(pid_, &status, flags, &used);
  if (got != pid_) return false;
  outcome_.emplace();
  outcome_->killed = WIFSIGNALED(status);
  outcome_->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome_->rss_kb = used.ru_maxrss;
  return true;
}

bool Process::ended() { return reap(WNOHANG); }

Outcome Process::wait(milliseconds patience) {
  if (!eventually([&] { return ended(); }, patience)) {
    ADD_FAILURE() << "process " << pid_ << " has not ended; it said: " << out() << err();
    kill(SIGKILL);
    reap(0);
  }
  outcome_->out = out();
  outcome_->err = err();
  return *outcome_;
}

Place::Place() {
  std::string pattern = (fs::temp_directory_path() / "baton-e2e-XXXXXX").string();
  folder_ = fs::canonical(::mkdtemp(pattern.data())).string();
  root_ = folder_ + "/project";
  cwd = root_;
  fs::create_directories(root_ + "/workflows");
  fs::create_directories(folder_ + "/home");
  const char* path = ::getenv("PATH");
  env = {{"PATH", path == nullptr ? "/usr/bin:/bin" : path},
         {"HOME", folder_ + "/home"},
         {"LC_ALL", "C.UTF-8"},
         {"BATON_E2E_PLACE", folder_}};
  // A sanitized build says so to its programs through these.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = ::getenv(name)) env[name] = value;
  }
}

Place::~Place() {
  eventually([&] {
    const auto left = living();
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    return left.empty();
  });
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Place::write(const std::string& name, const std::string& text) const { write_text(file(name), text); }

void Place::workflow(const std::string& name, const std::vector<std::string>& steps, const std::string& head) const {
  std::string text = fmt::format("---\nname: {}\ndescription: A test.\n{}steps:\n", name, head);
  for (const std::string& s : steps) text += s;
  write("workflows/" + name + ".md", text + "---\n\n# A test\n");
}

Launch Place::launch(std::vector<std::string> args) {
  const std::string said = fmt::format("{}/said-{}", folder_, ++launched_);
  args.insert(args.begin(), program_of_ours("baton"));
  return {std::move(args), cwd, env, said + ".out", said + ".err"};
}

Process Place::start(std::vector<std::string> args, int stdout_fd) {
  Launch l = launch(std::move(args));
  l.stdout_fd = stdout_fd;
  return Process{l};
}

Process Place::start_under(std::vector<std::string> prefix, std::vector<std::string> args) {
  Launch l = launch(std::move(args));
  l.argv.insert(l.argv.begin(), prefix.begin(), prefix.end());
  return Process{l};
}

Outcome Place::baton(std::vector<std::string> args) { return start(std::move(args)).wait(); }

json::object Place::show(const std::string& run) {
  const Outcome shown = baton({"show", run, "--json"});
  EXPECT_EQ(shown.code, 0) << shown;
  const json::value value = shown.code == 0 ? parse_json(shown.out) : json::value{};
  return value.is_object() ? value.as_object() : json::object{};
}

std::string Place::run_state(const std::string& run) {
  const Outcome shown = baton({"show", run, "--json"});
  return shown.code == 0 ? text_at(parse_json(shown.out).as_object(), "state") : "";
}

std::vector<pid_t> Place::living() const {
  std::vector<pid_t> found;
  const std::string mark = '\0' + ("BATON_E2E_PLACE=" + folder_) + '\0';
  for (const pid_t pid : all_processes()) {
    const std::string environment = '\0' + read_text(fmt::format("/proc/{}/environ", pid));
    if (environment.find(mark) != std::string::npos && is_alive(pid)) found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> Place::living(const std::string& program) const {
  std::vector<pid_t> found = living();
  std::erase_if(found, [&](pid_t pid) { return program_of(pid) != program; });
  return found;
}

std::vector<pid_t> Place::living_steps() const {
  std::vector<pid_t> found = living();
  std::erase_if(found, [](pid_t pid) { return program_of(pid).starts_with("baton"); });
  return found;
}

void Place::kill_holder() const {
  // Only the one that is there: an engine starts the next one at once, and that one is to live.
  const auto found = living("baton-holder");
  EXPECT_FALSE(found.empty());
  for (const pid_t pid : found) ::kill(pid, SIGKILL);
  EXPECT_TRUE(eventually([&] { return std::ranges::none_of(found, [](pid_t pid) { return is_alive(pid); }); }));
}

void Place::kill_all(const std::string& program) const {
  EXPECT_TRUE(eventually([&] {
    const auto found = living(program);
    for (const pid_t pid : found) ::kill(pid, SIGKILL);
    return found.empty();
  }));
}

// --- Workflows --------------------------------------------------------------------------------------------------

std::string step(const std::string& id, const std::string& shell, const std::string& more) {
  std::string text = fmt::format("  - id: {}\n", id);
  for (const std::string& line : lines_of(more)) text += "    " + line + "\n";
  text += "    command: |\n";
  for (const std::string& line : lines_of(shell)) text += "      " + line + "\n";
  return text;
}

std::string await_file(const std::string& path) {
  return fmt::format("i=0; until [ -e {0} ] || [ $i -ge 4000 ]; do sleep 0.01; i=$((i+1)); done; [ -e {0} ]", path);
}

std::int64_t query_number(const std::string& db_path, const std::string& sql) {
  sqlite3* db = nullptr;
  sqlite3_stmt* statement = nullptr;
  std::int64_t number = -1;
  if (sqlite3_open_v2(db_path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
      sqlite3_busy_timeout(db, 5000) == SQLITE_OK &&
      sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    number = sqlite3_column_int64(statement, 0);
  } else {
    ADD_FAILURE() << sql << ": " << sqlite3_errmsg(db);
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return number;
}

bool says_error(const Outcome& outcome, const std::string& code) { return has(outcome.err, "error[" + code + "]"); }

}  // namespace baton::test
