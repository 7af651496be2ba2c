#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/run.h"
#include "core/shares.h"
#include "view/list_view.h"
#include "view/top/document.h"
#include "view/top/text_box.h"
#include "view/top/tree.h"

/// The dashboard as data: what it knows, what its user is doing. Nothing here looks at a clock, a disk or a terminal.
namespace baton::top {

/// In the order of their keys, 1 to 7. From `log` on they are to be read, and share one place.
enum class Pane : std::uint8_t { runs, steps, log, diff, prompt, output, cost };
constexpr std::size_t panes = 7;
constexpr std::size_t at(Pane p) { return static_cast<std::size_t>(p); }
constexpr bool is_read(Pane p) { return p >= Pane::log; }
std::string_view name(Pane p);

/// A run of the list.
struct RunItem {
  RunRow row;
  std::int64_t number = 0;         ///< rises with creation
  std::vector<int> activity = {};  ///< events in equal parts of the time that counts
  bool held = false;               ///< there is a holder: attempts live, and the run is woken when one ends

  /// It is to be running, and nobody sees to it.
  [[nodiscard]] bool is_orphan() const { return row.state == RunState::running && !row.driver && !held; }
};

enum class Sort : std::uint8_t { newest, state, workflow, elapsed, tokens, cost };
constexpr int sorts = 6;
std::string_view name(Sort s);

/// How it is told that a run has ended: not at all, by the terminal's bell, or by the desktop.
enum class Notify : std::uint8_t { off, bell, desktop };
std::string_view name(Notify n);

/// A workflow that can be started.
struct WorkflowChoice {
  struct Input {
    std::string name;
    bool required = false;
    std::string description = {};
  };
  std::string name;
  std::string about = {};
  std::vector<Input> inputs = {};
  bool takes_task = true;
};

struct StartOrder {
  std::string workflow;
  std::string task;
  std::vector<std::string> inputs;  ///< NAME=VALUE
  bool rehearse = false;

  bool operator==(const StartOrder&) const = default;
};

/// Something to be done in the world.
struct Act {
  enum class Kind : std::uint8_t {
    quit,
    pause,
    resume,
    cancel,
    retry,
    accept,
    reject,
    follow_up,
    start,
    open_folder,
    copy,
    edit,  ///< `text` in the user's editor; what comes of it goes to edited()
    suspend,
    redraw,
    list_workflows,
    ring,    ///< the bell
    notify,  ///< the desktop, with `text`
  };
  Kind kind = Kind::quit;
  std::string run = {};
  std::string step = {};
  std::string text = {};
  StartOrder start = {};

  bool operator==(const Act&) const = default;
};
using Acts = std::vector<Act>;

/// Asks before something is done that cannot be taken back.
struct Confirm {
  std::string question;
  std::string more;
  Act act;
};
/// Asks for a text, which becomes that of the act. It stays until the act was carried out: what is refused can be
/// mended and sent again.
struct Ask {
  std::string title;
  std::string hint;
  TextBox box = {};
  Act act = {};
  std::optional<Confirm> if_empty = {};  ///< asked where nothing is said; without it something has to be
  std::optional<Act> sent = {};          ///< under way
  std::string trouble = {};              ///< why it was refused
};
/// Picks a workflow, then fills in what it takes.
struct NewRun {
  struct Field {
    std::string label;
    std::string hint = {};
    bool required = false;
    TextBox box = {};
    bool is_task = false;
    bool is_switch = false;  ///< on or off
    bool on = false;
  };
  bool loading = true;
  std::vector<WorkflowChoice> all = {};
  TextBox wanted = {};  ///< part of the name
  std::size_t chosen = 0;
  bool picked = false;
  std::string form_of = {};  ///< the workflow that the fields are for
  std::vector<Field> fields = {};
  std::size_t field = 0;
  std::optional<Act> sent = {};  ///< under way
  std::string trouble = {};

