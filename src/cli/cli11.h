// The one place that includes CLI11, which takes seconds to compile. For source files only (tests/tidy).
#pragma once

#include <CLI/CLI.hpp>  // IWYU pragma: export
