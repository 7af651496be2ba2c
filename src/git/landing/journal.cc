#include "git/landing/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/frame.h"
#include "io/files.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

void sync_folder(const std::string& path) {
  if (const Descriptor folder = open_file(path, O_RDONLY | O_DIRECTORY)) ::fsync(folder.get());
}

constexpr std::string_view unwritten = ".landing.tmp";

std::vector<std::string> files_in(const std::string& folder, std::string_view ending) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it{folder, error}, end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().ends_with(ending)) paths.push_back(it->path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

std::string landing_record_path(const std::string& trees, const std::string& run) {
  return fmt::format("{}/{}.landing", trees, run);
}

Status write_record(const std::string& trees, const LandingRecord& record) {
  std::error_code ignored;
  fs::create_directories(trees, ignored);
  const std::string path = landing_record_path(trees, record.run);
  const std::string beside = fmt::format("{}/{}{}", trees, record.run, unwritten);
  const std::string line = seal_line({"landing", "1", record.run, record.branch, record.target, record.ref,
                                      record.before, record.after, record.tip, record.back ? "back" : "on"});
  const auto written = put_file(AT_FDCWD, path, line, {.beside = beside, .mode = 0600, .over_leftover = true});
  if (!written) {
    return fault("file-failed", fmt::format("cannot write {}: {}", path, std::strerror(written.error())));
  }
  sync_folder(trees);
  return {};
}

std::optional<LandingRecord> read_record(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  const auto fields = open_line(line);
  if (!fields || fields->size() != 10 || (*fields)[0] != "landing" || (*fields)[1] != "1") return std::nullopt;
  return LandingRecord{.run = (*fields)[2],
                       .branch = (*fields)[3],
                       .target = (*fields)[4],
                       .ref = (*fields)[5],
                       .before = (*fields)[6],
                       .after = (*fields)[7],
                       .tip = (*fields)[8],
                       .back = (*fields)[9] == "back"};
}

void remove_record(const std::string& trees, const std::string& run) {
  ::unlink(landing_record_path(trees, run).c_str());
  sync_folder(trees);
}

void remove_unwritten_records(const std::string& trees) {
  for (const std::string& path : files_in(trees, unwritten)) ::unlink(path.c_str());
}

std::vector<std::string> landing_records(const std::string& trees) { return files_in(trees, ".landing"); }

}  // namespace baton::git
