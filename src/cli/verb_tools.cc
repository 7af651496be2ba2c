// tools: what a model wants of its tools, carried out by a held process of its attempt. Answers go to standard output.
#include <string.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <tuple>
#include <vector>

#include "base/limits.h"
#include "cli/reporter.h"
#include "cli/safety_policy.h"
#include "cli/verbs.h"
#include "engine/real_files.h"
#include "io/environment.h"
#include "runtime/api/tools.h"
#include "safety/judge.h"
#include "tool/confined_command.h"
#include "tool/tool_box.h"

namespace baton::cli {
namespace {

/// The policy that the run keeps; the built-in one where it keeps none that can be read.
safety::Policy policy_of_run() {
  const char* folder = std::getenv("BATON_FOLDER");
  if (folder == nullptr) return safety::Policy::built_in();
  const auto text = RealFiles{}.read(safety_files(folder).policy, Limits::file_bytes_max);
  if (!text || !*text) return safety::Policy::built_in();
  auto policy = safety::read_policy(**text);
  return policy ? *policy : safety::Policy::built_in();
}

/// Above the run's folder, `<state>/runs/<id>`.
std::string state_folder() {
  const char* folder = std::getenv("BATON_FOLDER");
  if (folder == nullptr) return {};
  return std::filesystem::path{folder}.parent_path().parent_path().string();
}

/// What commands do not get of our environment is wiped out where the system put it, and no core is ever left: who
/// reads this process finds no key in it.
void forget_secrets() {
  const std::vector<std::string> kept = tool::command_environment(own_environment(), {});
  wipe_own_environment([&](std::string_view entry) {
    return entry.starts_with("BATON_FOLDER=") || std::ranges::find(kept, entry) != kept.end();
  });
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

/// Tells whether the step's output was written in between: by a command, too.
class OutputWatch {
 public:
  OutputWatch() : path_{std::getenv("BATON_OUTPUT")}, before_{look()} {}

  [[nodiscard]] bool was_written() const {
    const auto now = look();
    return now && now != before_;
  }

 private:
  using Mark = std::tuple<ino_t, off_t, std::int64_t, std::int64_t>;
  [[nodiscard]] std::optional<Mark> look() const {
    struct stat s{};
    if (path_ == nullptr || ::stat(path_, &s) != 0 || !S_ISREG(s.st_mode)) return std::nullopt;
    return Mark{s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
  }

  const char* path_;
  std::optional<Mark> before_;
};

}  // namespace

int tools_verb(const std::string& file) {
  forget_secrets();
  const auto text = RealFiles{}.read(file, Limits::output_bytes_max);
  tool::Terms terms;
  const auto order = text && *text ? api::read_tool_uses(**text) : std::nullopt;
  if (!order) {
    print(Common{}, Fault{"file-unreadable", "this is no file of tools to use: " + file});
    return exit_failed;
  }
  terms.folder = order->folder;
  terms.unconfined = order->unconfined;
  terms.scratch = file + ".output";
  const safety::Policy policy = policy_of_run();
  terms.forbids = [&policy](std::string_view command) -> std::optional<std::string> {
    if (!policy.enabled()) return std::nullopt;
    const safety::Verdict verdict = safety::judge(policy, command);
    return verdict.blocked ? std::optional{safety::reason(verdict)} : std::nullopt;
  };
  terms.temporary = file + ".tmp";
  terms.state = state_folder();
  std::error_code untold;
  std::filesystem::create_directory(terms.temporary, untold);
  std::filesystem::permissions(terms.temporary, std::filesystem::perms::owner_all, untold);
  const OutputWatch output;
  api::ToolAnswer answer = tool::use_tools(order->uses, terms);
  answer.wrote_output = output.was_written();
  std::filesystem::remove_all(terms.temporary, untold);
  write_out(STDOUT_FILENO, api::tool_results_text(answer));
  return exit_done;
}

}  // namespace baton::cli
