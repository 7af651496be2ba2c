#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace baton::safety {

/// How much work a command line may make. Whoever nests a thousand shells is not read to the end.
struct ReadingBudget {
  static constexpr std::size_t command_bytes_max = std::size_t{1} << 20;
  static constexpr std::size_t work_bytes_max = std::size_t{8} << 20;
  static constexpr std::size_t readings_max = 20'000;
  static constexpr int depth_max = 32;

  std::size_t bytes_left = work_bytes_max;
  int depth = 0;
  bool spent = false;

  /// One script within another, for as long as it is read.
  class Level {
   public:
    explicit Level(ReadingBudget& budget) : budget_(budget) {
      if (++budget.depth > depth_max) budget.spent = true;
    }
    ~Level() { --budget_.depth; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    ReadingBudget& budget_;
  };

  /// False once there is nothing left.
  bool take(std::size_t bytes) {
    spent = spent || bytes > bytes_left;
    bytes_left -= spent ? 0 : bytes;
    return !spent;
  }
};

/// A word or an operator of a shell script.
struct ShellToken {
  enum class Kind {
    word,
    pipe,       ///< `|`, `|&`
    list,       ///< `;`, `&&`, `||`, `&`, the end of a line
    redirect,   ///< `>`, `>>`, `<`, …; the word after it is its target
    here_text,  ///< a here-document or here-string: `text` is what the command reads
    open,
    close,
  };

  Kind kind = Kind::word;
  std::string text;                  ///< of a word: without its quotes; of a redirection: its sign
  std::vector<std::string> scripts;  ///< commands that are run to make the word: `$(…)`, backquotes, `<(…)`
  std::size_t begin = 0;             ///< where it stands
  std::size_t end = 0;
};

/// A script cut into words as a shell does it, quotes taken off: `r\m "-r"f` is `rm` and `-rf`. `$HOME` at the
/// beginning of a word reads as `~`, a `~` in quotes as `./~`, and `$IFS` parts words. Other variables stay as they are
/// written. What a shell would refuse (a quote that is never closed) is read as if it ended well.
std::vector<ShellToken> shell_tokens(std::string_view script, ReadingBudget& budget);

}  // namespace baton::safety
