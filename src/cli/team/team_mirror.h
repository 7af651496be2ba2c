#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cli/context.h"
#include "engine/mirror.h"

namespace baton::cli {

/// Keeps the files of a team session true while it is run: team-session.json, the message bus and its state, and what
/// goes into wisdom/. They follow every commit: workers and people go by them.
class TeamMirror final : public Mirror {
 public:
  explicit TeamMirror(const Project& project) : project_(project) {}

  [[nodiscard]] bool shows(const Run& run, StepIndex step) const override;
  [[nodiscard]] bool is_prompt(const Run& run) const override;
  /// The bus is not edited but added to, under its own lock: others write to it at the same time.
  [[nodiscard]] Expected<std::vector<FileEdit>> edits(const std::string& id, const Run& run,
                                                      const Read& read) const override;

  [[nodiscard]] std::optional<Fault> trouble() const override { return std::exchange(trouble_, std::nullopt); }

 private:
  [[nodiscard]] Status tell(const std::string& id, const Run& run) const;

  const Project& project_;
  mutable std::optional<Fault> trouble_;
  mutable std::map<std::string, std::set<std::string>> told_;  ///< keys of messages that are on the bus, by run
};

}  // namespace baton::cli
