#include <yaml.h>

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "base/limits.h"
#include "base/text.h"
#include "base/utf8.h"
#include "text/decimal.h"
#include "text/place.h"
#include "text/yaml_json.h"
#include "text/yaml_tree.h"

namespace baton {
namespace {

// Two noncharacters of Unicode, which no text may hold, stand for the braces of `${{ }}` while libyaml reads: so an
// expression is plain text to it everywhere, and no column moves. (They are one character each, as a brace is.)
constexpr std::string_view brace_open = "\xF4\x8F\xBF\xBE";
constexpr std::string_view brace_close = "\xF4\x8F\xBF\xBF";

std::string hide_expressions(std::string_view text) {
  constexpr auto none = std::string_view::npos;
  std::string out;
  out.reserve(text.size());
  std::size_t done = 0;
  std::size_t close = 0;
  for (std::size_t at = text.find("${{"); at != none && close != none; at = text.find("${{", done)) {
    if (close < at + 3) close = text.find("}}", at + 3);
    if (close == none) break;  // never closed: whoever reads the expression says so
    const std::size_t line_end = text.substr(0, close).find('\n', at);
    if (line_end != none) {
      out += text.substr(done, line_end - done);
      done = line_end;
      continue;
    }
    out += text.substr(done, at + 1 - done);
    out.append(brace_open).append(brace_open);
    out += text.substr(at + 3, close - at - 3);
    out.append(brace_close).append(brace_close);
    done = close + 2;
  }
  return out.append(text.substr(done));
}

void append_shown(std::string& out, std::string_view hidden) {
  std::size_t done = 0;
  for (std::size_t at = hidden.find("\xF4\x8F\xBF"); at != std::string_view::npos;
       at = hidden.find("\xF4\x8F\xBF", done)) {
    out += hidden.substr(done, at - done);
    out += hidden.substr(at, brace_open.size()) == brace_open ? '{' : '}';
    done = at + brace_open.size();
  }
  out += hidden.substr(done);
}

Place place_of(std::string_view text, std::size_t offset, const std::string& file, int lines_before) {
  const LineAt line = line_at(text, offset, LineEnds::lf_and_cr);
  return {file, lines_before + line.number, line.column()};
}

/// What YAML calls printable, without the two noncharacters that are ours.
bool may_stand_in_yaml(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  if (c >= 0x7F && c < 0xA0) return c == 0x85;
  return c != 0xFEFF && c != 0xFFFE && c != 0xFFFF && c != 0x10FFFE && c != 0x10FFFF;
}

std::optional<Fault> find_bad_characters(std::string_view text, const std::string& file, int lines_before) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < 0x7F) {
      ++i;
      continue;
    }
    const auto [code, size] = utf8_front(text.substr(i));
    if (size == 0 || code == 0) {
      return Fault{"bad-character", size == 0 ? "the file is not UTF-8 text" : "the file has a NUL byte",
                   "save the file as plain UTF-8 text", place_of(text, i, file, lines_before)};
    }
    if (!may_stand_in_yaml(code)) {
      return Fault{"bad-character",
                   fmt::format("the control character U+{:04X} is not allowed", static_cast<unsigned>(code)),
                   "remove it, or write it as an escape inside double quotes", place_of(text, i, file, lines_before)};
    }
    i += size;
  }
  return std::nullopt;
}

struct ParserCloser {
  void operator()(yaml_parser_t* parser) const { yaml_parser_delete(parser); }
};

/// An event that is always given back.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { clear(); }

  bool next(yaml_parser_t& parser) {
    clear();
    filled_ = yaml_parser_parse(&parser, &event_) != 0;
    return filled_;
  }
  [[nodiscard]] const yaml_event_t& operator*() const { return event_; }
  [[nodiscard]] const yaml_event_t* operator->() const { return &event_; }

 private:
  void clear() {
    if (filled_) yaml_event_delete(&event_);
    filled_ = false;
  }
  yaml_event_t event_{};
  bool filled_ = false;
};

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : std::string_view{reinterpret_cast<const char*>(text)};
}

/// `!!str` for YAML's own tags, whose whole name nobody writes.
std::string shown_tag(std::string_view tag) {
  constexpr std::string_view own = "tag:yaml.org,2002:";
  return tag.starts_with(own) ? fmt::format("!!{}", tag.substr(own.size())) : printable(tag);
}

