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
  /// Under what name the further exchanges of a step's attempt are kept, from the second on.
  [[nodiscard]] static std::string exchange(const std::string& step, int exchange) {
    return fmt::format("{}~call{}", step, exchange);
  }
  /// What an exchange of an attempt is to do: an HTTP request, or a round of tools.
  [[nodiscard]] std::string request(const std::string& step, int attempt) const {
    return fmt::format("{}/requests/{}.{}.json", path, step, attempt);
  }
  [[nodiscard]] std::string request_body(const std::string& step, int attempt) const {
    return fmt::format("{}/requests/{}.{}.body", path, step, attempt);
  }
  [[nodiscard]] std::string held_log() const { return path + "/held.log"; }
  /// Touched by whoever leaves a request, so that the driver looks.
  [[nodiscard]] std::string bell() const { return path + "/bell"; }
};

inline RunFolder run_folder(const std::string& state_dir, const std::string& run) {
  return {fmt::format("{}/runs/{}", state_dir, run)};
}

}  // namespace baton
