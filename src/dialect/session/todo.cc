#include "dialect/session/todo.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/letters.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "dialect/session/task_id.h"
#include "text/fault_list.h"

namespace baton::session {
namespace {

/// Fences and comments: what is in them is no list.
class Surroundings {
 public:
  /// True if this line is to be read.
  bool reads(std::string_view line) {
    const std::string_view text = trim(line);
    if (!fence_.empty()) {
      if (text.starts_with(fence_) && text.find_first_not_of(fence_.front()) == std::string_view::npos) fence_.clear();
      return false;
    }
    if (in_comment_) {
      in_comment_ = text.find("-->") == std::string_view::npos;
      return false;
    }
    if (text.starts_with("```") || text.starts_with("~~~")) {
      fence_ = text.substr(0, std::min(text.find_first_not_of(text.front()), text.size()));
      return false;
    }
    if (text.starts_with("<!--")) {
      in_comment_ = text.find("-->") == std::string_view::npos;
      return false;
    }
    return true;
  }

 private:
  std::string fence_;
  bool in_comment_ = false;
};

std::size_t level_of(std::string_view line) {
  const auto level = line.find_first_not_of('#');
  return level > 6 || line[level] != ' ' ? 0 : level;
}

bool is_legend(std::string_view heading) {
  const std::string low = lower(heading);
  return std::ranges::any_of(std::array{"legend", "状态说明", "图例", "状态图例"},
                             [&](const char* word) { return low.find(word) != std::string::npos; });
}

/// `Phase 2: …`, `Wave 2`, `阶段 2`, `第2阶段`
std::optional<int> phase_of(std::string_view heading) {
  const std::string low = lower(heading);
  for (const std::string_view word : {"phase", "wave", "stage", "阶段", "第"}) {
    const auto at = low.find(word);
    if (at == std::string::npos) continue;
    const auto digits = low.find_first_not_of(" \t", at + word.size());
    if (digits == std::string::npos) continue;
    std::string_view rest = std::string_view{low}.substr(digits);
    if (const auto number = take_number<int>(rest)) return number;
  }
  return std::nullopt;
}

bool speaks_of_needs(const std::string& key) {
  constexpr std::array<std::string_view, 9> words{"dependencies", "depends on", "dependency", "depends", "依赖",
                                                  "前置依赖",     "依赖任务",   "blocked by", "requires"};
  return std::ranges::find(words, key) != words.end();
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_{text}, faults_{file} {}

  TodoList read() {
    Surroundings around;
    found_.reserve(static_cast<std::size_t>(std::ranges::count(text_, '\n')) + 1);
    for (std::size_t begin = 0; begin < text_.size();) {
      const auto end = std::min(text_.find('\n', begin), text_.size());
      std::string_view line = text_.substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (begin == 0) line = without_byte_order_mark(line);
      ++line_;
      begin_ = static_cast<std::size_t>(line.data() - text_.data());
      if (around.reads(line)) read_line(line);
      begin = end + 1;
    }
    choose();
    if (list_.tasks.empty()) {
      faults_.error("session-without-tasks", {}, "there are no tasks in the list",
                    "a task is a line such as '- [ ] **IMPL-001**: title → [📋](./.task/IMPL-001.json)'");
    }
    list_.faults = faults_.take();
    return std::move(list_);
  }

 private:
  struct Found {
    TodoTask task;
    std::size_t indent = 0;
    bool knows_mark = true;
  };

  void read_line(std::string_view line) {
    if (const std::size_t level = level_of(line); level > 0) return read_section(line, level);
    if (legend_level_ > 0) return;
    if (auto item = read_item(line)) {
      found_.push_back(found(std::move(*item), line));
      in_task_ = true;
      return;
    }
    if (has_box(line)) ++list_.other_boxes;
    if (!trim(line).empty()) read_beneath(line);
  }

  void read_section(std::string_view line, std::size_t level) {
    in_task_ = false;
    if (legend_level_ > 0 && level <= legend_level_) legend_level_ = 0;
    const std::string_view heading = trim(line.substr(level));
    if (is_legend(heading)) legend_level_ = level;
    if (legend_level_ > 0) return;
    section_ = heading;
    if (const auto phase = phase_of(heading)) {
      phase_ = phase;
      phase_level_ = level;
    } else if (level <= phase_level_) {
      phase_.reset();
    }
    auto task = read_heading(line);
    if (!task) return;
    found_.push_back(found(std::move(*task), line));
    in_task_ = true;
  }

  Found found(TaskLine line, std::string_view text) {
    Found f;
    const auto moved = [&](Bytes bytes) { return Bytes{bytes.begin + begin_, bytes.end + begin_}; };
    f.indent = line.indent;
    f.knows_mark = line.knows_mark;
    TodoTask& t = f.task;
    t.id = std::move(line.id);
    t.title = std::move(line.title);
    t.state = line.state;
    t.container = line.container;
    t.depends_on = std::move(line.depends_on);
    t.section = section_;
    t.phase = phase_;
    t.line = line_;
    t.form = line.form;
    t.whole = {begin_, begin_ + text.size()};
    t.has_mark = line.has_mark;
    t.mark = moved(line.mark);
    add_links(t, line.links);
    return f;
  }

  void add_links(TodoTask& task, const std::vector<LineLink>& links) {
    for (const LineLink& link : links) {
      const Bytes bytes{link.bytes.begin + begin_, link.bytes.end + begin_};
      if (link.is_task() && !task.task_link) task.task_link = bytes;
      if (link.is_summary() && !task.summary_link) task.summary_link = bytes;
    }
  }

  /// What stands beneath a task says more of it: until the next one, or a line that is not indented.
  void read_beneath(std::string_view line) {
    if (!in_task_) return;
    Found& f = found_.back();
    const bool of_heading = f.task.form == LineForm::heading;
    if (!of_heading && indent_of(line) <= f.indent) {
      in_task_ = false;
      return;
    }
    add_links(f.task, links_in(line));
    if (!of_heading && f.task.task_link) f.task.form = LineForm::linked;
    const auto note = read_note(line);
    if (!note) return;
    if (speaks_of_needs(note->key)) {
      if (!f.task.depends_on) f.task.depends_on = task_ids_in(note->value);
    } else if (note->key == "agent") {
      f.task.agent = trim(note->value);
    } else if (note->key == "status" || note->key == "状态") {
      read_status(f.task, *note);
    }
  }

  /// A box says it better.
  void read_status(TodoTask& task, const NoteLine& note) const {
    task.status = Bytes{note.value_bytes.begin + begin_, note.value_bytes.end + begin_};
    const auto state = state_of_word(note.value);
    if (state && (!task.has_mark || task.form == LineForm::heading)) task.state = *state;
  }

  /// Which of the lines are tasks.
  void choose() {
    LineForm clearest = LineForm::bare;
    for (const Found& f : found_) clearest = std::max(clearest, f.task.form);
    const LineForm least = std::min(clearest, LineForm::colon);
    std::unordered_map<std::string_view, std::size_t> best;
    best.reserve(found_.size());
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const TodoTask& t = found_[i].task;
      if (t.form < least) continue;
      const auto [known, is_new] = best.try_emplace(t.id, i);
      if (is_new) continue;
      const TodoTask& other = found_[known->second].task;
      if (t.form > other.form) {
        known->second = i;
      } else if (t.form == other.form) {
        faults_.warning("duplicate-task", {t.line, 0},
                        fmt::format("'{}' is listed again; line {} counts", t.id, other.line),
                        "remove one of the two lines, or give one of the tasks another id");
      }
    }
    std::vector<bool> chosen(found_.size(), false);
    for (const auto& [id, place] : best) chosen[place] = true;
    list_.tasks.reserve(best.size());
    std::vector<std::size_t> indents;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      Found& f = found_[i];
      if (!chosen[i]) {
        list_.other_boxes += f.task.form == LineForm::heading ? 0 : 1;
        continue;
      }
      if (!f.knows_mark) {
        faults_.warning("unknown-mark", {f.task.line, 0},
                        fmt::format("the box of '{}' has an unknown mark; it counts as pending", f.task.id),
                        "use ' ' pending, 'x' completed, '~' in progress or '-' blocked");
      }
      indents.push_back(f.indent);
      list_.tasks.push_back(std::move(f.task));
    }
    find_parents(indents);
    settle_containers();
  }

