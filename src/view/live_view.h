#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/run.h"
#include "view/run_facts.h"

namespace baton {

/// What a live view shows besides the run itself.
struct LiveModel {
  std::string id;
  const Run* run = nullptr;
  Time now{};
  std::map<StepIndex, std::string> said;  ///< the last line each step said
  unsigned tick = 0;                      ///< turns the spinner
  std::size_t before = 0;                 ///< runs that have to make room before this one goes on; 0: it does
};

struct LiveStyle {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool color = false;
};

/// The frame as lines, each at most `columns` wide, at most `rows` of them: a head, then the steps that matter most.
std::vector<std::string> live_lines(const LiveModel& model, const LiveStyle& style);

/// What stays on the screen when the run has ended or stands still.
std::vector<std::string> summary_lines(const LiveModel& model, const RunPlaces& places, const LiveStyle& style);

}  // namespace baton
