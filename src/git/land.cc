#include "git/land.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "base/ensure.h"
#include "base/text.h"
#include "git/landing/finish.h"
#include "git/landing/follow.h"
#include "git/landing/journal.h"
#include "git/landing/merge.h"
#include "git/landing/site.h"

namespace baton::git {
namespace {

/// One landing, from looking at where things stand to the last checkout.
class Landing {
 public:
  Landing(const Site& site, const LandOrder& order)
      : site_{site}, order_{order}, branch_{"refs/heads/" + order.branch} {}

  /// nullopt: the target moved under our hands, so that all has to be looked at again.
  Expected<std::optional<Landed>> attempt() {
    notes_.clear();
    auto target = site_.ref_of(order_.target);
    if (!target) return std::unexpected(target.error());
    target_ = std::move(*target);
    const auto onto = site_.tip(target_);
    if (!onto) return std::unexpected(onto.error());
    if (!*onto) {
      return fault(
          "accept-target-missing",
          order_.target.empty() ? "the run began from a commit, not from a branch: there is none to land on"
                                : fmt::format("there is no branch {} to land on", order_.target),
          fmt::format("nothing was changed; make it, or name another with --set git.base=BRANCH, then 'baton accept "
                      "{}' again",
                      order_.run));
    }
    const auto tip = site_.tip(branch_);
    if (!tip) return std::unexpected(tip.error());
    const auto before = landed_before(**onto, *tip);
    if (!before) return std::unexpected(before.error());
    if (*before) return Landed{.commit = **before, .moved = false};
    if (!*tip) {
      return fault("accept-branch-missing", fmt::format("the branch {} of run {} is gone", order_.branch, order_.run),
                   fmt::format("'git branch {} COMMIT' brings it back if you know where it was; or 'baton reject {}'",
                               order_.branch, order_.run));
    }
    return from(**onto, **tip);
  }

  /// What the change became, if the target has all of it.
  Expected<std::optional<std::string>> landed_already() {
    const auto target = site_.ref_of(order_.target);
    if (!target) return std::unexpected(target.error());
    const auto onto = site_.tip(*target);
    if (!onto) return std::unexpected(onto.error());
    const auto tip = site_.tip(branch_);
    if (!tip) return std::unexpected(tip.error());
    return *onto ? landed_before(**onto, *tip) : std::optional<std::string>{};
  }

 private:
  void reach(LandPhase phase) const {
    if (order_.at) order_.at(phase);
  }

  /// What the change became, if it is on the target already.
  [[nodiscard]] Expected<std::optional<std::string>> landed_before(const std::string& onto,
                                                                   const std::optional<std::string>& tip) const {
    const auto landed = site_.tip(landed_ref(order_.run));
    if (!landed) return std::unexpected(landed.error());
    if (!*landed) return std::nullopt;
    const auto contained = site_.is_ancestor(**landed, onto);
    if (!contained) return std::unexpected(contained.error());
    if (!*contained) return std::nullopt;
    if (!tip) return *landed;
    // The branch may have gone on since.
    const auto accepted = site_.tip(accepted_ref(order_.run));
    if (!accepted) return std::unexpected(accepted.error());
    const auto same = site_.is_ancestor(*tip, accepted->value_or(**landed));
    if (!same) return std::unexpected(same.error());
    return *same ? *landed : std::nullopt;
  }

  /// How much of the branch an earlier landing brought to the target in another form; empty if none.
  [[nodiscard]] Expected<std::string> known_part(const std::string& onto, const std::string& tip) const {
    const auto landed = site_.tip(landed_ref(order_.run));
    const auto accepted = site_.tip(accepted_ref(order_.run));
    if (!landed || !accepted) return std::unexpected(landed ? accepted.error() : landed.error());
    if (!*landed || !*accepted) return std::string{};
    for (const auto& [older, younger] : {std::pair{**landed, onto}, std::pair{**accepted, tip}}) {
      const auto contained = site_.is_ancestor(older, younger);
      if (!contained) return std::unexpected(contained.error());
      if (!*contained) return std::string{};
    }
    return **accepted;
  }

  Expected<std::optional<Landed>> from(const std::string& onto, const std::string& tip) {
    // Early, so that nobody waits for a merge to be told.
    const auto checkouts = checkouts_of(site_, order_.run, order_.target, target_, notes_);
    if (!checkouts) return std::unexpected(checkouts.error());
    const auto contained = site_.is_ancestor(tip, onto);
    if (!contained) return std::unexpected(contained.error());
    const auto known = known_part(onto, tip);
    if (!known) return std::unexpected(known.error());
    const bool is_empty = *contained || tip == order_.base_commit;
    const auto made = is_empty ? Expected<std::optional<std::string>>{std::nullopt}
                               : make_landing_commit(site_, order_, {.onto = onto, .tip = tip, .landed = *known});
    if (!made) return std::unexpected(made.error());
    if (!*made) {
      notes_.emplace_back("there is nothing to land");
      return Landed{.commit = onto, .moved = false, .notes = notes_};
    }
    reach(LandPhase::merged);
    const auto changes = changes_between(site_.git(), onto, **made);
    if (!changes) return std::unexpected(changes.error());
    const TargetMove move{.run = order_.run,
                          .target = order_.target,
                          .ref = target_,
                          .before = onto,
                          .after = **made,
                          .changes = *changes};
    return go(move, tip);
  }

