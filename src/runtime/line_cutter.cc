#include "runtime/line_cutter.h"

#include <algorithm>

namespace baton {
namespace {

// A buffer larger than this is given back once its line is done with.
constexpr std::size_t kept_bytes_max = 1U << 20U;

}  // namespace

void LineCutter::keep(std::string_view piece) {
  if (passing_over_) return;
  if (begun_.size() + piece.size() > line_bytes_max) {
    forget();
    passing_over_ = true;
    return;
  }
  const std::size_t needed = begun_.size() + piece.size() + padding;
  if (begun_.capacity() < needed) begun_.reserve(std::max(needed, 2 * begun_.capacity()));
  begun_ += piece;
}

std::string_view LineCutter::padded() {
  const std::size_t size = begun_.size();
  begun_.append(padding, '\0');
  return std::string_view{begun_}.substr(0, size);
}

void LineCutter::forget() {
  if (begun_.capacity() > kept_bytes_max) {
    begun_ = {};
  } else {
    begun_.clear();
  }
  passing_over_ = false;
}

}  // namespace baton
