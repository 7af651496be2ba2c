#include "base/frame.h"

#include <algorithm>

#include "base/hash.h"
#include "base/limits.h"
#include "base/text.h"

namespace baton {
namespace {

constexpr std::size_t u32_size = 4;
constexpr std::size_t checksum_size = 16;

void put_u32(std::string& out, std::size_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xFFU);
}

std::size_t get_u32(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < u32_size; ++i) value |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

constexpr std::string_view hex_digits = "0123456789abcdef";

void escape(std::string& out, std::string_view field) {
  for (const char c : field) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte != 0x7F && c != '%') {
      out += c;
    } else {
      out += '%';
      out += hex_digits[byte >> 4U];
      out += hex_digits[byte & 15U];
    }
  }
}

std::optional<std::string> unescape(std::string_view field) {
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '%') {
      out += field[i];
      continue;
    }
    if (i + 2 >= field.size()) return std::nullopt;
    const std::size_t high = hex_digits.find(field[i + 1]);
    const std::size_t low = hex_digits.find(field[i + 2]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace

bool is_attempt_mark(std::string_view entry) {
  return std::ranges::any_of(attempt_marks, [&](std::string_view mark) { return entry.starts_with(mark); });
}

std::string encode_frame(const Message& message) {
  std::size_t size = 0;
  for (const std::string& part : message) size += u32_size + part.size();
  std::string out;
  out.reserve(u32_size + size);
  put_u32(out, size);
  for (const std::string& part : message) {
    put_u32(out, part.size());
    out += part;
  }
  return out;
}

Decoded decode_frame(std::string_view bytes) {
  if (bytes.size() < u32_size) return {};
  const std::size_t size = get_u32(bytes);
  if (size == 0 || size > Limits::frame_bytes_max) return {.kind = Decoded::Kind::garbage};
  if (bytes.size() < u32_size + size) return {};
  Decoded decoded{.kind = Decoded::Kind::whole, .size = u32_size + size};
  std::string_view rest = bytes.substr(u32_size, size);
  while (!rest.empty()) {
    if (rest.size() < u32_size || get_u32(rest) > rest.size() - u32_size) return {.kind = Decoded::Kind::garbage};
    const std::size_t part = get_u32(rest);
    decoded.message.emplace_back(rest.substr(u32_size, part));
    rest.remove_prefix(u32_size + part);
  }
  return decoded;
}

std::string seal_line(const Message& message) {
  std::string line;
  for (const std::string& field : message) {
    escape(line, field);
    line += ' ';
  }
  line += hex(hash64(line));
  line += '\n';
  return line;
}

std::optional<Message> open_line(std::string_view line) {
  if (line.size() <= checksum_size) return std::nullopt;
  const std::string_view sealed = line.substr(0, line.size() - checksum_size);
  if (sealed.back() != ' ' || hex(hash64(sealed)) != line.substr(sealed.size())) return std::nullopt;
  Message message;
  for (const std::string_view field : split(sealed.substr(0, sealed.size() - 1), ' ')) {
    auto plain = unescape(field);
    if (!plain) return std::nullopt;
    message.push_back(std::move(*plain));
  }
  return message;
}

void put_list(Message& message, const std::vector<std::string>& items) {
  message.push_back(std::to_string(items.size()));
  message.insert(message.end(), items.begin(), items.end());
}

std::string MessageReader::text() {
  if (next_ >= message_.size()) {
    bad_ = true;
    return {};
  }
  return message_[next_++];
}

std::vector<std::string> MessageReader::list() {
  const auto count = number<std::size_t>();
  if (bad_ || count > message_.size() - next_) {
    bad_ = true;
    return {};
  }
  const auto first = message_.begin() + static_cast<std::ptrdiff_t>(next_);
  next_ += count;
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace baton
