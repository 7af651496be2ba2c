#include "config/agtop.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "config/agtop_keys.h"
#include "config/config.h"
#include "config/keys.h"

namespace baton {
namespace {

Fault note(std::string message, std::string help, Place place) {
  return {"agtop-note", std::move(message), std::move(help), std::move(place), Severity::warning};
}

bool is_zero(const Given& given) {
  return (given.as == WrittenAs::integer || given.as == WrittenAs::number) && given.value == "0";
}

/// agtop took a value of nothing for no value, and put its own default there.
bool is_nothing(const Given& given) {
  return is_zero(given) || (given.as == WrittenAs::text && given.value.empty()) ||
         (given.as == WrittenAs::list && given.items.empty());
}

std::string with_name(std::string_view pattern, std::string_view name) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return std::string{pattern};
  return fmt::format("{}{}{}", pattern.substr(0, star), name, pattern.substr(star + 1));
}

/// One reading of a file.
class Translation {
 public:
  Translation(const std::string& file, Faults& notes) : file_(file), notes_(notes) {}

  std::vector<Given> of(std::vector<Given> given) {
    look_for_subscription(given);
    note_whole(given);
    for (Given& g : given) take(std::move(g));
    if (has_subscription_ && std::erase_if(taken_, [](const Given& g) { return g.key == "limits.budget_usd"; }) > 0) {
      notes_.push_back(note("agtop does not hold limits.max_cost_per_run against a subscription, so it is left out",
                            "write limits.budget_usd into a baton.toml if you want a cap on what it would have cost",
                            subscription_));
    }
    return std::move(taken_);
  }

 private:
  void take(Given g) {
    // A table with nothing in it says nothing, except that of a workflow: a chain of nothing.
    if (g.as == WrittenAs::table && !g.key.starts_with("workflows.")) return;
    for (const AgtopKey& row : agtop_keys()) {
      const auto name = name_in(row.pattern, g.key);
      if (!name) continue;
      if (!row.ours.empty()) return rename(row, *name, std::move(g));
      if (matters(row, g)) say(row, g);
      return;
    }
    if (special(g)) return;
    if (find_key(g.key) != nullptr) return taken_.push_back(std::move(g));
    say_unknown(g);
  }

  void rename(const AgtopKey& row, std::string_view name, Given g) {
    if (is_nothing(g)) {
      if (g.as == WrittenAs::text) return;
      notes_.push_back(note(fmt::format("'{}' is {}, which agtop takes for 'not set'", g.key, g.value),
                            "it is left out here too; take it out of the file", g.place));
      return;
    }
    if (!row.note.empty()) say(row, g);
    g.written = g.key;
    g.key = with_name(row.ours, name);
    if (g.written == g.key) g.written.clear();
    taken_.push_back(std::move(g));
  }

  /// A switch that is off, and a root that is where the file is, change nothing.
  static bool matters(const AgtopKey& row, const Given& g) {
    if (row.matters == AgtopKey::Matters::if_true) return g.value == "true";
    if (row.matters == AgtopKey::Matters::if_elsewhere) return !g.value.empty() && g.value != ".";
    return true;
  }

  void say(const AgtopKey& row, const Given& g) {
    notes_.push_back(note(fmt::format("'{}' {}", g.key, row.note), std::string{row.help}, g.place));
  }

  void say_unknown(const Given& g) {
    const auto first = std::min(g.key.find('.'), g.key.size() - 1) + 1;
    const std::string name = g.key.substr(first, g.key.rfind('.') - first);
    std::vector<std::string> known;
    for (const AgtopKey& row : agtop_keys()) known.push_back(with_name(row.pattern, name));
    const std::string near = nearest(g.key, known);
    notes_.push_back(note(fmt::format("'{}' is no key, neither of agtop nor of Baton", g.key),
                          near.empty() ? "it does nothing; take it out" : fmt::format("did you mean '{}'?", near),
                          g.place));
  }

