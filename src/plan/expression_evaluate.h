#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plan/expression.h"

namespace baton::expression {

/// Works expressions out. Remembers what it looked up, so several texts of one step cost one look at each value.
class Evaluator {
 public:
  Evaluator(const Values& values, Surroundings around);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  ~Evaluator();

  /// Whom `output` speaks of from now on.
  void set_self(const std::string& step);

  Expected<bool> is_true(std::string_view condition);
  Expected<std::vector<std::string>> items_of(std::string_view source);
  Expected<std::string> fill_in(std::string_view text);

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// True if the text is one JSON value.
bool is_json(std::string_view text);

}  // namespace baton::expression
