#include "view/top/dialogs.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "view/top/layout.h"
#include "view/top/waiting.h"
#include "view/words.h"

namespace baton::top {
namespace {

using Kind = Key::Kind;

void close(Model& m) { m.dialog = std::monostate{}; }

bool is_leaving(const Key& key) { return key.kind == Kind::escape || (key.kind == Kind::control && key.text == "c"); }

Act act_on(const Model& m, Act::Kind kind) { return {kind, m.selected}; }

std::string named(const Model& m) {
  const RunItem* run = m.selected_run();
  return run == nullptr ? m.selected : fmt::format("{} ({})", m.selected, run->row.workflow);
}

void ask_for(Model& m, std::string title, std::string hint, Act act, bool many_lines,
             std::optional<Confirm> if_empty = {}) {
  Ask ask{.title = std::move(title), .hint = std::move(hint), .act = std::move(act), .if_empty = std::move(if_empty)};
  ask.box.many_lines = many_lines;
  m.dialog = std::move(ask);
}

/// "'ask' of k7f2 (kit)", "2 steps of k7f2 (kit)"
std::string named(const Model& m, const Waiting& w) {
  if (w.steps.size() == 1) return fmt::format("'{}' of {}", w.steps.front(), named(m));
  return fmt::format("{} of {}", counted(w.steps.size(), "step"), named(m));
}

/// True if there is nothing that could be accepted or rejected, which is said.
bool waits_for_nobody(Model& m, const Waiting& w) {
  const RunItem* run = m.selected_run();
  if (w.kind != Waiting::Kind::nothing || run == nullptr) return false;
  told(m, false, fmt::format("run {} is {}: it waits for no answer", m.selected, name(run->row.state)));
  return true;
}

void begin_accept(Model& m) {
  const Waiting w = waiting_of(m);
  if (waits_for_nobody(m, w)) return;
  Act act = act_on(m, Act::Kind::accept);
  act.step = w.step;
  switch (w.kind) {
    case Waiting::Kind::gate:
      m.dialog = Confirm{fmt::format("Approve {}?", named(m, w)), w.question, act};
      return;
    case Waiting::Kind::conflict:
      m.dialog = Confirm{fmt::format("Is the conflict at {} resolved?", named(m, w)), "The merge is tried again.", act};
      return;
    case Waiting::Kind::change:
      m.dialog = Confirm{fmt::format("Accept {}?", named(m)), "Its change is taken.", act};
      return;
    case Waiting::Kind::unknown:
    case Waiting::Kind::nothing:
      break;
  }
  m.dialog = Confirm{fmt::format("Accept {}?", named(m)), "Its change is taken, or what it waits for approved.", act};
}

void begin_reject(Model& m) {
  const Waiting w = waiting_of(m);
  if (waits_for_nobody(m, w)) return;
  Act act = act_on(m, Act::Kind::reject);
  act.step = w.step;
  const char* const goes = "Its worktree and branch are removed; the record stays.";
  switch (w.kind) {
    case Waiting::Kind::gate:
      return ask_for(m, fmt::format("Reject {}", named(m, w)),
                     "Why? The step does not run, nor what needs it; 't' on it asks again.", act, false,
                     Confirm{fmt::format("Reject {} without a word?", named(m, w)),
                             "It does not run, nor what needs it. What was done so far stays.", act});
    case Waiting::Kind::conflict:
      m.dialog = Confirm{fmt::format("Give {} up, with all its work?", named(m)), goes, act};
      return;
    case Waiting::Kind::change:
    case Waiting::Kind::unknown:
    case Waiting::Kind::nothing:
      break;
  }
  ask_for(m, fmt::format("Reject {}", named(m)),
          "What is wrong? It goes on with that. Nothing said: its work is thrown away.", act, false,
          Confirm{fmt::format("Throw the work of {} away?", named(m)), goes, act});
}

Acts begin_on_run(Model& m, char key) {
  switch (key) {
    case 'p':
      return {act_on(m, Act::Kind::pause)};
    case 'r':
      return {act_on(m, Act::Kind::resume)};
    case 'c':
      if (const RunItem* run = m.selected_run(); run != nullptr && is_over(run->row.state)) {
        told(m, false, fmt::format("run {} is {}: there is nothing to cancel", m.selected, name(run->row.state)));
        return {};
      }
      m.dialog = Confirm{fmt::format("Cancel {}?", named(m)), "What its agents are doing is stopped.",
                         act_on(m, Act::Kind::cancel)};
      return {};
    case 't': {
      Act act = act_on(m, Act::Kind::retry);
      const bool one = m.focus != Pane::runs && !m.step.empty();
      if (one) act.step = m.step;
      m.dialog = Confirm{one ? fmt::format("Run '{}' again?", m.step) : fmt::format("Retry {}?", named(m)),
                         one ? "What depends on it runs again too." : "Every failed step runs again.", act};
      return {};
    }
    case 'a':
      return begin_accept(m), Acts{};
    case 'x':
      return begin_reject(m), Acts{};
    case 'u':
      ask_for(m, fmt::format("Follow up on {}", named(m)), "What is still to be done?", act_on(m, Act::Kind::follow_up),
              true);
      return {};
    case 'o':
      return {act_on(m, Act::Kind::open_folder)};
    case 'y': {
      Act copy = act_on(m, Act::Kind::copy);
      copy.text = m.selected;
      told(m, true, fmt::format("{} is copied", m.selected));
      return {copy};
    }
    default:
      return {};
  }
}

// --- A new run --------------------------------------------------------------------------------------------------

void pick(NewRun& d, const WorkflowChoice& workflow) {
  d.picked = true;
  if (std::exchange(d.form_of, workflow.name) == workflow.name) return;  // what was typed is still there
  d.fields.clear();
  d.field = 0;
  d.trouble.clear();
  if (workflow.takes_task) {
    NewRun::Field task{.label = "Task", .hint = "what is to be done; Ctrl-E opens your editor"};
    task.is_task = true;
    task.box.many_lines = true;
    d.fields.push_back(std::move(task));
  }
  for (const WorkflowChoice::Input& input : workflow.inputs) {
    d.fields.push_back({.label = input.name,
                        .hint = input.description.empty() ? "a file's path, or JSON" : input.description,
                        .required = input.required});
  }
  d.fields.push_back({.label = "Rehearse", .hint = "no agent, no cost", .is_switch = true});
}

const WorkflowChoice* choice_of(const NewRun& d) {
  const std::vector<std::size_t> fitting = d.fitting();
  return d.chosen < fitting.size() ? &d.all[fitting[d.chosen]] : nullptr;
}

Acts pick_workflow(Model& m, NewRun& d, const Key& key) {
  const std::size_t count = d.fitting().size();
  if (key.kind == Kind::up || key.kind == Kind::wheel_up) {
    d.chosen -= d.chosen > 0 ? 1 : 0;
  } else if (key.kind == Kind::down || key.kind == Kind::tab || key.kind == Kind::wheel_down) {
    d.chosen += d.chosen + 1 < count ? 1 : 0;
  } else if (key.kind == Kind::enter) {
    if (const WorkflowChoice* w = choice_of(d)) pick(d, *w);
  } else if (key.kind == Kind::click) {
    const Hit found = hit(m, key.at);
    if (!found.row || *found.row < new_run_list_row) return {};
    const std::size_t place =
        first_workflow_seen(d, layout_of(m).dialog.height) + static_cast<std::size_t>(*found.row - new_run_list_row);
    if (place < count) {
      d.chosen = place;
      pick(d, *choice_of(d));
    }
  } else if (d.wanted.take(key)) {
    d.chosen = 0;
  }
  return {};
}

Acts start(NewRun& d) {
  Act act{Act::Kind::start};
  const WorkflowChoice* workflow = choice_of(d);
  if (workflow == nullptr) return {};
  act.start.workflow = workflow->name;
  for (std::size_t i = 0; i < d.fields.size(); ++i) {
    const NewRun::Field& f = d.fields[i];
    if (f.is_switch) {
      act.start.rehearse = f.on;
    } else if (f.is_task) {
      act.start.task = f.box.text;
    } else if (!trim(f.box.text).empty()) {
      act.start.inputs.push_back(f.label + "=" + std::string{trim(f.box.text)});
    } else if (f.required) {
      d.trouble = fmt::format("'{}' is needed", f.label);
      d.field = i;
      return {};
    }
  }
  d.trouble.clear();
  d.sent = act;
  return {act};
}

void click_field(const Model& m, NewRun& d, const Key& key) {
  const Hit found = hit(m, key.at);
  const int rows = layout_of(m).dialog.height;
  int row = new_run_list_row;
  for (std::size_t i = first_field_seen(d, rows); found.row && i < d.fields.size(); ++i) {
    const int high = field_rows(d.fields[i], rows);
    if (*found.row >= row && *found.row < row + high) {
      if (d.fields[i].is_switch) d.fields[i].on = !d.fields[i].on;
      d.field = i;
      return;
    }
    row += high;
  }
}

Acts fill_in(Model& m, NewRun& d, const Key& key) {
  NewRun::Field& f = d.fields[d.field];
  const std::size_t count = d.fields.size();
  if (key.kind == Kind::control && key.text == "s") return start(d);
  if (key.kind == Kind::control && key.text == "e" && !f.is_switch) {
    return {{Act::Kind::edit, {}, {}, f.box.text}};
  }
  if (key.kind == Kind::tab) return d.field = (d.field + 1) % count, Acts{};
  if (key.kind == Kind::back_tab) return d.field = (d.field + count - 1) % count, Acts{};
  if (key.kind == Kind::click) return click_field(m, d, key), Acts{};
  if (f.is_switch) {
    if (key.kind == Kind::letter && key.text == " ") f.on = !f.on;
    if (key.kind == Kind::letter && key.text == "q") return {{Act::Kind::quit}};  // it is no text box
    if (key.kind == Kind::enter) return start(d);
    if (key.kind == Kind::up) d.field = (d.field + count - 1) % count;
    return {};
  }
  if (f.box.take(key)) return d.trouble.clear(), Acts{};
  if (key.kind == Kind::enter || key.kind == Kind::down) d.field = (d.field + 1) % count;
  if (key.kind == Kind::up) d.field = (d.field + count - 1) % count;
  return {};
}

Acts update_new_run(Model& m, NewRun& d, const Key& key) {
  if (key.kind == Kind::escape && d.picked && !d.sent) return d.picked = false, Acts{};
  if (is_leaving(key)) return close(m), Acts{};
  if (d.sent) return {};
  return d.picked ? fill_in(m, d, key) : pick_workflow(m, d, key);
}

// --- Questions --------------------------------------------------------------------------------------------------

Acts take(Model& m, Act act) {
  close(m);
  return {std::move(act)};
}

/// Enter is no yes: whoever presses it once too often destroys nothing.
Acts update_confirm(Model& m, const Confirm& d, const Key& key) {
  const bool is_letter = key.kind == Kind::letter;
  if (is_letter && (key.text == "y" || key.text == "Y")) return take(m, d.act);
  if (is_letter && key.text == "q") return {{Act::Kind::quit}};
  if (is_leaving(key) || (is_letter && (key.text == "n" || key.text == "N"))) close(m);
  if (key.kind == Kind::click) {
    const Rect inner = layout_of(m).dialog.inner();
    const int x = key.at.x - inner.x;
    if (key.at.y - inner.y != confirm_row) return {};
    if (x >= confirm_yes_x && x < confirm_yes_x + confirm_yes_width) return take(m, d.act);
    if (x >= confirm_no_x && x < confirm_no_x + confirm_no_width) close(m);
  }
  return {};
}

Acts send(Model& m, Ask& d) {
  Act act = d.act;
  act.text = std::string{trim(d.box.text)};
  if (act.text.empty()) {
    if (d.if_empty) m.dialog = Confirm{*d.if_empty};
    return {};
  }
  d.trouble.clear();
  d.sent = act;
  return {std::move(act)};
}

Acts update_ask(Model& m, Ask& d, const Key& key) {
  if (is_leaving(key)) return close(m), Acts{};
  if (d.sent) return {};
  if (key.kind == Kind::control && key.text == "s") return send(m, d);
  if (key.kind == Kind::control && key.text == "e") return {{Act::Kind::edit, {}, {}, d.box.text}};
  if (d.box.take(key)) return {};
  if (key.kind == Kind::enter) return send(m, d);
  return {};
}

Acts update_help(Model& m, Help& d, const Key& key) {
  if (key.kind == Kind::letter && key.text == "q") return {{Act::Kind::quit}};
  const bool down = key.kind == Kind::down || key.kind == Kind::wheel_down || key.kind == Kind::page_down ||
                    (key.kind == Kind::letter && key.text == "j");
  const bool up = key.kind == Kind::up || key.kind == Kind::wheel_up || key.kind == Kind::page_up ||
                  (key.kind == Kind::letter && key.text == "k");
  if (!up && !down) return close(m), Acts{};
  const bool is_page = key.kind == Kind::page_down || key.kind == Kind::page_up;
  d.top = std::max(d.top + (down ? 1 : -1) * (is_page ? 10 : 1), 0);
  return {};
}

Acts update_typing(Model& m, Typing& d, const Key& key) {
  const Pane pane = d.pane;
  const bool given_up = is_leaving(key);
  const auto set = [&](const std::string& text) {
    if (pane == Pane::runs) {
      m.filter = text;
      m.runs_top = 0;
      reorder(m);
    } else {
      m.document(pane).search = text;
    }
  };
  if (given_up) {
    set(pane == Pane::runs ? std::string{} : d.before);
    return close(m), Acts{};
  }
  if (key.kind == Kind::enter) {
    const std::string text = d.box.text;
    set(text);
    close(m);
    if (pane == Pane::runs && !m.selected_place() && !m.shown.empty()) select_run(m, m.runs[m.shown[0]].row.id);
    const Rect room = room_of(m, pane, layout_of(m));
    if (is_read(pane) && !text.empty() && !m.document(pane).find(1, {room.width, room.height})) {
      told(m, false, fmt::format("'{}' is not there", text));
    }
    return {};
  }
  if (d.box.take(key)) set(d.box.text);
  return {};
}

}  // namespace

int field_rows(const NewRun::Field& field, int dialog_rows) {
  if (field.is_switch) return 1;
  return field.is_task ? std::clamp(dialog_rows - 12, 3, 12) + 1 : 2;
}

std::size_t first_workflow_seen(const NewRun& d, int dialog_rows) {
  const auto rows = static_cast<std::size_t>(std::max(dialog_rows - 2 - new_run_list_row, 1));
  return d.chosen + 1 > rows ? d.chosen + 1 - rows : 0;
}

std::size_t first_field_seen(const NewRun& d, int dialog_rows) {
  int left = dialog_rows - 2 - new_run_list_row;
  std::size_t first = d.field;
  for (std::size_t i = d.field + 1; i-- > 0;) {
    left -= field_rows(d.fields[i], dialog_rows);
    if (left < 0) break;
    first = i;
  }
  return first;
}

Acts begin_action(Model& m, char key) {
  if (key == 'n') {
    m.dialog = NewRun{};
    return {{Act::Kind::list_workflows}};
  }
  if (m.selected.empty()) return {};
  return begin_on_run(m, key);
}

Acts update_dialog(Model& m, const Key& key) {
  if (key.kind == Kind::control && key.text == "z") return {{Act::Kind::suspend}};
  if (auto* d = std::get_if<Confirm>(&m.dialog)) return update_confirm(m, Confirm{*d}, key);
  if (auto* d = std::get_if<Ask>(&m.dialog)) return update_ask(m, *d, key);
  if (auto* d = std::get_if<NewRun>(&m.dialog)) return update_new_run(m, *d, key);
  if (auto* d = std::get_if<Help>(&m.dialog)) return update_help(m, *d, key);
  if (auto* d = std::get_if<Typing>(&m.dialog)) return update_typing(m, *d, key);
  return {};
}

}  // namespace baton::top
