#include "core/reports.h"

namespace baton {

bool Reports::note(const event::WorkerReported& said, Time at, bool current) {
  if (!ids_.insert(said.id).second) return false;
  all_.push_back({said, at, current});
  return true;
}

}  // namespace baton
