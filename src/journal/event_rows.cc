#include "journal/event_rows.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "journal/event_codec.h"

namespace baton {
namespace {

std::uint64_t checksum(std::string_view run, std::int64_t seq, std::int64_t at, std::string_view kind,
                       std::string_view body) {
  return hash64(body, hash64(kind, hash64(run, mix(static_cast<std::uint64_t>(seq)) ^ static_cast<std::uint64_t>(at))));
}

/// The columns that walk_back() asks for.
enum Column : int { row_id, row_before, row_run, row_seq, row_at, row_kind, row_body, row_checksum };

std::unexpected<Fault> damaged(std::string_view id, std::int64_t seq) {
  return fault("journal-corrupt", fmt::format("event {} of run {} is damaged in the journal", seq, id),
               "the journal was left as it is; restore baton.db with its -wal from a backup, or start the run anew");
}

}  // namespace

Status EventRows::add(std::string_view id, RecordEnd& end, const Event& event) {
  const std::string_view kind = kind_of(event.body);
  const std::string body = encode(event.body);
  const std::int64_t at = to_ms(event.at);
  const std::int64_t seq = end.events + 1;
  auto done = insert_.bind(end.last, end.run, seq, at, kind, body, checksum(id, seq, at, kind, body)).run();
  if (!done) return done;
  end.events = seq;
  end.last = db_.last_id();
  return {};
}

/// Visits the run's rows, newest first, until one is not to be followed. What lies together is read in one go.
Status EventRows::walk_back(const RecordEnd& end, const Visit& visit) {
  Statement rows{db_.handle(),
                 "SELECT id,before,run,seq,at,kind,body,checksum FROM events WHERE id<=? ORDER BY id DESC"};
  std::int64_t next = end.last;
  bool sought = true;
  for (rows.bind(next); next != 0;) {
    const bool found = rows.row();
    if (!rows.ok()) return std::unexpected(rows.error());
    const bool here = found && rows.integer(row_id) == next;
    if (!here && !sought) {  // rows of other runs lie between
      rows.bind(next);
      sought = true;
      continue;
    }
    // A row that leads forwards would lead round and round.
    if (!here || rows.integer(row_run) != end.run || rows.integer(row_before) >= next) {
      return fault(
          "journal-corrupt", fmt::format("row {} of the journal's events is damaged", next),
          "the journal was left as it is; restore baton.db with its -wal from a backup, or start the run anew");
    }
    sought = false;
    next = rows.integer(row_before);
    if (!visit(rows)) return {};
  }
  return {};
}

Expected<std::vector<Event>> EventRows::after(std::string_view id, const RecordEnd& end, std::size_t seen) {
  std::vector<Event> events;
  auto seq = end.events;
  std::optional<Fault> wrong;
  const auto take = [&](const Statement& row) {
    const std::string kind = row.text(row_kind);
    const std::string body = row.text(row_body);
    const std::int64_t at = row.integer(row_at);
    const bool whole = static_cast<std::uint64_t>(row.integer(row_checksum)) == checksum(id, seq, at, kind, body);
    if (!whole || row.integer(row_seq) != seq) {
      wrong = damaged(id, seq).error();
      return false;
    }
    auto decoded = decode(kind, body);
    if (!decoded) {
      wrong = decoded.error();
      return false;
    }
    events.push_back({time_from_ms(at), std::move(*decoded)});
    return --seq > static_cast<std::int64_t>(seen);
  };
  if (end.events <= static_cast<std::int64_t>(seen)) return events;
  if (auto walked = walk_back(end, take); !walked) return std::unexpected(walked.error());
  if (wrong) return std::unexpected(*wrong);
  if (seq != static_cast<std::int64_t>(seen)) return damaged(id, seq);
  std::ranges::reverse(events);
  return events;
}

Expected<std::vector<Time>> EventRows::times(const RecordEnd& end, std::size_t count) {
  std::vector<Time> times;
  const auto take = [&](const Statement& row) {
    times.push_back(time_from_ms(row.integer(row_at)));
    return times.size() < count;
  };
  if (count == 0) return times;
  if (auto walked = walk_back(end, take); !walked) return std::unexpected(walked.error());
  return times;
}

}  // namespace baton
