#include "runtime/rehearsal_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"
#include "runtime/rehearsal_fit.h"
#include "text/json_value.h"

namespace baton {
namespace {

constexpr std::int64_t items_max = 10'000;
constexpr std::size_t path_parts_max = json_depth_max - 4;  // deeper than any check looks

/// Draws one number after the other; the same ones for the same beginning.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_{seed} {}
  std::size_t below(std::size_t bound) {
    state_ = mix(state_);
    return static_cast<std::size_t>(state_ % bound);
  }

 private:
  std::uint64_t state_;
};

/// What a value has to be for all checks to pass.
struct Shape {
  std::vector<std::pair<std::string, std::unique_ptr<Shape>>> members;
  std::map<std::string, std::size_t, std::less<>> places;
  std::int64_t items_min = 0;

  Shape& member(std::string_view name) {
    const auto found = places.find(name);
    if (found != places.end()) return *members[found->second].second;
    places.emplace(name, members.size());
    members.emplace_back(name, std::make_unique<Shape>());
    return *members.back().second;
  }
  [[nodiscard]] const Shape* find(std::string_view name) const {
    const auto found = places.find(name);
    return found == places.end() ? nullptr : members[found->second].second.get();
  }
  /// Has members that only an object can have.
  [[nodiscard]] bool has_names() const {
    return std::ranges::any_of(members, [](const auto& m) { return !is_position(m.first); });
  }
  static bool is_position(std::string_view name) {
    if (name.empty() || name.size() > 3 || (name.size() > 1 && name.front() == '0')) return false;
    return name.find_first_not_of("0123456789") == std::string_view::npos;
  }
};

void require(Shape& root, std::string_view path) {
  const auto parts = split(path, '.');
  if (parts.size() > path_parts_max) return;
  Shape* here = &root;
  for (const std::string_view part : parts) here = &here->member(part == "*" ? "0" : part);
}

void require_items(Shape& shape, std::int64_t least) {
  shape.items_min = std::max(shape.items_min, std::min(least, items_max));
}

bool must_be_object(const Shape* shape) { return shape != nullptr && shape->has_names(); }

void require_hooks(Shape& root) {
  const Shape* ideas = root.find("ideas");
  const bool nested = ideas != nullptr && !must_be_object(ideas->find("hooks"));
  require_items(nested ? root.member("ideas").member("hooks") : root.member("hooks"), 1);
}

void require_outline(Shape& root, std::int64_t least) {
  Shape& outline = root.member("suggestedOutline");
  require_items(outline.has_names() ? outline.member("sections") : outline, least);
}

Shape shape_of(const std::vector<Check>& checks) {
  Shape root;
  for (const Check& check : checks) {  // fields first: they decide which of several forms a count may take
    if (check.kind == Check::Kind::required_field) require(root, check.path);
  }
  for (const Check& check : checks) {
    switch (check.kind) {
      case Check::Kind::required_field:
        break;
      case Check::Kind::min_quotes:
        require_items(root.member("importantQuotes"), check.count);
        break;
      case Check::Kind::min_key_points: {
        const bool bullets_fit =
            root.find("bullets") != nullptr ? !must_be_object(root.find("bullets")) : root.find("keyPoints") == nullptr;
        require_items(root.member(bullets_fit ? "bullets" : "keyPoints"), check.count);
        break;
      }
      case Check::Kind::min_outline_sections:
        require_outline(root, check.count);
        break;
      case Check::Kind::has_hooks:
        require_hooks(root);
        break;
      case Check::Kind::type:
      case Check::Kind::one_of:
      case Check::Kind::min_length:
      case Check::Kind::max_length:
      case Check::Kind::min_items:
      case Check::Kind::max_items:
      case Check::Kind::minimum:
      case Check::Kind::maximum:
      case Check::Kind::pattern:
      case Check::Kind::equals:
      case Check::Kind::schema:
      case Check::Kind::command:
        break;  // what was made is fitted to these afterwards
    }
  }
  return root;
}

/// `keyThemes`, `key_themes` -> "Key themes"
std::string human(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper && !out.empty() && out.back() != ' ') out += ' ';
    if (c == '_' || c == '-' || c == '.' || c == ':') {
      out += ' ';
    } else {
      out += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

std::vector<std::string> words_of(const Step& step) {
  constexpr std::size_t words_max = 200;
  std::vector<std::string> words;
  const Work& work = *step.work;
  std::string text = work.mission.empty() ? work.title + " " + human(step.id) : work.mission;
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty() && word.size() <= 40 && words.size() < words_max) words.emplace_back(word);
  }
  if (words.empty()) words.emplace_back("nothing");
  return words;
}

class Writer {
 public:
  Writer(const Step& step, std::uint64_t chance) : step_{step}, words_{words_of(step)}, chance_{chance} {}

  std::string json(const Shape& root) {
    std::string out;
    write(root, "result", 0, out);
    return out + "\n";
  }

