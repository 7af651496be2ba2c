#include "cli/page_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/real_files.h"
#include "io/descriptor.h"
#include "io/files.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* help = "give another place with -o";

std::unexpected<Fault> refused(const std::string& why) { return fault("report-not-written", why, help); }

std::unexpected<Fault> failed(const std::string& path, int error) {
  return refused(fmt::format("cannot write {}: {}", path, ::strerrordesc_np(error)));
}

Status write_page(int fd, std::string_view page, const std::string& path) {
  const int error = write_all(fd, page);
  return error == 0 ? Status{} : Status{failed(path, error)};
}

/// The file behind all links, also where the last of them leads to none yet.
fs::path behind_links(fs::path path) {
  constexpr int links_max = 40;
  std::error_code error;
  for (int i = 0; i < links_max && fs::is_symlink(path, error); ++i) {
    const fs::path to = fs::read_symlink(path, error);
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  return path;
}

bool is_output(const struct stat& file) {
  struct stat out{};
  return ::fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == file.st_dev && out.st_ino == file.st_ino;
}

}  // namespace

Expected<PagePlace> PagePlace::find(const std::string& file) {
  if (file == "-") return PagePlace{Kind::output, "standard output"};
  if (file.empty()) return refused("-o names no file");
  std::error_code error;
  const std::string path = fs::absolute(file, error).string();
  struct stat there{};
  if (::stat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return refused(fmt::format("{} is a folder", path));
    if (is_output(there)) return PagePlace{Kind::output, path};
    // What stands for a descriptor is whoever opened it's to replace.
    const bool is_descriptor = path.starts_with("/dev/") || path.starts_with("/proc/");
    if (!S_ISREG(there.st_mode) || is_descriptor) return PagePlace{Kind::stream, path};
  }
  if (path.ends_with('/')) return refused(fmt::format("{} is the name of a folder", path));
  const fs::path target = behind_links(path);
  const fs::path folder = target.parent_path();
  if (!fs::is_directory(folder, error))
    return refused(fmt::format("cannot write {}: there is no folder {}", path, folder.string()));
  return PagePlace{Kind::file, target.string()};
}

Status PagePlace::write(std::string_view page) const {
  switch (kind_) {
    case Kind::output:
      return write_page(STDOUT_FILENO, page, path_);
    case Kind::stream: {
      Descriptor stream = open_file(path_, O_WRONLY | O_NOCTTY);
      if (!stream) return failed(path_, errno);
      Status done = write_page(stream.get(), page, path_);
      const int error = stream.close();
      return done && error != 0 ? failed(path_, error) : done;
    }
    case Kind::file:
      break;
  }
  auto written = RealFiles{}.write(path_, page);
  return written ? Status{} : Status{refused(written.error().message)};
}

std::optional<std::string> PagePlace::path() const {
  return kind_ == Kind::output ? std::nullopt : std::optional{path_};
}

}  // namespace baton::cli
