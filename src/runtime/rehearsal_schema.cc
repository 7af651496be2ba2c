// Making a value meet a JSON Schema, by the keywords that say what there has to be. Those that say what must not be
// ('not', 'if') are left to luck.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/boost_json.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "plan/schema.h"
#include "runtime/rehearsal_fit.h"
#include "text/json_value.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr int schema_depth_max = 24;
constexpr std::int64_t schema_items_max = 10'000;
constexpr std::int64_t text_size_max = 1'000'000;

class Fitter {
 public:
  explicit Fitter(const json::value& root) : root_{root} {}

  void fit(json::value& value, const json::value& schema, int depth) {
    const auto* rules = schema.if_object();
    if (rules == nullptr || depth > schema_depth_max) return;
    if (const auto* reference = rules->if_contains("$ref"); reference != nullptr && reference->is_string()) {
      json::error_code error;
      const auto pointer = pointer_of(std::string_view{reference->get_string()});
      const auto* target = pointer ? root_.find_pointer(*pointer, error) : nullptr;
      if (target != nullptr) fit(value, *target, depth + 1);
    }
    if (fit_choice(value, *rules)) return;
    fit_type(value, *rules);
    if (if_text(value) != nullptr) fit_text(value, *rules);
    if (is_number(value)) fit_number(value, *rules);
    if (value.is_array()) fit_array(value, *rules, depth);
    if (value.is_object()) fit_object(value, *rules, depth);
    fit_others(value, *rules, depth);
  }

 private:
  static std::int64_t count_in(const json::object& rules, const char* key, std::int64_t otherwise, std::int64_t max) {
    const auto* count = rules.if_contains(key);
    if (count == nullptr || !is_number(*count)) return otherwise;
    return static_cast<std::int64_t>(std::clamp<long double>(number_of(*count), 0, static_cast<long double>(max)));
  }

  /// A fixed value, or one of a list.
  static bool fit_choice(json::value& value, const json::object& rules) {
    if (const auto* wanted = rules.if_contains("const")) {
      value = *wanted;
      return true;
    }
    const auto* values = rules.if_contains("enum");
    if (values == nullptr || !values->is_array() || values->get_array().empty()) return false;
    const auto is_it = [&](const json::value& v) { return same(v, value); };
    if (std::ranges::none_of(values->get_array(), is_it)) value = values->get_array().front();
    return true;
  }

  static std::vector<std::string> types_of(const json::object& rules) {
    const auto* type = rules.if_contains("type");
    std::vector<std::string> types;
    if (type != nullptr && type->is_string()) types.emplace_back(std::string_view{type->get_string()});
    if (type != nullptr && type->is_array()) {
      for (const json::value& t : type->get_array()) {
        if (t.is_string()) types.emplace_back(std::string_view{t.get_string()});
      }
    }
    return types;
  }

  static void fit_type(json::value& value, const json::object& rules) {
    std::vector<std::string> types = types_of(rules);
    if (types.empty() && (rules.contains("properties") || rules.contains("required")) && !value.is_object()) {
      types.emplace_back("object");
    }
    if (types.empty() || std::ranges::any_of(types, [&](const auto& t) { return has_type(value, t); })) return;
    // Where it may be nothing, it may be something, too: other rules ask for that.
    const auto something = std::ranges::find_if(types, [](const std::string& t) { return t != "null"; });
    value = value_of(something == types.end() ? types.front() : *something);
  }

  static json::value value_of(std::string_view type) {
    if (type == "string") return "rehearsal";
    if (type == "integer" || type == "number") return 1;
    if (type == "boolean") return true;
    if (type == "array") return json::array{};
    if (type == "object") return json::object{};
    return nullptr;
  }

  static const char* example_of(std::string_view format) {
    if (format == "date") return "2026-01-02";
    if (format == "time") return "03:04:05Z";
    if (format == "date-time") return "2026-01-02T03:04:05Z";
    if (format == "email") return "name@example.com";
    if (format == "uri") return "https://example.com/";
    if (format == "uuid") return "00000000-0000-4000-8000-000000000000";
    if (format == "ipv4") return "192.0.2.1";
    return nullptr;
  }

