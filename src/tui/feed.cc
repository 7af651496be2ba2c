#include "tui/feed.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/utf8.h"
#include "core/facts.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "engine/shown_file.h"
#include "host/holder_link.h"
#include "io/identity.h"
#include "journal/shares.h"
#include "view/gauge.h"
#include "view/run_facts.h"
#include "view/top/layout.h"

namespace baton::tui {
namespace {

constexpr std::int64_t first_page = 200;
constexpr std::int64_t next_page = 1000;
constexpr std::uint64_t log_bytes_max = 4U << 20U;
constexpr std::uint64_t text_bytes_max = 1U << 20U;
constexpr int activity_parts = 8;
constexpr long long activity_ms = 60'000;
constexpr std::int64_t activity_events_max = 256;
constexpr std::int64_t all_numbers = std::numeric_limits<std::int64_t>::max();

bool is_live(RunState s) { return s == RunState::running || s == RunState::queued || s == RunState::parked; }

/// Says whether a file is what it was.
std::string version_of(const std::string& path) {
  struct stat s{};
  if (::stat(path.c_str(), &s) != 0) return "none";
  return fmt::format("{}.{}.{}", s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

/// Says whether the journal is still the one that was opened.
std::string identity_of(const std::string& state_dir) {
  struct stat s{};
  if (::stat((state_dir + "/baton.db").c_str(), &s) != 0) return "none";
  return fmt::format("{}.{}", s.st_dev, s.st_ino);
}

bool has_ended(const top::Model& m, const top::Wanted& w) {
  const auto step = m.run && m.run_id == w.run ? m.run->find(w.step) : std::nullopt;
  const Attempt* a = step ? m.run->attempt(*step, w.attempt) : nullptr;
  return a != nullptr && a->state != AttemptState::admitted && a->state != AttemptState::running;
}

}  // namespace

Feed::Feed(OpenJournal open, std::string root, std::string state_dir)
    : open_(std::move(open)), root_(std::move(root)), state_dir_(std::move(state_dir)) {}

bool Feed::open_journal() {
  if (journal_) return true;
  const std::string identity = identity_of(state_dir_);
  auto opened = open_();
  if (!opened) return false;
  journal_ = std::move(*opened);
  identity_ = identity;
  version_ = -1;
  return true;
}

/// Somebody moved the state folder away, or put another one in its place: what is known is of another world.
bool Feed::forget_if_gone(top::Model& m) {
  if (!journal_ || identity_of(state_dir_) == identity_) return false;
  journal_.reset();
  run_.reset();
  run_id_.clear();
  run_events_ = 0;
  run_is_old_ = true;
  newest_change_ = {};
  log_about_.clear();
  sources_.clear();
  text_versions_.clear();
  runs_gone(m, fmt::format("{} is not what it was: its runs are gone from here", state_dir_));
  return true;
}

top::RunItem Feed::item_of(RunSummary r) {
  std::optional<DriverFact> driver;
  if (!is_over(r.state)) {
    auto lease = journal_->holder_of(r.id);
    if (lease && *lease && !(*lease)->owner.empty() && !is_certainly_dead((*lease)->owner))
      driver = DriverFact{(*lease)->pid, (*lease)->host};
  }
  top::RunItem item;
  item.number = r.number;
  item.held = !driver && r.state == RunState::running && has_holder();
  item.row = {std::move(r.id),
              std::move(r.workflow),
              std::move(r.dialect),
              r.state,
              std::move(r.task),
              std::move(r.error),
              r.done,
              r.total,
              std::move(r.current),
              r.created,
              r.started,
              r.finished,
              r.cost,
              r.tokens,
              std::move(r.folder),
              std::move(r.sandbox),
              std::move(driver),
              r.known};
  return item;
}

bool Feed::has_holder() const { return static_cast<bool>(connect_to_holder(state_dir_)); }

void Feed::note_changes(const std::vector<RunSummary>& runs) {
  for (const RunSummary& r : runs) newest_change_ = std::max(newest_change_, r.updated);
}

top::Acts Feed::begin(top::Model& m) {
  if (!open_journal()) {
    m.complete = true;
    return {};
  }
  version_ = journal_->data_version();
  std::vector<top::RunItem> items;
  const auto add = [&](Expected<std::vector<RunSummary>> runs) {
    if (!runs) return std::int64_t{0};
    note_changes(*runs);
    std::int64_t last = 0;
    for (RunSummary& r : *runs) {
      last = r.number;
      items.push_back(item_of(std::move(r)));
    }
    return last;
  };
  oldest_ = add(journal_->list_before(all_numbers, first_page));
  const bool complete = items.size() < static_cast<std::size_t>(first_page);
  if (!complete) (void)add(journal_->list_open());
  top::Acts acts = runs_changed(m, std::move(items));
  m.complete = complete;  // only now: what was there already is no news
  return acts;
}

bool Feed::go_on(top::Model& m) {
  if (m.complete || !journal_) return false;
  auto runs = journal_->list_before(oldest_, next_page);
  if (!runs || runs->empty()) {
    m.complete = true;
    return false;
  }
  std::vector<top::RunItem> items;
  note_changes(*runs);
  for (RunSummary& r : *runs) {
    oldest_ = r.number;
    items.push_back(item_of(std::move(r)));
  }
  (void)runs_changed(m, std::move(items));
  return true;
}

bool Feed::look(top::Model& m, top::Acts& acts) {
  const bool gone = forget_if_gone(m);
  if (!journal_) {
    if (!open_journal()) return gone;
    acts = begin(m);
    return true;
  }
  const std::int64_t version = journal_->data_version();
  if (version == version_) return false;
  version_ = version;
  run_is_old_ = true;
  auto runs = journal_->list_changed(newest_change_);
  if (!runs) return false;
  note_changes(*runs);
  std::vector<top::RunItem> items;
  for (RunSummary& r : *runs) items.push_back(item_of(std::move(r)));
  // Leases change hands without an event of the run.
  for (const top::RunItem& known : m.runs) {
    const bool told = std::ranges::any_of(items, [&](const top::RunItem& i) { return i.number == known.number; });
    if (told || known.row.state != RunState::running) continue;
    if (auto summary = journal_->summary(known.row.id)) items.push_back(item_of(std::move(*summary)));
  }
  acts = runs_changed(m, std::move(items));
  return true;
}

bool Feed::load_run(top::Model& m) {
  if (!journal_ || m.selected.empty()) return false;
  const bool other = run_id_ != m.selected;
  if (!other && !run_is_old_) return false;
  if (other) {
    run_ = std::make_shared<Run>();
    run_id_ = m.selected;
    run_events_ = 0;
  }
  run_is_old_ = false;
  auto events = journal_->load_after(run_id_, run_events_);
  if (!events) {
    run_changed(m, run_id_, nullptr, events.error().message);
    return true;
  }
  for (const Event& e : *events) (void)run_->apply(e);
  run_events_ += events->size();
  if (auto cool = journal_->shares().cool_downs(m.now)) cooled_down(m, *cool);
  if (run_events_ == 0 || (events->empty() && !other)) return other;
  run_changed(m, run_id_, run_);
  return true;
}

bool Feed::read_source(Source& source, top::Document& log) const {
  bool news = false;
  for (;;) {
    std::string more = RealFiles{}.read_from(source.path, source.read, 256U << 10U);
    if (more.empty()) return news;
    source.read += more.size();
    news = true;
    if (source.cut) {
      const auto newline = more.find('\n');
      if (newline == std::string::npos && !source.is_text) continue;  // half an event says nothing
      more.erase(0, newline == std::string::npos ? more.size() - whole_back(more).size() : newline + 1);
      source.cut = false;
    }
    for (LogLine& line : source.transcript->read(more)) log.add({top::kind_of(line.voice), std::move(line.text)});
  }
}

bool Feed::read_log(top::Model& m) {
  const top::Wanted w = wanted(m);
  top::Document& log = m.document(top::Pane::log);
  bool news = false;
  if (const std::string about = w.about(); about != log_about_ || log.about != about) {
    log_about_ = about;
    const bool followed = log.follow;
    log.clear(about);
    log.follow = followed;
    log.empty = w.attempt == 0 ? "it has not begun" : "nothing was printed yet";
    sources_.clear();
    news = true;
    if (w.attempt > 0) {
      const RunFolder folder = run_folder(state_dir_, w.run);
      const bool is_text = w.raw || prints_text(w.runtime);
      sources_.push_back({.path = folder.output_log(w.step, w.attempt),
                          .transcript = w.raw ? plain_transcript() : make_transcript(w.runtime, Detail::whole),
                          .is_text = is_text});
      sources_.push_back({.path = folder.error_log(w.step, w.attempt),
                          .transcript = w.raw ? plain_transcript() : make_error_transcript(w.runtime),
                          .is_text = is_text});
    }
    for (Source& s : sources_) {
      struct stat file{};
      if (::stat(s.path.c_str(), &file) != 0 || static_cast<std::uint64_t>(file.st_size) <= log_bytes_max) continue;
      s.read = static_cast<std::uint64_t>(file.st_size) - log_bytes_max;
      s.cut = true;
      log.add({top::Entry::Kind::note,
               fmt::format("… the first {} bytes are left out: 'baton logs {} {}'", s.read, w.run, w.step)});
    }
  }
  for (Source& s : sources_) news = read_source(s, log) || news;
  if (has_ended(m, w)) {
    // Nothing more comes: a line without an end is one nevertheless.
    for (Source& s : sources_) {
      if (std::exchange(s.ended, true)) continue;
      for (LogLine& line : s.transcript->end()) log.add({top::kind_of(line.voice), std::move(line.text)}), news = true;
    }
  }
  return news;
}

bool Feed::read_texts(top::Model& m) {
  const top::Wanted w = wanted(m);
  const bool wants_prompt = w.reader == top::Pane::prompt;
  if (!wants_prompt && w.reader != top::Pane::output) return false;
  const auto step = m.run ? m.run->find(w.step) : std::nullopt;
  if (!step || m.run_id != m.selected) return false;
  const RunFolder folder = run_folder(state_dir_, w.run);
  std::string path;
  if (wants_prompt) {
    path = w.attempt > 0 ? folder.prompt(w.step, w.attempt) : std::string{};
  } else {
    path = output_of(*m.run, *step, {root_, folder.path}).value_or("");
  }
  top::Document& document = m.document(w.reader);
  const std::string version = w.about() + version_of(path);
  std::string& known = text_versions_[std::string{name(w.reader)}];
  if (known == version && document.about == w.about()) return false;
  known = version;
  const ShownFile file = read_shown(path, {root_, folder.path, option_of(*m.run, "worktree")}, text_bytes_max);
  if (file.outside.empty()) {
    document.set(w.about(), top::text_entries(file.text));
  } else {
    document.set(w.about(), {{top::Entry::Kind::trouble, "a link leads out of the project, to what is not shown:"},
                             {top::Entry::Kind::plain, file.outside}});
  }
  return true;
}

bool Feed::fill(top::Model& m) {
  bool news = load_run(m);
  news = read_log(m) || news;
  news = read_texts(m) || news;
  show_activity(m);
  return news;
}

void Feed::show_activity(top::Model& m) {
  if (!journal_) return;
  const Rect room = room_of(m, top::Pane::runs, layout_of(m));
  const auto first = static_cast<std::size_t>(std::max(m.runs_top, 0));
  for (std::size_t i = first; i < m.shown.size() && i < first + static_cast<std::size_t>(std::max(room.height, 0));
       ++i) {
    top::RunItem& item = m.runs[m.shown[i]];
    if (!item.activity.empty()) continue;
    const bool live = is_live(item.row.state);
    auto times = journal_->event_times(item.number, activity_events_max);
    if (!times || times->empty()) continue;
    std::vector<long long> moments;
    for (const Time t : *times) moments.push_back(to_ms(t));
    const long long to = live ? to_ms(m.now) : moments.front() + 1;
    const long long from = live ? to - activity_ms : std::max(moments.back(), to - 10 * activity_ms);
    item.activity = counted_in_parts(moments, from, to, activity_parts);
  }
}

void Feed::pass(top::Model& m) {
  for (top::RunItem& item : m.runs) {
    if (is_live(item.row.state)) item.activity.clear();
  }
  show_activity(m);
}

std::string Feed::logs_folder(const top::Model& m) const {
  return m.selected.empty() ? std::string{} : run_folder(state_dir_, m.selected).path + "/logs";
}

}  // namespace baton::tui
