#pragma once

#include <vector>

namespace baton::tui {

/// Signals that the dashboard hears as news instead of being ended by them.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  [[nodiscard]] int descriptor() const;
  /// Since the last time.
  std::vector<int> heard();
  /// While another program has the terminal, they mean what they always do.
  void rest();
  void wake();
};

}  // namespace baton::tui
