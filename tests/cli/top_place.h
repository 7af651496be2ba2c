#pragma once

#include <string>
#include <vector>

#include "support/programs.h"

namespace baton::test {

/// A terminal (tmux, with a server of its own) in which a shell stands, to start `baton top` in and to look at; in a
/// place of that kind.
template <class Where>
class WithTopIn : public Where {
 protected:
  using Where::place;

  WithTopIn() {
    place.env["SHELL"] = "/bin/bash";
    place.env["TERM"] = "screen-256color";
    place.env.erase("DISPLAY");
  }
  ~WithTopIn() override {
    if (!socket_.empty()) (void)tmux({"kill-server"});
  }

  /// A terminal of this size with a shell in it, instead of any there was.
  void open_terminal(int columns, int rows) {
    if (!socket_.empty()) (void)tmux({"kill-server"});
    socket_ = place.file("../tmux" + std::to_string(++terminals_));
    write_text(place.file("../tmux.conf"),
               "set -g default-terminal screen-256color\nset -g set-clipboard on\nset -g status off\n"
               "set -g escape-time 0\nset -g history-limit 10000\n");
    const Outcome made =
        tmux({"-f", place.file("../tmux.conf"), "new-session", "-d", "-s", "top", "-x", std::to_string(columns), "-y",
              std::to_string(rows), "-c", place.root(), "exec env PS1='shell$ ' bash --norc --noprofile -i"});
    ASSERT_EQ(made.code, 0) << made;
    resize(columns, rows);
    ASSERT_TRUE(sees("shell$")) << screen();
  }
  void open_top(int columns = 120, int rows = 40) {
    open_terminal(columns, rows);
    type("clear; stty -g > ../stty.before; '" + program_of_ours("baton") + "' top");
    keys({"Enter"});
    ASSERT_TRUE(sees(" baton top ")) << screen();
  }

  /// What is on the screen, a line a row.
  std::string screen() { return tmux({"capture-pane", "-p", "-t", "top"}).out; }
  /// Waits until the text is on the screen.
  bool sees(const std::string& text) {
    return eventually([&] { return has(screen(), text); });
  }
  bool sees_no_more(const std::string& text) {
    return eventually([&] { return !has(screen(), text); });
  }
  /// Keys by tmux's names.
  void keys(std::vector<std::string> names) {
    names.insert(names.begin(), {"send-keys", "-t", "top"});
    (void)tmux(std::move(names));
  }
  void type(const std::string& text) { (void)tmux({"send-keys", "-t", "top", "-l", text}); }
  void resize(int columns, int rows) {
    (void)tmux({"resize-window", "-t", "top", "-x", std::to_string(columns), "-y", std::to_string(rows)});
  }
  /// What tmux knows of the terminal: `alternate_on`, `cursor_flag`, `mouse_any_flag` …
  std::string fact(const std::string& name) {
    const std::vector<std::string> lines =
        lines_of(tmux({"display-message", "-p", "-t", "top", "#{" + name + "}"}).out);
    return lines.empty() ? "" : lines.front();
  }
  Outcome tmux(std::vector<std::string> args) {
    args.insert(args.begin(), {"tmux", "-u", "-S", socket_});
    const std::string said = place.file("../tmux-said");
    return Process{
        {.argv = std::move(args), .cwd = place.root(), .env = place.env, .out_path = said, .err_path = said + ".err"}}
        .wait();
  }

  /// The terminal is as the shell left it: its screen, its modes, its cursor, its mouse.
  void expect_terminal_as_found() {
    EXPECT_TRUE(eventually([&] { return fact("alternate_on") == "0"; }));
    EXPECT_EQ(fact("mouse_any_flag"), "0");
    EXPECT_EQ(fact("cursor_flag"), "1");
    type("stty -g > ../stty.after; echo looked");
    keys({"Enter"});
    EXPECT_TRUE(sees("\nlooked")) << screen();
    EXPECT_EQ(place.read("../stty.after"), place.read("../stty.before"));
  }

  bool becomes(const std::string& run, const std::string& state) {
    return eventually([&] { return place.run_state(run) == state; });
  }

  /// The process of the dashboard itself.
  pid_t top_pid() {
    for (const pid_t pid : place.living("baton")) {
      if (has(read_text("/proc/" + std::to_string(pid) + "/cmdline"), std::string{"top"} + '\0')) return pid;
    }
    return 0;
  }

 private:
  std::string socket_;
  int terminals_ = 0;
};
using WithTop = WithTopIn<Outside>;

}  // namespace baton::test
