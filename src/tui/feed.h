#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "journal/sqlite_journal.h"
#include "runtime/transcript.h"
#include "view/top/model.h"

namespace baton::tui {

using OpenJournal = std::function<Expected<std::unique_ptr<SqliteJournal>>()>;

/// Brings what the project's journal and the runs' folders tell into the model: first what is seen, then the rest, then
/// what changes. Takes no lease and writes nothing.
class Feed {
 public:
  Feed(OpenJournal open, std::string root, std::string state_dir);

  /// The newest runs and all that are not over; enough to be shown.
  top::Acts begin(top::Model& m);
  /// Some more of the older ones. True while there are more.
  bool go_on(top::Model& m);
  /// What changed since the last time. True if anything did.
  bool look(top::Model& m, top::Acts& acts);
  /// What the panes need that the model does not have: the selected run, its log, its texts.
  bool fill(top::Model& m);
  /// Time went on: activity of live runs.
  void pass(top::Model& m);

  /// The folder of logs that is read, to be watched; empty if there is none.
  [[nodiscard]] std::string logs_folder(const top::Model& m) const;

 private:
  bool open_journal();
  bool forget_if_gone(top::Model& m);
  top::RunItem item_of(RunSummary summary);
  [[nodiscard]] bool has_holder() const;
  void note_changes(const std::vector<RunSummary>& runs);
  bool load_run(top::Model& m);
  bool read_log(top::Model& m);
  bool read_texts(top::Model& m);
  void show_activity(top::Model& m);

  /// A file that grows, and how far it was read.
  struct Source {
    std::string path;
    std::uint64_t read = 0;
    std::unique_ptr<Transcript> transcript;
    bool is_text = false;  ///< lines for people, of which half a one is worth reading
    bool cut = false;      ///< begins in the midst of a line
    bool ended = false;    ///< nothing more comes
  };
  bool read_source(Source& source, top::Document& log) const;

  OpenJournal open_;
  std::string root_;
  std::string state_dir_;
  std::unique_ptr<SqliteJournal> journal_;
  std::string identity_;  ///< of the journal's file
  std::int64_t version_ = -1;
  std::int64_t oldest_ = 0;  ///< the number of the last run of the last page
  Time newest_change_{};
  std::shared_ptr<Run> run_;
  std::string run_id_;
  std::size_t run_events_ = 0;
  bool run_is_old_ = true;
  std::string log_about_;
  std::vector<Source> sources_;
  std::map<std::string, std::string> text_versions_;
};

}  // namespace baton::tui