  Expected<std::optional<Landed>> go(const TargetMove& move, const std::string& tip) {
    // Once more: a merge takes its time, and the user may have switched branches.
    notes_.clear();
    const auto checkouts = checkouts_of(site_, order_.run, order_.target, target_, notes_);
    if (!checkouts) return std::unexpected(checkouts.error());
    for (const Checkout& checkout : *checkouts) {
      if (const Status free = can_follow(checkout, move); !free) return std::unexpected(free.error());
    }
    const LandingRecord record{.run = order_.run,
                               .branch = order_.branch,
                               .target = order_.target,
                               .ref = move.ref,
                               .before = move.before,
                               .after = move.after,
                               .tip = tip};
    if (const Status recorded = write_record(order_.trees, record); !recorded) {
      return std::unexpected(recorded.error());
    }
    reach(LandPhase::recorded);
    const Status moved = site_.move_refs({{.ref = move.ref, .to = move.after, .from = move.before},
                                          {.ref = landed_ref(order_.run), .to = move.after},
                                          {.ref = accepted_ref(order_.run), .to = tip}},
                                         fmt::format("baton: land {}", order_.run));
    if (!moved) return not_moved(move, moved.error());
    reach(LandPhase::moved);
    return lead(*checkouts, move, record);
  }

  /// Git refused, or was killed on the way.
  Expected<std::optional<Landed>> not_moved(const TargetMove& move, const Fault& why) {
    if (is_killed(why)) return std::unexpected(why);  // how far it came is seen by whoever reads the record
    const auto now = site_.tip(move.ref);
    if (!now) return std::unexpected(now.error());
    if (*now == move.after) return std::unexpected(why);
    remove_record(order_.trees, order_.run);
    if (*now && **now != move.before) return std::nullopt;
    return std::unexpected(why);
  }

  /// The target is there: now whoever has it checked out.
  Expected<std::optional<Landed>> lead(const std::vector<Checkout>& checkouts, const TargetMove& move,
                                       const LandingRecord& record) {
    std::vector<Checkout> begun;
    for (const Checkout& checkout : checkouts) {
      const Status followed = follow(checkout, move);
      if (!followed && is_killed(followed.error())) return std::unexpected(followed.error());
      // Only what fails on its way leaves something to undo; a refusal comes before anything is touched.
      if (followed || followed.error().code == "git-failed") begun.push_back(checkout);
      if (!followed) return give_up(begun, move, record, followed.error());
      reach(LandPhase::followed);
    }
    remove_record(order_.trees, order_.run);
    reach(LandPhase::forgotten);
    note_submodules(move);
    return Landed{.commit = move.after, .moved = true, .notes = notes_};
  }

  /// Somebody changed a file between the look and the move, or the disk refuses.
  Expected<std::optional<Landed>> give_up(const std::vector<Checkout>& checkouts, const TargetMove& move,
                                          const LandingRecord& record, Fault why) {
    if (Status back = take_back(site_, checkouts, move, order_.trees, record); !back) {
      return std::unexpected(back.error());
    }
    remove_record(order_.trees, order_.run);
    return std::unexpected(std::move(why));
  }

  void note_submodules(const TargetMove& move) {
    for (const Change& change : move.changes) {
      if (change.after.is_submodule()) {
        notes_.push_back(fmt::format("the submodule {} was moved; 'git submodule update' brings its files along",
                                     printable(change.path)));
      } else if (change.before.is_submodule()) {
        notes_.push_back(fmt::format("{} is no submodule any more; its files stay", printable(change.path)));
      }
    }
  }

  const Site& site_;
  const LandOrder& order_;
  std::string branch_;
  std::string target_;
  std::vector<std::string> notes_;
};

/// Lets the work have the repository to itself, with what a landing before it left brought to its end.
template <class Work>
auto in_repository(const LandOrder& order, Work work) -> decltype(work(std::declval<Site&>())) {
  auto site = Site::open(order.root);
  if (!site) return std::unexpected(site.error());
  auto lock = LandingLock::take(site->common_dir());
  if (!lock) return std::unexpected(lock.error());
  if (Status held = site->hold(*lock); !held) return std::unexpected(held.error());
  if (Status finished = finish_landings(*site, order.trees, order.run); !finished) {
    return std::unexpected(finished.error());
  }
  return work(*site);
}

Expected<Landed> land_in(Site& site, const LandOrder& order) {
  if (Status gone = site.remove_tree(merging_tree(order)); !gone) return std::unexpected(gone.error());
  if (order.at) order.at(LandPhase::begun);
  constexpr int attempts_max = 3;
  for (int n = 0; n < attempts_max; ++n) {
    auto landed = Landing{site, order}.attempt();
    if (!landed) return std::unexpected(landed.error());
    if (*landed) return std::move(**landed);
  }
  return fault("accept-target-moved",
               fmt::format("{} moved again and again while run {} was to land", order.target, order.run),
               fmt::format("nothing was changed; 'baton accept {}' once it stands still", order.run));
}

}  // namespace

Expected<Landed> land(const LandOrder& order) {
  BATON_ENSURE(is_id(order.run), "not the id of a run", order.run);
  return again_if_killed([&] { return in_repository(order, [&](Site& site) { return land_in(site, order); }); });
}

Expected<std::optional<std::string>> landed_already(const LandOrder& order) {
  BATON_ENSURE(is_id(order.run), "not the id of a run", order.run);
  return again_if_killed(
      [&] { return in_repository(order, [&](Site& site) { return Landing{site, order}.landed_already(); }); });
}

}  // namespace baton::git
