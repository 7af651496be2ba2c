#include "cli/completion.h"

#include <algorithm>

#include "base/text.h"
#include "cli/completion_values.h"

namespace baton::cli {
namespace {

constexpr std::size_t candidates_max = 1000;  // nobody reads more

class Understanding {
 public:
  explicit Understanding(const CommandShape& shape) : shape_(shape) {}

  TypedLine read(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) pass(words[i]);
    if (!words.empty()) end_with(words.back());
    return std::move(line_);
  }

 private:
  [[nodiscard]] const OptionShape* find(std::string_view name) const {
    const OptionShape* own = line_.verb == nullptr ? nullptr : line_.verb->option(name);
    return own != nullptr || line_.verb != nullptr ? own : shape_.top.option(name);
  }

  static bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

  void pass(const std::string& word) {
    if (line_.awaited != nullptr && !(line_.awaited->greedy && is_option(word))) {
      line_.given.push_back({line_.awaited, word});
      if (!line_.awaited->greedy) line_.awaited = nullptr;
      return;
    }
    line_.awaited = nullptr;
    if (only_arguments_ || !is_option(word)) return pass_argument(word);
    if (word == "--") {
      only_arguments_ = true;
      return;
    }
    const auto equals = word.find('=');
    const OptionShape* option = find(word.substr(0, equals));
    if (option == nullptr) return;
    if (equals == std::string::npos && !option->value.empty()) {
      line_.awaited = option;
    } else {
      line_.given.push_back({option, equals == std::string::npos ? "" : word.substr(equals + 1)});
    }
  }

  void pass_argument(const std::string& word) {
    if (line_.verb != nullptr) {
      line_.arguments.push_back(word);
      return;
    }
    line_.verb = shape_.verb(word);
    if (line_.verb == nullptr) line_.verb = &nothing_;
  }

  void end_with(const std::string& word) {
    line_.current = word;
    if (line_.awaited != nullptr && !(line_.awaited->greedy && is_option(word))) return;
    line_.awaited = nullptr;
    if (only_arguments_ || word.empty() || word.front() != '-') return;
    const auto equals = word.find('=');
    line_.names_option = equals == std::string::npos;
    if (line_.names_option) return;
    line_.awaited = find(word.substr(0, equals));
    line_.lead = word.substr(0, equals + 1);
    line_.current = word.substr(equals + 1);
    if (line_.awaited == nullptr) line_.verb = &nothing_;  // whatever it is, it is nothing of ours
  }

  static inline const VerbShape nothing_{};  ///< stands for a verb that there is not
  const CommandShape& shape_;
  TypedLine line_;
  bool only_arguments_ = false;
};

void add_options(const VerbShape& verb, const TypedLine& line, Completion& all) {
  for (const OptionShape& option : verb.options) {
    const bool is_given = std::ranges::any_of(line.given, [&](const auto& g) { return g.option == &option; });
    if (is_given && !option.repeats) continue;
    // The long name is enough: it says what it is.
    if (!option.names.empty()) all.candidates.push_back({option.names.back(), option.about});
  }
}

void keep_fitting(const TypedLine& line, Completion& all) {
  std::erase_if(all.candidates, [&](const auto& c) { return !c.value.starts_with(line.current); });
  if (all.candidates.size() > candidates_max) all.candidates.resize(candidates_max);
  for (auto& candidate : all.candidates) candidate.value.insert(0, line.lead);
}

}  // namespace

std::string TypedLine::value_of(std::string_view name) const {
  std::string value;
  for (const Given& g : given) {
    if (std::ranges::find(g.option->names, name) != g.option->names.end()) value = g.value;
  }
  return value;
}

TypedLine understand(const CommandShape& shape, const std::vector<std::string>& words) {
  return Understanding{shape}.read(words);
}

Completion complete(const CommandShape& shape, const std::vector<std::string>& words) {
  const TypedLine line = understand(shape, words);
  Completion all;
  if (line.awaited != nullptr) {
    all = values_of(*line.awaited, line);
  } else if (line.names_option) {
    add_options(line.verb == nullptr ? shape.top : *line.verb, line, all);
  } else if (line.verb == nullptr) {
    for (const VerbShape& verb : shape.verbs) all.candidates.push_back({verb.name, verb.about});
  } else if (!line.verb->arguments.empty()) {
    const auto& arguments = line.verb->arguments;
    const std::size_t place = line.arguments.size();
    if (place < arguments.size() || arguments.back().greedy) {
      all = values_of(arguments[std::min(place, arguments.size() - 1)], line);
    }
  }
  keep_fitting(line, all);
  return all;
}

std::string to_text(const Completion& completion) {
  std::string text = completion.paths == Completion::Paths::files     ? ":files"
                     : completion.paths == Completion::Paths::folders ? ":folders"
                                                                      : ":none";
  text += completion.open_ended ? " open\n" : "\n";
  for (const auto& candidate : completion.candidates) {
    // A name that would drive a terminal, or end a line early, is none that can be offered.
    if (printable(candidate.value) != candidate.value || candidate.value.find('\n') != std::string::npos) continue;
    std::string about = candidate.about.substr(0, candidate.about.find('\n'));
    std::ranges::replace(about, '\t', ' ');
    text += candidate.value + (about.empty() ? "" : "\t" + printable(about)) + "\n";
  }
  return text;
}

}  // namespace baton::cli