/// What a scalar's tag says of it, and whether that is true of its text.
bool holds(std::string_view tag, std::string_view text) {
  const std::string json = plain_as_json(text);
  if (tag == "!!null") return json == "null";
  if (tag == "!!bool") return json == "true" || json == "false";
  return is_json_number(json) && (tag == "!!float" || json.find_first_of(".eE") == std::string::npos);
}

}  // namespace

/// Turns libyaml's events into a tree, keeping count of what an alias would copy.
class YamlBuilder {
 public:
  YamlBuilder(const std::string& file, int lines_before) : file_{file}, lines_before_{lines_before} {}

  /// False: reading has to end here, and why is the last fault.
  bool take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return take_scalar(event);
      case YAML_ALIAS_EVENT:
        return take_alias(event);
      case YAML_SEQUENCE_START_EVENT:
        return fits_tag(event, view(event.data.sequence_start.tag), "seq") &&
               open(YamlNode::Kind::sequence, event, view(event.data.sequence_start.anchor));
      case YAML_MAPPING_START_EVENT:
        return fits_tag(event, view(event.data.mapping_start.tag), "map") &&
               open(YamlNode::Kind::mapping, event, view(event.data.mapping_start.anchor));
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        close();
        return true;
      case YAML_DOCUMENT_START_EVENT:
        if (++documents_ == 1) return true;
        return refuse("bad-yaml", event.start_mark, "a second YAML document begins here",
                      "keep one document in the file");
      case YAML_NO_EVENT:
      case YAML_STREAM_START_EVENT:
      case YAML_STREAM_END_EVENT:
      case YAML_DOCUMENT_END_EVENT:
        return true;
    }
    return true;
  }

  YamlTree take_tree() { return std::move(tree_); }
  Faults take_faults() { return std::move(faults_); }

 private:
  struct Open {
    std::uint32_t node;
    std::size_t children_begin;  // in pending_
    std::string anchor;
    std::size_t copies_before;
    std::size_t height;
  };
  struct Anchored {
    std::uint32_t node;
    std::size_t copies;
    std::size_t height;  // levels below and including the node
  };

  [[nodiscard]] Place place(const yaml_mark_t& mark) const {
    return {file_, lines_before_ + static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
  }

  bool refuse(std::string code, const yaml_mark_t& mark, std::string message, std::string help) {
    faults_.push_back({std::move(code), std::move(message), std::move(help), place(mark)});
    return false;
  }

  [[nodiscard]] bool awaits_key() const {
    if (open_.empty() || tree_.nodes_[open_.back().node].kind != YamlNode::Kind::mapping) return false;
    return (pending_.size() - open_.back().children_begin) % 2 == 0;
  }

  bool count(std::size_t copies, const yaml_mark_t& mark) {
    copies_ += copies;
    if (copies_ <= Limits::yaml_nodes_max) return true;
    return refuse("yaml-too-large", mark,
                  fmt::format("there are more than {} values, counting aliases", Limits::yaml_nodes_max),
                  "split the file, or use fewer aliases");
  }

  bool check_depth(std::size_t levels, const yaml_mark_t& mark) {
    if (open_.size() + levels <= Limits::yaml_depth_max) return true;
    return refuse("yaml-too-deep", mark, fmt::format("values are nested more than {} deep", Limits::yaml_depth_max),
                  "flatten the structure");
  }

  std::uint32_t add(YamlNode::Kind kind, const yaml_mark_t& mark) {
    const Place at = place(mark);
    tree_.nodes_.push_back({kind, false, -1, at.line, at.column, 0, 0});
    return static_cast<std::uint32_t>(tree_.nodes_.size() - 1);
  }

  void attach(std::uint32_t node, std::size_t height) {
    if (open_.empty()) {
      tree_.root_ = node;
      return;
    }
    pending_.push_back(node);
    open_.back().height = std::max(open_.back().height, height + 1);
  }

  bool refuse_tag(const yaml_event_t& event, std::string_view tag, std::string help) {
    return refuse("bad-yaml", event.start_mark,
                  fmt::format("the tag '{}' does not hold here", shorten(shown_tag(tag), 80)), std::move(help));
  }

  /// `own`: the one that says of a list or mapping what it is anyway.
  bool fits_tag(const yaml_event_t& event, std::string_view tag, std::string_view own) {
    if (tag.empty() || tag == "!" || shown_tag(tag) == fmt::format("!!{}", own)) return true;
    return refuse_tag(event, tag, "leave it out: tags for texts, numbers, truth values and null are known");
  }

  /// Whether a scalar stands for a text, as its tag says, or as it is written where it has none.
  bool read_tag(const yaml_event_t& event, bool& quoted) {
    const auto& scalar = event.data.scalar;
    const std::string_view tag = view(scalar.tag);
    if (tag.empty()) return true;
    const std::string word = shown_tag(tag);
    quoted = word == "!" || word == "!!str";
    if (quoted) return true;
    if (awaits_key()) return refuse_tag(event, tag, "a key is a text");
    const std::string_view text{reinterpret_cast<const char*>(scalar.value), scalar.length};
    if (word != "!!int" && word != "!!float" && word != "!!bool" && word != "!!null") {
      return refuse_tag(event, tag, "leave it out; for a text write '!!str', or put it in quotes");
    }
    return holds(word, text) ||
           refuse_tag(event, tag, fmt::format("'{}' is none; write it as JSON does", shorten(printable(text), 40)));
  }

  bool take_scalar(const yaml_event_t& event) {
    bool quoted = event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (!read_tag(event, quoted) || !count(1, event.start_mark)) return false;
    const auto& scalar = event.data.scalar;
    const std::uint32_t node = add(YamlNode::Kind::scalar, event.start_mark);
    YamlTree::Node& made = tree_.nodes_.back();
    made.quoted = quoted;
    made.begin = static_cast<std::uint32_t>(tree_.texts_.size());
    append_shown(tree_.texts_, {reinterpret_cast<const char*>(scalar.value), scalar.length});
    made.size = static_cast<std::uint32_t>(tree_.texts_.size() - made.begin);
    if (event.start_mark.line == event.end_mark.line && scalar.tag == nullptr) {
      const std::size_t lead = made.quoted ? 1 : 0;
      const std::size_t width = event.end_mark.column - event.start_mark.column;
      if (width == static_cast<std::size_t>(count_characters(text_of(node))) + 2 * lead)
        made.lead = static_cast<std::int8_t>(lead);
    }
    if (scalar.anchor != nullptr) anchors_[std::string{view(scalar.anchor)}] = {node, 1, 1};
    attach(node, 1);
    return true;
  }

  bool take_alias(const yaml_event_t& event) {
    const std::string name{view(event.data.alias.anchor)};
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      return refuse("bad-yaml", event.start_mark, fmt::format("the alias '*{}' has no anchor before it", name),
                    fmt::format("write '&{}' where the value stands first; a value cannot hold itself", name));
    }
    const auto& [node, copies, height] = found->second;
    if (awaits_key() && tree_.nodes_[node].kind != YamlNode::Kind::scalar) return refuse_key(event.start_mark);
    if (!count(copies, event.start_mark) || !check_depth(height - 1, event.start_mark)) return false;
    attach(node, height);
    return true;
  }

  bool refuse_key(const yaml_mark_t& mark) {
    return refuse("bad-yaml", mark, "a key has to be plain text, not a list or a mapping",
                  "if the value begins with '{' or '[', put it in quotes");
  }

  bool open(YamlNode::Kind kind, const yaml_event_t& event, std::string_view anchor) {
    if (awaits_key()) return refuse_key(event.start_mark);
    const std::size_t copies_before = copies_;
    if (!count(1, event.start_mark) || !check_depth(1, event.start_mark)) return false;
    open_.push_back({add(kind, event.start_mark), pending_.size(), std::string{anchor}, copies_before, 1});
    return true;
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    YamlTree::Node& node = tree_.nodes_[done.node];
    node.begin = static_cast<std::uint32_t>(tree_.children_.size());
    node.size = static_cast<std::uint32_t>(pending_.size() - done.children_begin);
    const auto first = pending_.begin() + static_cast<std::ptrdiff_t>(done.children_begin);
    tree_.children_.insert(tree_.children_.end(), first, pending_.end());
    pending_.erase(first, pending_.end());
    if (node.kind == YamlNode::Kind::mapping) report_twins(node);
    if (!done.anchor.empty()) anchors_[done.anchor] = {done.node, copies_ - done.copies_before, done.height};
    attach(done.node, done.height);
  }

  [[nodiscard]] std::string_view text_of(std::uint32_t node) const {
    return std::string_view{tree_.texts_}.substr(tree_.nodes_[node].begin, tree_.nodes_[node].size);
  }

  void report_twins(const YamlTree::Node& mapping) {
    if (mapping.size < 4) return;
    std::vector<std::uint32_t> keys;
    keys.reserve(mapping.size / 2);
    for (std::uint32_t i = 0; i < mapping.size; i += 2) keys.push_back(tree_.children_[mapping.begin + i]);
    std::ranges::sort(keys, [this](std::uint32_t a, std::uint32_t b) {
      const int order = text_of(a).compare(text_of(b));
      return order != 0 ? order < 0 : a < b;  // nodes are numbered as they stand in the file
    });
    for (std::size_t i = 1; i < keys.size() && faults_.size() < Limits::faults_max; ++i) {
      if (text_of(keys[i - 1]) != text_of(keys[i])) continue;
      const YamlTree::Node& twin = tree_.nodes_[keys[i]];
      const YamlTree::Node& first = tree_.nodes_[keys[i - 1]];
      faults_.push_back({"duplicate-key",
                         fmt::format("the key '{}' is here a second time", shorten(text_of(keys[i]), 80)),
                         fmt::format("remove one; the other is on line {}", first.line),
                         {file_, twin.line, twin.column}});
    }
  }

  const std::string& file_;
  int lines_before_;
  int documents_ = 0;
  YamlTree tree_;
  Faults faults_;
  std::vector<Open> open_;
  std::vector<std::uint32_t> pending_;  // children of what is open
  std::unordered_map<std::string, Anchored> anchors_;
  std::size_t copies_ = 0;
};

