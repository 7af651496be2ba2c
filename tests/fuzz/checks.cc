#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "dialect/markdown/rules.h"
#include "plan/check.h"
#include "runtime/rehearsal_output.h"

// Rules, a zero byte, then the output they are for. Whatever both hold, there is an answer; and what is made up for the
// rules can be checked too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all{reinterpret_cast<const char*>(data), size};
  const std::size_t cut = all.find('\0');
  const std::string_view output = cut == std::string_view::npos ? std::string_view{} : all.substr(cut + 1);
  const auto no_file = [](const std::string&) -> baton::Expected<std::string> { return baton::fault("x", "y"); };
  for (const auto format : {baton::OutputFormat::json, baton::OutputFormat::text}) {
    const auto checks = baton::read_rules(all.substr(0, cut), "rules", format, no_file);
    if (!checks) continue;
    const auto results = baton::evaluate(*checks, format, output);
    if (results.size() != checks->size() && results.size() != 1) __builtin_trap();
    (void)baton::rules_json(*checks);
    baton::Work work{.skill = "s", .mission = "m", .output = "o", .output_format = format, .checks = *checks};
    const baton::Step step{.id = "a", .work = std::make_shared<baton::Work>(work)};
    (void)baton::evaluate(*checks, format, baton::made_up_output(step, 1));
  }
  return 0;
}
