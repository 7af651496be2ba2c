#include "view/live_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "view/cells.h"
#include "view/words.h"

namespace baton {
namespace {

std::string_view color_of(StepState state) {
  switch (state) {
    case StepState::running:
    case StepState::checking:
      return "\x1b[36m";
    case StepState::completed:
      return "\x1b[32m";
    case StepState::failed:
    case StepState::blocked:
      return "\x1b[31m";
    case StepState::waiting:
      return "\x1b[33m";
    case StepState::pending:
    case StepState::ready:
    case StepState::skipped:
    case StepState::cancelled:
      return "\x1b[2m";
  }
  return {};
}

std::string paint(std::string_view text, std::string_view color, bool on) {
  return on ? fmt::format("{}{}\x1b[0m", color, text) : std::string{text};
}

std::string spinner(unsigned tick) {
  constexpr std::array<std::string_view, 10> frames = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  return std::string{frames.at(tick % frames.size())};
}

/// How much a step deserves one of few lines: what is at work first, then what went wrong, then the latest done.
int weight(StepState s) {
  switch (s) {
    case StepState::running:
    case StepState::checking:
      return 5;
    case StepState::waiting:
      return 4;
    case StepState::failed:
    case StepState::blocked:
      return 3;
    case StepState::completed:
      return 2;
    case StepState::ready:
      return 1;
    case StepState::pending:
    case StepState::skipped:
    case StepState::cancelled:
      break;
  }
  return 0;
}

std::vector<StepIndex> steps_to_show(const Run& run, std::size_t rows) {
  std::vector<StepIndex> steps = steps_in_reading_order(run);
  if (steps.size() <= rows) return steps;
  const std::vector<StepIndex> all = steps;
  const auto more_telling = [&](StepIndex a, StepIndex b) {
    const int wa = weight(shown_state(run, a));
    const int wb = weight(shown_state(run, b));
    if (wa != wb) return wa > wb;
    return wa == 2 ? a > b : a < b;  // of the completed ones the latest
  };
  std::ranges::sort(steps, more_telling);
  steps.resize(rows);
  std::ranges::sort(steps);
  std::vector<StepIndex> shown;
  std::ranges::copy_if(all, std::back_inserter(shown),
                       [&](StepIndex i) { return std::ranges::binary_search(steps, i); });
  return shown;
}

std::string elapsed_of(const StepRun& s, Time now) {
  if (s.attempts.empty() || s.attempts.back().started == Time{}) return {};
  const Attempt& a = s.attempts.back();
  const bool open = s.state == StepState::running;
  return brief(std::max((open ? now : a.finished) - a.started, Millis{0}));
}

std::string note_of(const LiveModel& m, StepIndex i) {
  const StepRun& s = m.run->of(i);
  if (const auto error = error_of(*m.run, i); error && s.state != StepState::running) return error->message;
  if (const auto warning = warning_of(*m.run, i)) return "but: " + warning->message;
  if (const event::StepDeferred* deferral = m.run->deferral_of(i)) {
    if (!deferral->reason.empty()) return deferral->reason;
    return fmt::format("{} is left alone for {}", deferral->runtime,
                       brief(std::max(deferral->until - m.now, Millis{0})));
  }
  if (s.state == StepState::pending || s.state == StepState::ready) return {};
  if (const std::string why = why_skipped(*m.run, i); !why.empty()) return why;
  const auto said = m.said.find(i);
  std::string note = said == m.said.end() ? std::string{} : said->second;
  if (s.attempts.size() > 1) note = fmt::format("attempt {}{}{}", s.attempts.size(), note.empty() ? "" : ": ", note);
  return note;
}

std::string step_line(const LiveModel& m, StepIndex i, std::size_t id_columns, const LiveStyle& style) {
  const StepRun& s = m.run->of(i);
  const StepState state = shown_state(*m.run, i);
  const bool busy = state == StepState::running || state == StepState::checking;
  const std::string mark = busy ? spinner(m.tick) : std::string{sign(state)};
  // A long id goes on beyond its column: people tell steps apart by how their ids end.
  std::string id = printable(m.run->step(i).id);
  if (columns_of(id) < id_columns) id = fit(id, id_columns);
  std::string rest = fmt::format(" {} {:>8}  {}", id, elapsed_of(s, m.now), printable(note_of(m, i)));
  std::ranges::replace(rest, '\n', ' ');
  std::ranges::replace(rest, '\t', ' ');
  return "  " + paint(mark, color_of(state), style.color) + cut(rest, style.columns - 3);
}

std::string head_line(const LiveModel& m, const LiveStyle& style) {
  const Run& run = *m.run;
  std::string text = fmt::format("{}  {}  {}/{}  {}", run.workflow(), m.id, run.count(StepState::completed),
                                 counted(run.step_total(), "step"), brief(duration_of(run, m.now)));
  if (run.tokens().total() > 0 || (is_over(run.state()) && !run.cost())) {
    text += fmt::format("  {} tokens  {}", short_number(run.tokens().total()), money(run.cost(), run.known_cost()));
  }
  if (m.before > 0) text += "  " + waits_for_place(m.before);
  return paint(cut(printable(text), style.columns), "\x1b[1m", style.color);
}

std::size_t id_columns_of(const Run& run, const LiveStyle& style) {
  std::size_t widest = 6;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    widest = std::max(widest, columns_of(printable(run.step(step_index(n)).id)));
  }
  return std::min(widest, style.columns / 3);
}

std::vector<std::string> frame(const LiveModel& m, const LiveStyle& style, std::size_t step_rows) {
  std::vector<std::string> lines{head_line(m, style)};
  const std::size_t id_columns = id_columns_of(*m.run, style);
  const std::vector<StepIndex> shown = steps_to_show(*m.run, step_rows);
  for (const StepIndex i : shown) lines.push_back(step_line(m, i, id_columns, style));
  if (shown.size() < m.run->step_total()) {
    lines.push_back(
        cut(fmt::format("  … and {} more", counted(m.run->step_total() - shown.size(), "step")), style.columns));
  }
  return lines;
}

}  // namespace

std::vector<std::string> live_lines(const LiveModel& m, const LiveStyle& style) {
  return frame(m, style, style.rows > 4 ? style.rows - 3 : 1);
}

std::vector<std::string> summary_lines(const LiveModel& m, const RunPlaces& places, const LiveStyle& style) {
  std::vector<std::string> lines = frame(m, style, 200);
  const Run& run = *m.run;
  std::string end =
      fmt::format("{} {} in {}: {}", sign(run.state()), name(run.state()), brief(duration_of(run, m.now)), tally(run));
  lines.push_back(cut(end, style.columns));
  if (const auto error = error_of(run)) lines.push_back("  why: " + printable(error->message));
  if (const auto artifact = artifact_of(run, places)) lines.push_back("  artifact: " + printable(*artifact));
  return lines;
}

}  // namespace baton
