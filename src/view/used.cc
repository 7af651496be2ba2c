#include "view/used.h"

#include "core/facts.h"

namespace baton {

void Used::add(const Attempt& attempt) {
  ++attempts;
  if (!attempt.detail) return;
  const Usage& usage = attempt.detail->usage;
  tokens += usage.tokens;
  if (usage.cost) {
    known.nano_usd += usage.cost->nano_usd;
  } else if (usage.tokens.total() > 0) {
    unknown = true;
  }
}

Used used_by(const Run& run, StepIndex step) {
  Used used;
  for (const Attempt& attempt : shown_attempts(run, step)) used.add(attempt);
  return used;
}

}  // namespace baton
