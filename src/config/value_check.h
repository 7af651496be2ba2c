#pragma once

#include <string>
#include <vector>

#include "config/keys.h"
#include "config/toml_layer.h"

namespace baton {

/// A value that does not fit its key: what was expected, and where exactly it is wrong.
struct Misfit {
  std::string value;
  std::string expected;
  std::string why = {};     ///< where `expected` does not say it all
  bool is_pattern = false;  ///< a text that is no pattern
  Place place = {};         ///< of one item of a list; else no particular one
};

/// Everything about `given` that does not fit the key. A list that was given as a word is a list afterwards, its items
/// parted by commas; but a pattern may have commas of its own, so that there a word is one item.
std::vector<Misfit> misfits(const KeySpec& spec, Given& given);

}  // namespace baton