  static void fit_text(json::value& value, const json::object& rules) {
    std::string text{std::string_view{value.get_string()}};
    const std::int64_t least = count_in(rules, "minLength", 0, text_size_max);
    const std::int64_t most = count_in(rules, "maxLength", text_size_max, text_size_max);
    if (const auto* format = rules.if_contains("format"); format != nullptr && format->is_string()) {
      if (const char* example = example_of(format->get_string())) text = example;
    }
    while (count_characters(text) < least) text += text.empty() ? "rehearsal" : " " + text;
    if (count_characters(text) > most) text.resize(first_characters(text, std::max(least, most)).size());
    if (const auto* pattern = rules.if_contains("pattern"); pattern != nullptr && pattern->is_string()) {
      const std::string expression{std::string_view{pattern->get_string()}};
      const Check check{Check::Kind::pattern, {}, 0, expression};
      if (!all_passed(evaluate({check}, OutputFormat::text, text))) {
        const std::string match = text_matching(expression, least, most);
        if (!match.empty()) text = match;
      }
    }
    value = text;
  }

  /// A bound that only its own text gives exactly is met by being it.
  static bool fit_wide_bound(json::value& value, const json::object& rules) {
    for (const char* key : {"minimum", "maximum"}) {
      const auto* limit = rules.if_contains(key);
      if (limit == nullptr || limit->is_number() || !is_number(*limit)) continue;
      const auto order = compare_numbers(value, *limit);
      if (key == std::string_view{"minimum"} ? order >= 0 : order <= 0) continue;
      value = *limit;
      return true;
    }
    return false;
  }

  static void fit_number(json::value& value, const json::object& rules) {
    if (fit_wide_bound(value, rules)) return;
    const auto bound = [&](const char* key) -> std::optional<double> {
      const auto* limit = rules.if_contains(key);
      if (limit == nullptr || !is_number(*limit)) return std::nullopt;
      return static_cast<double>(number_of(*limit));
    };
    double number = static_cast<double>(number_of(value));
    const auto below = bound("exclusiveMaximum");
    const auto above = bound("exclusiveMinimum");
    const auto most = bound("maximum");
    const auto is_too_high = [&] { return (most && number > *most) || (below && number >= *below); };
    if (most) number = std::min(number, *most);
    if (below && number >= *below) number = above ? (*above + *below) / 2 : *below - 1;
    if (const auto least = bound("minimum")) number = std::max(number, *least);
    if (above && number <= *above) number = below ? (*above + *below) / 2 : *above + 1;
    if (const auto unit = bound("multipleOf"); unit && *unit > 0) {
      // Three times 0.1 is 0.3 to whoever wrote it, and not what a double makes of it.
      const auto places = std::clamp<std::int64_t>(-exact(rules.at("multipleOf")).exponent, 0, 15);
      const auto rounded = [&](double x) { return parse_whole<double>(fmt::format("{:.{}f}", x, places)).value_or(x); };
      number = rounded(std::ceil(number / *unit) * *unit);
      if (is_too_high()) number = rounded(number - *unit);
    }
    const std::vector<std::string> types = types_of(rules);
    const bool is_whole =
        std::ranges::find(types, "integer") != types.end() && std::ranges::find(types, "number") == types.end();
    if (is_whole) number = above && std::floor(number) <= *above ? std::floor(number) + 1 : std::ceil(number);
    if (is_whole && is_too_high()) number -= 1;
    if (static_cast<long double>(number) == number_of(value)) return;
    if (std::trunc(number) == number && std::abs(number) < 9.0e15) {
      value = static_cast<std::int64_t>(number);
    } else {
      value = number;
    }
  }

