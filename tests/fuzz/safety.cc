#include <cstddef>
#include <cstdint>
#include <string>

#include "safety/hook.h"
#include "safety/judge.h"
#include "safety/shell_reader.h"

// A command line of whatever an agent may come up with: there is an answer, within bounds; and what is a command by
// itself is still one behind another.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const baton::safety::Readings readings = baton::safety::read_shell(text);
  std::size_t bytes = 0;
  for (const auto& reading : readings.all) bytes += reading.text.size();
  if (bytes > (std::size_t{8} << 20U)) __builtin_trap();
  const baton::safety::Policy& policy = baton::safety::Policy::built_in();
  (void)baton::safety::reason(baton::safety::judge(policy, text));
  if (!baton::safety::judge(policy, "rm -rf /\n" + std::string{text}).blocked) __builtin_trap();
  (void)baton::safety::answer_hook(policy, text);
  (void)baton::safety::hook_settings("/b", "/p", text);
  return 0;
}
