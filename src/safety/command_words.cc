#include "safety/command_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/text.h"

namespace baton::safety {
namespace {

constexpr std::string_view blank_sign = "␣";

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& all) {
  return std::ranges::find(all, word) != all.end();
}

bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  const auto is_part = [](char c) { return c == '_' || c == '+' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
         std::ranges::all_of(word.substr(0, equals), is_part);
}

std::string_view without_folder(std::string_view program) {
  if (!program.starts_with('/')) return program;
  return program.substr(program.rfind('/') + 1);
}

/// RM is rm where file systems do not tell them apart.
std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// `-rf` becomes `-r` and `-f`, `--recursive` becomes `-r`; in order and each once, before everything else.
void sort_options(Words& words, std::size_t from) {
  std::set<std::string> options;
  Words operands;
  bool only_operands = false;
  for (std::size_t i = from; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (only_operands || !is_option(word)) {
      operands.push_back(word);
    } else if (word == "--") {
      only_operands = true;
    } else if (!word.starts_with("--")) {
      for (const char letter : word.substr(1)) options.insert(std::string{"-"} + (letter == 'R' ? 'r' : letter));
    } else if (word.size() > 2 && std::string_view{"--recursive"}.starts_with(word)) {
      options.insert("-r");
    } else if (word.size() > 2 && std::string_view{"--force"}.starts_with(word)) {
      options.insert("-f");
    } else {
      options.insert(word);
    }
  }
  words.resize(from);
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), operands.begin(), operands.end());
}

/// git -C there -c a=b push -uf: what stands before the verb says nothing, and `-uf` is `-u -f`.
void straighten_git(Words& words) {
  constexpr std::array<std::string_view, 6> with_value = {"-C",          "-c",          "--git-dir",
                                                          "--work-tree", "--namespace", "--exec-path"};
  std::size_t verb = 1;
  while (verb < words.size() && is_option(words[verb])) verb += is_one_of(words[verb], with_value) ? 2 : 1;
  verb = std::min(verb, words.size());
  words.erase(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(verb));
  if (words.size() < 2 || words[1] != "push") return;
  Words straight = {words[0], words[1]};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_cluster = word.size() > 2 && word[0] == '-' && word[1] != '-' && word[1] != 'o';
    if (!is_cluster) straight.push_back(word);
    for (std::size_t k = 1; is_cluster && k < word.size(); ++k) straight.push_back({'-', word[k]});
  }
  words = std::move(straight);
}

/// A program that starts the one behind it.
struct Starter {
  std::string_view name;
  std::string_view letters_with_value = {};  ///< of its options
  int operands = 0;                          ///< before the program
};

constexpr std::array<Starter, 21> starters = {{
    {"sudo", "ughpCTrtDRU"},
    {"doas", "uC"},
    {"env", "uC"},
    {"command"},
    {"builtin"},
    {"exec", "a"},
    {"nohup"},
    {"setsid"},
    {"time", "fo"},
    {"nice", "n"},
    {"ionice", "cnp"},
    {"stdbuf", "ioe"},
    {"timeout", "sk", 1},
    {"xargs", "InPLdEsa"},
    {"busybox"},
    {"toybox"},
    {"chroot", "", 1},
    {"watch", "n"},
    {"unbuffer"},
    {"caffeinate"},
    {"strace", "eopsauPXE"},
}};

constexpr std::array<std::string_view, 10> words_of_language = {"if",    "then", "elif", "else", "while",
                                                                "until", "do",   "!",    "{",    "coproc"};

constexpr std::array<std::string_view, 12> long_with_value = {
    "--user",       "--group",  "--chdir",      "--host",     "--prompt",    "--unset",
    "--adjustment", "--signal", "--kill-after", "--max-args", "--max-procs", "--delimiter"};

constexpr std::array<std::string_view, 9> shells = {"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash", "mksh"};

bool is_shell(const Words& words) { return !words.empty() && is_one_of(without_folder(words.front()), shells); }

void drop_front(Words& words, std::size_t count) {
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(count, words.size())));
}

/// How many words a starter, its options and its operands are.
std::size_t reach_of(const Starter& starter, const Words& words) {
  std::size_t i = 1;
  while (i < words.size()) {
    const std::string& word = words[i];
    if (word == "--") {
      ++i;
      break;
    }
    if (is_option(word)) {
      const bool is_short = word[1] != '-';
      const bool takes_next =
          is_short ? word.size() == 2 && starter.letters_with_value.find(word[1]) != std::string_view::npos
                   : is_one_of(word, long_with_value);
      i += takes_next ? 2 : 1;
    } else if (is_assignment(word)) {
      ++i;
    } else {
      break;
    }
  }
  return i + static_cast<std::size_t>(starter.operands);
}

