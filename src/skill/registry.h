#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fault.h"
#include "skill/skill.h"

namespace baton {

/// Whose a skill is, by where it was found.
enum class SkillOrigin : std::uint8_t { project, plugin, user, configured, built_in };
std::string_view to_text(SkillOrigin origin);

/// A folder whose folders are skills: `<path>/<name>/SKILL.md`.
struct SkillRoot {
  std::string path;   ///< absolute
  std::string shown;  ///< for people: `.claude/skills`, `~/.claude/skills`
  SkillOrigin origin;
};

/// A skill that is part of the program.
struct BuiltInSkill {
  std::string name;
  std::string text;  ///< its SKILL.md
};

/// Where skills are looked for.
struct SkillPlaces {
  std::string project;             ///< the project's root
  std::string home;                ///< the user's; empty: none
  std::string config_home;         ///< ~/.config, or what stands for it; empty: none
  std::vector<std::string> extra;  ///< further folders of skills, absolute
  std::vector<BuiltInSkill> built_in;
};

/// A skill that was found. Only its front matter has been read.
struct FoundSkill {
  std::string folder_name;  ///< both this and `skill.name` find it
  std::string folder;       ///< absolute; empty if it is built in
  std::string file;         ///< its SKILL.md, absolute, or `builtin://NAME/SKILL.md`
  std::string shown;        ///< its folder, for people
  SkillOrigin origin = SkillOrigin::project;
  Skill skill;                             ///< without its body
  std::optional<Fault> broken;             ///< why it cannot be read; then it is no skill to anybody
  std::optional<std::size_t> shadowed_by;  ///< in all(): the one that its names find instead
};

/// The skills there are, in the order of precedence: the project's `.baton/skills`, `.claude/skills`, `.agents/skills`,
/// `.opencode/skills` and `plugins/*/skills`, then the user's, then configured folders, then those built in.
///
/// A name means the first skill whose folder has it; without one, the first that calls itself so. Nothing is looked at
/// before it is asked for. A scan goes one folder deep and is bounded (Limits::skill_folders_max, skills_max).
class SkillRegistry {
 public:
  explicit SkillRegistry(SkillPlaces places) : places_{std::move(places)} {}

  /// Every skill, broken and shadowed ones too, in the order of precedence and name. Scanned once.
  const std::vector<FoundSkill>& all();
  /// What the scan left out, if anything.
  const Faults& left_out();

  /// Looked for anew in the folders of that name, so that what was edited meanwhile is seen.
  std::optional<FoundSkill> find(const std::string& name);

  /// The text of its SKILL.md, read anew. Faults: file-too-large, file-unreadable.
  [[nodiscard]] Expected<std::string> text_of(const FoundSkill& found) const;
  /// The whole skill, read anew. Faults: those of text_of(), bad-character.
  [[nodiscard]] Expected<Skill> load(const FoundSkill& found);

  /// The skill's other files, relative to its folder: `references/*.md` first, each part sorted. Links and hidden files
  /// are no part of it.
  [[nodiscard]] static std::vector<std::string> files_of(const FoundSkill& found);

  /// The folders that are scanned, in this order; those that do not exist too.
  const std::vector<SkillRoot>& roots();

 private:
  /// What texts were read to be. A thousand steps may ask for one skill, whose file is looked at each time and
  /// understood once.
  class Memory {
   public:
    using How = Expected<Skill> (*)(std::string_view text, const SkillSource& source);
    explicit Memory(How how) : how_{how} {}
    const Expected<Skill>& read(std::string_view text, const SkillSource& source);

   private:
    struct Read {
      std::string text;
      Expected<Skill> skill;
    };
    How how_;
    std::unordered_map<std::string, Read> known_;
  };

  void scan(const SkillRoot& root);
  void mark_shadowed();
  /// The skill in this folder, if there is one.
  std::optional<FoundSkill> look_at(const SkillRoot& root, const std::string& name);
  FoundSkill look_at(const BuiltInSkill& built_in);

  SkillPlaces places_;
  std::optional<std::vector<SkillRoot>> roots_;
  std::optional<std::vector<FoundSkill>> all_;
  Faults left_out_;
  Memory heads_{&read_skill_head};
  Memory wholes_{&read_skill};
};

}  // namespace baton
