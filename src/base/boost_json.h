// The one place that includes Boost.JSON, which takes seconds to compile. For source files only: headers need no more
// than <boost/json/fwd.hpp> (tests/tidy holds both).
#pragma once

#include <boost/json.hpp>  // IWYU pragma: export
