#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/places.h"

/// Definitions as other programs write them. Ours, in tests/samples, have their shapes and are always here; other
/// people's own are read as they are where they lie beside the project. A test says the same of both, with the facts of
/// each.
namespace baton::test {

enum class Origin { ours, theirs };
inline void PrintTo(Origin origin, std::ostream* out) { *out << (origin == Origin::ours ? "ours" : "theirs"); }

/// INSTANTIATE_TEST_SUITE_P(Samples, X, both_origins(), origin_name)
inline auto both_origins() { return testing::Values(Origin::ours, Origin::theirs); }
inline std::string origin_name(const testing::TestParamInfo<Origin>& info) {
  return info.param == Origin::ours ? "Ours" : "Theirs";
}

/// Why a test of these is skipped; "" if it is not.
inline std::string absent(Origin origin, const std::string& folder) {
  const bool is_absent = origin == Origin::theirs && !std::filesystem::is_directory(folder);
  return is_absent ? "other people's own are not here: " + folder : "";
}

/// Workflows and skills.
struct Kit {
  std::string folder;  ///< has workflows/ and skills/

  struct Chain {
    std::string name;
    std::vector<std::string> steps;
  };
  Chain main;                         ///< three steps with checks, the last on what both others wrote
  std::vector<std::string> missions;  ///< words of each of them
  std::string first_mission;          ///< more words of the first one's
  std::size_t first_checks;
  std::vector<std::string> artifact;  ///< fields of what comes out
  Chain with_model;                   ///< its first step has a model of its own
  Chain without_input;                ///< its first step has none

  std::string old_form;               ///< a file of workflows/, in a form that is refused
  std::vector<std::string> new_form;  ///< what the refusal has to show

  std::vector<std::string> skills;
  std::vector<std::string> not_yaml;  ///< those whose head is no YAML
  std::string folded, description;    ///< one of them, whose description goes on in a second line
  std::string with_tools;             ///< Read, Skill
  std::string needs_program, program;
};

inline Kit our_kit() {
  return {
      .folder = source_folder() + "/tests/samples/kits",
      .main = {"field-guide", {"notes", "questions", "field-guide"}},
      .missions = {"list every plant that is named", "questions that a child would ask", "Bind the page of the guide"},
      .first_mission = "Keep at least 2 sightings word for word",
      .first_checks = 8,
      .artifact = {"contentId", "plants", "ideas", "suggestedOutline"},
      .with_model = {"walk-to-letter", {"hear-walk", "choose-places", "write-letter"}},
      .without_input = {"tide-report", {"look-up", "make-table"}},
      .old_form = "old-form/field-guide.md",
      .new_form = {"steps:", "- id: notes", "skill: walk-analyzer", "needs: [notes]",
                   "input: ${{ steps.notes.output }}", "output: ${{ sandbox }}/outputs/field-guide.json",
                   "final: true"},
      .skills = {"guide-binder", "herbarium-search", "page-setter", "question-maker", "reader-profile", "walk-reader"},
      .not_yaml = {"page-setter", "reader-profile", "walk-reader"},
      .folded = "walk-reader",
      .description =
          "Careful reading of notes for plants, places, weather, and words worth keeping. Use before "
          "page-setter.",
      .with_tools = "question-maker",
      .needs_program = "herbarium-search",
      .program = "leafpress",
  };
}

inline Kit their_kit() {
  return {
      .folder = source_folder() + "/../shared/compat/looplia",
      .main = {"writing-kit", {"summary", "ideas", "writing-kit"}},
      .missions = {"Deep analysis of content to extract", "Generate creative writing ideas, hooks",
                   "Assemble final writing kit"},
      .first_mission = "Extract minimum 3 verbatim quotes",
      .first_checks = 17,
      .artifact = {"contentId", "source", "summary", "ideas", "suggestedOutline", "meta"},
      .with_model = {"video-to-blog", {"analyze-content", "generate-ideas", "build-outline"}},
      .without_input = {"daily-news-digest", {"fetch-news", "compile-digest"}},
      .old_form = "legacy-0.5.1/writing-kit.md",
      .new_form = {"steps:", "- id: summary", "skill: content-analyzer", "needs: [summary]",
                   "input: ${{ steps.summary.output }}", "output: ${{ sandbox }}/outputs/writing-kit.json",
                   "final: true"},
      .skills = {"browser-research", "content-documenter", "idea-synthesis", "media-reviewer", "user-profile-reader",
                 "writing-kit-assembler"},
      .not_yaml = {"content-documenter", "media-reviewer", "user-profile-reader"},
      .folded = "media-reviewer",
      .description =
          "Deep content analysis for structure, themes, narrative flow, key moments, and important quotes. "
          "Use before content-documenter.",
      .with_tools = "idea-synthesis",
      .needs_program = "browser-research",
      .program = "agent-browser",
  };
}

inline Kit kit_of(Origin origin) { return origin == Origin::ours ? our_kit() : their_kit(); }

/// Two sessions, in which the list of tasks, the tasks' files and their summaries disagree in the same places.
struct SampleSessions {
  std::string folder;

  std::string phased;       ///< eight tasks in five phases; IMPL-003 and IMPL-005 are left
  std::string third_title;  ///< of IMPL-003
  std::string synced_line;  ///< IMPL-002 in the list, once that agrees
  std::string source_read;  ///< by IMPL-003, below the folder of its author's machine
  std::string summed_up;    ///< a file that the summary of IMPL-006 names

  std::string sequential;     ///< six tasks; IMPL-005, whose file is no JSON, is left
  std::string first_title;    ///< of IMPL-001
  int broken_line;            ///< of IMPL-005
  std::string first_changed;  ///< the one file that the summary of IMPL-001 names
};

inline SampleSessions our_sessions() {
  return {
      .folder = source_folder() + "/tests/samples/sessions",
      .phased = "WFS-lighthouse",
      .third_title = "Split lamp.ts into 3 focused modules",
      .synced_line =
          "- [x] **IMPL-002**: Make builders for the tests of the tower → [📋](./.task/IMPL-002.json) | "
          "[✅](./.summaries/IMPL-002-summary.md)  ",
      .source_read = "src/lamp/lamp.ts",
      .summed_up = "src/types/ids.ts",
      .sequential = "WFS-tide-tables",
      .first_title = "给潮汐页面一个地址",
      .broken_line = 78,
      .first_changed = "src/api/tides.route.ts",
  };
}

inline SampleSessions their_sessions() {
  return {
      .folder = source_folder() + "/../shared/compat/ccw",
      .phased = "WFS-arch-analysis",
      .third_title = "Decompose step-ops.ts into 5 focused modules",
      .synced_line =
          "- [x] **IMPL-002**: Create standardized test patterns and utilities → [📋](./.task/IMPL-002.json) "
          "| [✅](./.summaries/IMPL-002-summary.md)  ",
      .source_read = "src/installer/step-ops.ts",
      .summed_up = "src/types/branded.ts",
      .sequential = "WFS-fix-config-data-inconsistency",
      .first_title = "修复 Admin 路由 404 错误",
      .broken_line = 133,
      .first_changed = "src/presentation/api/admin.route.ts",
  };
}

inline SampleSessions sessions_of(Origin origin) { return origin == Origin::ours ? our_sessions() : their_sessions(); }

/// A session folder of another kind of team, which is none of ours: session.json, .msg/, wisdom/.
inline std::string foreign_team_of(Origin origin) {
  return source_folder() + (origin == Origin::ours ? "/tests/samples/team/harbour-survey"
                                                   : "/../shared/compat/team/UAN-codebase-analysis-2026-04-25");
}

}  // namespace baton::test
