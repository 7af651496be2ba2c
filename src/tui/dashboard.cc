#include "tui/dashboard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/text.h"
#include "core/facts.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "io/environment.h"
#include "io/files.h"
#include "io/program.h"
#include "tui/children.h"
#include "tui/signals.h"
#include "tui/watcher.h"
#include "view/top/draw.h"
#include "view/top/verb_words.h"

namespace baton::tui {
namespace {

using top::Act;

constexpr Millis look_every{80};      ///< at most so often, however much is written
constexpr Millis look_again{20};      ///< so soon if there was nothing yet, then later and later
constexpr Millis rest_at_most{2000};  ///< and at least so often, if nobody tells
constexpr Millis escape_waits{40};    ///< then it was the key, and not the beginning of another
constexpr Millis activity_every{2000};
constexpr Millis diff_every{2000};

class Dashboard {
 public:
  Dashboard(const Setup& setup, Terminal& terminal)
      : setup_(setup),
        terminal_(terminal),
        feed_(setup.open_journal, setup.root, setup.state_dir),
        watcher_(setup.state_dir),
        m_(top::new_model(std::filesystem::path{setup.root}.filename().string(), terminal.size(), clock_.now())) {
    m_.notify = setup.notify;
  }

  Left run() {
    (void)feed_.begin(m_);
    (void)feed_.fill(m_);
    show();
    last_spin_ = last_activity_ = clock_.now();
    while (!done_) turn();
    Left left;
    left.signal = signal_;
    for (const top::RunItem& r : m_.runs) {
      if (r.row.state == RunState::running || r.row.state == RunState::queued) left.going.push_back(r.row.id);
    }
    return left;
  }

 private:
  // --- One turn of the loop --------------------------------------------------------------------------------------

  void turn() {
    watcher_.watch_logs(feed_.logs_folder(m_));
    // Just after a look nobody needs to be told that more was written: it is looked for when that may be.
    const int watched = clock_.now() < not_before_ ? -1 : watcher_.descriptor();
    std::vector<pollfd> fds{
        {terminal_.descriptor(), POLLIN, 0}, {watched, POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}};
    children_.add_to(fds);
    (void)::poll(fds.data(), fds.size(), static_cast<int>(patience().count()));
    m_.now = clock_.now();
    hear_signals();
    if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) hear_keys();
    if ((fds[1].revents & POLLIN) != 0 && watcher_.look()) hear_news();
    if (children_.look()) dirty_ = true;
    if (done_) return;
    look();
    pass_time();
    if (dirty_) show();
  }

  [[nodiscard]] Millis patience() {
    const Time now = clock_.now();
    if (keys_.waits()) return escape_waits;
    if (!m_.complete || dirty_) return Millis{0};
    Millis wait = rest_at_most;
    wait = std::min(wait, next_look_ - now);
    if (now < not_before_) wait = std::min(wait, not_before_ - now);
    if (const auto every = pace(m_)) wait = std::min(wait, *every - std::min(now - last_spin_, *every));
    if (!m_.flash.text.empty()) wait = std::min(wait, std::max(m_.flash.until - now, Millis{0}) + Millis{1});
    return std::max(wait, Millis{0});
  }

  void hear_signals() {
    for (const int signal : signals_.heard()) {
      if (signal == SIGWINCH) {
        resize(m_, terminal_.size());
        dirty_ = true;
      } else if (signal == SIGTSTP) {
        suspend();
      } else if (signal == SIGCONT) {
        take_back();
      } else if (signal != SIGCHLD) {
        signal_ = signal;
        done_ = true;
      }
    }
  }

  void hear_keys() {
    const std::string bytes = terminal_.read();
    if (terminal_.is_gone()) {
      signal_ = SIGHUP;
      done_ = true;
      return;
    }
    hear(keys_.read(bytes));
    last_key_ = clock_.now();
  }

