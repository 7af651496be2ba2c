#pragma once

#include "journal/row_shares.h"
#include "journal/sqlite.h"

namespace baton {

/// The tables `places`, `slots`, `cooldowns` and `governors` of the journal's database.
class SqliteShares final : public RowShares {
 public:
  /// How the journal writes and holds leases against what it knows.
  struct Ways {
    std::function<Status(const std::function<Status()>&)> transact;
    std::function<Status(const std::function<Status()>&)> transact_lastingly;  ///< for what a power cut leaves
    std::function<Status(const Lease&)> check_lease;
  };
  SqliteShares(Database& db, Ways ways)
      : db_(db),
        ways_(std::move(ways)),
        cool_downs_(db.handle(), "SELECT runtime,until,guessed FROM cooldowns"),
        has_governors_(db.handle(), "SELECT 1 FROM sqlite_master WHERE type='table' AND name='governors'") {}

 private:
  Status transact(const std::function<Status()>& body) override { return ways_.transact(body); }
  Status transact_lastingly(const std::function<Status()>& body) override { return ways_.transact_lastingly(body); }
  Status check_lease(const Lease& lease) override { return ways_.check_lease(lease); }
  Expected<std::vector<PlaceRow>> place_rows() override;
  Status put_place(const std::string& run, Place place, Time call_ends) override;
  Expected<std::vector<SlotRow>> slot_rows() override;
  Status put_slots(const SlotEntry& entry) override;
  Expected<std::vector<CoolDown>> cool_down_rows() override;
  Status put_cool_down(const CoolDown& cool_down) override;
  Expected<Cost> spent_since(Time since) override;
  Expected<std::string> governor_row(const std::string& name) override;
  Status put_governor(const std::string& name, const std::string& state) override;

  Database& db_;
  Ways ways_;
  // Asked for every call of a model, so kept: to prepare them costs ten times as much as to ask.
  Statement cool_downs_;
  Statement has_governors_;
  std::optional<Statement> find_governor_;  ///< once there is such a table
};

}  // namespace baton