/// Behind the options and the host of ssh; the options that take a value are nearly all of them.
std::size_t behind_host(const Words& words) {
  constexpr std::string_view with_value = "BbcDEeFIiJLlmOopQRSWw";
  std::size_t i = 1;
  while (i < words.size() && is_option(words[i])) {
    i += words[i].size() == 2 && with_value.find(words[i][1]) != std::string_view::npos ? 2 : 1;
  }
  return i + 1;
}

std::string joined_from(const Words& words, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i) text += (i > from ? " " : "") + words[i];
  return text;
}

/// The argument behind `-c`, `-lc`, `--command`.
std::string behind_c(const Words& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_short = is_option(word) && word[1] != '-' && word.find('c') != std::string::npos;
    if (!is_short && word != "--command") continue;
    std::size_t script = i + 1;
    while (script + 1 < words.size() && is_option(words[script])) ++script;  // bash -c -e TEXT
    return words[script];
  }
  return {};
}

}  // namespace

std::string plain_path(std::string_view path) {
  const bool of_home = path == "~" || path.starts_with("~/");
  if (!of_home && !path.starts_with('/')) return std::string{path};
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(path.substr(of_home ? 1 : 0), '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (of_home) {
      parts.push_back(part);
    }
  }
  std::string plain = of_home ? "~" : "";
  for (const std::string_view part : parts) (plain += '/') += part;
  return plain.empty() ? "/" : plain;
}

Words usual_form(Words words, const std::string& folder) {
  if (words.empty()) return words;
  words.front() = std::string{without_folder(words.front())};
  const std::string program = lower_case(words.front());
  const bool changes_files = program == "rm" || program == "chmod" || program == "chown" || program == "chgrp";
  if (changes_files) sort_options(words, 1);
  if (program == "git") straighten_git(words);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool is_relative = !words[i].starts_with('/') && !words[i].starts_with('~') && !is_option(words[i]);
    if (program == "rm" && is_relative && !folder.empty()) words[i] = folder + "/" + words[i];
    words[i] = plain_path(words[i]);
  }
  return words;
}

Words customary_form(const Words& usual) {
  if (usual.empty() || lower_case(usual.front()) != "rm") return {};
  std::string letters = "-";
  Words operands;
  for (std::size_t i = 1; i < usual.size(); ++i) {
    if (usual[i] == "-r") letters.insert(1, "r");
    if (usual[i] == "-f") letters += "f";
    if (!is_option(usual[i])) operands.push_back(usual[i]);
  }
  if (letters.size() == 1) return {};
  Words words = {"rm", letters};
  words.insert(words.end(), operands.begin(), operands.end());
  return words;
}

std::string to_line(const Words& words) {
  std::string line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) line += ' ';
    const std::string& word = words[i];
    // A quoted operator is not one.
    if (word.empty() || word == "|" || word == ">" || word == ">>" || word == "<" || word == "<<") {
      (line += '"').append(word) += '"';
      continue;
    }
    bool was_blank = false;
    for (const char c : word) {
      const bool is_blank = c == ' ' || (c >= '\t' && c <= '\r');
      if (!is_blank) {
        line += c;
      } else if (!was_blank) {
        line += blank_sign;
      }
      was_blank = is_blank;
    }
  }
  return line;
}

bool peel(Words& words) {
  if (words.empty()) return false;
  const std::string_view first = without_folder(words.front());
  if (is_one_of(first, words_of_language) || is_assignment(first)) {
    drop_front(words, 1);
    return true;
  }
  const auto starter = std::ranges::find(starters, first, &Starter::name);
  if (starter == starters.end()) return false;
  drop_front(words, reach_of(*starter, words));
  return true;
}

std::string script_of(const Words& words) {
  if (words.empty()) return {};
  const std::string_view program = without_folder(words.front());
  if (program == "eval") return joined_from(words, 1);
  if (program == "ssh") return joined_from(words, behind_host(words));
  if (is_shell(words) || program == "su" || program == "runuser") return behind_c(words);
  return {};
}

bool reads_script(const Words& words) {
  if (words.empty()) return false;
  const std::string_view program = without_folder(words.front());
  if (program == "ssh") return words.size() <= behind_host(words);
  if (program == "su") return behind_c(words).empty();
  if (!is_shell(words) || !behind_c(words).empty()) return false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-s" || words[i] == "-" || words[i] == "/dev/stdin") return true;
    if (!is_option(words[i])) return false;  // a script of its own
  }
  return true;
}

std::vector<Words> commands_of_find(const Words& words) {
  constexpr std::array<std::string_view, 4> starts = {"-exec", "-execdir", "-ok", "-okdir"};
  std::vector<Words> commands;
  if (words.empty() || without_folder(words.front()) != "find") return commands;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!is_one_of(words[i], starts)) continue;
    Words command;
    for (++i; i < words.size() && words[i] != ";" && words[i] != "+"; ++i) command.push_back(words[i]);
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace baton::safety
