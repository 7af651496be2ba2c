#include "config/value_check.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <charconv>
#include <optional>

#include "base/text.h"
#include "base/time.h"

namespace baton {
namespace {

template <class T>
std::optional<T> read_number(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_within(double number, const Bounds& bounds) {
  if (bounds.is_above ? !(number > bounds.least) : !(number >= bounds.least)) return false;
  return number <= bounds.most;
}

/// ` above 0`, ` from 1 to 1000`; nothing where any that is not negative will do.
std::string bounds_text(const Bounds& bounds) {
  if (bounds.is_above) return fmt::format(" above {}", bounds.least);
  if (bounds.most < Bounds{}.most) return fmt::format(" from {} to {}", bounds.least, bounds.most);
  return bounds.least > 0 ? fmt::format(" of at least {}", bounds.least) : std::string{};
}

std::string expected_of(const KeySpec& spec) {
  switch (spec.kind) {
    case KeyKind::text:
      return "a text that is not empty";
    case KeyKind::integer:
      return "a whole number" + bounds_text(spec.bounds);
    case KeyKind::number:
      return "a number" + bounds_text(spec.bounds);
    case KeyKind::boolean:
      return "true or false";
    case KeyKind::duration:
      return fmt::format("a duration{} such as 90s, 20m or 2h", bounds_text(spec.bounds));
    case KeyKind::list:
    case KeyKind::patterns:
      return "a list of texts";
    case KeyKind::names:
      return "a list of at least one skill";
    case KeyKind::choice: {
      std::string words;
      for (const auto choice : split(spec.choices, '|')) words += (words.empty() ? "" : ", ") + std::string{choice};
      return "one of " + words;
    }
  }
  return {};
}

/// Whether a value written in that form can be one of that kind at all. A duration may be a number: of seconds.
bool form_fits(KeyKind kind, WrittenAs as) {
  using enum WrittenAs;
  if (as == word) return true;
  switch (kind) {
    case KeyKind::text:
    case KeyKind::choice:
      return as == text;
    case KeyKind::integer:
      return as == integer;
    case KeyKind::number:
      return as == integer || as == number;
    case KeyKind::boolean:
      return as == boolean;
    case KeyKind::duration:
      return as == text || as == integer || as == number;
    case KeyKind::list:
    case KeyKind::names:
    case KeyKind::patterns:
      return as == list;
  }
  return false;
}

bool scalar_fits(const KeySpec& spec, std::string_view value) {
  switch (spec.kind) {
    case KeyKind::text:
      return !trim(value).empty();
    case KeyKind::integer: {
      const auto number = read_number<long long>(value);
      return number && is_within(static_cast<double>(*number), spec.bounds);
    }
    case KeyKind::number: {
      const auto number = read_number<double>(value);
      return number && is_within(*number, spec.bounds);
    }
    case KeyKind::boolean:
      return value == "true" || value == "false";
    case KeyKind::duration: {
      const auto time = parse_duration(value);
      return time && is_within(static_cast<double>(time->count()) / 1000, spec.bounds);
    }
    case KeyKind::choice:
      for (const auto choice : split(spec.choices, '|')) {
        if (choice == value) return true;
      }
      return false;
    case KeyKind::list:
    case KeyKind::names:
    case KeyKind::patterns:
      return true;  // its items are looked at one by one
  }
  return false;
}

/// Empty if it is a pattern, else why it is none.
std::string pattern_fault(const std::string& text) {
  if (text.empty()) return "it is empty and would fit everything";
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 pattern{text, options};
  return pattern.ok() ? std::string{} : pattern.error();
}

std::optional<Misfit> item_misfit(const KeySpec& spec, const GivenItem& item) {
  const std::string value = fmt::format("'{}'", shorten(item.text, 80));
  if (!item.is_text) return Misfit{"an item", "a text", "every item of this list has to be one", false, item.place};
  if (spec.kind == KeyKind::names && !is_id(item.text)) {
    return Misfit{value, "the name of a skill", "", false, item.place};
  }
  if (spec.kind != KeyKind::patterns) return std::nullopt;
  const std::string why = pattern_fault(item.text);
  return why.empty() ? std::nullopt : std::optional{Misfit{value, "a pattern", why, true, item.place}};
}

std::optional<std::vector<GivenItem>> word_items(KeyKind kind, std::string_view text) {
  if (auto items = read_items(text)) return items;
  // A broken list is not one item with a bracket in it. But a pattern may well begin with one: [a-z].
  if (kind == KeyKind::patterns && !trim(text).empty()) return std::vector<GivenItem>{{std::string{text}}};
  if (trim(text).starts_with('[')) return std::nullopt;
  std::vector<GivenItem> items;
  for (const std::string_view item : split(text, ',')) {
    if (!trim(item).empty()) items.push_back({std::string{trim(item)}});
  }
  return items;
}

/// A table, a date and the like have no text of their own.
std::string shown_value(const Given& given) {
  if (given.as == WrittenAs::table) return "a table";
  return given.as == WrittenAs::other ? "a date or time" : fmt::format("'{}'", shorten(given.value, 80));
}

}  // namespace

std::vector<Misfit> misfits(const KeySpec& spec, Given& given) {
  if (!form_fits(spec.kind, given.as) || !scalar_fits(spec, given.value)) {
    return {{shown_value(given), expected_of(spec)}};
  }
  if (!form_fits(spec.kind, WrittenAs::list)) return {};
  if (given.as == WrittenAs::word) {
    auto items = word_items(spec.kind, given.value);
    if (!items) return {{shown_value(given), expected_of(spec)}};
    given.items = std::move(*items);
    given.value = list_text(given.items);
  }
  std::vector<Misfit> found;
  for (const GivenItem& item : given.items) {
    if (auto misfit = item_misfit(spec, item)) found.push_back(std::move(*misfit));
  }
  if (spec.kind == KeyKind::names && given.items.empty()) found.push_back({"an empty list", expected_of(spec)});
  return found;
}

}  // namespace baton