namespace {

std::string_view line_of(std::string_view text, std::size_t number) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < number; ++i) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// libyaml's words, put so that one sees what to do.
Fault syntax_fault(const yaml_parser_t& parser, std::string_view text, const std::string& file, int lines_before) {
  const yaml_mark_t& mark = parser.problem_mark;
  const std::string_view line = line_of(text, mark.line);
  const Place place{file, lines_before + static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t tab = line.substr(0, indent).find('\t');
  if (tab != std::string_view::npos) {
    return {"bad-yaml",
            "a tab is used to indent this line",
            "indent with spaces; YAML does not allow tabs there",
            {file, place.line, static_cast<int>(tab) + 1}};
  }
  std::string message = parser.problem == nullptr ? "cannot be read" : parser.problem;
  if (parser.context != nullptr) message += fmt::format(", {}", parser.context);
  std::string help = "check the indentation, and put values with special characters in quotes";
  if (message.find("mapping values are not allowed") != std::string::npos) {
    help = "put the value in quotes if it has ': ' in it, and check the indentation";
  } else if (parser.context_mark.line > 0 && parser.context_mark.line != mark.line) {
    help = fmt::format("what it belongs to begins on line {}; {}",
                       lines_before + static_cast<int>(parser.context_mark.line) + 1, help);
  }
  return {"bad-yaml", "this is not valid YAML: " + message, help, place};
}

}  // namespace

