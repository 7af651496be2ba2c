#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "runtime/api/model_list.h"

namespace baton::cli {

/// What a provider says that it has.
struct Offer {
  std::string runtime;
  std::string url;
  std::vector<api::ListedModel> models = {};
  std::string trouble = {};  ///< why that is not known; empty if it is
};

/// Asks every provider that can be asked: one with a key, or a server of one's own. A courier of its own makes the
/// calls, so nothing is left in the project.
std::vector<Offer> offered_models(const Config& config);

}  // namespace baton::cli
