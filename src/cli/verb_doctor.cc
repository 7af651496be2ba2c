#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <variant>

#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/api_settings.h"
#include "cli/reporter.h"
#include "cli/verbs.h"
#include "host/program_path.h"
#include "io/command.h"
#include "io/environment.h"
#include "view/json_text.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

struct Finding {
  std::string what;
  bool well = true;
  std::string detail;
};

/// The first line that `PROGRAM --version` prints; waits at most 5 s.
std::string version_of(const std::string& program) {
  const auto end = run_command({.argv = {program, "--version"}, .env = own_environment()},
                               {.lasts_max = Millis{5000}, .bytes_max = 512});
  return end ? std::string{trim(std::string_view{end->out}.substr(0, end->out.find('\n')))} : std::string{};
}

Finding kernel_feature(const std::string& what, bool there, const std::string& otherwise) {
  return {what, there, there ? "yes" : otherwise};
}

bool has_openat2() {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_DIRECTORY;
  return static_cast<bool>(Descriptor{static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how))});
}

bool has_pidfd() { return static_cast<bool>(Descriptor{static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0))}); }

/// The program as the configuration has it, not just what stands on PATH.
Finding agent_program(const Config& config, const std::string& name) {
  const std::string program = command_of(config, name).front();
  const std::string path = find_on_path(program);
  if (!path.empty()) return {"runtime " + name, true, fmt::format("{} ({})", path, version_of(path))};
  return {"runtime " + name, true, program == name ? "not found" : fmt::format("not found: {}", program)};
}

Finding price_table() {
  const std::string built_in = fmt::format("built in, of {}", Prices::built_in().date());
  const auto user = user_prices();
  if (!user)
    return {"prices", false, fmt::format("{}: {}", user.error().front().place.file, user.error().front().message)};
  return {"prices", true, user->is_there ? fmt::format("{}; yours over them: {}", built_in, user->file) : built_in};
}

/// Where its key comes from, never what it is.
Finding model_api(const Config& config, const std::string& name) {
  if (const Faults wrong = api_faults(config, name); !wrong.empty())
    return {"runtime " + name, true, "not set up: " + wrong.front().message};
  const auto auth = api_key(config, name);
  std::string key = "no key";
  if (auth) {
    if (const auto* variable = std::get_if<api::KeyFromEnvironment>(&auth->source)) key = "key from " + variable->name;
    if (const auto* file = std::get_if<api::KeyFromFile>(&auth->source)) key = "key from the file " + file->path;
    if (std::holds_alternative<api::KeyFromCommand>(auth->source)) key = "key from a command";
  }
  const std::string model = api_model(config, name);
  return {"runtime " + name, true,
          fmt::format("{}; {}", key, model.empty() ? "no model set: name one" : "model " + model)};
}

std::vector<Finding> examine(const Project& project) {
  std::vector<Finding> findings;
  utsname system{};
  ::uname(&system);
  findings.push_back({"baton", true, BATON_VERSION});
  findings.push_back({"system", true, fmt::format("{} {} {}", system.sysname, system.release, system.machine)});
  findings.push_back({"sqlite", true, fmt::format("{} (one writer at a time by our own lock)", sqlite3_libversion())});
  const std::string holder = sibling_program("baton-holder");
  std::error_code error;
  const bool has_holder = fs::is_regular_file(holder, error);
  findings.push_back(
      {"holder", has_holder, has_holder ? holder : fmt::format("{} is missing: steps cannot be started", holder)});
  const std::string courier = sibling_program("baton-courier");
  const bool has_courier = fs::is_regular_file(courier, error);
  findings.push_back({"courier", has_courier,
                      has_courier ? courier : fmt::format("{} is missing: no model's API can be called", courier)});
  findings.push_back({"project", true, project.root()});
  const std::string& settings = project.config().project_file();
  findings.push_back(
      {"settings", true, settings.empty() ? "no file of this project's; defaults and the user's" : settings});
  findings.push_back({"state", true,
                      fs::exists(project.state_dir(), error) ? project.state_dir()
                                                             : project.state_dir() + " (made by the first run)"});
  findings.push_back(kernel_feature("openat2", has_openat2(), "no: paths are checked by name only"));
  findings.push_back(kernel_feature("pidfd", has_pidfd(), "no"));
  const std::string git = find_on_path("git");
  findings.push_back({"git", !git.empty(), git.empty() ? "not found" : version_of(git)});
  findings.push_back({"runtime command", true, "built in"});
  findings.push_back({"runtime rehearsal", true, "built in; needs no key and no network"});
  for (const std::string& name : agent_programs()) findings.push_back(agent_program(project.config(), name));
  for (const std::string& name : api_runtimes()) findings.push_back(model_api(project.config(), name));
  for (const char* program : {"codex", "gemini", "opencode"}) {
    const std::string path = find_on_path(program);
    findings.push_back({fmt::format("program {}", program), true,
                        path.empty() ? "not found" : fmt::format("{}; this version does not drive it", path)});
  }
  for (const char* key : {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY"}) {
    const char* value = std::getenv(key);
    findings.push_back({key, true, value != nullptr && *value != '\0' ? "set" : "not set"});
  }
  findings.push_back(price_table());
  return findings;
}

}  // namespace

int doctor_verb(const Common& common) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  print(common, project->config().notes());
  bool well = true;
  std::string text;
  JsonObject json;
  for (const Finding& f : examine(*project)) {
    well = well && f.well;
    text += fmt::format("{} {:<23} {}\n", !f.well ? "✗" : f.detail.starts_with("not ") ? "–" : "✓", f.what, f.detail);
    json.raw(f.what, JsonObject{}.flag("ok", f.well).text("detail", f.detail).done());
  }
  write_out(STDOUT_FILENO, common.json ? json.done() + "\n" : printable(text));
  return well ? exit_done : exit_failed;
}

}  // namespace baton::cli
