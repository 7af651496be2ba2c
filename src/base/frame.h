#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.h"

namespace baton {

/// What the holder and its clients say to each other, and what the holder writes down: a list of strings, of which the
/// first says what it is about.
using Message = std::vector<std::string>;

/// The environment names that mark the processes of an attempt, so that they are found however they forked away. The
/// last one keeps two state folders with equal run ids apart.
inline constexpr std::string_view attempt_marks[] = {"BATON_RUN=", "BATON_STEP=", "BATON_ATTEMPT=", "_BATON_HOLDER="};

/// True if that entry of an environment is one of these.
bool is_attempt_mark(std::string_view entry);

/// A message as bytes on a stream: u32 length of the rest, then each string as u32 length and bytes; little endian.
std::string encode_frame(const Message& message);

struct Decoded {
  enum class Kind { whole, partial, garbage };
  Kind kind = Kind::partial;
  std::size_t size = 0;  ///< bytes the frame took, if it is whole
  Message message = {};
};

/// The first frame of `bytes`. A frame larger than Limits::frame_bytes_max, or whose parts do not add up, is garbage.
Decoded decode_frame(std::string_view bytes);

/// A message as one line of a log: fields escaped and separated by single spaces, then a checksum of all that.
std::string seal_line(const Message& message);

/// What was sealed, or nullopt for a line (given without its newline) that is torn or damaged.
std::optional<Message> open_line(std::string_view line);

/// A list inside a message: how many, then each.
void put_list(Message& message, const std::vector<std::string>& items);

/// Takes a message apart from front to back. What is missing or not a number makes it bad, once and for all.
class MessageReader {
 public:
  explicit MessageReader(const Message& message, std::size_t start = 0) : message_(message), next_(start) {}

  std::string text();
  std::vector<std::string> list();
  bool flag() { return number<int>() != 0; }

  template <class T>
  T number() {
    const auto value = parse_whole<T>(text());
    if (!value) bad_ = true;
    return value.value_or(T{});
  }

  /// As number(), with "-" for none.
  template <class T>
  std::optional<T> maybe_number() {
    if (next_ < message_.size() && message_[next_] == "-") {
      ++next_;
      return std::nullopt;
    }
    return number<T>();
  }

  bool bad() const { return bad_; }
  /// Nothing was bad and nothing is left over.
  bool done() const { return !bad_ && next_ == message_.size(); }

 private:
  const Message& message_;
  std::size_t next_;
  bool bad_ = false;
};

}  // namespace baton
