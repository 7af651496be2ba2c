#include "git/landing/finish.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>

namespace baton::git {
namespace {

std::unexpected<Fault> unfinished(const TargetMove& move, const std::string& why) {
  return fault("accept-unfinished",
               fmt::format("the landing of run {} on {} is half done: {}", move.run, move.target, why),
               fmt::format("nothing is lost; mend what is named, then 'baton accept {}' finishes it", move.run));
}

/// How the checkouts of a half-done landing come out.
Status settle(const Site& site, const TargetMove& move) {
  std::vector<std::string> notes;
  const auto checkouts = checkouts_of(site, move.run, move.target, move.ref, notes);
  if (!checkouts) return std::unexpected(checkouts.error());
  for (const Checkout& checkout : *checkouts) {
    const Status followed = follow_again(checkout, move);
    if (followed) continue;
    if (followed.error().code == "accept-index-locked") return followed;
    return take_back(site, *checkouts, move);
  }
  return {};
}

}  // namespace

std::string landed_ref(const std::string& run) { return "refs/baton/landed/" + run; }
std::string accepted_ref(const std::string& run) { return "refs/baton/accepted/" + run; }

Status take_back(const Site& site, const std::vector<Checkout>& checkouts, const TargetMove& move) {
  for (const Checkout& checkout : checkouts) {
    if (const Status back = step_back(checkout, move); !back) return unfinished(move, back.error().message);
  }
  std::vector<RefMove> moves{{.ref = move.ref, .to = move.before, .from = move.after}};
  for (const std::string& ref : {landed_ref(move.run), accepted_ref(move.run)}) {
    const auto tip = site.tip(ref);
    if (!tip) return std::unexpected(tip.error());
    if (*tip) moves.push_back({.ref = ref, .to = {}, .from = **tip});
  }
  const Status done = site.move_refs(moves, fmt::format("baton: take back {}", move.run));
  if (!done) return unfinished(move, done.error().message);
  return {};
}

Status finish_landing(const Site& site, const std::string& trees, const LandingRecord& record) {
  const auto now = site.tip(record.ref);
  if (!now) return std::unexpected(now.error());
  // Not there: it was never moved, or is back already. Further on, or elsewhere: others have moved it since.
  if (*now == record.after) {
    const auto changes = changes_between(site.git(), record.before, record.after);
    if (!changes) return std::unexpected(changes.error());
    const TargetMove move{.run = record.run,
                          .target = record.target,
                          .ref = record.ref,
                          .before = record.before,
                          .after = record.after,
                          .changes = *changes};
    if (Status settled = settle(site, move); !settled) return settled;
  }
  remove_record(trees, record.run);
  return {};
}

Status finish_landings(const Site& site, const std::string& trees, const std::string& run) {
  Status own;
  for (const std::string& path : landing_records(trees)) {
    const std::optional<LandingRecord> record = read_record(path);
    if (!record) {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
      continue;
    }
    const Status finished = finish_landing(site, trees, *record);
    if (record->run == run) own = finished;
  }
  return own;
}

}  // namespace baton::git