std::optional<Fault> find_bad_bytes(std::string_view text, const std::string& file) {
  const std::size_t nul = text.find('\0');
  const std::size_t bad = utf8_fault(text.substr(0, nul));
  if (bad != std::string_view::npos) {
    return Fault{"bad-character", "the file is not UTF-8 text", "save the file as plain UTF-8 text",
                 place_of(text, bad, file, 0)};
  }
  if (nul == std::string_view::npos) return std::nullopt;
  return Fault{"bad-character", "the file has a NUL byte", "save the file as plain UTF-8 text",
               place_of(text, nul, file, 0)};
}

YamlRead read_yaml(std::string_view text, const std::string& file, int lines_before) {
  text = without_byte_order_mark(text);
  if (text.size() > Limits::file_bytes_max) {
    return {std::nullopt,
            {{"file-too-large",
              fmt::format("the file is larger than {} MiB", Limits::file_bytes_max >> 20U),
              "split it",
              {file, 1, 1}}}};
  }
  if (auto bad = find_bad_characters(text, file, lines_before)) return {std::nullopt, {std::move(*bad)}};

  const std::string hidden = hide_expressions(text);
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) == 0) {
    return {std::nullopt, {{"bad-yaml", "there is not enough memory to read the file", "", {file, 1, 1}}}};
  }
  const std::unique_ptr<yaml_parser_t, ParserCloser> closer{&parser};
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(hidden.data()), hidden.size());

  YamlBuilder builder{file, lines_before};
  Event event;
  do {
    if (!event.next(parser)) {
      Faults faults = builder.take_faults();
      faults.push_back(syntax_fault(parser, text, file, lines_before));
      return {std::nullopt, std::move(faults)};
    }
    if (!builder.take(*event)) return {std::nullopt, builder.take_faults()};
  } while (event->type != YAML_STREAM_END_EVENT);
  return {builder.take_tree(), builder.take_faults()};
}

}  // namespace baton
