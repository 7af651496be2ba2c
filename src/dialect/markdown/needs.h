#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "dialect/markdown/draft.h"
#include "plan/plan.h"

namespace baton::markdown {

/// Which step has which id; the first one where two have the same.
using StepNumbers = std::unordered_map<std::string, std::size_t>;

StepNumbers number_steps(const std::vector<StepDraft>& drafts, FaultList& faults);

/// Ids to look for a slip of the pen among: the first thousand, not a million.
std::vector<std::string> known_ids(const std::vector<StepDraft>& drafts);

/// The steps so that needs come first, as far as there is such an order. Where there were cycles, going through it once
/// is not enough: `rounds` times is. With 0 there were too many of them.
struct NeedsOrder {
  std::vector<StepIndex> order;
  std::size_t rounds = 1;
};

/// Fills in the needs of `steps`; reports unknown ones and cycles.
NeedsOrder connect(const std::vector<StepDraft>& drafts, const StepNumbers& numbers, std::vector<Step>& steps,
                   FaultList& faults);

/// Whether step `from` needs step `to`, directly or through others; for many at once.
struct NeedQuestion {
  std::size_t from;
  std::size_t to;
};

/// One answer to each question, in their order. REQUIRES: order.rounds > 0.
std::vector<bool> are_needed(const std::vector<NeedQuestion>& asked, const std::vector<Step>& steps,
                             const NeedsOrder& order);

/// A step speaks of another one.
struct Mention {
  std::size_t from;
  std::size_t to;
  Spot spot;
};

/// Reports references to steps that are not needed, directly or through others: nothing would have written the output.
void check_references(const std::vector<Mention>& references, const std::vector<StepDraft>& drafts,
                      const std::vector<Step>& steps, const NeedsOrder& order, FaultList& faults);

}  // namespace baton::markdown
