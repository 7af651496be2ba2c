#include "cli/team/team_mirror.h"

#include "cli/team/team_files.h"
#include "core/facts.h"
#include "dialect/team/reports.h"
#include "dialect/team/session_edit.h"
#include "engine/real_files.h"

namespace baton::cli {
namespace {

/// What a file is to be, unless it is so.
void add(std::vector<FileEdit>& edits, const std::string& path, const std::optional<std::string>& before,
         std::string after) {
  if (before && *before == after) return;
  FileEdit edit{path, std::move(after)};
  if (before) edit.before = *before;
  edits.push_back(std::move(edit));
}

std::string with_notes(std::string text, const std::vector<team::WisdomNote>& notes) {
  for (const team::WisdomNote& note : notes) {
    if (text.find(note.mark) != std::string::npos) continue;
    if (text.empty()) text = "# Issues\n\n";
    if (!text.ends_with('\n')) text += '\n';
    text += note.text;
  }
  return text;
}

}  // namespace

Status TeamMirror::tell(const Run& run) {
  const TeamFiles files = team_files_of(run, project_.root());
  if (!told_) {
    told_.emplace();
    for (const team::Message& m : files.messages()) {
      if (std::string key = team::key_of(m); !key.empty()) told_->insert(std::move(key));
    }
  }
  std::vector<team::Message> fresh = team::messages_of(id_, run, files.read(files.folder()).team);
  std::erase_if(fresh, [&](const team::Message& m) { return told_->contains(team::key_of(m)); });
  if (auto said = files.append(fresh); !said) return said;
  for (const team::Message& m : fresh) told_->insert(team::key_of(m));
  return {};
}

Expected<DialectRun::Shown> TeamMirror::files(const Run& run, const DialectRun::Read& read) {
  DialectRun::Shown shown;
  std::vector<FileEdit>& edits = shown.edits;
  if (run.settings().options.contains("rehearse")) return shown;  // nothing of it was done
  const std::string folder = option_of(run, "team_folder");
  const std::string path = folder + "/team-session.json";
  auto before = read(path);
  if (!before) return std::unexpected(before.error());
  if (!*before) return shown;  // taken away: nothing is made anew
  const team::SessionState state = team::state_of(id_, run, option_of(run, "completion_action"));
  if (auto after = team::edited(**before, path, state)) {
    add(edits, path, *before, std::move(*after));
  } else if (auto rebuilt = team_files_of(run, project_.root()).rebuild(id_, run); !rebuilt) {
    return std::unexpected(rebuilt.error());
  }
  // A bus that cannot be written is no reason for the other files to be wrong too.
  if (auto told = tell(run); !told) shown.notes.push_back(told.error());
  const auto meta = read(folder + "/.msg/meta.json");
  if (meta)
    add(edits, folder + "/.msg/meta.json", *meta,
        team::meta_with_status(meta->value_or(""), state.status, state.updated));
  if (const std::vector<team::WisdomNote> notes = team::wisdom_notes(run); !notes.empty()) {
    const std::string issues = folder + "/wisdom/issues.md";
    const auto text = read(issues);
    if (text) add(edits, issues, *text, with_notes(text->value_or(""), notes));
  }
  return shown;
}

}  // namespace baton::cli
