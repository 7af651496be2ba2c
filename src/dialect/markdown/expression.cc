#include "dialect/markdown/expression.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace baton::markdown {
namespace {

bool is_name(std::string_view text) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (text.empty() || !is_word(text.front())) return false;
  return std::ranges::all_of(text, [&](char c) { return is_word(c) || c == '-'; });
}

/// The forms that files are full of, without the whole language: a file of 10 MB has half a million of them.
std::optional<Reference> read_common(std::string_view inner) {
  if (inner == "sandbox") return Reference{Reference::Kind::sandbox};
  constexpr std::string_view inputs = "inputs.";
  if (inner.starts_with(inputs) && is_name(inner.substr(inputs.size()))) {
    return Reference{Reference::Kind::input, std::string{inner.substr(inputs.size())}};
  }
  constexpr std::string_view steps = "steps.";
  constexpr std::string_view output = ".output";
  if (!inner.starts_with(steps) || !inner.ends_with(output) || inner.size() <= steps.size() + output.size()) {
    return std::nullopt;
  }
  const std::string_view id = inner.substr(steps.size(), inner.size() - steps.size() - output.size());
  if (!is_name(id)) return std::nullopt;
  return Reference{Reference::Kind::step_output, std::string{id}};
}

Expression read_expression(std::string_view source) {
  Expression expression{source, source.substr(3, source.size() - 5), std::nullopt, ""};
  expression.lone = read_common(trim(expression.inner));
  if (expression.lone) return expression;
  const auto references = references_of(expression.inner);
  if (!references) expression.problem = references.error().message;
  if (references && references->size() == 1) expression.lone = lone_reference(expression.inner);
  return expression;
}

}  // namespace

Template cut(std::string_view text) {
  Template result;
  std::size_t done = 0;
  for (std::size_t at = text.find("${{"); at != std::string_view::npos; at = text.find("${{", done)) {
    const std::size_t close = text.find("}}", at + 3);
    result.pieces.push_back(text.substr(done, at - done));
    if (close == std::string_view::npos) {
      result.expressions.push_back({text.substr(at), text.substr(at + 3), std::nullopt, "it is never closed"});
      done = text.size();
      break;
    }
    done = close + 2;
    result.expressions.push_back(read_expression(text.substr(at, done - at)));
  }
  result.pieces.push_back(text.substr(done));
  return result;
}

Composed substitute(std::string_view text, const Resolve& resolve) {
  const Template parts = cut(text);
  Composed out{parts.pieces.front()};
  for (std::size_t i = 0; i < parts.expressions.size(); ++i) {
    out.add(resolve(parts.expressions[i]));
    out.add_text(parts.pieces[i + 1]);
  }
  return out;
}

namespace {

/// Follows a shell line just closely enough to know which quotes a place stands in.
class ShellQuotes {
 public:
  enum class Context : std::uint8_t { bare, single_quotes, double_quotes };

  [[nodiscard]] Context here() const { return stack_.back(); }

  void read(std::string_view text) {
    for (const char c : text) read(c);
  }

 private:
  void read(char c) {
    const char before = std::exchange(last_, c);
    if (escaped_) {
      escaped_ = false;
      last_ = 'x';  // an escaped sign is an ordinary one
      return;
    }
    if (comment_) {
      comment_ = c != '\n';
      return;
    }
    if (here() == Context::single_quotes) {
      if (c == '\'') stack_.pop_back();
      return;
    }
    if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      toggle_double();
    } else if (c == '(' && (before == '$' || here() == Context::bare)) {
      stack_.push_back(Context::bare);  // $( begins quoting anew, also inside double quotes
    } else if (here() == Context::bare) {
      read_bare(c, before);
    }
  }

  void toggle_double() {
    if (here() == Context::double_quotes) {
      stack_.pop_back();
    } else {
      stack_.push_back(Context::double_quotes);
    }
  }

  void read_bare(char c, char before) {
    if (c == '\'') stack_.push_back(Context::single_quotes);
    if (c == ')' && stack_.size() > 1) stack_.pop_back();
    if (c == '#' && (before == ' ' || before == '\t' || before == '\n' || before == ';')) comment_ = true;
  }

  std::vector<Context> stack_{Context::bare};
  char last_ = '\n';
  bool escaped_ = false;
  bool comment_ = false;
};

std::string reference(std::string_view name, ShellQuotes::Context context) {
  switch (context) {
    case ShellQuotes::Context::bare:
      return fmt::format("\"${}\"", name);
    case ShellQuotes::Context::double_quotes:
      return fmt::format("${{{}}}", name);
    case ShellQuotes::Context::single_quotes:
      return fmt::format("'\"${}\"'", name);
  }
  return {};
}

}  // namespace

ShellLine substitute_in_shell(std::string_view text, const Resolve& resolve) {
  const Template parts = cut(text);
  ShellLine shell{std::string{parts.pieces.front()}, {}};
  ShellQuotes quotes;
  quotes.read(parts.pieces.front());
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < parts.expressions.size(); ++i) {
    Composed value = resolve(parts.expressions[i]);
    const auto [known, is_new] = numbers.try_emplace(value.text(true), numbers.size() + 1);
    const std::string name = fmt::format("BATON_VALUE_{}", known->second);
    if (is_new) shell.env.emplace_back(name, std::move(value));
    shell.line += reference(name, quotes.here());
    shell.line += parts.pieces[i + 1];
    quotes.read("x");  // whatever the value is, it is part of a word
    quotes.read(parts.pieces[i + 1]);
  }
  return shell;
}

}  // namespace baton::markdown
