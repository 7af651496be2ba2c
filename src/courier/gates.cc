#include "courier/gates.h"

#include <utility>

namespace baton::courier {

Gates::Way Gates::enter(const std::string& host, Id id, std::int64_t now) {
  Gate& gate = gates_[host];
  if (now < gate.known_until) return Way::goes;
  if (gate.leader != 0) {
    gate.waiting.push_back(id);
    return Way::waits;
  }
  gate.leader = id;
  return Way::leads;
}

std::vector<Gates::Id> Gates::settle(const std::string& host, Id id, Outcome outcome, std::int64_t now) {
  Gate& gate = gates_[host];
  if (gate.leader != id) {
    std::erase(gate.waiting, id);
    return {};
  }
  gate.leader = 0;
  const std::deque<Id> waiting = std::exchange(gate.waiting, {});
  std::vector<Id> free{waiting.begin(), waiting.end()};
  if (outcome == Outcome::found) gate.known_until = now + known_ms;
  if (outcome == Outcome::found || outcome == Outcome::not_found || free.empty()) return free;
  gate.leader = free.front();
  gate.waiting.assign(waiting.begin() + 1, waiting.end());
  return {gate.leader};
}

}  // namespace baton::courier
