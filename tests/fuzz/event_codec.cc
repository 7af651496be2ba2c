#include "journal/event_codec.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

// The first byte chooses the kind; what decodes must encode and decode again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const kinds[] = {"run.created",     "driver.took",  "settings.changed", "attempt.admitted",
                                      "attempt.started", "attempt.used", "attempt.ended",    "output.checked",
                                      "timer.fired",     "pause.asked",  "resume.asked",     "cancel.asked",
                                      "retry.asked",     "plan.extended"};
  if (size < 1) return 0;
  const char* kind = kinds[data[0] % std::size(kinds)];
  const auto body = baton::decode(kind, {reinterpret_cast<const char*>(data) + 1, size - 1});
  if (!body) return 0;
  const std::string written = baton::encode(*body);
  const auto again = baton::decode(kind, written);
  if (!again || baton::encode(*again) != written) __builtin_trap();
  return 0;
}
