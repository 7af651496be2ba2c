#include "journal/projection.h"

#include <algorithm>

#include "core/facts.h"

namespace baton {
namespace {

std::optional<std::int64_t> nano(const std::optional<Cost>& cost) {
  return cost ? std::optional{cost->nano_usd} : std::nullopt;
}

}  // namespace

Projection::Projection(Database& db)
    : db_(db),
      find_(db.handle(), "SELECT key,events,last_event FROM runs WHERE id=?"),
      insert_run_(db.handle(),
                  "INSERT INTO "
                  "runs(id,workflow,dialect,state,task,error_code,error,done,total,created,started,finished,updated,"
                  "nano_usd,input,output,cache_read,cache_write,folder,sandbox) "
                  "VALUES(?,?,?,'queued',?,'','',0,0,?,0,0,0,0,0,0,0,0,?,?)"),
      update_run_(db.handle(),
                  "UPDATE runs SET "
                  "state=?,error_code=?,error=?,done=?,total=?,started=?,finished=?,updated=?,nano_usd=?,input=?,"
                  "output=?,cache_read=?,cache_write=?,events=?,last_event=? WHERE key=?"),
      works_(db.handle(), "INSERT OR REPLACE INTO at_work VALUES(?,?,?)"),
      rests_(db.handle(), "DELETE FROM at_work WHERE run=? AND step=?"),
      cost_(db.handle(), "INSERT OR REPLACE INTO costs VALUES(?,?,?,?,?)") {}

namespace {

Expected<RecordEnd> end_in(Statement& row) {
  RecordEnd end;
  if (row.row()) end = {row.integer(0), row.integer(1), row.integer(2)};
  if (!row.ok()) return std::unexpected(row.error());
  row.reset();
  return end;
}

}  // namespace

Expected<RecordEnd> Projection::end_of(const std::string& id) { return end_in(find_.bind(id)); }

Expected<RecordEnd> Projection::end_of(std::int64_t run) {
  Statement find{db_.handle(), "SELECT key,events,last_event FROM runs WHERE key=?"};
  return end_in(find.bind(run));
}

Expected<RecordEnd> Projection::begin(const std::string& id, const Run& run) {
  const RunSummary s = summarise(id, run);
  auto done = insert_run_.bind(id, s.workflow, s.dialect, s.task, to_ms(s.created), s.folder, s.sandbox).run();
  if (!done) return std::unexpected(done.error());
  return RecordEnd{.run = db_.last_id()};
}

Status Projection::update(const RecordEnd& end, const std::string& id, Run& run) {
  for (const StepIndex i : run.take_touched()) {
    if (auto wrote = write_work(end.run, run, i); !wrote) return wrote;
    if (auto wrote = write_costs(end.run, run, i); !wrote) return wrote;
  }
  const RunSummary s = summarise(id, run);
  return update_run_
      .bind(name(s.state), s.error ? s.error->code : std::string{}, s.error ? s.error->message : std::string{},
            static_cast<std::int64_t>(s.done), static_cast<std::int64_t>(s.total), to_ms(s.started), to_ms(s.finished),
            to_ms(s.updated), nano(s.cost), s.tokens.input, s.tokens.output, s.tokens.cache_read, s.tokens.cache_write,
            end.events, end.last, end.run)
      .run();
}

Status Projection::write_work(std::int64_t key, const Run& run, StepIndex i) {
  const StepState state = shown_state(run, i);
  const auto step = static_cast<std::int64_t>(at(i));
  const bool works = state == StepState::running || state == StepState::checking;
  return works ? works_.bind(key, step, run.step(i).id).run() : rests_.bind(key, step).run();
}

Status Projection::write_costs(std::int64_t key, const Run& run, StepIndex i) {
  const std::span<const Attempt> attempts = shown_attempts(run, i);
  // One commit can hold the end of an attempt and the admission of the next, but never more.
  for (std::size_t n = attempts.size() - std::min<std::size_t>(attempts.size(), 2); n < attempts.size(); ++n) {
    const Attempt& a = attempts[n];
    if (!a.detail || !a.detail->usage.cost || run.interned(a.runtime) == "rehearsal") continue;
    const std::int64_t cost = a.detail->usage.cost->nano_usd;
    auto wrote = cost_.bind(key, static_cast<std::int64_t>(at(i)), a.n, to_ms(a.started), cost).run();
    if (!wrote) return wrote;
  }
  return {};
}

template <class... Values>
Expected<std::vector<RunSummary>> Projection::list_where(const std::string& rest, const Values&... values) {
  const std::string columns =
      "SELECT id,workflow,dialect,state,task,error,done,total,created,started,finished,updated,nano_usd,input,output,"
      "cache_read,cache_write,folder,sandbox,key,error_code FROM runs ";
  Statement s{db_.handle(), columns + rest};
  Statement known{db_.handle(), "SELECT ifnull(sum(nano_usd),0) FROM costs WHERE run=?"};
  Statement busy{db_.handle(), "SELECT id FROM at_work WHERE run=? ORDER BY step"};
  s.bind(values...);
  std::vector<RunSummary> runs;
  while (s.row()) {
    RunSummary r;
    r.id = s.text(0);
    r.workflow = s.text(1);
    r.dialect = s.text(2);
    r.state = run_state(s.text(3)).value_or(RunState::queued);
    r.task = s.text(4);
    if (const std::string code = s.text(20); !code.empty()) r.error = Failure{code, s.text(5), false, {}};
    r.done = static_cast<std::size_t>(s.integer(6));
    r.total = static_cast<std::size_t>(s.integer(7));
    r.created = time_from_ms(s.integer(8));
    r.started = time_from_ms(s.integer(9));
    r.finished = time_from_ms(s.integer(10));
    r.updated = time_from_ms(s.integer(11));
    if (!s.is_null(12)) r.cost = Cost{s.integer(12)};
    r.tokens = {s.integer(13), s.integer(14), s.integer(15), s.integer(16)};
    r.folder = s.text(17);
    r.sandbox = s.text(18);
    r.number = s.integer(19);
    if (r.cost) {
      r.known = *r.cost;
    } else if (known.bind(r.number).row()) {
      r.known = Cost{known.integer(0)};
    }
    if (!is_over(r.state)) {
      busy.bind(s.integer(19));
      while (busy.row()) r.current.push_back(busy.text(0));
    }
    runs.push_back(std::move(r));
  }
  if (!s.ok()) return std::unexpected(s.error());
  return runs;
}

Expected<std::vector<RunSummary>> Projection::list(const std::string& id) {
  return id.empty() ? list_where("ORDER BY key DESC") : list_where("WHERE id=?", id);
}

Expected<std::vector<RunSummary>> Projection::list_before(std::int64_t number, std::int64_t count) {
  return list_where("WHERE key<? ORDER BY key DESC LIMIT ?", number, count);
}

Expected<std::vector<RunSummary>> Projection::list_changed(Time since) {
  return list_where("WHERE updated>=? ORDER BY key DESC", to_ms(since));
}

Expected<std::vector<RunSummary>> Projection::list_open() {
  return list_where("WHERE state NOT IN ('completed','cancelled','accepted','rejected','failed') ORDER BY key DESC");
}

}  // namespace baton
