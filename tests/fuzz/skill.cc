#include "skill/skill.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text.h"

// Whatever the file says: it is text, or it is refused; and its name can become part of a path.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const baton::SkillSource source{"fuzz/SKILL.md", "fuzz"};
  const auto skill = baton::read_skill(text, source);
  const auto head = baton::read_skill_head(text, source);
  if (skill && !baton::is_id(skill->name)) __builtin_trap();
  if (skill && (!head || head->name != skill->name || head->description != skill->description)) __builtin_trap();
  return 0;
}
