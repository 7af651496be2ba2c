#pragma once

#include <string>
#include <vector>

namespace baton {

/// A bar of exactly `columns`, filled to `fraction` (0 to 1) in eighths of a column.
std::string bar(double fraction, int columns);

/// One column a value, from "▁" to "█"; a space where the value is 0. All of them in proportion to the largest.
std::string sparkline(const std::vector<int>& values);

/// How many of the moments (in ms) fall into each of `count` equal parts of the time from `from` to `to`.
std::vector<int> counted_in_parts(const std::vector<long long>& moments, long long from, long long to, int count);

}  // namespace baton
