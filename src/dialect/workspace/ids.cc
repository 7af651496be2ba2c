#include "dialect/workspace/ids.h"

#include <fmt/core.h>

namespace baton::workspace {
namespace {

std::string day_of(Time now) {
  const std::string text = rfc3339(now);  // 2026-11-15T...
  return text.substr(0, 4) + text.substr(5, 2) + text.substr(8, 2);
}

std::string six_hex(std::uint64_t chance) { return fmt::format("{:06x}", chance & 0xFFFFFFU); }

bool is_blank_letter(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string new_task_id(std::string_view skill, Time now, std::uint64_t chance) {
  return fmt::format("{}-{}-{}", skill, day_of(now), six_hex(chance));
}

std::string pipeline_run_id(std::string_view pipeline, Time now) {
  return fmt::format("run-{}-{}", pipeline, to_ms(now));
}

std::string review_id(std::string_view task, int n) { return fmt::format("review-{}-{}", task, n); }

std::string review_path(std::string_view task, int n) {
  return n < 1 ? fmt::format("reviews/{}-review.md", task) : fmt::format("reviews/{}-review-{}.md", task, n);
}

std::string pipeline_id(std::string_view name) {
  std::string id;
  for (const char c : name) {
    if (!is_blank_letter(c)) {
      id += lower_letter(c);
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  while (id.ends_with('-')) id.pop_back();
  return id;
}

std::string task_path(std::string_view id) { return fmt::format("tasks/{}.md", id); }

}  // namespace baton::workspace