  bool special(Given& g) {
    if (g.key == "runtime.claude.permission_mode") return take_mode(g), true;
    if (g.key == "runtime.claude.subscription") return true;
    const std::string chain = canonical_key(g.key);
    if (chain == "workflows.auto") {
      notes_.push_back(note("agtop runs [route] for 'auto' whatever its file says; here this counts",
                            "take it out for [\"route\"]", g.place));
    } else if (chain == "workflows.quick-fix" && g.as == WrittenAs::list && g.items.empty()) {
      notes_.push_back(note("'quick-fix' without skills is a mode of agtop's own; here it is [\"build\", \"test\"]",
                            "take it out, or write [\"build\"]", g.place));
      return true;
    }
    return false;
  }

  /// It counts only where claude is the runtime of steps that name none.
  void look_for_subscription(const std::vector<Given>& given) {
    bool is_claude = true;
    for (const Given& g : given) {
      if (g.key == "runtime.default") is_claude = g.value.empty() || g.value == "claude";
      if (g.key != "runtime.claude.subscription") continue;
      has_subscription_ = g.value == "true";
      subscription_ = g.place;
    }
    has_subscription_ = has_subscription_ && is_claude;
  }

  void take_mode(Given& g) {
    if (g.value == "acceptAll" || g.value == "manual") {
      const std::string meant = g.value == "manual" ? "default" : "bypassPermissions";
      notes_.push_back(note(fmt::format("permission_mode '{}' is no mode of claude; taken for '{}'", g.value, meant),
                            fmt::format("write \"{}\", or a narrower mode", meant), g.place));
      g.value = meant;
    }
    if (!g.value.empty()) taken_.push_back(std::move(g));
  }

  /// What holds for the file as a whole: that it is read, and what agtop would have added to it.
  void note_whole(const std::vector<Given>& given) {
    notes_.push_back(note("agtop.toml is read, as there is no baton.toml",
                          "'baton config --explain' shows what became of it; a baton.toml replaces it as a whole",
                          Place{file_, 1, 1}));
    std::vector<std::string> missing;
    for (const AgtopDefault& d : agtop_defaults()) {
      const auto is_it = [&](const Given& g) { return g.key == d.key && !is_nothing(g); };
      const bool is_waived = has_subscription_ && d.key == "limits.max_cost_per_run";
      if (!is_waived && std::ranges::none_of(given, is_it)) missing.emplace_back(d.ours);
    }
    if (!missing.empty()) {
      notes_.push_back(note("what agtop puts where its file says nothing does not hold here",
                            fmt::format("to have it as before, set {}", join(missing, ", ")), Place{file_, 1, 1}));
    }
    const auto is_of_skill = [](const Given& g) {
      return std::ranges::any_of(
          agtop_skills(), [&](std::string_view skill) { return g.key.starts_with(fmt::format("skills.{}.", skill)); });
    };
    if (const auto skill = std::ranges::find_if(given, is_of_skill); skill != given.end()) {
      notes_.push_back(
          note("in agtop a [skills.NAME] replaces all that is known of the skill; here only the keys it has",
               "nothing to do, unless you counted on losing the skill's own tools and timeout", skill->place));
    }
  }

  const std::string& file_;
  Faults& notes_;
  std::vector<Given> taken_;
  bool has_subscription_ = false;
  Place subscription_;
};

}  // namespace

std::vector<Given> from_agtop(std::vector<Given> given, const std::string& file, Faults& notes) {
  return Translation{file, notes}.of(std::move(given));
}

Fault agtop_is_not_read(const std::string& file) {
  return note("agtop.toml is not read, as there is a baton.toml beside it", "remove it once agtop is not used any more",
              Place{file, 1, 1});
}

std::optional<Fault> agtop_variable(std::string_view name) {
  for (const AgtopVariable& v : agtop_variables()) {
    if (v.name != name) continue;
    return note(fmt::format("{} is not read", name), fmt::format("set {} instead", environment_name(v.ours)),
                Place{std::string{name}});
  }
  return std::nullopt;
}

}  // namespace baton
