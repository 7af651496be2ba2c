#include "cli/requests.h"

#include <algorithm>

#include "cli/drive.h"
#include "engine/real_files.h"
#include "io/identity.h"
#include "io/waiting.h"
#include "journal/event_codec.h"

namespace baton::cli {

Request request_of(const Run& run, const EventBody& ask) {
  if (std::holds_alternative<event::ResumeAsked>(ask)) return {"resume", ""};
  if (const auto* retry = std::get_if<event::RetryAsked>(&ask)) {
    return {"retry", retry->step ? run.step(*retry->step).id : std::string{}};
  }
  return {std::string{kind_of(ask)}, encode(ask)};
}

std::vector<Request> requests_of(const Run& run, const std::vector<EventBody>& asks) {
  std::vector<Request> requests;
  for (const EventBody& ask : asks) requests.push_back(request_of(run, ask));
  return requests;
}

Expected<bool> until_answered(SqliteJournal& journal, const std::string& run, const std::vector<std::int64_t>& left) {
  constexpr int waits_max = 200;
  for (int waits = 0; waits < waits_max; ++waits) {
    auto open = journal.requests(run);
    if (!open) return std::unexpected(open.error());
    const auto is_ours = [&](const ControlRequest& r) { return std::ranges::find(left, r.id) != left.end(); };
    if (std::ranges::none_of(*open, is_ours)) return true;
    wait_a_little();
  }
  return false;
}

Expected<bool> hand_over(const Project& project, SqliteJournal& journal, const std::string& run,
                         const std::vector<Request>& requests) {
  std::vector<std::int64_t> left;
  for (const auto& [kind, argument] : requests) {
    auto request = journal.request({0, run, kind, argument, RealClock{}.now()});
    if (!request) return std::unexpected(request.error());
    left.push_back(*request);
  }
  ring(project, run);
  auto answered = until_answered(journal, run, left);
  if (!answered || *answered) return answered;
  bool heard = true;  // at the last moment, if nothing can be taken back
  for (const std::int64_t request : left) {
    auto taken_back = journal.withdraw(request);
    if (!taken_back) return std::unexpected(taken_back.error());
    heard = heard && !*taken_back;
  }
  return heard;
}

Expected<std::optional<Lease>> living_driver(Journal& journal, const std::string& run) {
  auto lease = journal.holder_of(run);
  const bool is_free = lease && *lease && ((*lease)->owner.empty() || is_certainly_dead((*lease)->owner));
  return is_free ? Expected<std::optional<Lease>>{std::nullopt} : lease;
}

void wait_a_little() { pause_for(Millis{10}); }

}  // namespace baton::cli