  [[nodiscard]] std::vector<std::size_t> fitting() const;
};
struct Help {
  int top = 0;
};
/// A filter or a search being typed at a pane's foot.
struct Typing {
  Pane pane = Pane::runs;
  TextBox box;
  std::string before;  ///< what there was, for who thinks better of it
};
using Dialog = std::variant<std::monostate, Confirm, Ask, NewRun, Help, Typing>;

struct Flash {
  enum class Kind : std::uint8_t { note, good, bad };
  Kind kind = Kind::note;
  std::string text = {};
  Time until{};
};

/// A provider that is left alone until its quota is there again.
struct Quota {
  std::string who;
  Time since{};  ///< as far as is known here
  Time until{};
};

struct Model {
  Size size{80, 24};
  Time now{};
  unsigned tick = 0;
  std::string project;
  Notify notify = Notify::off;

  std::vector<RunItem> runs;       ///< by number, newest first
  std::vector<std::size_t> shown;  ///< of them, filtered and sorted
  bool complete = false;           ///< all of them were read
  std::string filter;
  Sort sort = Sort::newest;
  bool reversed = false;
  std::string selected;
  bool chosen = false;  ///< by its user, not by itself
  int runs_top = 0;

  std::string run_id;  ///< whose `run` is
  std::shared_ptr<const Run> run;
  std::string trouble;  ///< why it cannot be shown
  std::vector<TreeRow> tree;
  std::string step;
  bool step_chosen = false;
  int attempt = 0;  ///< 0: the last
  int tree_top = 0;
  std::vector<Quota> quotas;

  std::array<Document, panes> documents;
  bool raw = false;
  Pane focus = Pane::runs;
  Pane reader = Pane::log;  ///< which of those to be read is seen
  bool zoomed = false;
  Dialog dialog;
  Flash flash;

  [[nodiscard]] const RunItem* selected_run() const;
  [[nodiscard]] std::optional<std::size_t> selected_place() const;  ///< in `shown`
  [[nodiscard]] std::optional<std::size_t> step_place() const;      ///< in `tree`
  [[nodiscard]] Document& document(Pane p) { return documents.at(at(p)); }
  [[nodiscard]] const Document& document(Pane p) const { return documents.at(at(p)); }
};

/// What has to be read for the screen to be right.
struct Wanted {
  std::string run;
  std::string step;
  int attempt = 0;  ///< 0: it has none
  std::string runtime;
  bool raw = false;
  Pane reader = Pane::log;

  bool operator==(const Wanted&) const = default;
  /// Names what a document shows.
  [[nodiscard]] std::string about() const;
};
Wanted wanted(const Model& m);

/// The providers that are left alone for now, at most two.
std::vector<Quota> cooling(const Model& m);

/// How long the run took, or takes so far.
Millis elapsed(const RunRow& r, Time now);
/// Something is at work, or about to be.
bool is_lively(const Model& m);
/// How often to draw although nothing was heard: spinners turn, clocks count. Nothing: not at all.
std::optional<Millis> pace(const Model& m);

// --- What happens to it -----------------------------------------------------------------------------------------

Model new_model(std::string project, Size size, Time now);
/// A key, a click or a paste.
Acts update(Model& m, const Key& key);
void resize(Model& m, Size size);
/// Time went on.
void tick(Model& m, Time now);
/// Runs that are new or have changed. What became of them since the last time may be worth a word.
Acts runs_changed(Model& m, std::vector<RunItem> changed);
/// The selected run as it is now; or why it cannot be read.
void run_changed(Model& m, const std::string& id, std::shared_ptr<const Run> run, const std::string& trouble = {});
/// These providers are to be left alone.
void cooled_down(Model& m, const std::vector<CoolDown>& all);
/// The journal that all this came from is not there any more.
void runs_gone(Model& m, const std::string& why);
void workflows_found(Model& m, std::vector<WorkflowChoice> all);
/// The user's editor is done.
void edited(Model& m, std::string text);
/// Something went well or ill, and this is what is to be said of it.
void told(Model& m, bool good, const std::string& text);
/// An act was carried out or refused, and this is what was said of it. The form that it came from closes, or shows why.
void answered(Model& m, const Act& act, bool good, const std::string& text);

/// Chooses this run of the list.
void select_run(Model& m, const std::string& id);
void reorder(Model& m);

}  // namespace baton::top
