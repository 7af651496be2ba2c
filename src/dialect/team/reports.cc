#include "dialect/team/reports.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/hash.h"
#include "base/letters.h"
#include "base/text.h"
#include "dialect/team/json_place.h"
#include "text/json_members.h"

namespace baton::team {
namespace {

namespace json = boost::json;

constexpr std::string_view revision_mark = "-R1";
/// After the task's name: why a run is paused whose revision did not settle it.
constexpr std::string_view still_disputed =
    ": those who looked at it still disagree (HIGH) after a revision; resume accepts it as it is";

json::object data_of(const event::WorkerReported& report) {
  json::error_code error;
  json::value value = json::parse(report.data, error);
  return error || !value.is_object() ? json::object{} : std::move(value.as_object());
}

std::optional<Divergence> divergence_of(std::string_view word) {
  const std::string small = lower(trim(word));
  if (small == "high") return Divergence::high;
  if (small == "medium") return Divergence::medium;
  if (small == "low") return Divergence::low;
  return std::nullopt;
}

/// `Divergences: …` on a line of its own.
std::string labelled(std::string_view text, std::string_view label) {
  const std::string wanted = lower(label) + ":";
  for (const std::string_view line : split(text, '\n')) {
    std::string_view bare = trim(line);
    while (bare.starts_with('-') || bare.starts_with('*')) bare = trim(bare.substr(1));
    if (lower(bare).starts_with(wanted)) return std::string{trim(bare.substr(wanted.size()))};
  }
  return {};
}

/// The words of a text, in small letters.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : lower(text)) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (is_word) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// All words of `name` are among those of `text`; a name without words fits nothing.
bool speaks_of(const std::vector<std::string>& text, std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return !words.empty() && std::ranges::all_of(words, [&](const std::string& word) {
    return std::ranges::find(text, word) != text.end();
  });
}

const char* name_of(Divergence divergence) {
  switch (divergence) {
    case Divergence::low:
      return "LOW";
    case Divergence::medium:
      return "MEDIUM";
    case Divergence::high:
      return "HIGH";
  }
  return "";
}

/// What was said of the task by this attempt, while it was at work.
std::vector<const event::WorkerReported*> said_of(const Run& run, StepIndex task, int attempt) {
  std::vector<const event::WorkerReported*> said;
  for (const Report& r : run.reports()) {
    if (r.current && r.said.step == task && r.said.attempt == attempt) said.push_back(&r.said);
  }
  return said;
}

std::string revision_text(const std::string& task, const std::vector<Consensus>& all) {
  std::string text = fmt::format("Revise the result of {}: those who looked at it disagree (HIGH).\n", task);
  for (const Consensus& c : all) {
    if (!c.divergences.empty()) text += "\nDivergences:\n";
    for (const std::string& line : c.divergences) text += fmt::format("- {}\n", line);
    if (!c.actions.empty()) text += "\nAction items:\n";
    for (const std::string& line : c.actions) text += fmt::format("- {}\n", line);
  }
  return text;
}

event::PlanExtended revision_of(const Run& run, StepIndex task, const std::vector<Consensus>& all) {
  const Step& original = run.step(task);
  Step step = original;
  step.id = revision_id(original.id);
  step.needs = {task};
  auto work = std::make_shared<Work>(*original.work);
  work->title = "Revise: " + original.work->title;
  work->mission = revision_text(original.id, all);
  work->also.clear();
  step.work = std::move(work);
  event::PlanExtended e;
  e.by = task;
  e.first = step_index(run.step_count());
  e.steps.push_back(std::move(step));
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex other = step_index(n);
    const std::vector<StepIndex> needs = run.needs_of(other);
    const StepState state = run.of(other).state;
    const bool waits = state == StepState::pending || state == StepState::ready;
    if (waits && std::ranges::find(needs, task) != needs.end()) e.joins.emplace_back(other, e.first);
  }
  return e;
}

}  // namespace

bool is_severity(std::string_view word) { return divergence_of(word).has_value(); }

bool is_report_kind(std::string_view kind) { return std::ranges::find(report_kinds, kind) != std::end(report_kinds); }

std::string report_id(std::string_view task, int attempt, std::string_view kind, std::string_view text,
                      std::string_view data) {
  std::string all;
  const std::string number = std::to_string(attempt);
  for (const std::string_view part : {task, std::string_view{number}, kind, text, data}) {
    all += fmt::format("{}:{}", part.size(), part);
  }
  return hex(hash64(all));
}

