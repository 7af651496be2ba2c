#include "view/top/key.h"

#include <array>
#include <utility>

#include "base/utf8.h"

namespace baton::top {
namespace {

using enum Key::Kind;

constexpr std::string_view paste_begin = "\x1b[200~";
constexpr std::string_view paste_end = "\x1b[201~";
constexpr std::size_t paste_bytes_max = 1U << 20U;
constexpr std::size_t sequence_bytes_max = 64;

struct Known {
  std::string_view bytes;  ///< after the escape
  Key::Kind kind;
};
/// As terminals send them, in both of their modes.
constexpr auto known = std::to_array<Known>({
    {"[A", up},   {"OA", up},   {"[B", down},   {"OB", down},     {"[C", right},      {"OC", right},    {"[D", left},
    {"OD", left}, {"[H", home}, {"OH", home},   {"[1~", home},    {"[7~", home},      {"[F", end},      {"OF", end},
    {"[4~", end}, {"[8~", end}, {"[3~", erase}, {"[5~", page_up}, {"[6~", page_down}, {"[Z", back_tab}, {"OM", enter},
});

/// Where a sequence that begins with CSI ends, one past its last byte; 0: it has not ended yet.
std::size_t csi_end(std::string_view text) {
  for (std::size_t i = 2; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x40 && c <= 0x7E) return i + 1;
    if (c < 0x20 || c > 0x7E) return i;  // it was none
  }
  return text.size() > sequence_bytes_max ? text.size() : 0;
}

int number(std::string_view& text) {
  int n = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    if (n < 100'000) n = n * 10 + (text[0] - '0');
    text.remove_prefix(1);
  }
  if (!text.empty() && text[0] == ';') text.remove_prefix(1);
  return n;
}

}  // namespace

/// ESC [ < BUTTON ; COLUMN ; ROW and M (pressed) or m (let go).
std::size_t KeyReader::take_mouse(std::size_t end, std::vector<Key>& out) {
  std::string_view body{rest_};
  const bool pressed = body[end - 1] == 'M';
  body = body.substr(3, end - 4);
  const int button = number(body);
  const int column = number(body);
  const int row = number(body);
  const Point at{column - 1, row - 1};
  constexpr int moved = 32;
  constexpr int wheel = 64;
  if ((button & wheel) != 0) {
    out.push_back({(button & 1) == 0 ? wheel_up : wheel_down, {}, at});
  } else if (pressed && (button & moved) == 0 && (button & 3) == 0) {
    out.push_back({click, {}, at});
  }
  return end;
}

std::size_t KeyReader::take_sequence(std::vector<Key>& out) {
  const std::string_view text{rest_};
  if (text.size() < 2) return 0;
  if (text[1] == '\x1b') return out.push_back({escape}), 1;
  if (text[1] == 'O') {
    if (text.size() < 3) return 0;
    for (const Known& k : known) {
      if (text.substr(1, 2) == k.bytes) return out.push_back({k.kind}), 3;
    }
    return 3;
  }
  if (text[1] != '[') return out.push_back({escape}), 1;  // Alt and a key: the two of them
  const std::size_t end = csi_end(text);
  if (end == 0) return 0;
  if (text.substr(0, end) == paste_begin) {
    pasting_ = true;
    pasted_.clear();
    return end;
  }
  if (text.size() > 2 && text[2] == '<') return take_mouse(end, out);
  for (const Known& k : known) {
    if (text.substr(1, end - 1) == k.bytes) return out.push_back({k.kind}), end;
  }
  // With Shift, Ctrl or Alt held: the key itself.
  const std::size_t semicolon = text.substr(0, end).find(';');
  if (semicolon != std::string_view::npos && end > semicolon + 1) {
    std::string bare = std::string{text.substr(1, semicolon - 1)} + text[end - 1];
    if (bare.size() == 3 && bare[1] == '1' && bare[2] != '~') bare.erase(1, 1);
    for (const Known& k : known) {
      if (bare == k.bytes) return out.push_back({k.kind}), end;
    }
  }
  return end;
}

std::size_t KeyReader::take_control(unsigned char c, std::vector<Key>& out) {
  if (c == '\r' || c == '\n') {
    out.push_back({enter});
  } else if (c == '\t') {
    out.push_back({tab});
  } else if (c == 0x7F || c == 0x08) {
    out.push_back({backspace});
  } else if (c > 0 && c <= 26) {
    out.push_back({control, std::string(1, static_cast<char>('a' + c - 1))});
  }
  return 1;
}

std::size_t KeyReader::take(std::vector<Key>& out) {
  if (pasting_) {
    const std::size_t end = rest_.find(paste_end);
    // The end may be half here: as much as could be its beginning stays.
    const std::size_t sure = end != std::string::npos           ? end
                             : rest_.size() >= paste_end.size() ? rest_.size() - paste_end.size() + 1
                                                                : 0;
    if (pasted_.size() < paste_bytes_max) pasted_.append(rest_, 0, sure);
    if (end == std::string::npos) return sure;
    pasting_ = false;
    out.push_back({paste, std::exchange(pasted_, {})});
    return end + paste_end.size();
  }
  const auto c = static_cast<unsigned char>(rest_[0]);
  if (c == 0x1B) return take_sequence(out);
  if (c < 0x20 || c == 0x7F) return take_control(c, out);
  if (c >= 0x80) {
    const std::size_t wanted = c >= 0xF0 ? 4U : c >= 0xE0 ? 3U : c >= 0xC0 ? 2U : 1U;
    if (rest_.size() < wanted) return 0;
    const Utf8Character p = utf8_shown(rest_);
    if (p.size > 1 && (p.code >= 0xA0)) out.push_back({letter, rest_.substr(0, p.size)});
    return p.size;
  }
  out.push_back({letter, rest_.substr(0, 1)});
  return 1;
}

std::vector<Key> KeyReader::read(std::string_view bytes) {
  rest_ += bytes;
  std::vector<Key> keys;
  while (!rest_.empty()) {
    const std::size_t taken = take(keys);
    if (taken == 0) break;
    rest_.erase(0, taken);
  }
  return keys;
}

std::vector<Key> KeyReader::pause() {
  std::vector<Key> keys;
  if (pasting_ || rest_.empty()) return keys;
  if (rest_[0] == '\x1b') {
    keys.push_back({escape});
    rest_.erase(0, 1);
    // What came with it, as typed.
    const std::string more = std::exchange(rest_, {});
    const std::vector<Key> others = read(more);
    keys.insert(keys.end(), others.begin(), others.end());
  } else {
    rest_.clear();  // half a character: nobody types that
  }
  return keys;
}

}  // namespace baton::top
