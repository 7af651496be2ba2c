#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/event.h"
#include "core/run.h"
#include "view/run_facts.h"

namespace baton {

/// What a report is made from. Texts that stand in files are handed in; one that is not there is empty.
struct RunReport {
  std::string id;
  const Run* run = nullptr;
  const std::vector<Event>* events = nullptr;
  RunPlaces places;
  Time now{};
  std::string version;  ///< of the program
  std::function<std::string(const std::string& step, int attempt)> prompt = {};
  std::function<std::string(const std::string& step)> output = {};
  std::string diff = {};
  std::string no_diff = {};  ///< why there is none
};

/// One page that needs nothing else: no script, no network, no font. Whatever agents wrote stands on it as text.
std::string report_html(const RunReport& report);

}  // namespace baton
