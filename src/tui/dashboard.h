#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tui/feed.h"
#include "tui/terminal.h"
#include "view/top/model.h"

namespace baton::tui {

/// What the dashboard works on, and how it gets at what is not its own.
struct Setup {
  std::string root;
  std::string state_dir;
  std::string program;                 ///< ours: actions are its verbs, each a process of its own
  std::vector<std::string> sets = {};  ///< KEY=VALUE of its own command line, which holds for what it starts too
  top::Notify notify = top::Notify::off;
  OpenJournal open_journal;
  std::function<std::vector<top::WorkflowChoice>()> workflows;
};

/// How it ended, for whoever has the terminal next.
struct Left {
  int signal = 0;                  ///< 0: its user quit
  std::vector<std::string> going;  ///< runs that go on
};

/// Shows the runs of a project until its user leaves.
Left run_dashboard(const Setup& setup, Terminal& terminal);

}  // namespace baton::tui
