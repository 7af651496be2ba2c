#include "view/used.h"

#include "core/facts.h"

namespace baton {

void Used::add(const Run& run, const Attempt& attempt) {
  ++attempts;
  const KnownUsage usage = known_usage(run, attempt);
  if (usage.tokens) tokens += *usage.tokens;
  if (!usage.tokens) ++tokens_unknown;
  if (usage.cost) known.nano_usd += usage.cost->nano_usd;
  unknown = unknown || !usage.cost;
}

Used used_by(const Run& run, StepIndex step) {
  Used used;
  for (const Attempt& attempt : shown_attempts(run, step)) used.add(run, attempt);
  return used;
}

}  // namespace baton
