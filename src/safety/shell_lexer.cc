#include "safety/shell_lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace baton::safety {
namespace {

using Kind = ShellToken::Kind;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool ends_word(char c) {
  return is_blank(c) || c == '\n' || std::string_view{"|&;()<>"}.find(c) != std::string_view::npos;
}
bool is_name(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// One word on its way.
struct Draft {
  ShellToken token;
  bool begun = false;  ///< `""` is a word too
  bool plain = true;   ///< nothing in it was quoted
};

class Lexer {
 public:
  Lexer(std::string_view text, ReadingBudget& budget) : text_(text), budget_(budget) {}

  std::vector<ShellToken> all() {
    const ReadingBudget::Level level{budget_};
    if (!budget_.take(text_.size())) return {};
    while (at_ < text_.size() && !budget_.spent) step();
    finish_word();
    read_here_texts();
    return std::move(tokens_);
  }

  /// Only the commands that are run to make a text: what an unquoted here-document holds.
  std::vector<std::string> scripts_within() {
    const ReadingBudget::Level level{budget_};
    if (!budget_.take(text_.size())) return {};
    while (at_ < text_.size() && !budget_.spent) quoted_char();
    return std::move(draft_.token.scripts);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool sees(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  void begin_word() {
    if (!draft_.begun) draft_.token.begin = at_;
    draft_.begun = true;
  }

  void put(std::string_view text) {
    begin_word();
    draft_.token.text += text;
  }

  void step() {
    const char c = peek();
    if (sees("\\\n")) {
      at_ += 2;
    } else if (c == '\n') {
      finish_word();
      add(Kind::list, 1);
      read_here_texts();
    } else if (is_blank(c)) {
      finish_word();
      ++at_;
    } else if (c == '#' && !draft_.begun) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if ((c == '<' || c == '>') && peek(1) == '(') {
      substitution(std::string{c} + "(");
    } else if (ends_word(c)) {
      operate();
    } else {
      word_char();
    }
  }

  // Operators. ---------------------------------------------------------------------------------------------------
  void add(Kind kind, std::size_t size) {
    tokens_.push_back({kind, std::string{text_.substr(at_, size)}, {}, at_, at_ + size});
    at_ += size;
  }

  void operate() {
    // 2> is a redirection, not a word and one.
    const bool is_descriptor = draft_.begun && draft_.plain && (peek() == '<' || peek() == '>') &&
                               std::ranges::all_of(draft_.token.text, [](char c) { return c >= '0' && c <= '9'; });
    if (is_descriptor) draft_ = {};
    finish_word();
    constexpr std::array<std::string_view, 3> two_more = {"<<<", "<<-", "&>>"};
    constexpr std::array<std::string_view, 11> one_more = {"||", "&&", ";;", "|&", "<<", ">>",
                                                           ">|", "&>", ">&", "<&", "<>"};
    std::size_t size = 1;
    if (std::ranges::any_of(one_more, [&](auto sign) { return sees(sign); })) size = 2;
    if (std::ranges::any_of(two_more, [&](auto sign) { return sees(sign); })) size = 3;
    const std::string_view sign = text_.substr(at_, size);
    if (sign.starts_with("<<")) return here(size);
    if (sign == "(" || sign == ")") return add(sign == "(" ? Kind::open : Kind::close, size);
    if (sign == "|" || sign == "|&") return add(Kind::pipe, size);
    if (sign.find_first_of("<>") != std::string_view::npos) return add(Kind::redirect, size);
    add(Kind::list, size);
  }

  struct Awaited {
    std::size_t token;
    bool strips_tabs;
    bool is_literal;  ///< its delimiter was quoted: nothing in it is ever run
  };

  void here(std::size_t size) {
    const bool is_text = sees("<<<");
    const bool strips_tabs = sees("<<-");
    add(Kind::here_text, size);
    const std::size_t index = tokens_.size() - 1;
    while (is_blank(peek())) ++at_;
    while (at_ < text_.size() && !ends_word(peek())) word_char();
    tokens_[index].text = draft_.token.text;
    tokens_[index].scripts = std::move(draft_.token.scripts);
    tokens_[index].end = at_;
    if (!is_text) awaited_.push_back({index, strips_tabs, !draft_.plain});
    draft_ = {};
  }

  void read_here_texts() {
    for (const Awaited& awaited : awaited_) {
      ShellToken& token = tokens_[awaited.token];
      std::string body;
      while (at_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, end - at_);
        at_ = std::min(end + 1, text_.size());
        if (awaited.strips_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        if (line == token.text) break;
        body.append(line).push_back('\n');
      }
      if (!awaited.is_literal) token.scripts = Lexer{body, budget_}.scripts_within();
      token.text = std::move(body);
    }
    awaited_.clear();
  }

  // Words. -------------------------------------------------------------------------------------------------------
  void finish_word() {
    if (draft_.begun) {
      draft_.token.end = at_;
      const std::string& text = draft_.token.text;
      const bool is_braces = draft_.plain && text.size() > 2 && text.front() == '{' && text.back() == '}' &&
                             text.find(',') != std::string::npos;
      if (is_braces) {
        add_braces();
      } else {
        tokens_.push_back(std::move(draft_.token));
      }
    }
    draft_ = {};
  }

  /// {rm,-rf,/} is three words.
  void add_braces() {
    const std::string whole = std::move(draft_.token.text);
    std::vector<std::string> scripts = std::move(draft_.token.scripts);
    for (const std::string_view part : split(std::string_view{whole}.substr(1, whole.size() - 2), ',')) {
      tokens_.push_back({Kind::word, std::string{part}, std::exchange(scripts, {}), draft_.token.begin, at_});
    }
  }

  void word_char() {
    const char c = peek();
    begin_word();
    if (c == '\\') {
      draft_.plain = false;
      ++at_;
      if (at_ < text_.size()) literal(text_[at_++]);
    } else if (c == '\'') {
      draft_.plain = false;
      const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
      for (std::size_t i = at_ + 1; i < end; ++i) literal(text_[i]);
      at_ = std::min(end + 1, text_.size());
    } else if (c == '"' || sees("$\"")) {
      draft_.plain = false;
      at_ += c == '"' ? 1 : 2;
      while (at_ < text_.size() && peek() != '"' && !budget_.spent) quoted_char();
      at_ = std::min(at_ + 1, text_.size());
    } else if (sees("$'")) {
      draft_.plain = false;
      at_ += 2;
      ansi_text();
    } else if (c == '$' || c == '`') {
      dollar(true);
    } else {
      put(text_.substr(at_++, 1));
    }
  }

  /// A quoted tilde is a file's name, not a home.
  void literal(char c) { put(c == '~' && draft_.token.text.empty() ? "./~" : std::string_view{&c, 1}); }

  void quoted_char() {
    const char c = peek();
    if (c == '\\' && std::string_view{"$`\"\\\n"}.find(peek(1)) != std::string_view::npos && peek(1) != '\0') {
      if (peek(1) != '\n') literal(peek(1));
      at_ += 2;
    } else if (c == '$' || c == '`') {
      dollar(false);
    } else {
      literal(c);
      ++at_;
    }
  }

  /// What stands between $' and ', with the backslashes of C.
  void ansi_text() {
    while (at_ < text_.size() && peek() != '\'') {
      if (peek() != '\\') {
        literal(text_[at_++]);
        continue;
      }
      ++at_;
      const char c = peek();
      constexpr std::string_view signs = "abefnrtv";
      constexpr std::string_view meant = "\a\b\x1b\f\n\r\t\v";
      if (c == 'x') {
        ++at_;
        literal(number(16, 2));
      } else if (c >= '0' && c <= '7') {
        literal(number(8, 3));
      } else {
        const auto known = signs.find(c);
        literal(known == std::string_view::npos ? c : meant[known]);
        ++at_;
      }
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  char number(unsigned base, int digits_max) {
    unsigned value = 0;
    for (int i = 0; i < digits_max; ++i) {
      const char c = peek();
      unsigned digit = 99;
      if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
      if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a' + 10);
      if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A' + 10);
      if (digit >= base) break;
      value = value * base + digit;
      ++at_;
    }
    return static_cast<char>(static_cast<std::uint8_t>(value));
  }

  // Variables and commands within words. -------------------------------------------------------------------------
  void dollar(bool parts_words) {
    if (peek() == '`') return backquotes();
    if (peek(1) == '(') return substitution("$(");
    const bool braced = peek(1) == '{';
    std::size_t end = at_ + (braced ? 2 : 1);
    const std::size_t name_begin = end;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string_view name = text_.substr(name_begin, end - name_begin);
    if (name.empty() && !braced) {
      const bool is_parameter = peek(1) == '@' || peek(1) == '*';  // empty, most of the time
      if (!is_parameter) put("$");
      at_ += is_parameter ? 2 : 1;
      return;
    }
    if (braced) end = closing(end, '}');
    const std::string_view whole = text_.substr(at_, end - at_);
    if (name == "IFS" && parts_words) {
      finish_word();
    } else if (name == "HOME" && draft_.token.text.empty()) {
      put("~");
    } else if (name.size() != 1 || name.front() < '0' || name.front() > '9') {
      put(whole);
      if (braced) add_scripts(whole.substr(2));
    }
    at_ = end;
  }

  /// `${x:-$(…)}` runs what stands in it.
  void add_scripts(std::string_view within) {
    if (within.find("$(") == std::string_view::npos && within.find('`') == std::string_view::npos) return;
    for (std::string& script : Lexer{within, budget_}.scripts_within()) {
      draft_.token.scripts.push_back(std::move(script));
    }
  }

  void substitution(std::string_view sign) {
    begin_word();
    const std::size_t from = at_ + sign.size();
    const std::size_t end = closing(from, ')');
    const bool closed = end > from && text_[end - 1] == ')';
    const std::string_view script = text_.substr(from, end - from - (closed ? 1 : 0));
    draft_.token.scripts.emplace_back(script);
    put(sign);
    put(script);
    put(")");
    at_ = end;
  }

  void backquotes() {
    std::string script;
    for (++at_; at_ < text_.size() && peek() != '`'; ++at_) {
      if (peek() == '\\' && (peek(1) == '`' || peek(1) == '\\' || peek(1) == '$')) ++at_;
      script += peek();
    }
    at_ = std::min(at_ + 1, text_.size());
    put("$(" + script + ")");
    draft_.token.scripts.push_back(std::move(script));
  }

  /// Notes the word behind `<<`, and answers its last character. `<<<` has none.
  std::size_t pass_delimiter(std::size_t i, std::vector<std::string>& documents) {
    if (i < text_.size() && text_[i] == '<') return i;
    while (i < text_.size() && (is_blank(text_[i]) || text_[i] == '-')) ++i;
    std::string word;
    for (; i < text_.size() && !ends_word(text_[i]); ++i) {
      if (std::string_view{"'\"\\"}.find(text_[i]) == std::string_view::npos) word += text_[i];
    }
    if (!word.empty()) documents.push_back(std::move(word));
    return i - 1;
  }

  /// The last character of the lines that belong to here-documents: quotes and parentheses in them mean nothing.
  std::size_t pass_documents(std::size_t i, std::vector<std::string>& documents) const {
    for (const std::string& word : documents) {
      while (i < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', i), text_.size());
        const std::string_view line = text_.substr(i, end - i);
        i = std::min(end + 1, text_.size());
        if (line.substr(std::min(line.find_first_not_of('\t'), line.size())) == word) break;
      }
    }
    documents.clear();
    return i - 1;
  }

  /// Behind the sign that closes what was opened before `from`; the end of the text if nothing does.
  std::size_t closing(std::size_t from, char sign) {
    std::string open{sign};  // the innermost last
    std::vector<std::string> documents;
    std::size_t i = from;
    for (; i < text_.size() && !open.empty(); ++i) {
      const char c = text_[i];
      const char next = i + 1 < text_.size() ? text_[i + 1] : '\0';
      if (c == '\\') {
        ++i;
      } else if (c == open.back()) {
        open.pop_back();
      } else if (c == '$' && (next == '(' || next == '{')) {
        open.push_back(next == '(' ? ')' : '}');
        ++i;
      } else if (open.back() == '"') {
        continue;
      } else if (c == '<' && next == '<') {
        i = pass_delimiter(i + 2, documents);
      } else if (c == '\n' && !documents.empty()) {
        i = pass_documents(i + 1, documents);
      } else if (c == '\'' && open.back() == ')') {
        i = std::min(text_.find('\'', i + 1), text_.size());
      } else if (c == '"') {
        open.push_back('"');
      } else if (c == '(' && open.back() == ')') {
        open.push_back(')');
      }
    }
    i = std::min(i, text_.size());
    budget_.take(i - from);
    return i;
  }

  std::string_view text_;
  ReadingBudget& budget_;
  std::size_t at_ = 0;
  Draft draft_;
  std::vector<ShellToken> tokens_;
  std::vector<Awaited> awaited_;  ///< here-documents whose text comes after the line
};

}  // namespace

std::vector<ShellToken> shell_tokens(std::string_view script, ReadingBudget& budget) {
  return Lexer{script, budget}.all();
}

}  // namespace baton::safety
