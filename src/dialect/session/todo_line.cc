#include "dialect/session/todo_line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/letters.h"
#include "base/text.h"
#include "dialect/session/task_id.h"

namespace baton::session {
namespace {

/// What lists put before a link. The last two are the first one in texts whose encoding was taken for another.
constexpr std::array<std::string_view, 6> arrows{"→", "->", "=>", "⟶", "â†’", "\xC3\xA2\xC2\x86\xC2\x92"};
constexpr std::array<std::string_view, 5> container_signs{"▸", "▶", "►", "â–¸", "▹"};

constexpr std::array<std::pair<std::string_view, BoxState>, 19> signs{{
    {"✅", BoxState::completed}, {"☑", BoxState::completed},    {"✔", BoxState::completed},
    {"✓", BoxState::completed},  {"🔄", BoxState::in_progress}, {"🚧", BoxState::in_progress},
    {"⏳", BoxState::pending},   {"☐", BoxState::pending},      {"⬜", BoxState::pending},
    {"📋", BoxState::pending},   {"⏸", BoxState::blocked},      {"⚠", BoxState::blocked},
    {"❌", BoxState::blocked},   {"🚫", BoxState::blocked},     {"⛔", BoxState::blocked},
    {"✗", BoxState::blocked},    {"✘", BoxState::blocked},      {"◻", BoxState::pending},
    {"🔲", BoxState::pending},
}};
constexpr std::string_view variation = "\xEF\xB8\x8F";  // "as a picture": often follows a sign

std::size_t blanks_at(std::string_view text) {
  const auto next = text.find_first_not_of(" \t");
  return next == std::string_view::npos ? text.size() : next;
}

template <class List>
std::size_t size_of_any(std::string_view text, const List& list) {
  for (const std::string_view word : list) {
    if (text.starts_with(word)) return word.size();
  }
  return 0;
}

struct Sign {
  std::size_t size = 0;
  BoxState state = BoxState::pending;
};

Sign sign_at(std::string_view text) {
  for (const auto& [sign, state] : signs) {
    if (!text.starts_with(sign)) continue;
    const bool varied = text.substr(sign.size()).starts_with(variation);
    return {sign.size() + (varied ? variation.size() : 0), state};
  }
  return {};
}

/// `- `, `* `, `+ `, `1. `
std::size_t bullet_size(std::string_view text) {
  std::size_t size = 1;
  if (text.empty()) return 0;
  if (text.front() >= '0' && text.front() <= '9') {
    size = text.find_first_not_of("0123456789");
    if (size == std::string_view::npos || (text[size] != '.' && text[size] != ')')) return 0;
    ++size;
  } else if (std::string_view{"-*+"}.find(text.front()) == std::string_view::npos) {
    return 0;
  }
  const std::size_t blanks = blanks_at(text.substr(size));
  return blanks == 0 ? 0 : size + blanks;
}

/// `[x]` with a blank or nothing after it: `[x](y)` is a link.
struct Box {
  std::size_t size = 0;  ///< 0: there is none
  Bytes mark;
  std::optional<BoxState> state;
};

Box box_at(std::string_view text) {
  constexpr std::size_t mark_bytes_max = 12;
  if (!text.starts_with('[')) return {};
  const auto close = text.find(']');
  if (close > mark_bytes_max) return {};  // also where there is none
  if (close + 1 < text.size() && text[close + 1] != ' ' && text[close + 1] != '\t') return {};
  const std::string_view mark = trim(text.substr(1, close - 1));
  if (mark.size() > 1 && sign_at(mark).size != mark.size()) return {};
  Box box{close + 1, {1, close}, std::nullopt};
  if (mark.empty()) {
    box.state = BoxState::pending;
  } else if (mark.size() > 1) {
    box.state = sign_at(mark).state;
  } else {
    switch (mark.front()) {
      case 'x':
      case 'X':
        box.state = BoxState::completed;
        break;
      case '~':
      case '/':
      case '>':
        box.state = BoxState::in_progress;
        break;
      case '-':
      case '!':
        box.state = BoxState::blocked;
        break;
      default:
        break;
    }
  }
  return box;
}

/// The id and what is around it.
struct IdRead {
  std::string id;
  std::size_t end = 0;  ///< where the title begins
  LineForm form = LineForm::bare;
  std::string_view left_open;  ///< marks that are closed only after the title
};

class IdReader {
 public:
  explicit IdReader(std::string_view line) : line_{line} {}

  std::optional<IdRead> read(std::size_t at) {
    at_ = at;
    open_marks();
    const std::size_t size = task_id_size(rest());
    if (size == 0) return std::nullopt;
    IdRead read;
    read.id = rest().substr(0, size);
    at_ += size;
    close_marks();
    skip_blanks();
    if (take_colon()) colon_ = true;
    skip_blanks();
    for (const std::string_view dash : {"- ", "– ", "— "}) {
      if (!colon_ && rest().starts_with(dash)) at_ += dash.size();
    }
    skip_blanks();
    read.end = at_;
    read.left_open = marks_.empty() ? std::string_view{} : marks_.back();
    if (marked_) {
      read.form = LineForm::marked;
    } else if (colon_) {
      read.form = LineForm::colon;
    }
    return read;
  }

