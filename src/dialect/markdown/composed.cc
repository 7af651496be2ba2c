#include "dialect/markdown/composed.h"

#include <algorithm>

#include "base/text.h"
#include "plan/expression.h"

namespace baton::markdown {

Composed Composed::expression(std::string source) {
  Composed composed;
  composed.add_expression(std::move(source));
  return composed;
}

void Composed::add_text(std::string_view text) {
  if (text.empty()) return;
  if (parts_.empty() || parts_.back().is_expression) parts_.push_back({"", false});
  parts_.back().text += text;
}

void Composed::add_expression(std::string source) { parts_.push_back({std::move(source), true}); }

void Composed::add(const Composed& other) {
  for (const Part& part : other.parts_) {
    if (part.is_expression) {
      parts_.push_back(part);
    } else {
      add_text(part.text);
    }
  }
}

bool Composed::is_known() const { return std::ranges::none_of(parts_, &Part::is_expression); }

std::string Composed::text(bool deferred) const {
  std::string out;
  for (const Part& part : parts_) {
    if (part.is_expression) {
      out.append("${{ ").append(part.text).append(" }}");
    } else {
      out += deferred ? escape_text(part.text) : part.text;
    }
  }
  return out;
}

std::optional<std::string> Composed::lone_expression() const {
  if (parts_.size() != 1 || !parts_.front().is_expression) return std::nullopt;
  return parts_.front().text;
}

bool Composed::speaks_of_item() const {
  return std::ranges::any_of(parts_, [](const Part& part) {
    if (!part.is_expression) return false;
    const auto references = references_of(part.text);
    return references && std::ranges::any_of(*references, [](const Reference& reference) {
             return reference.kind == Reference::Kind::item || reference.kind == Reference::Kind::index;
           });
  });
}

std::string_view Composed::known_end() const {
  if (parts_.empty() || parts_.back().is_expression) return {};
  return parts_.back().text;
}

std::size_t Composed::size() const {
  std::size_t size = 0;
  for (const Part& part : parts_) size += part.text.size();
  return size;
}

void Composed::trim() {
  if (parts_.empty()) return;
  if (!parts_.front().is_expression) {
    std::string& first = parts_.front().text;
    first.erase(0, std::min(first.find_first_not_of(" \t\r\n"), first.size()));
  }
  if (!parts_.back().is_expression) {
    std::string& last = parts_.back().text;
    last.erase(last.find_last_not_of(" \t\r\n") + 1);
  }
  std::erase_if(parts_, [](const Part& part) { return !part.is_expression && part.text.empty(); });
}

}  // namespace baton::markdown
