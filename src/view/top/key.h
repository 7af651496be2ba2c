#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/grid.h"

namespace baton::top {

/// What a person did: a key, a click, a paste.
struct Key {
  enum class Kind {
    letter,   ///< a character, in `text`
    control,  ///< Ctrl and the letter in `text`
    enter,
    tab,
    back_tab,
    escape,
    backspace,
    erase,  ///< the one under the cursor
    up,
    down,
    left,
    right,
    home,
    end,
    page_up,
    page_down,
    paste,  ///< all of it in `text`; never a command
    click,
    wheel_up,
    wheel_down,
  };
  Kind kind = Kind::letter;
  std::string text = {};
  Point at = {};  ///< of the mouse

  bool operator==(const Key&) const = default;
};

/// Bytes from a terminal, cut anywhere, to keys. Sequences that nobody knows are passed over whole.
class KeyReader {
 public:
  std::vector<Key> read(std::string_view bytes);
  /// Nothing more came for a while: an escape by itself is the key.
  std::vector<Key> pause();
  /// There is the beginning of something.
  [[nodiscard]] bool waits() const { return !rest_.empty(); }

 private:
  /// Takes one key off the front of rest_; 0: more has to come.
  std::size_t take(std::vector<Key>& out);
  std::size_t take_sequence(std::vector<Key>& out);
  std::size_t take_mouse(std::size_t end, std::vector<Key>& out);
  std::size_t take_control(unsigned char c, std::vector<Key>& out);

  std::string rest_;
  std::string pasted_;
  bool pasting_ = false;
};

}  // namespace baton::top
