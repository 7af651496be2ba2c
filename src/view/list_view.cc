#include "view/list_view.h"

#include <fmt/core.h>

#include <chrono>
#include <iterator>

#include "base/text.h"
#include "view/cells.h"
#include "view/json_text.h"
#include "view/words.h"

namespace baton {
namespace {

Millis elapsed(const RunRow& r, Time now) {
  if (r.started == Time{}) return Millis{0};
  return std::max((r.finished == Time{} ? now : r.finished) - r.started, Millis{0});
}

/// Month, day, hour and minute: the list is read by people, who know the year.
std::string brief_time(Time t) {
  if (t == Time{}) return "-";
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{t - day};
  return fmt::format("{:02}-{:02} {:02}:{:02}", static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count());
}

std::string row_json(const RunRow& r, Time now) {
  JsonObject o;
  o.text("run", r.id).text("workflow", r.workflow).text("dialect", r.dialect).text("state", name(r.state));
  o.maybe("error", r.error);
  o.maybe("task", std::optional{r.task});
  o.raw("progress", JsonObject{}
                        .number("done", static_cast<std::int64_t>(r.done))
                        .number("total", static_cast<std::int64_t>(r.total))
                        .raw("current", json_of(r.current))
                        .done());
  o.raw("driver", r.driver ? JsonObject{}.number("pid", r.driver->pid).text("host", r.driver->host).done() : "null");
  o.time("created_at", r.created).time("started_at", r.started).time("finished_at", r.finished);
  o.number("duration_ms", elapsed(r, now).count());
  o.raw("cost_usd", json_of(r.cost)).raw("tokens", json_of(r.tokens));
  o.maybe("sandbox", std::optional{r.sandbox});
  if (r.dialect == "session" || r.dialect == "team") o.text("session", r.workflow);
  return o.text("folder", r.folder).done();
}

}  // namespace

std::string list_json(const std::vector<RunRow>& rows, Time now) {
  std::string out = "[";
  for (const RunRow& r : rows) {
    if (out.size() > 1) out += ",\n ";
    out += row_json(r, now);
  }
  return out + "]";
}

std::string list_text(const std::vector<RunRow>& rows, Time now) {
  if (rows.empty())
    return "no runs here yet; 'baton workflows' shows what can be run, 'baton init' makes a first one\n";
  std::string out = "  RUN       WORKFLOW            STATE      STEPS        TIME  STARTED (UTC)  COST\n";
  for (const RunRow& r : rows) {
    fmt::format_to(std::back_inserter(out), "{} {}  {}  {} {:>4}/{:<4} {:>8}  {:<13}  {}\n", sign(r.state),
                   fit(r.id, 8), fit(printable(r.workflow), 18), fit(name(r.state), 10), r.done, r.total,
                   brief(elapsed(r, now)), brief_time(r.started), money(r.cost, r.known));
  }
  return out;
}

}  // namespace baton
