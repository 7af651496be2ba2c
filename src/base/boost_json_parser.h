// The one place that brings Boost.JSON's parser as a template, for those who make their own values from it.
// For source files only.
#pragma once

#include <boost/json/basic_parser_impl.hpp>  // IWYU pragma: export
