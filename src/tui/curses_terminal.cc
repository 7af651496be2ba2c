// The one file that knows ncurses.
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/utf8.h"
#include "io/files.h"
#include "tui/terminal.h"

namespace baton::tui {
namespace {

/// Clicks and the wheel with any column (SGR), pastes in brackets.
constexpr std::string_view modes_on = "\x1b[?1000h\x1b[?1006h\x1b[?2004h";
constexpr std::string_view modes_off = "\x1b[?2004l\x1b[?1006l\x1b[?1000l";

/// What a dying process can still do, with nothing but write and tcsetattr.
struct LastWords {
  std::array<char, 256> bytes{};
  std::size_t size = 0;
  termios modes{};
  volatile sig_atomic_t armed = 0;
};
LastWords last_words;

/// Everything that ends a process which does not listen to it.
constexpr std::array<int, 15> deadly{SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,  SIGILL,    SIGQUIT, SIGTRAP, SIGSYS,
                                     SIGALRM, SIGUSR1, SIGUSR2, SIGPROF, SIGVTALRM, SIGXCPU, SIGXFSZ};
/// For who has used up the other one.
std::array<char, 16384> last_stack{};

extern "C" void on_deadly(int signal) {
  if (last_words.armed != 0) {
    last_words.armed = 0;
    (void)!::write(STDOUT_FILENO, last_words.bytes.data(), last_words.size);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &last_words.modes);
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// What the terminal wants to be told for this; none of those used here is padded on a terminal of these days.
std::string words_for(const char* name) {
  const char* text = ::tigetstr(name);
  const bool is_known = text != nullptr && reinterpret_cast<std::intptr_t>(text) != -1;
  return is_known ? std::string{text} : std::string{};
}

/// A screen of our own is left empty: tmux, resized meanwhile, leaves parts of it above the shell's otherwise.
std::string wipe() { return words_for("rmcup").empty() ? std::string{} : words_for("sgr0") + words_for("clear"); }

void prepare_last_words() {
  const std::string bytes =
      std::string{modes_off} + wipe() + words_for("sgr0") + words_for("cnorm") + words_for("rmcup");
  last_words.size = std::min(bytes.size(), last_words.bytes.size());
  std::memcpy(last_words.bytes.data(), bytes.data(), last_words.size);
  struct sigaction action{};
  action.sa_handler = on_deadly;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_ONSTACK;
  stack_t stack{};
  stack.ss_sp = last_stack.data();
  stack.ss_size = last_stack.size();
  ::sigaltstack(&stack, nullptr);
  for (const int signal : deadly) ::sigaction(signal, &action, nullptr);
}

/// A locale in which ncurses knows wide characters, whatever the user's is.
void choose_characters() {
  if (std::setlocale(LC_CTYPE, "") != nullptr && std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0) return;
  if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "en_US.UTF-8");
}

attr_t attributes_of(const Style& s) {
  attr_t a = WA_NORMAL;
  if ((s.attributes & Style::bold) != 0) a |= WA_BOLD;
  if ((s.attributes & Style::dim) != 0) a |= WA_DIM;
  if ((s.attributes & Style::italic) != 0) a |= WA_ITALIC;
  if ((s.attributes & Style::underline) != 0) a |= WA_UNDERLINE;
  if ((s.attributes & Style::reverse) != 0) a |= WA_REVERSE;
  return a;
}

class CursesTerminal final : public Terminal {
 public:
  CursesTerminal(SCREEN* screen, bool color) : screen_(screen), color_(color && has_colors()) {
    raw();
    noecho();
    nonl();
    curs_set(0);
    typeahead(-1);  // what is typed is read here, and nowhere else
    keypad(stdscr, FALSE);
    scrollok(stdscr, FALSE);
    if (color_) {
      start_color();
      use_default_colors();
    }
    take_signals_back();
    prepare_last_words();
    clearok(curscr, TRUE);
    wrefresh(stdscr);
    last_words.armed = 1;
    (void)write_all(STDOUT_FILENO, modes_on);
  }

  ~CursesTerminal() override {
    leave();
    last_words.armed = 0;
    for (const int signal : deadly) ::signal(signal, SIG_DFL);
    delscreen(screen_);
  }

  Size size() override {
    winsize w{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0 || w.ws_row == 0) return {COLS, LINES};
    return {w.ws_col, w.ws_row};
  }

  void draw(const Grid& grid, const std::optional<Point>& cursor) override {
    const Size s = grid.size();
    if (s.width <= 0 || s.height <= 0) return;
    if (s.width != COLS || s.height != LINES) {
      resizeterm(s.height, s.width);
      forget();
    }
    const bool all = !(shown_.size() == s);
    if (all) werase(stdscr);
    for (int y = 0; y < s.height; ++y) {
      for (int x = 0; x < s.width; ++x) {
        const Cell& cell = grid.at(x, y);
        if (cell.width == 0 || (!all && is_shown(grid, x, y))) continue;
        put(x, y, cell);
      }
    }
    shown_ = grid;
    curs_set(cursor ? 1 : 0);
    wmove(stdscr, cursor ? cursor->y : s.height - 1, cursor ? cursor->x : s.width - 1);
    wrefresh(stdscr);
  }

  std::string read() override {
    std::string out(4096, '\0');
    const ssize_t n = ::read(STDIN_FILENO, out.data(), out.size());
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) gone_ = true;
    out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return out;
  }

  [[nodiscard]] bool is_gone() const override { return gone_; }
  [[nodiscard]] int descriptor() const override { return STDIN_FILENO; }
  void ring() override { (void)write_all(STDOUT_FILENO, "\a"); }
  void copy(const std::string& text) override { (void)write_all(STDOUT_FILENO, "\x1b]52;c;" + base64(text) + "\x07"); }

