#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace baton::courier {

/// Makes the head of a response log out of the lines of a response: `baton-http/1 STATUS`, then `name: value` with
/// names in lower case, then an empty line. Interim responses leave nothing.
class ResponseHead {
 public:
  static constexpr std::size_t bytes_max = 64U << 10U;

  /// One line as it came. False if there is more than a head may hold.
  [[nodiscard]] bool take(std::string_view line);
  /// All of it came, of a response that is not interim.
  [[nodiscard]] bool is_whole() const { return whole_; }
  [[nodiscard]] int status() const { return status_; }
  /// As far as it has come, it is of an answer, not of an error or of what is interim.
  [[nodiscard]] bool is_good() const { return status_ >= 200 && status_ < 300; }
  /// REQUIRES: is_whole().
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add(std::string_view line);

  int status_ = 0;
  bool whole_ = false;
  std::string text_;
};

}  // namespace baton::courier
