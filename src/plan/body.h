#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace baton {

/// Of which of a composite's items or rounds a copy of its body is made.
struct CopyOf {
  int number = 1;      ///< of the item or round, from 1
  int generation = 1;  ///< see Turn
  std::string item;    ///< JSON; empty in a loop
};

/// The body once more, as steps of the run. Needs count from `first`.
std::vector<Step> copy_body(const Step& composite, const CopyOf& copy, std::size_t first);

/// Which step of the body writes what counts as the copy's output.
std::size_t final_of_body(const std::vector<Step>& body);

}  // namespace baton
