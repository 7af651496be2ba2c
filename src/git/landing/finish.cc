#include "git/landing/finish.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <utility>

namespace baton::git {
namespace {

std::unexpected<Fault> unfinished(const TargetMove& move, const std::string& why) {
  return fault("accept-unfinished",
               fmt::format("the landing of run {} on {} is half done: {}", move.run, move.target, why),
               fmt::format("nothing is lost; mend what is named, then 'baton accept {}' finishes it", move.run));
}

/// How the checkouts of a half-done landing come out.
Status settle(const Site& site, const TargetMove& move, const std::string& trees, const LandingRecord& record) {
  std::vector<std::string> notes;
  const auto checkouts = checkouts_of(site, move.run, move.target, move.ref, notes);
  if (!checkouts) return std::unexpected(checkouts.error());
  if (record.back) return take_back(site, *checkouts, move, trees, record);
  for (const Checkout& checkout : *checkouts) {
    const Status followed = follow_again(checkout, move);
    if (followed) continue;
    if (followed.error().code == "accept-index-locked" || is_killed(followed.error())) return followed;
    return take_back(site, *checkouts, move, trees, record);
  }
  return {};
}

/// The refs that go with a landing. A git that was killed in the midst of moving them leaves them apart from the
/// target.
Status settle_refs(const Site& site, const LandingRecord& record, bool landed) {
  std::vector<RefMove> moves;
  for (const auto& [ref, to] :
       {std::pair{landed_ref(record.run), record.after}, {accepted_ref(record.run), record.tip}}) {
    const auto tip = site.tip(ref);
    if (!tip) return std::unexpected(tip.error());
    if (landed && !to.empty() && *tip != to) moves.push_back({.ref = ref, .to = to});
    if (!landed && *tip == to) moves.push_back({.ref = ref, .to = {}, .from = to});
  }
  return site.move_refs(moves, fmt::format("baton: {} {}", landed ? "land" : "take back", record.run));
}

}  // namespace

std::string landed_ref(const std::string& run) { return "refs/baton/landed/" + run; }
std::string accepted_ref(const std::string& run) { return "refs/baton/accepted/" + run; }

Status take_back(const Site& site, const std::vector<Checkout>& checkouts, const TargetMove& move,
                 const std::string& trees, LandingRecord record) {
  const auto not_yet = [&](const Fault& why) -> Status {
    return is_killed(why) ? Status{std::unexpected(why)} : unfinished(move, why.message);
  };
  record.back = true;
  if (const Status recorded = write_record(trees, record); !recorded) return not_yet(recorded.error());
  for (const Checkout& checkout : checkouts) {
    if (const Status back = step_back(checkout, move); !back) return not_yet(back.error());
  }
  std::vector<RefMove> moves{{.ref = move.ref, .to = move.before, .from = move.after}};
  for (const std::string& ref : {landed_ref(move.run), accepted_ref(move.run)}) {
    const auto tip = site.tip(ref);
    if (!tip) return std::unexpected(tip.error());
    if (*tip) moves.push_back({.ref = ref, .to = {}, .from = **tip});
  }
  const Status done = site.move_refs(moves, fmt::format("baton: take back {}", move.run));
  if (!done) return not_yet(done.error());
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
    if (Status settled = settle(site, move, trees, record); !settled) return settled;
  }
  const auto then = site.tip(record.ref);
  if (!then) return std::unexpected(then.error());
  const auto known = site.tip(record.after);
  if (!known) return std::unexpected(known.error());
  const auto landed = *then && *known ? site.is_ancestor(record.after, **then) : Expected<bool>{false};
  if (!landed) return std::unexpected(landed.error());
  if (Status settled = settle_refs(site, record, *landed); !settled) return settled;
  remove_record(trees, record.run);
  return {};
}

Status finish_landings(const Site& site, const std::string& trees, const std::string& run) {
  Status own;
  remove_unwritten_records(trees);
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