  void leave() override {
    if (left_) return;
    left_ = true;
    (void)write_all(STDOUT_FILENO, std::string{modes_off} + wipe());
    curs_set(1);
    endwin();
    last_words.armed = 0;
  }

  void enter() override {
    if (!left_) return;
    left_ = false;
    reset_prog_mode();
    clearok(curscr, TRUE);
    forget();
    wrefresh(stdscr);
    last_words.armed = 1;
    (void)write_all(STDOUT_FILENO, modes_on);
  }

  [[nodiscard]] bool is_ours() const override {
    const pid_t front = ::tcgetpgrp(STDIN_FILENO);
    return front < 0 || front == ::getpgrp();
  }

  void forget() override {
    shown_ = Grid{};
    clearok(curscr, TRUE);
  }

 private:
  /// ncurses has handlers of its own for these; the loop hears of them instead.
  static void take_signals_back() {
    for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  }

  [[nodiscard]] bool is_shown(const Grid& grid, int x, int y) const {
    if (grid.at(x, y) != shown_.at(x, y)) return false;
    // The other half belongs to it.
    return grid.at(x, y).width != 2 || x + 1 >= grid.size().width || grid.at(x + 1, y) == shown_.at(x + 1, y);
  }

  int pair_of(const Style& s) {
    if (!color_ || (s.fg < 0 && s.bg < 0)) return 0;
    const auto fitting = [](std::int16_t c) -> int {
      if (c < COLORS) return c;
      return c < 16 ? c - 8 : -1;
    };
    const std::pair<int, int> colors{fitting(s.fg), fitting(s.bg)};
    const auto [found, is_new] = pairs_.try_emplace(colors, static_cast<int>(pairs_.size()) + 1);
    if (is_new &&
        (found->second >= COLOR_PAIRS || init_extended_pair(found->second, colors.first, colors.second) == ERR)) {
      found->second = 0;
    }
    return found->second;
  }

  void put_one(int x, int y, const wchar_t* text, const Style& style) {
    attr_t attributes = attributes_of(style);
    // Where that colour is not to be had, what has a ground of its own stands out nevertheless.
    const bool groundless = style.bg >= 0 && (!color_ || style.bg >= std::max(COLORS, 16));
    if (groundless) attributes |= WA_REVERSE;
    int pair = groundless ? 0 : pair_of(style);
    cchar_t c{};
    if (setcchar(&c, text, attributes, 0, &pair) == ERR) return;
    mvwadd_wch(stdscr, y, x, &c);
  }

  /// Terminals agree on the width of a base with its marks, and on little else: what they might join, or make wide by
  /// themselves, is drawn as its base, in as many columns as it has.
  void put(int x, int y, const Cell& cell) {
    std::array<wchar_t, CCHARW_MAX + 1> wide{};
    std::string_view rest = cell.text.empty() ? std::string_view{" "} : std::string_view{cell.text};
    const Utf8Character base = utf8_shown(rest);
    rest.remove_prefix(base.size);
    const int width = ::wcwidth(static_cast<wchar_t>(base.code));
    constexpr char32_t joiner = 0x200D;
    wide[0] = static_cast<wchar_t>(base.code);
    if (width != cell.width && !(width == 1 && cell.width == 2)) wide[0] = 0xFFFD;
    std::size_t n = 1;
    char32_t second = 0;
    while (!rest.empty() && n < CCHARW_MAX - 1 && width == cell.width) {
      const Utf8Character c = utf8_shown(rest);
      if (c.code == joiner || ::wcwidth(static_cast<wchar_t>(c.code)) != 0) break;
      const bool is_selector = c.code >= 0xFE00 && c.code <= 0xFE0F;
      if (!is_selector) wide.at(n++) = static_cast<wchar_t>(c.code);
      rest.remove_prefix(c.size);
    }
    if (!rest.empty() && width == 1 && cell.width == 2) second = utf8_shown(rest).code;
    put_one(x, y, wide.data(), cell.style);
    if (cell.width != 2 || (width == 2 && wide[0] != 0xFFFD)) return;
    const bool is_flag = second >= 0x1F1E6 && second <= 0x1F1FF;
    const std::array<wchar_t, 2> other{is_flag ? static_cast<wchar_t>(second) : L' ', L'\0'};
    put_one(x + 1, y, other.data(), cell.style);
  }

  SCREEN* screen_;
  bool color_;
  bool left_ = false;
  bool gone_ = false;
  Grid shown_;
  std::map<std::pair<int, int>, int> pairs_;
};

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += i + j <= bytes.size() ? letters[group >> (18U - 6U * j) & 63U] : '=';
    }
  }
  return out;
}

Expected<std::unique_ptr<Terminal>> open_terminal(bool color) {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) {
    return fault("no-terminal", "'baton top' needs a terminal to draw on and keys to listen to",
                 "in scripts use 'baton list --json' and 'baton show RUN --json'");
  }
  choose_characters();
  ::tcgetattr(STDIN_FILENO, &last_words.modes);
  ::setenv("ESCDELAY", "25", 0);
  const char* kind = ::getenv("TERM");
  const bool is_dumb = kind == nullptr || *kind == '\0' || std::strcmp(kind, "dumb") == 0;
  SCREEN* screen = is_dumb ? nullptr : newterm(nullptr, stdout, stdin);
  if (screen == nullptr) {
    return fault("no-terminal", "this terminal is of a kind that nobody described",
                 "set TERM, for example to xterm-256color");
  }
  set_term(screen);
  return std::make_unique<CursesTerminal>(screen, color);
}

}  // namespace baton::tui
