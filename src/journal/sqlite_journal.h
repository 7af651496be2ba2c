#pragma once

#include <memory>
#include <string>

#include "journal/journal.h"

namespace baton {

/// The journal of one project, in `<state>/baton.db` (docs/journal.md).
///
/// One writing connection a process. Processes take turns through a file lock around write transactions and
/// checkpoints, because SQLite 3.40 can corrupt a database that two connections write and checkpoint at once.
class SqliteJournal final : public Journal {
 public:
  enum class Mode { read_write, read_only };

  /// Makes the database if there is none (read_write only). One that is damaged, foreign or made by a newer Baton is
  /// refused and left as it is. Faults: journal-missing, journal-corrupt, journal-too-new, journal-failed, disk-full.
  static Expected<std::unique_ptr<SqliteJournal>> open(const std::string& state_dir, Mode mode);
  ~SqliteJournal() override;

  Status append_all(std::span<const Addition> additions) override;
  Expected<std::vector<Event>> load(const std::string& run) override;
  Expected<std::vector<RunSummary>> list() override;
  Expected<RunSummary> summary(const std::string& run) override;
  Expected<Lease> acquire(const Lease& wanted, Time now, Millis lasts, bool (*is_dead)(const Lease&)) override;
  Status renew(Lease& lease, Time now, Millis lasts) override;
  Status release(const Lease& lease) override;
  Expected<std::optional<Lease>> holder_of(const std::string& run) override;
  Expected<std::int64_t> request(const ControlRequest& request) override;
  Expected<std::vector<ControlRequest>> requests(const std::string& run) override;
  Expected<bool> withdraw(std::int64_t request) override;
  Shares& shares() override;

  /// Parts of list(), for who shows many runs and wants to begin soon. `number` is RunSummary's.
  Expected<std::vector<RunSummary>> list_before(std::int64_t number, std::int64_t count);
  Expected<std::vector<RunSummary>> list_changed(Time since);
  Expected<std::vector<RunSummary>> list_open();
  /// What load() has, without the first `seen` events.
  Expected<std::vector<Event>> load_after(const std::string& run, std::size_t seen);
  /// When the last `count` events of a run were, newest first.
  Expected<std::vector<Time>> event_times(std::int64_t number, std::int64_t count);

  /// Rises whenever another connection has written: a cheap way to see that there is news.
  std::int64_t data_version();

 private:
  struct Parts;
  explicit SqliteJournal(std::unique_ptr<Parts> parts);
  /// Leases and what runs share tell living processes of each other: no power cut has to leave them.
  enum class Lasting : std::uint8_t { always, until_power_fails };
  template <class Body>
  auto write(Lasting lasting, Body body) -> decltype(body());
  Status check_lease(const Lease& lease);
  Status add(const Addition& addition);
  std::unique_ptr<Parts> parts_;
};

}  // namespace baton
