#include "safety/shell_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "safety/command_words.h"
#include "safety/shell_lexer.h"

namespace baton::safety {
namespace {

using Kind = ShellToken::Kind;

constexpr std::size_t source_bytes_max = 400;
constexpr std::size_t bodies_max = 16;  // functions within functions

struct Command {
  Words words;
  Words redirections;             ///< `>` and its target, by turns
  std::vector<std::string> here;  ///< here-documents and here-strings
  std::size_t begin = std::string_view::npos;
  std::size_t end = 0;

  [[nodiscard]] bool empty() const { return words.empty() && redirections.empty() && here.empty(); }
};

/// The end of a compound: what comes out of it goes on into a pipe.
bool is_end_of_compound(const Words& words) {
  constexpr std::array<std::string_view, 4> ends = {"}", "fi", "done", "esac"};
  return words.size() == 1 && std::ranges::find(ends, words.front()) != ends.end();
}

/// What the command writes, where it is plainly told.
std::string told_by(const Command& command) {
  std::string text;
  for (const std::string& here : command.here) text += here + "\n";
  const std::string program = command.words.empty() ? "" : command.words.front();
  if (program != "echo" && program != "printf") return text;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (program == "echo" && (command.words[i] == "-n" || command.words[i] == "-e")) continue;
    text += command.words[i] + " ";
  }
  return text;
}

/// Reads one script, and those within it through further ones.
class Reader {
 public:
  Reader(ReadingBudget& budget, Readings& readings) : budget_(budget), readings_(readings) {}

  void read(std::string_view script) {
    script_ = script;
    const std::vector<ShellToken> tokens = shell_tokens(script, budget_);
    for (std::size_t i = 0; i < tokens.size() && !is_over(); ++i) take(tokens, i);
    end_pipeline();
  }

 private:
  [[nodiscard]] bool is_over() const { return budget_.spent || readings_.all.size() >= ReadingBudget::readings_max; }

  void take(const std::vector<ShellToken>& tokens, std::size_t& i) {
    const ShellToken& token = tokens[i];
    if (token.kind == Kind::word || token.kind == Kind::redirect || token.kind == Kind::here_text) {
      command_.begin = std::min(command_.begin, token.begin);
      command_.end = std::max(command_.end, token.end);
    }
    for (const std::string& script : token.scripts) read_within(script);
    switch (token.kind) {
      case Kind::word:
        return take_word(token.text);
      case Kind::redirect:
        if (i + 1 < tokens.size() && tokens[i + 1].kind == Kind::word) {
          ++i;
          for (const std::string& script : tokens[i].scripts) read_within(script);
          command_.redirections.insert(command_.redirections.end(), {token.text, tokens[i].text});
          command_.end = tokens[i].end;
        }
        return;
      case Kind::here_text:
        command_.here.push_back(token.text);
        return;
      case Kind::pipe:
        return end_command(true);
      case Kind::list:
        if (token.text == "\n" && command_.empty() && !pipeline_.empty()) return;  // a pipe goes on on the next line
        return end_pipeline();
      case Kind::open:
        if (names_function() && i + 1 < tokens.size() && tokens[i + 1].kind == Kind::close) {
          function_ = std::exchange(command_, {}).words.back();
          ++i;
          return;
        }
        end_pipeline();
        return open_body();
      case Kind::close:
        end_pipeline();
        return close_body();
    }
  }

  /// `f` before `()`, or `function f`.
  [[nodiscard]] bool names_function() const {
    const Words& words = command_.words;
    return words.size() == 1 || (words.size() == 2 && words.front() == "function");
  }

  void take_word(const std::string& word) {
    if (command_.words.empty() && word == "{") return open_body();
    if (command_.words.size() == 2 && command_.words.front() == "function" && word == "{") {
      function_ = std::exchange(command_, {}).words.back();
      return open_body();
    }
    if (command_.words.empty() && word == "}") close_body();
    command_.words.push_back(word);
  }

  void open_body() {
    ++depth_;
    if (!function_.empty() && bodies_.size() < bodies_max) bodies_.emplace_back(std::exchange(function_, {}), depth_);
  }

  void close_body() {
    if (!bodies_.empty() && bodies_.back().second == depth_) bodies_.pop_back();
    --depth_;
  }

  void read_within(std::string_view script) {
    if (script.empty() || is_over()) return;
    const ReadingBudget::Level level{budget_};
    if (budget_.spent) return;
    Reader inner{budget_, readings_};
    inner.folder_ = folder_;
    inner.read(script);
  }

  void add(std::string text, std::string_view source) {
    if (text.empty() || !budget_.take(text.size()) || is_over()) return;
    readings_.all.push_back({std::move(text), shorten(trim(source), source_bytes_max)});
  }

