// The recorded runs of the real program: streams/*.ndjson and how each of them ended.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/boost_json.h"
#include "claude_play.h"
#include "support/places.h"

namespace baton {

struct RecordedClaude {
  std::string name;
  std::string bytes;
  Ended end;
  ClaudeSettings settings;
};

inline std::string contents_of(const std::filesystem::path& path) {
  const std::ifstream in{path, std::ios::binary};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// `about` has how it ended: its exit code (below zero: the signal), the last line it wrote to stderr, and whether a
/// schema was asked for.
inline RecordedClaude recorded_claude(const std::filesystem::path& path, const boost::json::object& about) {
  RecordedClaude run{path.stem().string(), contents_of(path), {}, {}};
  const auto exit = static_cast<int>(about.at("exit").as_int64());
  run.end.record = exited(exit);
  if (exit < 0) {
    run.end.record.exit.reset();
    run.end.record.signal = -exit;
  }
  if (const auto* error = about.if_contains("stderr")) run.end.last_error = error->as_string();
  if (about.contains("schema")) run.settings.extra_args = {"--json-schema", "{}"};
  return run;
}

inline std::vector<RecordedClaude> all_recorded_claude() {
  const std::filesystem::path folder = test::source_folder() + "/tests/unit/runtime/streams";
  std::vector<RecordedClaude> runs;
  const boost::json::value index = boost::json::parse(contents_of(folder / "runs.json"));
  for (const auto& [name, about] : index.as_object()) {
    runs.push_back(recorded_claude(folder / (std::string{name} + ".ndjson"), about.as_object()));
    EXPECT_NE(runs.back().bytes, "") << name;
  }
  EXPECT_GE(runs.size(), 40U);
  return runs;
}

}  // namespace baton
