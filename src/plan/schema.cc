#include "plan/schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "base/utf8.h"
#include "plan/format.h"
#include "plan/schema_parts.h"
#include "text/json_value.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr std::size_t failures_max = 5;
// A schema that refers to itself twice doubles its work with each level. An honest one looks at each value a few times.
constexpr std::int64_t work_base = 300'000;
constexpr std::int64_t work_per_value = 30;
constexpr std::int64_t comparisons_per_work = 64;  // of an 'enum': far cheaper than looking into a schema
constexpr std::int64_t digits_squared_per_work = 16;
constexpr int depth_max = 512;  // documents have 64 levels; each may pass through a few references

std::int64_t count_of(const json::value& value) {
  return static_cast<std::int64_t>(std::min(number_of(value), 9.0e18L));
}

std::int64_t count_values(const json::value& value) {
  std::int64_t count = 1;
  if (const auto* array = value.if_array()) {
    for (const json::value& item : *array) count += count_values(item);
  } else if (const auto* object = value.if_object()) {
    for (const auto& member : *object) count += count_values(member.value());
  }
  return count;
}

/// Goes through a schema and a document side by side.
class Validator {
 public:
  explicit Validator(const Schema::Parts& parts) : parts_{parts} {}

  std::vector<std::string> run(const json::value& document) {
    work_left_ = work_base + work_per_value * count_values(document);
    (void)valid(parts_.root, document);
    if (gave_up_) return {"The schema takes more work to check than is allowed"};
    if (!incomparable_.empty()) return {incomparable_};
    if (count_ > failures_.size()) failures_.push_back(fmt::format("and {} more", count_ - failures_.size()));
    return std::move(failures_);
  }

 private:
  bool valid(const json::value& schema, const json::value& value) {
    if (gave_up_ || --work_left_ < 0 || depth_ >= depth_max) {
      gave_up_ = true;
      return false;
    }
    if (const bool* truth = schema.if_bool()) return *truth || fail("is not allowed by the schema");
    ++depth_;
    const json::object& rules = schema.get_object();
    bool is_valid = meets_reference(rules, value);
    if (parts_.only_reference_counts && rules.contains("$ref")) {
      --depth_;
      return is_valid;
    }
    // Nobody listens inside 'anyOf' and its like: the first failure is enough there.
    for (const auto rule :
         {&Validator::meets_general, &Validator::meets_string, &Validator::meets_number, &Validator::meets_array,
          &Validator::meets_items, &Validator::meets_object, &Validator::meets_members, &Validator::meets_others}) {
      if (!is_valid && quiet_ > 0) break;
      is_valid = (this->*rule)(rules, value) && is_valid;
    }
    --depth_;
    return is_valid;
  }

  bool valid_quietly(const json::value& schema, const json::value& value) {
    ++quiet_;
    const bool is_valid = valid(schema, value);
    --quiet_;
    return is_valid;
  }

  // Saying what is wrong
  // ---------------------------------------------------------------------------------------------------

  bool fail(const std::string& what) {
    if (quiet_ > 0) return false;
    if (++count_ > failures_max) return false;
    failures_.push_back(fmt::format("{} {}", subject(), what));
    return false;
  }

  [[nodiscard]] std::string subject() const {
    return trail_.empty() ? "The output" : fmt::format("Field '{}'", join(trail_, "."));
  }

  bool expected(const json::value& value, const std::string& wanted) {
    if (quiet_ > 0) return false;
    return fail(fmt::format("is {}, expected {}", shown(value), wanted));
  }

  bool valid_below(const json::value& schema, const json::value& value, std::string part) {
    trail_.push_back(std::move(part));
    const bool is_valid = valid(schema, value);
    trail_.pop_back();
    return is_valid;
  }

  bool fail_below(std::string part, const std::string& what) {
    trail_.push_back(std::move(part));
    fail(what);
    trail_.pop_back();
    return false;
  }

