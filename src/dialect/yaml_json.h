#pragma once

#include <string>

#include "dialect/yaml_tree.h"

namespace baton {

/// A YAML value as indented JSON. Plain numbers, truth values and `null` stay what they are, all else is text.
std::string yaml_as_json(const YamlNode& node);

}  // namespace baton
