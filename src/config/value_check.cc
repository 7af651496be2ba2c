#include "config/value_check.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <filesystem>
#include <optional>

#include "base/letters.h"
#include "base/number.h"
#include "base/text.h"
#include "base/time.h"

namespace baton {
namespace {

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
    case KeyKind::address:
      return "an address such as https://example.com or http://127.0.0.1:11434/v1";
    case KeyKind::proxy:
      return "a proxy's address such as http://proxy.example.com:3128 or socks5h://127.0.0.1:1080";
    case KeyKind::path:
      return "the path of a file";
    case KeyKind::date:
      return "a date such as 2023-06-01";
    case KeyKind::thinking:
      return "off, on or a whole number of tokens of at least 1";
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
    case KeyKind::address:
    case KeyKind::proxy:
    case KeyKind::path:
    case KeyKind::date:
      return as == text;
    case KeyKind::thinking:
      return as == text || as == integer;
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

bool is_one_of(std::string_view word, std::string_view choices) {
  for (const auto choice : split(choices, '|')) {
    if (choice == word) return true;
  }
  return false;
}

/// What comes after `scheme://` in an address with one of these schemes; nothing if it has another one, or none.
std::optional<std::string_view> after_scheme(std::string_view address, std::string_view schemes) {
  const auto end = address.find("://");
  if (end == std::string_view::npos || !is_one_of(lower(address.substr(0, end)), schemes)) return std::nullopt;
  return address.substr(end + 3);
}

/// As RE2 wants texts: in some of its versions std::string_view is none.
bool is_all(std::string_view text, const RE2& regex) {
  return RE2::FullMatch(re2::StringPiece{text.data(), text.size()}, regex);
}

/// `example.com`, `127.0.0.1:8080`, `[::1]:8080`, each with or without a path after it.
bool begins_with_host(std::string_view text) {
  static const RE2 host{R"((\[[0-9A-Fa-f:.%a-z]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?([/?#][^\s[:cntrl:]]*)?)"};
  return is_all(text, host);
}

bool is_address(std::string_view text) {
  const auto rest = after_scheme(text, "http|https");
  return rest && begins_with_host(*rest);
}

bool is_proxy(std::string_view text) {
  if (text.find("://") == std::string_view::npos) return begins_with_host(text);
  const auto rest = after_scheme(text, "http|https|socks4|socks4a|socks5|socks5h");
  return rest && begins_with_host(*rest);
}

bool is_date(std::string_view text) {
  static const RE2 date{R"(\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))"};
  return is_all(text, date);
}

bool names_user(std::string_view address) {
  const auto scheme = address.find("://");
  if (scheme != std::string_view::npos) address.remove_prefix(scheme + 3);
  return address.substr(0, address.find_first_of("/?#")).find('@') != std::string_view::npos;
}

bool scalar_fits(const KeySpec& spec, std::string_view value) {
  switch (spec.kind) {
    case KeyKind::text:
    case KeyKind::path:
      return !trim(value).empty();
    case KeyKind::address:
      return is_address(value);
    case KeyKind::proxy:
      return is_proxy(value);
    case KeyKind::date:
      return is_date(value);
    case KeyKind::thinking:
      return value == "off" || value == "on" || parse_whole<int>(value).value_or(0) >= 1;
    case KeyKind::integer: {
      const auto number = parse_whole<long long>(value);
      return number && is_within(static_cast<double>(*number), spec.bounds);
    }
    case KeyKind::number: {
      const auto number = parse_whole<double>(value);
      return number && is_within(*number, spec.bounds);
    }
    case KeyKind::boolean:
      return value == "true" || value == "false";
    case KeyKind::duration: {
      const auto time = parse_duration(value);
      return time && is_within(static_cast<double>(time->count()) / 1000, spec.bounds);
    }
    case KeyKind::choice:
      return is_one_of(value, spec.choices);
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

Fault fault_of(const Misfit& m, const std::string& key, const Place& place) {
  if (m.names_user) {
    return {"bad-config-value",
            fmt::format("the address of {} has a name or password in it, and addresses are recorded", key),
            "take it out: a key comes from key_file, key_command or the environment, a proxy with a password from "
            "https_proxy or http_proxy there",
            place};
  }
  if (m.is_pattern) {
    return {"bad-safety-pattern", fmt::format("the pattern {} of {} cannot be used: {}", m.value, key, m.why),
            "write an expression of RE2's; in 'single quotes' TOML takes it as it is", place};
  }
  const std::string why = m.why.empty() ? "" : ": " + m.why;
  return {"bad-config-value", fmt::format("{} of {} is not {}{}", m.value, key, m.expected, why),
          fmt::format("give {} {}", key, m.expected), place};
}

std::optional<Fault> address_fault(const std::string& name, std::string_view address, const Place& place) {
  Given given{name, std::string{address}};
  const auto wrong = misfits({name, KeyKind::address, "", ""}, given);
  return wrong.empty() ? std::nullopt : std::optional{fault_of(wrong.front(), name, place)};
}

std::string whole_path(const std::string& path, const std::string& root, const std::string& home) {
  if (path.starts_with("~/") && !home.empty()) return home + path.substr(1);
  if (path.starts_with('/') || root.empty()) return path;
  return (std::filesystem::path{root} / path).lexically_normal().string();
}

std::vector<Misfit> misfits(const KeySpec& spec, Given& given) {
  const bool names_server = spec.kind == KeyKind::address || spec.kind == KeyKind::proxy;
  // Settings are recorded with every run: a password in an address would be, too. Nor is it said here.
  if (names_server && names_user(given.value)) return {{.names_user = true}};
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