  [[nodiscard]] std::string line_of(const Command& command, const Words& words) const {
    std::string line = to_line(usual_form(words, folder_));
    for (std::size_t i = 0; i + 1 < command.redirections.size(); i += 2) {
      line += (line.empty() ? "" : " ") + command.redirections[i] + " " +
              to_line({plain_path(command.redirections[i + 1])});
    }
    for (const std::string& here : command.here) line += " << " + to_line({std::string{trim(here)}});
    return line;
  }

  [[nodiscard]] std::string_view source_of(std::size_t begin, std::size_t end) const {
    return begin < end && begin < script_.size() ? script_.substr(begin, end - begin) : std::string_view{};
  }

  void end_command(bool goes_on) {
    if (command_.empty() || is_end_of_compound(command_.words)) {
      // `(curl URL) | sh`, `{ curl URL; } | sh`: what was read last is what comes out.
      if (goes_on && pipeline_.empty()) pipeline_ = std::exchange(last_, {});
      command_ = {};
      return;
    }
    const std::string_view source = source_of(command_.begin, command_.end);
    add(line_of(command_, command_.words), source);
    bool peeled = false;
    while (peel(command_.words)) peeled = true;
    if (peeled) add(line_of(command_, command_.words), source);
    add(to_line(customary_form(usual_form(command_.words, folder_))), source);
    if (!command_.words.empty() && command_.words.front() == "cd") {
      folder_ = command_.words.size() > 1 ? plain_path(command_.words[1]) : "~";
      if (!folder_.starts_with('/') && !folder_.starts_with('~')) folder_.clear();
    }
    read_within(script_of(command_.words));
    for (Words command : commands_of_find(command_.words)) read_words(std::move(command), source);
    pipeline_.push_back(std::move(command_));
    command_ = {};
  }

  /// Words that are a command by themselves: behind -exec, or what xargs makes.
  void read_words(Words words, std::string_view source) {
    while (peel(words)) {
    }
    if (words.empty()) return;
    const Words usual = usual_form(words, folder_);
    add(to_line(usual), source);
    add(to_line(customary_form(usual)), source);
    read_within(script_of(words));
  }

  void end_pipeline() {
    end_command(false);
    if (pipeline_.empty()) return;
    const std::string_view source = source_of(pipeline_.front().begin, pipeline_.back().end);
    if (pipeline_.size() > 1) {
      std::string line;
      for (const Command& c : pipeline_) line += (line.empty() ? "" : " | ") + line_of(c, c.words);
      add(std::move(line), source);
    }
    for (std::size_t i = 0; i < pipeline_.size(); ++i) read_input_of(i, source);
    look_for_fork_bomb(source);
    last_ = std::exchange(pipeline_, {});
  }

  /// What a shell, or xargs, at this place of the pipe reads and runs.
  void read_input_of(std::size_t i, std::string_view source) {
    const Command& command = pipeline_[i];
    const bool is_shell = reads_script(command.words);
    if (is_shell) {
      for (const std::string& here : command.here) read_within(here);
    }
    if (i == 0) return;
    const std::string told = told_by(pipeline_[i - 1]);
    if (told.empty()) return;
    if (is_shell) return read_within(told);
    if (!starts_with_xargs(command)) return;
    Words words = command.words;
    for (const ShellToken& token : shell_tokens(told, budget_)) words.push_back(token.text);
    read_words(std::move(words), source);
  }

  [[nodiscard]] bool starts_with_xargs(const Command& command) const {
    const std::string_view source = source_of(command.begin, command.end);
    return source.find("xargs") != std::string_view::npos && !command.words.empty();
  }

  void look_for_fork_bomb(std::string_view source) {
    for (const auto& body : bodies_) {
      const auto calls = std::ranges::count_if(
          pipeline_, [&](const Command& c) { return !c.words.empty() && c.words.front() == body.first; });
      if (calls > 1) add(std::string{fork_bomb}, source);
    }
  }

  ReadingBudget& budget_;
  Readings& readings_;
  std::string_view script_;
  Command command_;
  std::vector<Command> pipeline_;
  std::vector<Command> last_;
  std::string folder_;                               ///< where the script is, as far as it says so
  std::string function_;                             ///< named, and its body has not begun
  std::vector<std::pair<std::string, int>> bodies_;  ///< of functions that are open, with how deep each stands
  int depth_ = 0;
};

}  // namespace

Readings read_shell(std::string_view script) {
  Readings readings;
  ReadingBudget budget;
  if (script.size() > ReadingBudget::command_bytes_max) {
    readings.complete = false;
    return readings;
  }
  Reader{budget, readings}.read(script);
  readings.complete = !budget.spent && readings.all.size() < ReadingBudget::readings_max;
  return readings;
}

}  // namespace baton::safety
