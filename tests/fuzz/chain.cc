#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "base/text.h"
#include "dialect/chain/decompose.h"
#include "dialect/chain/route.h"
#include "dialect/chain/verdict.h"

// Whatever an agent answers: a workflow that is there or none, sub-tasks in an order in which they can run, and no
// verdict that passes without being one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton::chain;
  const std::string_view answer{reinterpret_cast<const char*>(data), size};
  const auto workflow = route_answer(answer, built_in_workflows());
  if (workflow && !built_in_workflows().contains(*workflow)) __builtin_trap();
  const Verdict verdict = read_verdict(answer);
  if (verdict.passed && !verdict.known) __builtin_trap();
  (void)to_text(verdict);
  const auto read = read_decomposition(answer);
  if (!read) return 0;
  std::set<std::string> slugs;
  for (const SubTask& task : read->tasks) {
    if (task.name.empty() || !baton::is_id(task.slug) || !slugs.insert(task.slug).second) __builtin_trap();
  }
  std::vector<bool> placed(read->tasks.size(), false);
  for (std::size_t round = 0; round < placed.size(); ++round) {
    for (std::size_t t = 0; t < placed.size(); ++t) {
      bool met = true;
      for (const std::size_t need : read->tasks[t].needs) met = met && placed.at(need);
      if (met) placed[t] = true;
    }
  }
  for (const bool is_placed : placed) {
    if (!is_placed) __builtin_trap();
  }
  return 0;
}
