#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"

namespace baton {
namespace {

constexpr char32_t replacement = 0xFFFD;

constexpr std::string_view replacement_utf8 = "\xEF\xBF\xBD";

// C0, DEL and C1 drive terminals; the bidirectional marks reorder what a reader sees.
bool drives_a_terminal(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/// How many bytes at the beginning stand for themselves in a JSON text: nearly all of any text, so taken in one piece.
std::size_t plain_run(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
}

}  // namespace

std::string json_quote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  out += '"';
  while (!text.empty()) {
    if (const std::size_t plain = plain_run(text); plain > 0) {
      out += text.substr(0, plain);
      text.remove_prefix(plain);
      continue;
    }
    const auto [code, size] = utf8_shown(text);
    if (code == '"' || code == '\\') {
      out += '\\';
      out += static_cast<char>(code);
    } else if (code == '\n') {
      out += "\\n";
    } else if (code == '\t') {
      out += "\\t";
    } else if (code == '\r') {
      out += "\\r";
    } else if (code < 0x20 || code == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else if (code == replacement) {
      out += replacement_utf8;
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  out += '"';
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, size] = utf8_shown(text);
    if (drives_a_terminal(code)) {
      out += code < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(code))
                          : fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else if (code == replacement) {
      out += replacement_utf8;
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t word_size_max = 64;
  if (word.size() > word_size_max) return {};
  std::string best;
  std::size_t best_distance = word.size() / 3 + 2;
  for (const std::string& candidate : known) {
    if (candidate.size() > word_size_max) continue;
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t changed = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string slug(std::string_view text, std::size_t size_max) {
  std::string out;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (plain) {
      out += lower;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  if (out.size() > size_max) out.resize(size_max);
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return out;
}

bool is_one_of(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string shorten(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string{text};
  return std::string{whole_front(text, bytes_max > 3 ? bytes_max - 3 : 0)} + "…";
}

bool is_id(std::string_view text) {
  constexpr std::size_t id_size_max = 128;
  if (text.empty() || text.size() > id_size_max) return false;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (!is_word(text.front())) return false;
  return std::ranges::all_of(text, [&](char c) { return is_word(c) || c == '.' || c == '-' || c == ':'; });
}

}  // namespace baton
