#include "safety/policy.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <map>

#include "base/ensure.h"
#include "base/number.h"
#include "base/text.h"
#include "safety/built_in.h"

namespace baton::safety {
namespace {

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(false);
  return options;
}

/// FILE:LINE as an origin has it; anything else stands for itself.
Place place_of(const std::string& origin) {
  const auto colon = origin.rfind(':');
  const std::string_view behind = colon == std::string::npos ? "" : std::string_view{origin}.substr(colon + 1);
  const int line = parse_whole<int>(behind).value_or(0);
  return line > 0 ? Place{origin.substr(0, colon), line} : Place{origin};
}

Rule from_built_in(const BuiltInRule& rule) {
  return {std::string{rule.name}, pattern_of(rule), std::string{rule.why}, "built-in"};
}

std::vector<Rule> all_built_in() {
  std::vector<Rule> all;
  for (const BuiltInRule& rule : built_in_rules()) all.push_back(from_built_in(rule));
  return all;
}

Fault unknown_name(const std::string& pattern, const std::string& origin) {
  std::vector<std::string> names = {"@built-in"};
  for (const BuiltInRule& rule : built_in_rules()) names.push_back("@" + std::string{rule.name});
  const std::string near = nearest(pattern, names);
  return {"bad-safety-pattern", fmt::format("there is no built-in rule '{}'", pattern),
          near.empty() ? "'baton safety list' shows them; a pattern that begins with @ is written '[@]'"
                       : fmt::format("did you mean '{}'?", near),
          place_of(origin)};
}

std::vector<Rule> blocked_rules(const ConfiguredPatterns& configured, Faults& faults) {
  std::vector<Rule> all;
  for (const std::string& pattern : configured.patterns) {
    if (!pattern.starts_with('@')) {
      all.push_back({"", pattern, "", configured.origin});
    } else if (pattern == "@built-in") {
      for (Rule& rule : all_built_in()) all.push_back(std::move(rule));
    } else if (const BuiltInRule* rule = find_built_in(std::string_view{pattern}.substr(1))) {
      all.push_back(from_built_in(*rule));
    } else {
      faults.push_back(unknown_name(pattern, configured.origin));
    }
  }
  return all;
}

}  // namespace

namespace {

/// Ours, all at once when the first command is judged: most runs judge none.
const RE2& regex_of(const BuiltInRule& rule) {
  static const auto made = [] {
    std::map<std::string_view, std::unique_ptr<const RE2>> all;
    for (const BuiltInRule& each : built_in_rules()) {
      const auto& regex = all[each.name] = std::make_unique<const RE2>(pattern_of(each), options());
      BATON_ENSURE(regex->ok(), "a built-in pattern does not compile", regex->error());
    }
    return all;
  }();
  return *made.at(rule.name);
}

/// The built-in rule that this one is, if it is one as we have it.
const BuiltInRule* ours(const Rule& rule) {
  const BuiltInRule* const built_in = find_built_in(rule.name);
  return built_in != nullptr && pattern_of(*built_in) == rule.pattern ? built_in : nullptr;
}

class Pattern {
 public:
  explicit Pattern(const Rule& rule)
      : ours_(ours(rule)), own_(ours_ == nullptr ? std::make_unique<const RE2>(rule.pattern, options()) : nullptr) {}
  [[nodiscard]] bool is_ours() const { return ours_ != nullptr; }
  [[nodiscard]] const RE2& regex() const { return is_ours() ? regex_of(*ours_) : *own_; }

 private:
  const BuiltInRule* ours_;
  std::unique_ptr<const RE2> own_;
};

}  // namespace

struct Policy::Compiled {
  PolicyText text;
  std::vector<Pattern> blocked;
  std::vector<Pattern> allow;
};

namespace {

void compile_all(const std::vector<Rule>& rules, std::vector<Pattern>& patterns, Faults& faults) {
  for (const Rule& rule : rules) {
    const Pattern& pattern = patterns.emplace_back(rule);
    if (pattern.is_ours()) continue;  // known to be good
    if (!pattern.regex().ok() || rule.pattern.empty()) {
      const std::string what = rule.pattern.empty() ? "it is empty and would fit everything" : pattern.regex().error();
      faults.push_back(
          {"bad-safety-pattern",
           fmt::format("the pattern '{}' cannot be used: {}", printable(rule.pattern), printable(what)),
           "write an expression of RE2's; a backslash in a TOML text is written \\\\, or the text stands in "
           "'single quotes'",
           place_of(rule.origin)});
    }
  }
}

}  // namespace

std::expected<Policy, Faults> Policy::compile(PolicyText text) {
  auto compiled = std::make_shared<Compiled>();
  Faults faults;
  compile_all(text.blocked, compiled->blocked, faults);
  compile_all(text.allow, compiled->allow, faults);
  if (!faults.empty()) return std::unexpected(std::move(faults));
  compiled->text = std::move(text);
  return Policy{std::move(compiled)};
}

std::expected<Policy, Faults> Policy::from(const PolicyWords& words) {
  Faults faults;
  PolicyText text;
  text.enabled = words.enabled;
  text.blocked = words.blocked ? blocked_rules(*words.blocked, faults) : all_built_in();
  for (const std::string& pattern : words.allow.patterns) text.allow.push_back({"", pattern, "", words.allow.origin});
  auto policy = compile(std::move(text));
  if (!policy) faults.insert(faults.end(), policy.error().begin(), policy.error().end());
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return policy;
}

const Policy& Policy::built_in() {
  static const Policy policy = *from({});  // nothing in it is anybody's but ours
  return policy;
}

const PolicyText& Policy::text() const { return compiled_->text; }

std::optional<std::string> Policy::find(std::size_t rule, std::string_view text) const {
  re2::StringPiece found;
  const re2::StringPiece whole{text.data(), text.size()};
  if (!compiled_->blocked.at(rule).regex().Match(whole, 0, whole.size(), RE2::UNANCHORED, &found, 1))
    return std::nullopt;
  return std::string{found.data(), found.size()};
}

const Rule* Policy::exception_in(std::string_view text) const {
  const re2::StringPiece whole{text.data(), text.size()};
  for (std::size_t i = 0; i < compiled_->allow.size(); ++i) {
    if (compiled_->allow[i].regex().Match(whole, 0, whole.size(), RE2::UNANCHORED, nullptr, 0))
      return &compiled_->text.allow[i];
  }
  return nullptr;
}

std::vector<std::string> rules(const Policy& policy) {
  std::vector<std::string> told;
  if (!policy.enabled() || policy.text().blocked.empty()) return told;
  bool has_own = false;
  for (const Rule& rule : policy.text().blocked) {
    const BuiltInRule* built_in = find_built_in(rule.name);
    has_own = has_own || built_in == nullptr;
    if (built_in != nullptr && !built_in->told.empty()) told.emplace_back(built_in->told);
  }
  if (has_own) told.emplace_back("The project blocks further commands of its own choice.");
  told.emplace_back(
      "If a command is refused as blocked, do not look for another way to do the same: stop, and say what you needed "
      "it "
      "for.");
  return told;
}

}  // namespace baton::safety