  std::string markdown() {
    std::string out = fmt::format("# {}\n\n_Written in rehearsal: no model was asked._\n\n{}.\n\n## Points\n\n",
                                  step_.work->title.empty() ? human(step_.id) : step_.work->title, phrase());
    for (int i = 0; i < 3; ++i) out += fmt::format("- {}\n", phrase());
    return out + fmt::format("\n## In short\n\n{}.\n", phrase());
  }

  std::string phrase() {
    const std::size_t size = std::min<std::size_t>(words_.size(), 4 + chance_.below(5));
    const std::size_t begin = chance_.below(words_.size() - size + 1);
    std::vector<std::string> some(words_.begin() + static_cast<std::ptrdiff_t>(begin),
                                  words_.begin() + static_cast<std::ptrdiff_t>(begin + size));
    std::string text = join(some, " ");
    while (text.size() > 1 && std::string_view{".,:;("}.find(text.back()) != std::string_view::npos) text.pop_back();
    return text;
  }

 private:
  // No deeper than a path has parts, which is limited above.
  void write(const Shape& shape, const std::string& name, std::size_t level, std::string& out) {
    if (shape.has_names()) return write_object(shape, level, out);
    if (!shape.members.empty() || shape.items_min > 0) return write_array(shape, name, level, out);
    if (level == 0) return write_object(shape, level, out);
    write_leaf(name, level, out);
  }

  static void begin_line(std::size_t level, bool is_first, std::string& out) {
    out += is_first ? "\n" : ",\n";
    out.append(2 * level, ' ');
  }

  void write_object(const Shape& shape, std::size_t level, std::string& out) {
    out += '{';
    bool is_first = true;
    for (const auto& [name, member] : shape.members) {
      begin_line(level + 1, std::exchange(is_first, false), out);
      out += json_quote(name) + ": ";
      write(*member, name, level + 1, out);
    }
    if (level == 0 && shape.members.empty()) out += fmt::format("\n  \"summary\": {}", json_quote(phrase()));
    out.append("\n").append(2 * level, ' ').append("}");
  }

  void write_array(const Shape& shape, const std::string& name, std::size_t level, std::string& out) {
    std::int64_t size = std::max<std::int64_t>(shape.items_min, 1);
    for (const auto& [position, member] : shape.members) {
      size = std::max(size, parse_whole<std::int64_t>(position).value_or(0) + 1);
    }
    out += '[';
    for (std::int64_t i = 0; i < size; ++i) {
      begin_line(level + 1, i == 0, out);
      const Shape* wanted = shape.find(std::to_string(i));
      if (wanted != nullptr) {
        write(*wanted, name, level + 1, out);
      } else {
        write_item(name, i, out);
      }
    }
    out.append("\n").append(2 * level, ' ').append("]");
  }

  void write_item(const std::string& name, std::int64_t number, std::string& out) {
    if (name == "importantQuotes") {
      out += fmt::format(R"({{"text": {}, "context": {}}})", json_quote(phrase()), json_quote(phrase()));
    } else if (name == "sections" || name == "suggestedOutline") {
      out += fmt::format(R"({{"heading": {}, "notes": {}}})", json_quote(fmt::format("Part {}", number + 1)),
                         json_quote(phrase()));
    } else {
      out += json_quote(phrase());
    }
  }

  void write_leaf(const std::string& name, std::size_t level, std::string& out) {
    if (name == "contentId" || name == "id") {
      out += json_quote(fmt::format("rehearsal-{}", step_.id));
    } else if (is_number(name)) {
      out += std::to_string(1 + chance_.below(100));
    } else if (name.size() > 2 && name.ends_with('s') && !name.ends_with("ss") && !name.ends_with("us")) {
      Shape some;
      some.items_min = 3;
      write_array(some, name, level, out);
    } else {
      out += json_quote(fmt::format("{}: {}", human(name), phrase()));
    }
  }

  static bool is_number(std::string_view name) {
    constexpr std::array<std::string_view, 6> endings{"Score", "score", "Count", "count", "number", "total"};
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
  }

  const Step& step_;
  std::vector<std::string> words_;
  Chance chance_;
};

}  // namespace

std::string made_up_output(const Step& step, std::uint64_t chance, const std::map<std::string, std::string>& compared,
                           const std::vector<Check>& comparisons) {
  Writer writer{step, chance};
  const Work& work = *step.work;
  if (work.output_format == OutputFormat::text && std::ranges::all_of(work.checks, is_text_check)) {
    return fit_text(writer.markdown(), work.checks);
  }
  if (!comparisons.empty()) {
    std::vector<Check> all = work.checks;
    all.insert(all.end(), comparisons.begin(), comparisons.end());
    std::string output = fit_json(writer.json(shape_of(all)), all, compared);
    if (meets(output, work.checks, compared)) return output;
  }
  return fit_json(writer.json(shape_of(work.checks)), work.checks, compared);
}

std::string made_up_words(const Step& step, std::uint64_t chance) { return Writer{step, chance}.phrase(); }

}  // namespace baton
