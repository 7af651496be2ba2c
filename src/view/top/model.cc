#include "view/top/model.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/letters.h"
#include "base/text.h"
#include "core/branch.h"
#include "core/facts.h"
#include "view/top/cost_pane.h"
#include "view/words.h"

namespace baton::top {
namespace {

bool fits(const RunItem& item, const std::string& wanted) {
  if (wanted.empty()) return true;
  const RunRow& r = item.row;
  const auto has = [&](std::string_view text) { return lower(text).find(wanted) != std::string::npos; };
  return has(r.id) || has(r.workflow) || (r.dialect == "chain" && has(branch_of(r.id))) || has(name(r.state)) ||
         has(r.task) || has(r.sandbox) || std::ranges::any_of(r.current, has);
}

/// What needs somebody's eyes first.
int urgency(RunState s) {
  switch (s) {
    case RunState::reviewing:
      return 0;
    case RunState::running:
      return 1;
    case RunState::paused:
      return 2;
    case RunState::parked:
      return 3;
    case RunState::queued:
      return 4;
    case RunState::failed:
      return 5;
    case RunState::completed:
      return 6;
    case RunState::accepted:
      return 7;
    case RunState::rejected:
      return 8;
    case RunState::cancelled:
      return 9;
  }
  return 10;
}

bool comes_before(const Model& m, const RunItem& a, const RunItem& b) {
  switch (m.sort) {
    case Sort::newest:
      break;
    case Sort::state:
      if (urgency(a.row.state) != urgency(b.row.state)) return urgency(a.row.state) < urgency(b.row.state);
      break;
    case Sort::workflow:
      if (a.row.workflow != b.row.workflow) return a.row.workflow < b.row.workflow;
      break;
    case Sort::elapsed:
      if (elapsed(a.row, m.now) != elapsed(b.row, m.now)) return elapsed(a.row, m.now) > elapsed(b.row, m.now);
      break;
    case Sort::tokens:
      if (a.row.tokens.total() != b.row.tokens.total()) return a.row.tokens.total() > b.row.tokens.total();
      break;
    case Sort::cost:
      if (a.row.known != b.row.known) return a.row.known > b.row.known;
      break;
  }
  return a.number > b.number;
}

/// Worth a word when a run comes to it.
bool is_news(RunState s) {
  return s == RunState::completed || s == RunState::failed || s == RunState::reviewing || s == RunState::paused ||
         s == RunState::parked;
}

void tell_news(Model& m, const RunRow& r, Acts& acts) {
  std::string text = fmt::format("{} {} is {}", r.workflow, r.id, name(r.state));
  if (r.error && !r.error->message.empty()) text += ": " + shorten(r.error->message, 200);
  m.flash = {r.state == RunState::failed ? Flash::Kind::bad : Flash::Kind::good, text, m.now + Millis{8000}};
  if (m.notify == Notify::bell) acts.push_back({Act::Kind::ring});
  if (m.notify == Notify::desktop) acts.push_back({Act::Kind::notify, r.id, {}, text});
}

/// The one somebody who comes to look wants to see: at work, else failed, else the last that did something.
std::string telling_step(const Model& m) {
  std::string failed;
  std::string last;
  std::string busy;
  for (const TreeRow& row : m.tree) {
    const StepState s = shown_state(*m.run, row.step);
    const std::string& id = m.run->step(row.step).id;
    if (s == StepState::running || s == StepState::checking) {
      if (id == m.step) return id;
      if (busy.empty()) busy = id;
    }
    if (failed.empty() && (s == StepState::failed || s == StepState::blocked)) failed = id;
    if (!shown_attempts(*m.run, row.step).empty()) last = id;
  }
  if (!busy.empty()) return busy;
  if (!failed.empty()) return failed;
  if (m.step_place() && !m.step.empty()) return m.step;
  if (!last.empty()) return last;
  return m.tree.empty() ? std::string{} : m.run->step(m.tree.front().step).id;
}

}  // namespace

std::string_view name(Pane p) {
  constexpr std::array<std::string_view, panes> names{"runs", "steps", "log", "diff", "prompt", "output", "cost"};
  return names.at(at(p));
}

std::string_view name(Sort s) {
  constexpr std::array<std::string_view, sorts> names{"newest", "state", "workflow", "time", "tokens", "cost"};
  return names.at(static_cast<std::size_t>(s));
}

std::string_view name(Notify n) {
  constexpr std::array<std::string_view, 3> names{"off", "bell", "desktop"};
  return names.at(static_cast<std::size_t>(n));
}

std::vector<std::size_t> NewRun::fitting() const {
  std::vector<std::size_t> out;
  const std::string part = lower(wanted.text);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (lower(all[i].name).find(part) != std::string::npos || lower(all[i].about).find(part) != std::string::npos)
      out.push_back(i);
  }
  return out;
}