  void hear(const std::vector<top::Key>& keys) {
    for (const top::Key& key : keys) {
      if (done_) return;
      carry_out(update(m_, key));
      dirty_ = true;
    }
  }

  void look() {
    if (keys_.waits() && clock_.now() - last_key_ >= escape_waits) hear(keys_.pause());
    if (!m_.complete) dirty_ = feed_.go_on(m_) || dirty_;
    const Time now = clock_.now();
    const bool clock_went_back = next_look_ > now + rest_at_most;
    if (now >= next_look_ || clock_went_back) {
      look_for_news();
    } else if (dirty_) {
      (void)feed_.fill(m_);
    }
    if (m_.reader == top::Pane::diff) want_diff();
  }

  void look_for_news() {
    top::Acts acts;
    bool changed = feed_.look(m_, acts);
    carry_out(acts);
    changed = feed_.fill(m_) || changed;
    dirty_ = dirty_ || changed;
    const Time now = clock_.now();
    not_before_ = now + (changed ? look_every : look_again);
    next_look_ = now + (changed ? look_every : patience_);
    patience_ = changed ? look_again : std::min(patience_ * 2, rest_at_most);
  }

  /// Something was written. It is not to be seen before it is on disk, and nobody tells when that is.
  void hear_news() {
    patience_ = look_again;
    next_look_ = std::min(next_look_, std::max(clock_.now(), not_before_));
  }

  void pass_time() {
    const auto every = pace(m_);
    if (every && m_.now - last_spin_ >= *every) {
      last_spin_ = m_.now;
      tick(m_, m_.now);
      dirty_ = true;
    }
    if (is_lively(m_) && m_.now - last_activity_ >= activity_every) {
      last_activity_ = m_.now;
      feed_.pass(m_);
    }
    if (!every && !m_.flash.text.empty() && m_.flash.until < m_.now) {
      tick(m_, m_.now);
      dirty_ = true;
    }
  }

  void show() {
    const top::Screen screen = draw(m_);
    terminal_.draw(screen.grid, screen.cursor);
    dirty_ = false;
  }

  // --- What its user wants done ----------------------------------------------------------------------------------

  void carry_out(const top::Acts& acts) {
    for (const Act& act : acts) carry_out(act);
  }

  void carry_out(const Act& act) {
    switch (act.kind) {
      case Act::Kind::quit:
        done_ = true;
        return;
      case Act::Kind::pause:
        return verb(act, {"pause", act.run});
      case Act::Kind::cancel:
        return verb(act, {"cancel", act.run});
      case Act::Kind::resume:
        return verb(act, {"resume", act.run, "--detach"});
      case Act::Kind::retry:
        return verb(act, with_step({"retry", act.run}, act.step, {"--detach"}));
      case Act::Kind::accept:
        return verb(act, with_step({"accept", act.run}, act.step, {}));
      case Act::Kind::reject:
        return verb(act, with_step({"reject", act.run}, act.step, act.text.empty() ? Words{} : Words{"-m", act.text}));
      case Act::Kind::follow_up:
        return verb(act, {"run", "--continue", act.run, "--task-file", "-", "--detach"}, act.text);
      case Act::Kind::start:
        return start(act);
      case Act::Kind::open_folder:
        return open_folder(act.run);
      case Act::Kind::copy:
        return terminal_.copy(act.text);
      case Act::Kind::edit:
        return edit(act.text);
      case Act::Kind::suspend:
        return suspend();
      case Act::Kind::redraw:
        terminal_.forget();
        dirty_ = true;
        return;
      case Act::Kind::list_workflows:
        workflows_found(m_, setup_.workflows());
        dirty_ = true;
        return;
      case Act::Kind::ring:
        return terminal_.ring();
      case Act::Kind::notify:
        (void)children_.start({"notify-send", "--app-name=baton", "baton", act.text}, {},
                              [](const Children::Ended&) {});
        return;
    }
  }

  using Words = std::vector<std::string>;

