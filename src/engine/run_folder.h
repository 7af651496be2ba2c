#pragma once

#include <fmt/core.h>

#include <string>

namespace baton {

/// Where things stand in a run's folder, `<state>/runs/<id>`.
struct RunFolder {
  std::string path;

  [[nodiscard]] std::string prompt(const std::string& step, int attempt) const {
    return fmt::format("{}/prompts/{}.{}.md", path, step, attempt);
  }
  [[nodiscard]] std::string output_log(const std::string& step, int attempt) const {
    return fmt::format("{}/logs/{}.{}.out", path, step, attempt);
  }
  [[nodiscard]] std::string error_log(const std::string& step, int attempt) const {
    return fmt::format("{}/logs/{}.{}.err", path, step, attempt);
  }
  [[nodiscard]] std::string held_log() const { return path + "/held.log"; }
  /// Touched by whoever leaves a request, so that the driver looks.
  [[nodiscard]] std::string bell() const { return path + "/bell"; }
};

inline RunFolder run_folder(const std::string& state_dir, const std::string& run) {
  return {fmt::format("{}/runs/{}", state_dir, run)};
}

}  // namespace baton