const RunItem* Model::selected_run() const {
  const auto found = std::ranges::find_if(runs, [&](const RunItem& r) { return r.row.id == selected; });
  return found == runs.end() ? nullptr : &*found;
}

std::optional<std::size_t> Model::selected_place() const {
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (runs[shown[i]].row.id == selected) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> Model::step_place() const {
  for (std::size_t i = 0; run && i < tree.size(); ++i) {
    if (run->step(tree[i].step).id == step) return i;
  }
  return std::nullopt;
}

std::string Wanted::about() const { return fmt::format("{}\n{}\n{}\n{}", run, step, attempt, raw ? "raw" : ""); }

Wanted wanted(const Model& m) {
  Wanted w;
  w.run = m.selected;
  w.reader = m.reader;
  w.raw = m.raw;
  if (!m.run || m.run_id != m.selected) return w;
  w.step = m.step;
  const auto step = m.run->find(m.step);
  if (!step) return w;
  const std::span<const Attempt> attempts = shown_attempts(*m.run, *step);
  if (attempts.empty()) return w;
  const bool chosen = m.attempt > 0 && static_cast<std::size_t>(m.attempt) <= attempts.size();
  const Attempt& a = chosen ? attempts[static_cast<std::size_t>(m.attempt) - 1] : attempts.back();
  w.attempt = a.n;
  w.runtime = m.run->interned(a.runtime);
  return w;
}

std::vector<Quota> cooling(const Model& m) {
  constexpr std::size_t told_at_most = 2;
  std::vector<Quota> out;
  for (const Quota& q : m.quotas) {
    if (q.until > m.now && out.size() < told_at_most) out.push_back(q);
  }
  return out;
}

void cooled_down(Model& m, const std::vector<CoolDown>& all) {
  std::vector<Quota> now;
  for (const CoolDown& c : all) {
    // Who was told how long was not told since when: then it counts from when it was first heard of.
    const auto known =
        std::ranges::find_if(m.quotas, [&](const Quota& q) { return q.who == c.runtime && q.until == c.until; });
    const Time first = known == m.quotas.end() ? m.now : known->since;
    now.push_back({c.runtime, c.guessed == Time{} ? first : c.guessed, c.until});
  }
  m.quotas = std::move(now);
}

void runs_gone(Model& m, const std::string& why) {
  m.runs.clear();
  m.shown.clear();
  m.complete = true;
  m.chosen = false;
  m.runs_top = 0;
  select_run(m, "");
  m.run.reset();
  m.run_id.clear();
  m.trouble.clear();
  m.tree.clear();
  m.quotas.clear();
  told(m, false, why);
}

Millis elapsed(const RunRow& r, Time now) {
  if (r.started == Time{}) return Millis{0};
  return std::max((r.finished == Time{} ? now : r.finished) - r.started, Millis{0});
}

bool is_lively(const Model& m) {
  if (!cooling(m).empty()) return true;
  return std::ranges::any_of(m.runs, [](const RunItem& r) {
    return r.row.state == RunState::running || r.row.state == RunState::queued || r.row.state == RunState::parked;
  });
}

std::optional<Millis> pace(const Model& m) {
  if (is_lively(m)) return Millis{250};
  const auto counts = [](const RunItem& r) { return r.row.started != Time{} && r.row.finished == Time{}; };
  return std::ranges::any_of(m.runs, counts) ? std::optional{Millis{1000}} : std::nullopt;
}

Model new_model(std::string project, Size size, Time now) {
  Model m;
  m.project = std::move(project);
  m.size = size;
  m.now = now;
  m.document(Pane::log).follow = true;
  m.document(Pane::log).empty = "nothing was printed yet";
  m.document(Pane::diff).empty = "looking for changes …";
  m.document(Pane::prompt).empty = "no prompt: it is a command, or has not begun";
  m.document(Pane::output).empty = "no output, or none yet";
  m.document(Pane::cost).empty = "nothing was used yet";
  return m;
}

void resize(Model& m, Size size) { m.size = size; }

void tick(Model& m, Time now) {
  m.now = now;
  ++m.tick;
  if (!m.flash.text.empty() && m.flash.until < now) m.flash = {};
}

void reorder(Model& m) {
  m.shown.clear();
  const std::string part = lower(m.filter);
  for (std::size_t i = 0; i < m.runs.size(); ++i) {
    if (fits(m.runs[i], part)) m.shown.push_back(i);
  }
  if (m.sort != Sort::newest) {
    std::ranges::sort(m.shown, [&](std::size_t a, std::size_t b) { return comes_before(m, m.runs[a], m.runs[b]); });
  }
  if (m.reversed) std::ranges::reverse(m.shown);
}

void select_run(Model& m, const std::string& id) {
  if (id == m.selected) return;
  m.selected = id;
  m.step.clear();
  m.step_chosen = false;
  m.attempt = 0;
  m.tree_top = 0;
  for (Document& d : m.documents) {
    d.clear("");
    d.search.clear();
  }
  m.document(Pane::log).follow = true;
}

Acts runs_changed(Model& m, std::vector<RunItem> changed) {
  Acts acts;
  for (RunItem& item : changed) {
    const auto place = std::ranges::lower_bound(m.runs, item.number, std::greater<>{}, &RunItem::number);
    const bool known = place != m.runs.end() && place->number == item.number;
    if (known || m.complete) {
      const RunState before = known ? place->row.state : RunState::queued;
      if (before != item.row.state && is_news(item.row.state)) tell_news(m, item.row, acts);
    }
    if (known) {
      if (item.activity.empty()) item.activity = std::move(place->activity);
      *place = std::move(item);
    } else {
      m.runs.insert(place, std::move(item));
    }
  }
  reorder(m);
  if (m.selected.empty() && !m.runs.empty()) {
    const auto running =
        std::ranges::find_if(m.runs, [](const RunItem& r) { return r.row.state == RunState::running; });
    select_run(m, running == m.runs.end() ? m.runs.front().row.id : running->row.id);
  }
  return acts;
}

void run_changed(Model& m, const std::string& id, std::shared_ptr<const Run> run, const std::string& trouble) {
  if (id != m.selected) return;
  m.run = std::move(run);
  m.run_id = id;
  m.trouble = trouble;
  m.tree = m.run ? tree_of(*m.run) : std::vector<TreeRow>{};
  if (!m.run) return;
  const std::string before = m.step;
  if (!m.step_chosen || !m.step_place()) m.step = telling_step(m);
  if (m.step != before) m.attempt = 0;
  m.document(Pane::cost).set(id, cost_entries(*m.run));
}

void workflows_found(Model& m, std::vector<WorkflowChoice> all) {
  auto* dialog = std::get_if<NewRun>(&m.dialog);
  if (dialog == nullptr) return;
  dialog->all = std::move(all);
  dialog->loading = false;
}

void edited(Model& m, std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (auto* ask = std::get_if<Ask>(&m.dialog)) return ask->box.set(std::move(text));
  if (auto* anew = std::get_if<NewRun>(&m.dialog); anew != nullptr && anew->field < anew->fields.size()) {
    anew->fields[anew->field].box.set(std::move(text));
  }
}

void answered(Model& m, const Act& act, bool good, const std::string& text) {
  const auto from = [&](auto* form) { return form != nullptr && form->sent == act; };
  const auto answer = [&](auto& form) {
    form.sent.reset();
    form.trouble = text;
  };
  auto* ask = std::get_if<Ask>(&m.dialog);
  auto* anew = std::get_if<NewRun>(&m.dialog);
  const bool is_open = from(ask) || from(anew);
  if (is_open && !good) return ask != nullptr ? answer(*ask) : answer(*anew);
  if (is_open) m.dialog = std::monostate{};
  told(m, good, text);
}

void told(Model& m, bool good, const std::string& text) {
  m.flash = {good ? Flash::Kind::good : Flash::Kind::bad, text, m.now + Millis{good ? 5000 : 10'000}};
}

}  // namespace baton::top
