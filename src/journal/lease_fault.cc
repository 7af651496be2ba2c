#include "journal/lease_fault.h"

#include <fmt/core.h>

namespace baton {

Fault driven_by(const Lease& owner) {
  return {"run-is-driven", fmt::format("run {} is driven by process {} on {}", owner.run, owner.pid, owner.host),
          fmt::format("its lease ends at {} unless that process renews it; wait, or end that process",
                      rfc3339(owner.expires))};
}

}  // namespace baton
