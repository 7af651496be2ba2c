#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "core/usage.h"

namespace baton {

/// What one attempt of an agent has used.
struct Spent {
  Time at{};
  std::string workflow;
  std::string model;  ///< that answered; where nobody told, the one asked for; empty: the runtime's own
  std::string skill;
  Tokens tokens = {};
  std::optional<Cost> cost = {};
  bool tokens_unknown = false;
};

/// By day (UTC), workflow, model and skill. A sum with an unknown part is unknown; what is known of it is told beside.
/// `rehearsed` attempts cost nothing and are in no sum.
std::string cost_text(const std::vector<Spent>& spent, std::size_t rehearsed);
std::string cost_json(const std::vector<Spent>& spent, std::size_t rehearsed);

}  // namespace baton