  // Keywords
  // ---------------------------------------------------------------------------------------------------------------

  bool meets_reference(const json::object& rules, const json::value& value) {
    const auto* reference = rules.if_contains("$ref");
    if (reference == nullptr) return true;
    return valid(*parts_.references.find(std::string_view{reference->get_string()})->second, value);
  }

  bool meets_general(const json::object& rules, const json::value& value) {
    bool is_valid = true;
    if (const auto* type = rules.if_contains("type")) is_valid = meets_type(*type, value);
    if (const auto* wanted = rules.if_contains("const"); wanted != nullptr && !same(*wanted, value)) {
      is_valid = expected(value, shown(*wanted));
    }
    if (const auto* values = rules.if_contains("enum")) {
      const json::array& list = values->get_array();
      work_left_ -= static_cast<std::int64_t>(list.size()) / comparisons_per_work;
      if (std::ranges::none_of(list, [&](const json::value& v) { return same(v, value); })) {
        is_valid = expected(value, "one of " + shown(*values));
      }
    }
    return is_valid;
  }

  bool meets_type(const json::value& type, const json::value& value) {
    if (type.is_string()) {
      return has_type(value, type.get_string()) || expected(value, std::string{std::string_view{type.get_string()}});
    }
    std::vector<std::string> names;
    for (const json::value& name : type.get_array()) {
      if (has_type(value, name.get_string())) return true;
      names.emplace_back(std::string_view{name.get_string()});
    }
    return expected(value, join(names, " or "));
  }

  bool meets_string(const json::object& rules, const json::value& value) {
    const auto* text = if_text(value);
    if (text == nullptr) return true;
    bool is_valid = true;
    const auto* least = rules.if_contains("minLength");
    const auto* most = rules.if_contains("maxLength");
    const std::int64_t size = least != nullptr || most != nullptr ? count_characters(*text) : 0;
    if (least != nullptr && size < count_of(*least)) {
      is_valid = expected(value, fmt::format("at least {} characters", count_of(*least)));
    }
    if (most != nullptr && size > count_of(*most)) {
      is_valid = expected(value, fmt::format("at most {} characters", count_of(*most)));
    }
    if (const auto* pattern = rules.if_contains("pattern")) {
      const std::string_view expression = pattern->get_string();
      if (!parts_.patterns.find(expression)->second.is_in(*text)) {
        is_valid = expected(value, fmt::format("a match of {}", expression));
      }
    }
    if (const auto* format = rules.if_contains("format")) {
      const std::string_view name = format->get_string();
      if (!meets_format(name, *text)) is_valid = expected(value, fmt::format("the format {}", name));
    }
    return is_valid;
  }

  bool meets_number(const json::object& rules, const json::value& value) {
    if (!is_number(value)) return true;
    bool is_valid = true;
    const auto bound = [&](const char* key, const char* words, auto is_met) {
      const auto* limit = rules.if_contains(key);
      if (limit == nullptr || is_met(*limit)) return;
      is_valid = expected(value, fmt::format("{} {}", words, shown(*limit)));
    };
    const auto order = [&](const json::value& limit) { return compare_numbers(value, limit); };
    bound("minimum", "at least", [&](const json::value& limit) { return order(limit) >= 0; });
    bound("maximum", "at most", [&](const json::value& limit) { return order(limit) <= 0; });
    bound("exclusiveMinimum", "more than", [&](const json::value& limit) { return order(limit) > 0; });
    bound("exclusiveMaximum", "less than", [&](const json::value& limit) { return order(limit) < 0; });
    bound("multipleOf", "a multiple of", [&](const json::value& unit) { return divides(unit, value); });
    return is_valid;
  }

