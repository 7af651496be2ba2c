#include "text/json_members.h"

#include <algorithm>
#include <cmath>

#include "base/boost_json.h"
#include "base/text.h"
#include "text/json_value.h"

namespace baton {

namespace json = boost::json;

const json::object* object_at(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found == nullptr ? nullptr : found->if_object();
}

const json::array* array_at(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found == nullptr ? nullptr : found->if_array();
}

std::string_view string_at(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  const json::string* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string_view{} : std::string_view{text->data(), text->size()};
}

const json::value* value_at(const json::object& object, std::string_view path) {
  const json::object* here = &object;
  for (;;) {
    const auto dot = path.find('.');
    const json::value* value = here->if_contains(path.substr(0, dot));
    if (value == nullptr || value->is_null()) return nullptr;
    if (dot == std::string_view::npos) return value;
    here = value->if_object();
    if (here == nullptr) return nullptr;
    path.remove_prefix(dot + 1);
  }
}

const json::value* value_at(const json::object& object, std::initializer_list<std::string_view> paths) {
  for (const std::string_view path : paths) {
    if (const json::value* value = value_at(object, path)) return value;
  }
  return nullptr;
}

std::string as_text(const json::value& value) {
  if (const auto* text = if_text(value)) return std::string{trim({text->data(), text->size()})};
  if (value.is_null()) return {};
  return written_json(value);
}

std::string text_at(const json::object& object, std::initializer_list<std::string_view> paths) {
  const json::value* value = value_at(object, paths);
  return value == nullptr ? std::string{} : as_text(*value);
}

std::vector<const json::value*> as_list(const json::value& value) {
  std::vector<const json::value*> items;
  if (const auto* array = value.if_array()) {
    for (const json::value& item : *array) {
      if (!item.is_null()) items.push_back(&item);
    }
  } else if (const auto* object = value.if_object()) {
    for (const auto& member : *object) {
      if (!member.value().is_null()) items.push_back(&member.value());
    }
  } else if (!as_text(value).empty()) {
    items.push_back(&value);
  }
  return items;
}

std::vector<std::string> texts_at(const json::object& object, std::initializer_list<std::string_view> paths) {
  std::vector<std::string> texts;
  const json::value* value = value_at(object, paths);
  if (value == nullptr) return texts;
  for (const json::value* item : as_list(*value)) texts.push_back(as_text(*item));
  return texts;
}

std::string word_of(const json::value& value) {
  if (const auto* text = value.if_string()) return std::string{trim({text->data(), text->size()})};
  if (const auto* number = value.if_int64()) return std::to_string(*number);
  if (const auto* number = value.if_uint64()) return std::to_string(*number);
  constexpr double exact_max = 1e15;
  const auto* number = value.if_double();
  if (number == nullptr || std::abs(*number) > exact_max || std::trunc(*number) != *number) return {};
  return std::to_string(static_cast<std::int64_t>(*number));
}

std::string word_at(const json::object& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr) continue;
    if (std::string word = word_of(*value); !word.empty()) return word;
  }
  return {};
}

}  // namespace baton
