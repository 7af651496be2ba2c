#include "cli/reporter.h"

#include <unistd.h>

#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "base/text.h"
#include "io/files.h"
#include "view/cells.h"
#include "view/event_view.h"
#include "view/live_view.h"
#include "view/words.h"

namespace baton::cli {

void say(const Common& common, const std::string& text) {
  if (!common.quiet && !common.json) write_out(STDERR_FILENO, text + "\n");
}

void write_out(int fd, std::string_view text) { (void)write_all(fd, text); }

namespace {

class JsonReporter final : public Reporter {
 public:
  JsonReporter(std::string id, RunPlaces places, Clock& clock)
      : id_(std::move(id)), places_(std::move(places)), clock_(clock) {}

  void announced(const std::string& id, const Run& run, const command::Announce& what, Time at) override {
    using enum command::Announce::Kind;
    // Of a driver that had to wait for a place first, run.started was said before: it goes on now.
    if (!first_ && what.kind == run_started) return line(event_json(id, run, places_, {run_resumed}, at));
    if (what.kind == run_started) first_ = false;
    begin(id, run, at);
    const bool last = what.kind == run_paused || what.kind == run_reviewing || what.kind == run_finished;
    if (what.kind == run_resumed) last_.reset();
    if (last) {
      last_ = what;  // said at the very end: an attempt may end in the same moment
      last_at_ = at;
    } else {
      line(event_json(id, run, places_, what, at));
    }
  }
  void said(const std::string& id, const Run& run, StepIndex step, int /*attempt*/, std::string_view text,
            Time at) override {
    begin(id, run, at);
    line(said_json(id, run, step, text, at));
  }
  void queued(const std::string& id, const Run& run, std::size_t before, Time at) override {
    begin(id, run, at);
    line(queued_json(id, before, at));
  }
  void warned(const std::string& /*id*/, const Fault& fault) override {
    write_out(STDERR_FILENO, to_json(fault) + "\n");
  }
  void close(const Run* run, bool interrupted) override {
    if (interrupted) {
      line(interrupted_json(id_, clock_.now()));
    } else if (last_ && run != nullptr) {
      line(event_json(id_, *run, places_, *last_, last_at_));
    }
  }

 private:
  /// The first line is run.started, also of a driver that takes a run up: it says what the run is.
  void begin(const std::string& id, const Run& run, Time at) {
    if (std::exchange(first_, false)) line(event_json(id, run, places_, {command::Announce::Kind::run_started}, at));
  }
  static void line(std::string text) {
    text += '\n';
    write_out(STDOUT_FILENO, text);
  }
  std::string id_;
  RunPlaces places_;
  Clock& clock_;
  std::optional<command::Announce> last_;
  Time last_at_{};
  bool first_ = true;
};

class PlainReporter final : public Reporter {
 public:
  PlainReporter(std::string id, RunPlaces places, bool quiet, bool verbose)
      : id_(std::move(id)), places_(std::move(places)), quiet_(quiet), verbose_(verbose) {}

  void announced(const std::string& id, const Run& run, const command::Announce& what, Time at) override {
    const std::string line = event_line(id, run, places_, what, at);
    const bool is_end = what.kind == command::Announce::Kind::step_finished;
    const StepState state = is_end ? run.of(what.step).state : StepState::pending;
    const bool bad = state == StepState::failed || state == StepState::blocked;
    if (!line.empty() && (!quiet_ || bad)) write_out(STDERR_FILENO, printable(line) + "\n");
  }
  void said(const std::string& /*id*/, const Run& run, StepIndex step, int /*attempt*/, std::string_view text,
            Time /*at*/) override {
    if (verbose_) write_out(STDERR_FILENO, printable(run.step(step).id + ": " + std::string{text}) + "\n");
  }
  void queued(const std::string& id, const Run& run, std::size_t before, Time /*at*/) override {
    if (quiet_) return;
    write_out(STDERR_FILENO,
              "run " + id + " of " + printable(run.plan().workflow) + " " + waits_for_place(before) + "\n");
  }
  void warned(const std::string& /*id*/, const Fault& fault) override {
    if (!quiet_) write_out(STDERR_FILENO, to_text(fault));
  }
  void close(const Run* /*run*/, bool interrupted) override {
    if (interrupted) {
      write_out(STDERR_FILENO, "interrupted; attempts go on under the holder, 'baton resume " + id_ + "' goes on\n");
    }
  }

