#pragma once

#include <string_view>

#include "plan/expression.h"

namespace baton::expression {

/// Reads a dotted word as a reference. `at`: where it stands in its source.
std::expected<Reference, ExpressionFault> read_reference(std::string_view word, std::size_t at);

}  // namespace baton::expression
