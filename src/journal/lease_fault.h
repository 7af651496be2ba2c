#pragma once

#include "journal/journal.h"

namespace baton {

/// The refusal of cli.md: it names the lease's owner.
Fault driven_by(const Lease& owner);

}  // namespace baton
