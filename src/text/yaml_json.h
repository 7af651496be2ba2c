#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "text/yaml_tree.h"

namespace baton {

/// A YAML value as indented JSON. Plain numbers, truth values and `null` stay what they are, all else is text.
std::string yaml_as_json(const YamlNode& node);

/// The same on one line. `put` may say what a text that is none of those stands for.
std::string yaml_as_json_line(const YamlNode& node, const std::function<std::string(const YamlNode&)>& put);

/// What a text without quotes stands for, as JSON; empty if it is a text.
std::string plain_as_json(std::string_view text);

}  // namespace baton