Consensus consensus_of(const event::WorkerReported& report) {
  const json::object data = data_of(report);
  Consensus c;
  std::optional<Divergence> divergence = divergence_of(text_at(data, {"severity", "divergence"}));
  const std::string small = lower(report.text);
  for (const Divergence d : {Divergence::high, Divergence::medium, Divergence::low}) {
    if (!divergence && small.find("severity=" + lower(name_of(d))) != std::string::npos) divergence = d;
  }
  c.divergence = divergence.value_or(Divergence::high);
  c.divergences = texts_at(data, {"divergences", "divergent_views"});
  c.actions = texts_at(data, {"action_items", "actions"});
  c.recommendation = text_at(data, {"recommendation"});
  if (c.divergences.empty()) {
    if (std::string line = labelled(report.text, "Divergences"); !line.empty()) c.divergences.push_back(line);
  }
  if (c.actions.empty()) {
    if (std::string line = labelled(report.text, "Action items"); !line.empty()) c.actions.push_back(line);
  }
  if (c.divergences.empty() && !report.text.empty()) c.divergences.push_back(report.text);
  return c;
}

Gap gap_of(const event::WorkerReported& report) {
  const json::object data = data_of(report);
  Gap gap{text_at(data, {"gap_description", "description"}), text_at(data, {"requesting_role"}),
          text_at(data, {"suggested_capability", "capability"})};
  if (gap.description.empty()) gap.description = report.text;
  if (gap.role.empty()) gap.role = report.role;
  return gap;
}

const Role* covering_role(const Gap& gap, const Team& team) {
  const std::vector<std::string> wanted = words_of(gap.suggested.empty() ? gap.description : gap.suggested);
  const auto fits = [&](const Role& role) {
    if (role.name == gap.role) return false;
    if (speaks_of(wanted, role.name) || speaks_of(wanted, role.prefix)) return true;
    return std::ranges::any_of(team.capabilities, [&](const Capability& c) {
      const bool is_its = c.role == role.name || (!c.prefix.empty() && c.prefix == role.prefix);
      return is_its && speaks_of(wanted, c.name);
    });
  };
  const auto found = std::ranges::find_if(team.roles, fits);
  return found == team.roles.end() ? nullptr : &*found;
}

std::string revision_id(std::string_view task) { return std::string{task} + std::string{revision_mark}; }
bool is_revision(std::string_view task) { return task.ends_with(revision_mark); }
std::string_view original_of(std::string_view task) {
  return is_revision(task) ? task.substr(0, task.size() - revision_mark.size()) : task;
}

Judgement judge(const Run& run, StepIndex task, int attempt, const std::vector<std::string>& missing) {
  Judgement out;
  const std::string& id = run.step(task).id;
  for (const std::string& path : missing) {
    out.results.push_back({"artifact_exists", false, fmt::format("{} declares {}, which is not there", id, path)});
  }
  const event::WorkerReported* last_claim = nullptr;
  std::vector<Consensus> high;
  for (const event::WorkerReported* said : said_of(run, task, attempt)) {
    if (said->kind == "complete" || said->kind == "error") last_claim = said;
    if (said->kind != "consensus_blocked") continue;
    if (Consensus c = consensus_of(*said); c.divergence == Divergence::high) high.push_back(std::move(c));
  }
  if (last_claim != nullptr && last_claim->kind == "error") {
    out.results.push_back({"worker_report", false,
                           fmt::format("its worker reported an error{}{}", last_claim->text.empty() ? "" : ": ",
                                       shorten(last_claim->text, 300))});
  }
  if (!out.results.empty() || high.empty()) return out;
  const bool was_revised = is_revision(id) || run.find(revision_id(id)).has_value();
  if (was_revised) {
    out.pause = fmt::format("'{}'{}", id, still_disputed);
  } else {
    out.revision = revision_of(run, task, high);
  }

  return out;
}

std::optional<std::string> disputed_task(const Run& run) {
  const std::string_view reason = run.pause_reason();
  if (run.state() != RunState::paused || !reason.ends_with(still_disputed)) return std::nullopt;
  return std::string{reason.substr(1, reason.size() - still_disputed.size() - 2)};
}

std::vector<std::string> caveats_of(const Run& run, StepIndex task) {
  std::vector<std::string> lines;
  for (const Report& r : run.reports()) {
    if (!r.current || r.said.step != task || r.said.kind != "consensus_blocked") continue;
    const Consensus c = consensus_of(r.said);
    if (c.divergence == Divergence::high) continue;
    for (const std::string& line : c.divergences) lines.push_back(fmt::format("{}: {}", name_of(c.divergence), line));
  }
  return lines;
}

std::vector<WisdomNote> wisdom_notes(const Run& run) {
  std::vector<WisdomNote> notes;
  for (const Report& r : run.reports()) {
    if (!r.current || r.said.kind != "consensus_blocked") continue;
    const Consensus c = consensus_of(r.said);
    if (c.divergence != Divergence::medium) continue;
    WisdomNote note{fmt::format("<!-- {} -->", r.said.id), {}};
    const std::vector<std::string>& lines = c.actions.empty() ? c.divergences : c.actions;
    note.text =
        fmt::format("- [{}] {} (MEDIUM): {} {}\n", r.said.role, run.step(r.said.step).id, join(lines, "; "), note.mark);
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace baton::team
