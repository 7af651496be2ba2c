#include "io/waiting.h"

#include <time.h>

#include <chrono>

namespace baton {

void pause_for(Millis duration) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(duration);
  const timespec pause{whole.count(), std::chrono::nanoseconds{duration - whole}.count()};
  ::nanosleep(&pause, nullptr);
}

}  // namespace baton
