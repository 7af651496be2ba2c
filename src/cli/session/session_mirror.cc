#include "cli/session/session_mirror.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>

#include "cli/session/session_files.h"
#include "core/facts.h"
#include "dialect/session/reflect.h"
#include "dialect/session/session_plan.h"
#include "dialect/session/summary.h"

namespace baton::cli {
namespace {

/// Many edits are made and written a portion at a time.
constexpr std::size_t edits_at_once = 64;

bool is_container(const Run& run, StepIndex step) { return run.step(step).work->is_nothing(); }

/// Something happened to it in this run. What was done before is as its author left it, also where its files disagree
/// on that: `session sync` is for those.
bool has_news(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  if (!s.attempts.empty()) return true;
  return is_settled(s.state) && s.state != StepState::completed && run.flow_of(step) != nullptr;
}

}  // namespace

/// One look at all of a session's files.
struct SessionMirror::Round {
  const Run& run;
  const DialectRun::Read& read;
  std::string folder;      ///< the session's
  std::string run_folder;  ///< absolute
  std::vector<FileEdit> edits = {};
  std::vector<session::TodoChange> boxes = {};

  /// What a file says; nothing if it is not there or cannot be read: then it is left alone.
  [[nodiscard]] std::optional<std::string> text(const std::string& path) const {
    auto found = read(path);
    return found ? std::move(*found) : std::nullopt;
  }

  /// A task's file. Before it is written to for the first time, it is kept as its author left it.
  void task_file(StepIndex step) {
    const std::vector<session::StatusChange> changes = session::status_changes(run, step);
    if (changes.empty()) return;
    const std::string path = session::task_path(folder, run.step(step).id);
    const auto before = text(path);
    if (!before) return;
    auto after = session::with_changes(*before, path, changes);
    if (!after || *after == *before) return;  // a broken file is its author's to mend
    const std::string kept = kept_path(run_folder, run.step(step).id, "before.json");
    if (!text(kept)) edits.push_back({kept, *before});
    edits.push_back({path, std::move(*after), before});
  }

  /// True if there is one, or is going to be.
  bool summary(StepIndex step) {
    const std::string& id = run.step(step).id;
    const std::string path = session::summary_path(folder, id);
    if (text(path)) return true;
    session::SummaryFacts facts{id, run.step(step).work->title, {}, {}, rfc3339(run.of(step).attempts.back().finished)};
    facts.answer = text(run_folder + "/" + answer_file(id)).value_or("");
    edits.push_back({path, session::summary_text(facts)});
    return true;
  }

  void step(StepIndex step) {
    task_file(step);
    if (run.of(step).state != StepState::completed) return;
    if (auto change = session::box_change(run, step, summary(step))) boxes.push_back(std::move(*change));
  }

  /// True if the list has to change.
  bool todo(const std::string& path, const std::string& before) {
    if (boxes.empty()) return false;
    session::TodoEdit edit = session::edit_todo(before, path, boxes);
    if (edit.text == before) return false;
    edits.push_back({path, std::move(edit.text), before});
    return true;
  }

  void session_file(const std::string& path) {
    const auto before = text(path);
    if (!before) return;
    auto after = session::edit_session_file(*before, path, session::session_change(run));
    if (after && *after != *before) edits.push_back({path, std::move(*after), before});
  }
};

/// A task whose box is ticked and whose summary is linked was seen to before: the list is written last.
void SessionMirror::begin(const Run& run, const std::string& todo) {
  const bool is_first = !seen_;
  if (is_first) seen_.emplace();
  std::vector<Seen>& seen = *seen_;
  seen.resize(run.step_count());
  if (!is_first) return;
  const auto was_done = [&](std::size_t n) {
    return run.of(step_index(n)).state == StepState::completed && has_news(run, step_index(n));
  };
  if (std::ranges::none_of(std::views::iota(std::size_t{0}, seen.size()), was_done)) return;  // it has just begun
  std::unordered_map<std::string, bool> ticked;
  for (const session::TodoTask& task : session::read_todo(todo, "").tasks) {
    ticked[task.id] = task.state == session::BoxState::completed && task.summary_link.has_value();
  }
  for (std::size_t n = 0; n < seen.size(); ++n) {
    const StepRun& s = run.of(step_index(n));
    const auto box = ticked.find(run.step(step_index(n)).id);
    if (s.state == StepState::completed && box != ticked.end() && box->second) {
      seen[n] = {s.state, s.attempts.size(), s.attempts.size(), true};
    }
  }
}

Expected<DialectRun::Shown> SessionMirror::files(const Run& run, const DialectRun::Read& read) {
  const std::string folder = option_of(run, "session_folder");
  if (folder.empty()) return DialectRun::Shown{};
  Round round{run, read, folder, option_of(run, "folder")};
  const std::string path = folder + "/TODO_LIST.md";
  auto todo = read(path);
  if (!todo) return std::unexpected(todo.error());
  if (!*todo) return DialectRun::Shown{};  // archived, or taken away: nothing is made anew
  begin(run, **todo);
  std::vector<Seen>& seen = *seen_;
  std::vector<std::size_t> looked_at;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex step = step_index(n);
    const StepRun& s = run.of(step);
    if (round.edits.size() >= edits_at_once) break;  // the rest when these are written
    if (is_container(run, step) || !has_news(run, step)) continue;
    Seen now{s.state, s.attempts.size(), s.attempts.size(), false};
    if (!is_settled(s.state)) {
      now.failed = static_cast<std::size_t>(
          std::ranges::count_if(s.attempts, [](const Attempt& a) { return a.state == AttemptState::failed; }));
    }
    if (now.is_like(seen[n]) && seen[n].holds) continue;
    const std::size_t before = round.edits.size();
    round.step(step);
    // Said now, it is looked at once more: an agent may have written over it.
    now.holds = now.is_like(seen[n]) && round.edits.size() == before;
    seen[n] = now;
    looked_at.push_back(n);
  }
  if (round.todo(path, **todo)) {
    for (const std::size_t n : looked_at) seen[n].holds = false;
  }
  if (round.edits.size() < edits_at_once)
    round.session_file(folder + "/workflow-session.json");  // it says the last word
  const bool more = round.edits.size() >= edits_at_once;
  return DialectRun::Shown{std::move(round.edits), more};
}

}  // namespace baton::cli