  /// What cannot be told is no success, also where a 'not' would make one of it.
  bool divides(const json::value& unit, const json::value& value) {
    const Decimal step = exact(unit);
    const auto digits = static_cast<std::int64_t>(step.digits.size());
    work_left_ -= digits * digits / digits_squared_per_work;
    const auto answer = is_multiple(exact(value), step);
    if (!answer && incomparable_.empty()) {
      incomparable_ = fmt::format("{} is {}, of which cannot be told exactly whether it is a multiple of {}", subject(),
                                  shown(value), shown(unit));
    }
    return answer.value_or(false);
  }

  bool meets_array(const json::object& rules, const json::value& value) {
    const auto* array = value.if_array();
    if (array == nullptr) return true;
    bool is_valid = true;
    const auto size = static_cast<std::int64_t>(array->size());
    if (const auto* least = rules.if_contains("minItems"); least != nullptr && size < count_of(*least)) {
      is_valid = fail(fmt::format("has {} items, expected at least {}", size, count_of(*least)));
    }
    if (const auto* most = rules.if_contains("maxItems"); most != nullptr && size > count_of(*most)) {
      is_valid = fail(fmt::format("has {} items, expected at most {}", size, count_of(*most)));
    }
    if (const auto* unique = rules.if_contains("uniqueItems"); unique != nullptr && unique->get_bool()) {
      work_left_ -= size;
      std::unordered_set<std::string> seen;
      for (const json::value& item : *array) {
        if (!seen.insert(canonical(item)).second) return fail(fmt::format("has {} twice", shown(item)));
      }
    }
    if (const auto* wanted = rules.if_contains("contains")) is_valid = contains(rules, *wanted, *array) && is_valid;
    return is_valid;
  }

  bool contains(const json::object& rules, const json::value& wanted, const json::array& array) {
    const auto* least = rules.if_contains("minContains");
    const auto* most = rules.if_contains("maxContains");
    const auto found = std::ranges::count_if(array, [&](const json::value& v) { return valid_quietly(wanted, v); });
    if (found >= (least == nullptr ? 1 : count_of(*least)) && (most == nullptr || found <= count_of(*most))) {
      return true;
    }
    return fail(fmt::format("has {} items as the schema's 'contains' wants them", found));
  }