 private:
  std::string id_;
  RunPlaces places_;
  bool quiet_;
  bool verbose_;
};

/// Draws in place: every frame is one write that moves up, overwrites line by line and clears what is left.
class LiveReporter final : public Reporter {
 public:
  LiveReporter(const Common& common, std::string id, RunPlaces places, Clock& clock)
      : places_(std::move(places)), clock_(clock), color_(use_color(common, STDERR_FILENO)) {
    model_.id = std::move(id);
  }

  void announced(const std::string& /*id*/, const Run& run, const command::Announce& /*what*/, Time /*at*/) override {
    model_.run = &run;
    model_.before = 0;
  }
  void queued(const std::string& /*id*/, const Run& run, std::size_t before, Time /*at*/) override {
    model_.run = &run;
    model_.before = before;
  }
  void said(const std::string& /*id*/, const Run& run, StepIndex step, int /*attempt*/, std::string_view text,
            Time /*at*/) override {
    model_.run = &run;
    model_.said[step] = text;
  }
  void warned(const std::string& /*id*/, const Fault& fault) override {
    if (!held_) draw({});  // the next frame begins below
    write_out(STDERR_FILENO, to_text(fault));
  }
  [[nodiscard]] bool wants_refresh() const override { return true; }
  void hold(bool on) override {
    held_ = on;
    drawn_.clear();  // what was drawn stays; the next frame begins below
  }
  void refresh() override {
    if (model_.run == nullptr || held_) return;
    ++model_.tick;
    model_.now = clock_.now();
    draw(live_lines(model_, style()));
  }
  void close(const Run* run, bool interrupted) override {
    if (run == nullptr) return;
    model_.run = run;
    model_.now = clock_.now();
    std::vector<std::string> lines = summary_lines(model_, places_, style());
    if (interrupted)
      lines.back() = "interrupted; attempts go on under the holder, 'baton resume " + model_.id + "' goes on";
    draw(lines);
    drawn_.clear();
  }

 private:
  [[nodiscard]] LiveStyle style() const {
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return {known ? std::max<std::size_t>(size.ws_col, 20) : 80, known ? std::max<std::size_t>(size.ws_row, 4) : 24,
            color_};
  }

  void draw(const std::vector<std::string>& lines) {
    // A narrower window has wrapped what was drawn: count the rows it takes now.
    const std::size_t columns = style().columns;
    std::size_t rows = 0;
    for (const std::size_t width : drawn_) rows += width == 0 ? 1 : (width + columns - 1) / columns;
    std::string out = rows > 0 ? "\r\x1b[" + std::to_string(rows) + "A" : "";
    drawn_.clear();
    for (const std::string& line : lines) {
      out += line + "\x1b[K\n";
      drawn_.push_back(visible(line));
    }
    out += "\x1b[J";
    write_out(STDERR_FILENO, out);
  }

  static std::size_t visible(const std::string& line) {
    std::string plain;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\x1b') {
        while (i < line.size() && line[i] != 'm') ++i;
      } else {
        plain += line[i];
      }
    }
    return columns_of(plain);
  }

  RunPlaces places_;
  Clock& clock_;
  bool color_;
  LiveModel model_;
  bool held_ = false;
  std::vector<std::size_t> drawn_;  ///< columns of each line of the last frame
};

}  // namespace

std::unique_ptr<Reporter> make_reporter(const Common& common, const std::string& id, const RunPlaces& places,
                                        Clock& clock) {
  if (common.json) return std::make_unique<JsonReporter>(id, places, clock);
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view{term} == "dumb";
  if (!common.quiet && !dumb && ::isatty(STDERR_FILENO) == 1) {
    return std::make_unique<LiveReporter>(common, id, places, clock);
  }
  return std::make_unique<PlainReporter>(id, places, common.quiet, common.verbose > 0);
}

}  // namespace baton::cli
