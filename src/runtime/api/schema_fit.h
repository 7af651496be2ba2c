#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace baton::api {

/// A JSON Schema as providers of structured output take it: what they refuse (bounds, lengths, most formats) is left
/// out, since the step's own checks look at it anyway, and every object is closed. Nothing if it cannot be had so: it
/// is recursive, refers to other documents, or leaves an object open.
std::optional<std::string> fitted_schema(std::string_view schema);

/// Every object of it asks for all its members: what OpenAI calls strict.
bool is_strict_schema(std::string_view fitted);
bool is_object_schema(std::string_view schema);

bool is_json_object(std::string_view text);

}  // namespace baton::api