 private:
  [[nodiscard]] std::string_view rest() const { return line_.substr(at_); }
  void skip_blanks() { at_ += blanks_at(rest()); }

  void open_marks() {
    constexpr std::array<std::string_view, 5> opening{"**", "__", "~~", "`", "["};
    for (;;) {
      const std::size_t size = size_of_any(rest(), opening);
      if (size == 0) return;
      marks_.push_back(rest().substr(0, size));
      if (marks_.back() != "[" && marks_.back() != "~~") marked_ = true;
      at_ += size;
    }
  }

  /// The colon may stand inside of the marks: `**IMPL-001:** text`.
  void close_marks() {
    while (!marks_.empty()) {
      if (take_colon()) {
        colon_ = true;
      } else if (marks_.back() == "[" && rest().starts_with("](") && rest().find(')') != std::string_view::npos) {
        at_ += rest().find(')') + 1;
        marks_.pop_back();
      } else if (marks_.back() != "[" && rest().starts_with(marks_.back())) {
        at_ += marks_.back().size();
        marks_.pop_back();
      } else {
        return;
      }
    }
  }

  bool take_colon() {
    constexpr std::array<std::string_view, 2> colons{":", "："};
    const std::size_t size = size_of_any(rest(), colons);
    at_ += size;
    return size > 0;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::vector<std::string_view> marks_;
  bool marked_ = false;
  bool colon_ = false;
};

/// `[depends_on: A, B]`, `（depends_on: `A`）`: where it stands and what it says.
struct DependsNote {
  Bytes bytes;
  std::string_view value;
};

std::optional<DependsNote> depends_note(std::string_view line) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> pairs{{{"[", "]"}, {"(", ")"}, {"（", "）"}}};
  const std::string low = lower(line);
  for (std::size_t at = low.find("depend"); at != std::string::npos; at = low.find("depend", at + 1)) {
    const std::string_view before = std::string_view{line}.substr(0, at);
    const std::string_view head = before.substr(0, before.find_last_not_of(" \t") + 1);
    const auto colon = line.find(':', at);
    const auto wide = line.find("：", at);
    const auto value =
        std::min(colon == std::string_view::npos ? colon : colon + 1, wide == std::string_view::npos ? wide : wide + 3);
    if (value == std::string_view::npos) continue;
    for (const auto& [open, close] : pairs) {
      if (!head.ends_with(open)) continue;
      const auto end = line.find(close, value);
      if (end == std::string_view::npos) continue;
      return DependsNote{{head.size() - open.size(), end + close.size()}, line.substr(value, end - value)};
    }
  }
  return std::nullopt;
}

/// Without the blanks, bars and arrows at its end.
std::string_view without_tail(std::string_view text) {
  for (;;) {
    text = text.substr(0, text.find_last_not_of(" \t|\r") + 1);
    const auto ends = [&](std::string_view arrow) { return text.ends_with(arrow); };
    const auto arrow = std::ranges::find_if(arrows, ends);
    if (arrow == arrows.end()) return text;
    text.remove_suffix(arrow->size());
  }
}

std::string title_of(std::string_view line, std::size_t begin, const std::vector<LineLink>& links,
                     const std::optional<DependsNote>& note, std::string_view left_open) {
  std::size_t end = line.size();
  for (const LineLink& link : links) {
    const bool counts = link.bytes.begin >= begin && (link.is_task() || link.is_summary());
    if (counts) end = std::min(end, link.bytes.begin);
  }
  std::string title{line.substr(begin, end - begin)};
  if (note && note->bytes.begin >= begin && note->bytes.end <= end) {
    title.erase(note->bytes.begin - begin, note->bytes.size());
  }
  if (!left_open.empty()) {
    if (const auto close = title.find(left_open); close != std::string::npos) title.erase(close, left_open.size());
  }
  return std::string{trim(without_tail(title))};
}

/// Everything after the box.
std::optional<TaskLine> read_rest(std::string_view line, std::size_t at, TaskLine task) {
  for (Sign sign = sign_at(line.substr(at)); sign.size > 0; sign = sign_at(line.substr(at))) {
    at += sign.size;
    at += blanks_at(line.substr(at));
  }
  auto id = IdReader{line}.read(at);
  if (!id) return std::nullopt;
  task.links = links_in(line);
  task.id = std::move(id->id);
  task.form = std::ranges::any_of(task.links, &LineLink::is_task) ? LineForm::linked : id->form;
  const auto note = depends_note(line);
  if (note) task.depends_on = task_ids_in(note->value);
  task.title = title_of(line, id->end, task.links, note, id->left_open);
  return task;
}

}  // namespace

std::string_view name(BoxState state) {
  switch (state) {
    case BoxState::pending:
      return "pending";
    case BoxState::in_progress:
      return "in_progress";
    case BoxState::completed:
      return "completed";
    case BoxState::blocked:
      break;
  }
  return "blocked";
}

std::size_t indent_of(std::string_view line) {
  constexpr std::size_t tab = 4;
  std::size_t indent = 0;
  for (const char c : line) {
    if (c != ' ' && c != '\t') break;
    indent += c == '\t' ? tab : 1;
  }
  return indent;
}

std::vector<LineLink> links_in(std::string_view line) {
  std::vector<LineLink> links;
  for (auto middle = line.find("]("); middle != std::string_view::npos; middle = line.find("](", middle + 2)) {
    const auto open = line.rfind('[', middle);
    const auto close = line.find(')', middle);
    if (open == std::string_view::npos || close == std::string_view::npos) continue;
    links.push_back({{open, close + 1}, std::string{trim(line.substr(middle + 2, close - middle - 2))}});
  }
  return links;
}

bool has_box(std::string_view line) {
  line.remove_prefix(blanks_at(line));
  const std::size_t bullet = bullet_size(line);
  return bullet > 0 && box_at(line.substr(bullet)).size > 0;
}

std::optional<TaskLine> read_item(std::string_view line) {
  TaskLine task;
  task.indent = indent_of(line);
  std::size_t at = blanks_at(line);
  at += bullet_size(line.substr(at));
  const bool has_bullet = at > blanks_at(line);
  if (const std::size_t size = size_of_any(line.substr(at), container_signs); size > 0) {
    task.container = true;
    at += size;
  } else if (!has_bullet) {
    return std::nullopt;
  } else if (const Box box = box_at(line.substr(at)); box.size > 0) {
    task.has_mark = true;
    task.mark = {at + box.mark.begin, at + box.mark.end};
    task.knows_mark = box.state.has_value();
    task.state = box.state.value_or(BoxState::pending);
    at += box.size;
  } else if (const Sign sign = sign_at(line.substr(at)); sign.size > 0) {
    task.has_mark = true;
    task.mark = {at, at + sign.size};
    task.state = sign.state;
    at += sign.size;
  } else {
    return std::nullopt;
  }
  at += blanks_at(line.substr(at));
  return read_rest(line, at, std::move(task));
}

std::optional<TaskLine> read_heading(std::string_view line) {
  const auto level = line.find_first_not_of('#');
  if (level == 0 || level == std::string_view::npos || line[level] != ' ') return std::nullopt;
  TaskLine task;
  std::size_t at = level + blanks_at(line.substr(level));
  if (const Sign sign = sign_at(line.substr(at)); sign.size > 0) {
    task.has_mark = true;
    task.mark = {at, at + sign.size};
    task.state = sign.state;
    at += sign.size;
    at += blanks_at(line.substr(at));
  }
  if (auto first = read_rest(line, at, task)) {
    first->form = LineForm::heading;
    return first;
  }
  const std::string_view text = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  const auto last = text.find_last_of(" \t(`*") + 1;
  std::string_view word = text.substr(last);
  while (!word.empty() && std::string_view{")`*"}.find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  if (!is_task_id(word)) return std::nullopt;
  task.id = word;
  task.form = LineForm::heading;
  const std::string_view title = text.substr(at, last - at);
  task.title = trim(title.substr(0, title.find_last_not_of(" \t-(`*:") + 1));
  return task;
}

std::optional<BoxState> state_of_word(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, BoxState>, 16> words{{
      {"complete", BoxState::completed},
      {"done", BoxState::completed},
      {"finished", BoxState::completed},
      {"已完成", BoxState::completed},
      {"完成", BoxState::completed},
      {"in progress", BoxState::in_progress},
      {"in_progress", BoxState::in_progress},
      {"active", BoxState::in_progress},
      {"进行中", BoxState::in_progress},
      {"blocked", BoxState::blocked},
      {"failed", BoxState::blocked},
      {"阻塞", BoxState::blocked},
      {"pending", BoxState::pending},
      {"not started", BoxState::pending},
      {"待", BoxState::pending},
      {"未", BoxState::pending},
  }};
  std::string low = lower(trim(word));
  while (low.starts_with('*') || low.starts_with('`')) low.erase(0, 1);
  if (const Sign sign = sign_at(low); sign.size > 0) return sign.state;
  for (const auto& [text, state] : words) {
    if (low.starts_with(text)) return state;
  }
  return std::nullopt;
}

std::optional<NoteLine> read_note(std::string_view line) {
  constexpr std::size_t key_bytes_max = 40;
  std::size_t at = blanks_at(line);
  at += bullet_size(line.substr(at));
  const std::string_view text = line.substr(at);
  const auto colon = std::min(text.find(':'), text.find("："));
  if (colon == std::string_view::npos || colon == 0 || colon > key_bytes_max) return std::nullopt;
  std::string key;
  for (const char c : text.substr(0, colon)) {
    if (c != '*' && c != '`' && c != '_') key += c;
    if (c == '_') key += ' ';
  }
  std::size_t begin = at + colon + (text[colon] == ':' ? 1 : std::string_view{"："}.size());
  while (begin < line.size() && (line[begin] == '*' || line[begin] == ' ' || line[begin] == '\t')) ++begin;
  const auto end = std::max(begin, line.find_last_not_of(" \t\r") + 1);
  return NoteLine{lower(trim(key)), line.substr(begin, end - begin), {begin, end}};
}

}  // namespace baton::session