  void find_parents(const std::vector<std::size_t>& indents) {
    std::unordered_map<std::string_view, std::size_t> by_id;
    by_id.reserve(list_.tasks.size());
    std::vector<std::size_t> above;
    for (std::size_t i = 0; i < list_.tasks.size(); ++i) {
      TodoTask& t = list_.tasks[i];
      while (!above.empty() && indents[above.back()] >= indents[i]) above.pop_back();
      const bool same_section = !above.empty() && list_.tasks[above.back()].section == t.section;
      const auto dot = t.id.rfind('.');
      if (same_section) {
        t.parent = above.back();
      } else if (dot != std::string::npos) {
        const auto found = by_id.find(std::string_view{t.id}.substr(0, dot));
        if (found != by_id.end()) t.parent = found->second;
      }
      above.push_back(i);
      by_id.emplace(t.id, i);
    }
  }

  /// Children stand after their container.
  void settle_containers() {
    struct Children {
      std::size_t all = 0;
      std::size_t done = 0;
      std::size_t begun = 0;
    };
    std::unordered_map<std::size_t, Children> children;
    for (std::size_t i = list_.tasks.size(); i-- > 0;) {
      TodoTask& t = list_.tasks[i];
      if (t.container && !t.status) {
        const Children& c = children[i];
        t.state = BoxState::pending;
        if (c.begun > 0) t.state = BoxState::in_progress;
        if (c.all > 0 && c.done == c.all) t.state = BoxState::completed;
      }
      if (!t.parent) continue;
      Children& c = children[*t.parent];
      ++c.all;
      c.done += t.state == BoxState::completed ? 1 : 0;
      c.begun += t.state == BoxState::completed || t.state == BoxState::in_progress ? 1 : 0;
    }
  }

  std::string_view text_;
  FaultList faults_;
  TodoList list_;
  std::vector<Found> found_;
  std::string section_;
  std::optional<int> phase_;
  std::size_t phase_level_ = 0;
  std::size_t legend_level_ = 0;
  bool in_task_ = false;
  int line_ = 0;
  std::size_t begin_ = 0;
};

}  // namespace

TodoList read_todo(std::string_view text, const std::string& file) { return Reader{text, file}.read(); }

Progress progress_of(const TodoList& list) {
  Progress progress;
  for (const TodoTask& task : list.tasks) {
    if (task.container) continue;
    ++progress.total;
    progress.done += task.state == BoxState::completed ? 1 : 0;
  }
  return progress;
}

}  // namespace baton::session