  [[nodiscard]] Words command(const Words& words) const {
    Words argv{setup_.program, "-C", setup_.root, "--state-dir", setup_.state_dir};
    argv.insert(argv.end(), words.begin(), words.end());
    constexpr std::array<std::string_view, 4> configured{"run", "resume", "retry", "accept"};
    if (std::ranges::find(configured, words.front()) == configured.end()) return argv;
    for (const std::string& set : setup_.sets) {
      if (!set.starts_with("top.")) argv.insert(argv.end(), {"--set", set});
    }
    return argv;
  }

  static Words with_step(Words words, const std::string& step, const Words& more) {
    if (!step.empty()) words.push_back(step);
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// A verb of ours as a process of its own: what it says comes back as a line, whatever it does to itself.
  void verb(const Act& act, const Words& words, const std::string& input = {}) {
    const std::string& what = words.front();
    const bool begun = children_.start(command(words), input, [this, what, act](const Children::Ended& ended) {
      const std::string said = top::verb_words(ended.out, ended.err);
      const bool good = ended.code == 0;
      answered(m_, act, good, said.empty() ? fmt::format("{}: {}", what, good ? "done" : "failed") : said);
      hear_news();
    });
    if (!begun) answered(m_, act, false, fmt::format("cannot start {}", setup_.program));
  }

  void start(const Act& act) {
    const top::StartOrder& order = act.start;
    Words words{"run", order.workflow, "--detach"};
    if (order.rehearse) words.emplace_back("--rehearse");
    if (!order.task.empty()) words.insert(words.end(), {"--task-file", "-"});
    for (const std::string& input : order.inputs) words.insert(words.end(), {"-i", input});
    const bool begun = children_.start(command(words), order.task, [this, act](const Children::Ended& ended) {
      hear_news();
      if (ended.code != 0) return answered(m_, act, false, top::verb_words(ended.out, ended.err));
      const std::string id{trim(ended.out)};
      top::Acts acts;
      (void)feed_.look(m_, acts);
      carry_out(acts);
      if (is_id(id)) select_run(m_, id);
      answered(m_, act, true, fmt::format("{} {} is started", act.start.workflow, id));
    });
    if (!begun) answered(m_, act, false, fmt::format("cannot start {}", setup_.program));
  }

  /// Only where it is looked at, and not while one is under way.
  void want_diff() {
    const std::string run = m_.selected;
    const Time now = clock_.now();
    if (diff_runs_ || run.empty()) return;
    const bool same = diff_of_ == run && m_.document(top::Pane::diff).about == run;
    const RunItemState state = state_of(run);
    if (same && (now - diff_at_ < diff_every || !state.changed_since(diff_state_))) return;
    diff_runs_ = true;
    diff_of_ = run;
    diff_at_ = now;
    diff_state_ = state;
    const bool begun = children_.start(command({"diff", run}), {}, [this, run](const Children::Ended& ended) {
      diff_runs_ = false;
      if (run != m_.selected) return;
      top::Document& d = m_.document(top::Pane::diff);
      d.empty = ended.code == 0 ? "nothing was changed" : top::verb_words(ended.out, ended.err);
      d.set(run, top::diff_entries(ended.code == 0 ? ended.out : std::string{}));
    });
    if (!begun) diff_runs_ = false;
  }

  /// What of a run tells that its work may have changed.
  struct RunItemState {
    bool live = false;
    std::size_t done = 0;
    RunState state = RunState::queued;
    [[nodiscard]] bool changed_since(const RunItemState& o) const { return live || done != o.done || state != o.state; }
  };
  [[nodiscard]] RunItemState state_of(const std::string& id) const {
    const top::RunItem* item = m_.selected_run();
    if (item == nullptr || item->row.id != id) return {};
    return {item->row.state == RunState::running, item->row.done, item->row.state};
  }

  // --- Other programs on this terminal -----------------------------------------------------------------------------

  /// Gives the terminal to a shell line, and takes it again. `$1` is the argument.
  bool lend(const std::string& line, const std::string& argument, const std::string& folder) {
    terminal_.leave();
    signals_.rest();
    const auto pid = start_program({.argv = {"/bin/sh", "-c", line, "sh", argument},
                                    .env = own_environment(),
                                    .cwd = folder,
                                    .stdin_fd = STDIN_FILENO,
                                    .stdout_fd = STDOUT_FILENO,
                                    .stderr_fd = STDERR_FILENO,
                                    .in_our_session = true});
    if (pid) {  // keys that interrupt are for the other program
      ::signal(SIGINT, SIG_IGN);
      ::signal(SIGQUIT, SIG_IGN);
    }
    const bool ended_well = pid && wait_for_end(*pid).exit == 0;
    ::signal(SIGQUIT, SIG_DFL);
    signals_.wake();
    terminal_.enter();
    resize(m_, terminal_.size());
    dirty_ = true;
    return ended_well;
  }

  void edit(const std::string& text) {
    std::string path = (std::filesystem::temp_directory_path() / "baton-XXXXXX.md").string();
    Descriptor file{::mkstemps(path.data(), 3)};
    if (!file) return told(m_, false, "cannot make a file to edit");
    (void)write_all(file.get(), text);
    file.close();
    const bool edited_well = lend("${VISUAL:-${EDITOR:-vi}} \"$1\"", path, {});
    std::string after = file_text(path);
    ::unlink(path.c_str());
    if (!edited_well) return told(m_, false, "the editor failed: nothing was taken over");
    edited(m_, std::move(after));
  }

  /// In the desktop's way where there is one, else with a shell that stands there.
  void open_folder(const std::string& run) {
    std::string folder = run_folder(setup_.state_dir, run).path;
    if (m_.run && m_.run_id == run) {
      const std::string tree = option_of(*m_.run, "worktree");
      std::error_code error;
      if (!tree.empty() && std::filesystem::is_directory(tree, error)) folder = tree;
    }
    const bool desktop = ::getenv("DISPLAY") != nullptr || ::getenv("WAYLAND_DISPLAY") != nullptr;
    if (desktop && children_.start({"xdg-open", folder}, {}, [](const Children::Ended&) {})) {
      return told(m_, true, folder);
    }
    (void)lend("echo \"$1: 'exit' goes back to baton top\"; exec ${SHELL:-/bin/sh}", folder, folder);
  }

  /// It was stopped from outside, without a word, and goes on: whoever had the terminal meanwhile left it as they
  /// liked. Behind another program it stops again, as everybody does who would draw there.
  void take_back() {
    if (!terminal_.is_ours()) ::raise(SIGTTOU);
    if (!terminal_.is_ours()) return;
    terminal_.leave();
    terminal_.enter();
    resize(m_, terminal_.size());
    dirty_ = true;
    hear_news();
  }

  void suspend() {
    terminal_.leave();
    signals_.rest();
    (void)::kill(0, SIGTSTP);  // all of us, as the terminal itself would
    signals_.wake();
    terminal_.enter();
    resize(m_, terminal_.size());
    dirty_ = true;
    hear_news();
  }

  const Setup& setup_;
  Terminal& terminal_;
  RealClock clock_;
  Signals signals_;
  Feed feed_;
  Watcher watcher_;
  Children children_;
  top::KeyReader keys_;
  top::Model m_;
  bool done_ = false;
  bool dirty_ = true;
  int signal_ = 0;
  Time next_look_{}, not_before_{};
  Millis patience_{look_again};
  Time last_spin_{}, last_activity_{}, last_key_{};
  bool diff_runs_ = false;
  std::string diff_of_;
  Time diff_at_{};
  RunItemState diff_state_;
};

}  // namespace

Left run_dashboard(const Setup& setup, Terminal& terminal) { return Dashboard{setup, terminal}.run(); }

}  // namespace baton::tui
