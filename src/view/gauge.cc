#include "view/gauge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace baton {

std::string bar(double fraction, int columns) {
  constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (columns <= 0) return {};
  const double share = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  auto eighths = static_cast<int>(std::lround(share * columns * 8));
  if (share > 0 && eighths == 0) eighths = 1;                          // something is not nothing
  if (share < 1 && eighths == columns * 8) eighths = columns * 8 - 1;  // and almost all is not all
  std::string out;
  int used = 0;
  for (; used < eighths / 8; ++used) out += "█";
  if (eighths % 8 != 0) {
    out += parts.at(static_cast<std::size_t>(eighths % 8));
    ++used;
  }
  for (; used < columns; ++used) out += "░";
  return out;
}

std::string sparkline(const std::vector<int>& values) {
  constexpr std::array<std::string_view, 8> parts{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const int most = values.empty() ? 0 : std::ranges::max(values);
  std::string out;
  for (const int v : values) {
    if (v <= 0 || most <= 0) {
      out += " ";
    } else {
      out += parts.at(static_cast<std::size_t>((v * 8 - 1) / most > 7 ? 7 : (v * 8 - 1) / most));
    }
  }
  return out;
}

std::vector<int> counted_in_parts(const std::vector<long long>& moments, long long from, long long to, int count) {
  std::vector<int> parts(static_cast<std::size_t>(std::max(count, 0)), 0);
  if (to <= from || parts.empty()) return parts;
  for (const long long m : moments) {
    if (m < from || m > to) continue;
    const long long part = std::min<long long>((m - from) * count / (to - from), count - 1);
    ++parts[static_cast<std::size_t>(part)];
  }
  return parts;
}

}  // namespace baton
