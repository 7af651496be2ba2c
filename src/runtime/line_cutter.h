#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace baton {

/// Cuts a stream of bytes, which arrives in pieces cut anywhere, into lines. Only a line that is not whole yet is
/// copied; one that grows beyond all measure is passed over, so memory stays flat whatever a program prints.
class LineCutter {
 public:
  static constexpr std::size_t line_bytes_max = 16U << 20U;
  /// So many bytes behind a line may be read, whatever they hold: what parsers that read in blocks ask for.
  static constexpr std::size_t padding = 64;

  /// Calls `take(std::string_view line)` for each line that is whole now, without its '\n'.
  template <class Take>
  void cut(std::string_view bytes, Take&& take) {
    while (!bytes.empty()) {
      const void* end = std::memchr(bytes.data(), '\n', bytes.size());
      if (end == nullptr) return keep(bytes);
      const auto size = static_cast<std::size_t>(static_cast<const char*>(end) - bytes.data());
      const std::string_view line = bytes.substr(0, size);
      const bool is_padded = bytes.size() - size > padding;
      bytes.remove_prefix(size + 1);
      if (is_padded && begun_.empty() && !passing_over_) {
        if (size > line_bytes_max) {
          ++passed_over_;
        } else {
          take(line);
        }
      } else {
        keep(line);
        finish(take);
      }
    }
  }

  /// The stream has ended: what has no '\n' is a line too.
  template <class Take>
  void end(Take&& take) {
    if (!begun_.empty() || passing_over_) finish(take);
  }

  /// How many lines were too long.
  [[nodiscard]] std::size_t passed_over() const { return passed_over_; }

 private:
  /// Keeps more of a line that has begun.
  void keep(std::string_view piece);

  template <class Take>
  void finish(Take&& take) {
    if (passing_over_) {
      ++passed_over_;
    } else {
      take(padded());
    }
    forget();
  }

  std::string_view padded();
  void forget();

  std::string begun_;
  bool passing_over_ = false;
  std::size_t passed_over_ = 0;
};

}  // namespace baton
