#include "git/submodules.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/text.h"
#include "git/git.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

struct Submodule {
  std::string name;
  std::string path;
  std::string url;  ///< as the user's repository has it; "" where it was never set up
};

std::string setting(const Git& git, const std::string& key) {
  auto value = git.run({"config", "-z", "--get", key});
  if (!value || !value->ok()) return {};
  return value->out.substr(0, value->out.find('\0'));
}

bool is_in_index(const Git& git, const std::string& path) {
  auto entry = git.run({"ls-files", "--stage", "-z", "--", ":(top,literal)" + path});
  return entry && entry->ok() && entry->out.starts_with("160000 ");
}

std::vector<Submodule> submodules(const Git& git) {
  std::vector<Submodule> found;
  auto listed = git.run({"config", "-z", "--file", ".gitmodules", "--get-regexp", R"(^submodule\..*\.path$)"});
  if (!listed || !listed->ok()) return found;
  for (const std::string& entry : zero_separated(listed->out)) {
    constexpr std::string_view head = "submodule.";
    constexpr std::string_view tail = ".path";
    const std::string key = entry.substr(0, entry.find('\n'));
    if (entry.size() <= key.size() + 1 || key.size() <= head.size() + tail.size()) continue;
    Submodule sub{key.substr(head.size(), key.size() - head.size() - tail.size()), entry.substr(key.size() + 1), {}};
    if (!is_in_index(git, sub.path)) continue;
    sub.url = setting(git, "submodule." + sub.name + ".url");
    found.push_back(std::move(sub));
  }
  return found;
}

bool is_local(const std::string& url) { return url.starts_with('/') || url.starts_with("file://"); }

Expected<Output> update(const Git& git, const Submodule& sub, const std::string& from) {
  std::vector<std::string> args;
  // Git refuses local sources since one could be a trap; the user's own settings, which name this one, are not.
  if (is_local(from)) args.insert(args.end(), {"-c", "protocol.file.allow=always"});
  if (from != sub.url) args.insert(args.end(), {"-c", fmt::format("submodule.{}.url={}", sub.name, from)});
  args.insert(args.end(), {"-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30"});
  args.insert(args.end(), {"submodule", "--quiet", "update", "--init", "--recursive", "--", sub.path});
  return git.run(args);
}

/// Why it did not work; "" if it did.
std::string check_out(const Git& git, const Submodule& sub, const std::string& common, const std::string& record) {
  std::error_code error;
  const std::string users = common + "/modules/" + sub.name;
  const std::string own = record + "/modules/" + sub.name;
  if (sub.name.find("..") == std::string::npos && fs::exists(users + "/HEAD", error)) {
    auto copied = update(git, sub, users);
    // By its own folder: looked for from an empty one, git would find the user's settings.
    if (fs::exists(own + "/HEAD", error)) {
      (void)Git{own, {"GIT_DIR=" + own}}.run({"config", "remote.origin.url", sub.url});
    }
    if (copied && copied->ok()) return {};
  }
  auto fetched = update(git, sub, sub.url);
  if (!fetched) return fetched.error().message;
  return fetched->ok() ? "" : printable(trim(fetched->err));
}

}  // namespace

void check_out_submodules(const std::string& tree, const std::string& common, const std::string& record,
                          std::vector<std::string>& notes) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(tree + "/.gitmodules", error))) return;
  const Git git{tree};
  for (const Submodule& sub : submodules(git)) {
    const std::string why = sub.url.empty() ? "it is not set up in this repository ('git submodule init')"
                                            : check_out(git, sub, common, record);
    if (!why.empty()) notes.push_back(fmt::format("the submodule '{}' is empty: {}", printable(sub.path), why));
  }
}

}  // namespace baton::git