  bool meets_items(const json::object& rules, const json::value& value) {
    const auto* array = value.if_array();
    if (array == nullptr) return true;
    const auto* items = rules.if_contains("items");
    const auto* first = rules.if_contains("prefixItems");
    const auto* rest = items;
    if (items != nullptr && items->is_array()) {  // as it was before prefixItems
      first = items;
      rest = rules.if_contains("additionalItems");
    }
    const std::size_t first_count = first == nullptr ? 0 : first->get_array().size();
    bool is_valid = true;
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (gave_up_ || (!is_valid && quiet_ > 0)) return false;
      const json::value* schema = i < first_count ? &first->get_array()[i] : rest;
      if (schema != nullptr) is_valid = valid_below(*schema, (*array)[i], std::to_string(i)) && is_valid;
    }
    return is_valid;
  }

  bool meets_object(const json::object& rules, const json::value& value) {
    const auto* object = value.if_object();
    if (object == nullptr) return true;
    bool is_valid = true;
    if (const auto* names = rules.if_contains("required")) is_valid = has_all(*names, *object, "");
    const auto size = static_cast<std::int64_t>(object->size());
    if (const auto* least = rules.if_contains("minProperties"); least != nullptr && size < count_of(*least)) {
      is_valid = fail(fmt::format("has {} fields, expected at least {}", size, count_of(*least)));
    }
    if (const auto* most = rules.if_contains("maxProperties"); most != nullptr && size > count_of(*most)) {
      is_valid = fail(fmt::format("has {} fields, expected at most {}", size, count_of(*most)));
    }
    for (const char* keyword : {"dependencies", "dependentRequired", "dependentSchemas"}) {
      const auto* dependencies = rules.if_contains(keyword);
      if (dependencies == nullptr) continue;
      for (const auto& d : dependencies->get_object()) {
        if (!object->contains(d.key())) continue;
        is_valid = (d.value().is_array() ? has_all(d.value(), *object, d.key()) : valid(d.value(), value)) && is_valid;
      }
    }
    return is_valid;
  }

  bool has_all(const json::value& names, const json::object& object, std::string_view because) {
    bool is_valid = true;
    for (const json::value& name : names.get_array()) {
      if (object.contains(name.get_string())) continue;
      is_valid = fail_below(std::string{std::string_view{name.get_string()}},
                            because.empty() ? "is missing, and the schema requires it"
                                            : fmt::format("is missing, and '{}' requires it", because));
    }
    return is_valid;
  }

  bool meets_members(const json::object& rules, const json::value& value) {
    const auto* object = value.if_object();
    if (object == nullptr) return true;
    const auto* properties = rules.if_contains("properties");
    const auto* patterns = rules.if_contains("patternProperties");
    const auto* others = rules.if_contains("additionalProperties");
    const auto* names = rules.if_contains("propertyNames");
    if (properties == nullptr && patterns == nullptr && others == nullptr && names == nullptr) return true;
    bool is_valid = true;
    for (const auto& member : *object) {
      if (gave_up_ || (!is_valid && quiet_ > 0)) return false;
      const std::string key{std::string_view{member.key()}};
      bool is_known = false;
      const auto meet = [&](const json::value& schema) {
        is_known = true;
        is_valid = valid_below(schema, member.value(), key) && is_valid;
      };
      if (properties != nullptr) {
        if (const auto* schema = properties->get_object().if_contains(key)) meet(*schema);
      }
      if (patterns != nullptr) {
        for (const auto& p : patterns->get_object()) {
          if (parts_.patterns.find(std::string_view{p.key()})->second.is_in(key)) meet(p.value());
        }
      }
      if (!is_known && others != nullptr) meet(*others);
      if (names != nullptr && !valid_quietly(*names, json::value(key))) {
        is_valid = fail_below(key, "has a name that the schema does not allow");
      }
    }
    return is_valid;
  }

  bool meets_others(const json::object& rules, const json::value& value) {
    bool is_valid = true;
    if (const auto* all = rules.if_contains("allOf")) {
      for (const json::value& schema : all->get_array()) is_valid = valid(schema, value) && is_valid;
    }
    const auto fits = [&](const json::value& schema) { return valid_quietly(schema, value); };
    if (const auto* any = rules.if_contains("anyOf"); any != nullptr && std::ranges::none_of(any->get_array(), fits)) {
      is_valid = expected(value, "one of the schema's 'anyOf': " + shown(*any));
    }
    if (const auto* one = rules.if_contains("oneOf")) {
      const auto count = std::ranges::count_if(one->get_array(), fits);
      if (count != 1) {
        is_valid = expected(value, fmt::format("exactly one of the schema's 'oneOf' ({} fit): {}", count, shown(*one)));
      }
    }
    if (const auto* refused = rules.if_contains("not"); refused != nullptr && fits(*refused)) {
      is_valid = expected(value, "anything but " + shown(*refused));
    }
    if (const auto* condition = rules.if_contains("if")) {
      const auto* branch = rules.if_contains(fits(*condition) ? "then" : "else");
      if (branch != nullptr) is_valid = valid(*branch, value) && is_valid;
    }
    return is_valid;
  }

  const Schema::Parts& parts_;
  std::vector<std::string> trail_;
  std::vector<std::string> failures_;
  std::size_t count_ = 0;
  std::int64_t work_left_ = 0;
  int depth_ = 0;
  int quiet_ = 0;
  bool gave_up_ = false;
  std::string incomparable_;  // what no rule could be held against
};

}  // namespace

const std::vector<std::string>& Schema::passed_over() const { return parts_->passed_over; }

std::vector<std::string> Schema::failures(const json::value& document) const {
  return Validator{*parts_}.run(document);
}

}  // namespace baton
