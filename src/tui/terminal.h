#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/fault.h"
#include "view/grid.h"

namespace baton::tui {

/// The screen, the keyboard and the mouse. Whatever ends the program, the terminal is afterwards as it was before.
class Terminal {
 public:
  virtual ~Terminal() = default;

  virtual Size size() = 0;
  virtual void draw(const Grid& grid, const std::optional<Point>& cursor) = 0;
  /// What was typed since the last time; empty if nothing was. Does not wait.
  virtual std::string read() = 0;
  /// Nobody is there any more.
  [[nodiscard]] virtual bool is_gone() const = 0;
  /// Can be read from when something was typed.
  [[nodiscard]] virtual int descriptor() const = 0;
  virtual void ring() = 0;
  /// Into the clipboard of whoever sits in front of it (OSC 52).
  virtual void copy(const std::string& text) = 0;
  /// Gives the screen back, and takes it again: for an editor, a shell, a suspension.
  virtual void leave() = 0;
  virtual void enter() = 0;
  /// This process is in front: the terminal's keys come to it, and it may draw.
  [[nodiscard]] virtual bool is_ours() const = 0;
  /// What is on the screen is not known any more: all of it is drawn anew.
  virtual void forget() = 0;
};

/// The terminal of this process. Faults: no-terminal.
Expected<std::unique_ptr<Terminal>> open_terminal(bool color);

std::string base64(std::string_view bytes);

}  // namespace baton::tui
