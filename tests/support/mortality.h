#pragma once

#include <cstdint>

namespace baton::test {

/// Thrown by a fake to end the engine's process at that very instant: nothing of it is carried out any more.
struct Crash {};

/// Counts the calls that the engine makes to its world, and lets it die in one of them.
class Mortality {
 public:
  /// The engine dies in its `calls`th call from now on; 0: it does not.
  void die_in(std::uint64_t calls) { left_ = calls; }
  [[nodiscard]] bool armed() const { return left_ > 0; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

  /// Stands before and after whatever a call does to the world.
  void pass() {
    ++calls_;
    if (left_ > 0 && --left_ == 0) throw Crash{};
  }

 private:
  std::uint64_t left_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace baton::test