  void fit_array(json::value& value, const json::object& rules, int depth) {
    json::array& array = value.get_array();
    const std::int64_t least = count_in(rules, "minItems", rules.contains("contains") ? 1 : 0, schema_items_max);
    const std::int64_t most = count_in(rules, "maxItems", schema_items_max, schema_items_max);
    while (static_cast<std::int64_t>(array.size()) > std::max(least, most)) array.pop_back();
    const auto* unique = rules.if_contains("uniqueItems");
    const bool is_unique = unique != nullptr && unique->is_bool() && unique->get_bool();
    while (static_cast<std::int64_t>(array.size()) < least) {
      if (array.empty() || is_unique) {
        array.emplace_back(fmt::format("item {}", array.size() + 1));
      } else {
        array.push_back(json::value(array.back()));
      }
    }
    const auto* items = rules.if_contains("items");
    const auto* first = rules.if_contains("prefixItems");
    if (items != nullptr && items->is_array()) first = std::exchange(items, rules.if_contains("additionalItems"));
    for (std::size_t i = 0; i < array.size(); ++i) {
      const bool is_first = first != nullptr && first->is_array() && i < first->get_array().size();
      if (is_first) {
        fit(array[i], first->get_array()[i], depth + 1);
      } else if (items != nullptr) {
        fit(array[i], *items, depth + 1);
      }
    }
    if (const auto* wanted = rules.if_contains("contains"); wanted != nullptr && !array.empty()) {
      fit(array.front(), *wanted, depth + 1);
    }
  }

  void fit_object(json::value& value, const json::object& rules, int depth) {
    json::object& object = value.get_object();
    const auto* properties = rules.if_contains("properties");
    const json::object none;
    const json::object& known = properties != nullptr && properties->is_object() ? properties->get_object() : none;
    const auto* others = rules.if_contains("additionalProperties");
    if (others != nullptr && others->is_bool() && !others->get_bool()) {
      std::vector<std::string> extra;
      for (const auto& member : object) {
        if (!known.contains(member.key())) extra.emplace_back(std::string_view{member.key()});
      }
      for (const std::string& key : extra) object.erase(key);
    }
    if (const auto* required = rules.if_contains("required"); required != nullptr && required->is_array()) {
      for (const json::value& name : required->get_array()) {
        if (name.is_string()) object.emplace(name.get_string(), "rehearsal");
      }
    }
    for (auto& member : object) {
      if (const auto* schema = known.if_contains(member.key())) {
        fit(member.value(), *schema, depth + 1);
      } else if (others != nullptr) {
        fit(member.value(), *others, depth + 1);
      }
    }
    const std::int64_t least = count_in(rules, "minProperties", 0, schema_items_max);
    const std::int64_t most = count_in(rules, "maxProperties", schema_items_max, schema_items_max);
    for (const auto& member : known) {
      if (static_cast<std::int64_t>(object.size()) >= least) break;
      if (object.emplace(member.key(), "rehearsal").second) fit(object[member.key()], member.value(), depth + 1);
    }
    for (int i = 1; static_cast<std::int64_t>(object.size()) < least; ++i)
      object[fmt::format("more{}", i)] = "rehearsal";
    while (static_cast<std::int64_t>(object.size()) > std::max(least, most)) object.erase(std::prev(object.end()));
  }

  void fit_others(json::value& value, const json::object& rules, int depth) {
    if (const auto* all = rules.if_contains("allOf"); all != nullptr && all->is_array()) {
      for (const json::value& schema : all->get_array()) fit(value, schema, depth + 1);
    }
    for (const char* key : {"anyOf", "oneOf"}) {
      const auto* any = rules.if_contains(key);
      if (any != nullptr && any->is_array() && !any->get_array().empty())
        fit(value, any->get_array().front(), depth + 1);
    }
  }

  const json::value& root_;
};

}  // namespace

void fit_schema(json::value& value, const json::value& schema, const json::value& root) {
  Fitter{root}.fit(value, schema, 0);
}

}  // namespace baton
