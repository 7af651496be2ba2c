#include "text/splice.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace baton {

std::string spliced(std::string_view text, std::vector<Splice> splices) {
  std::vector<std::size_t> order(splices.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{splices[i].bytes.begin, i}; });
  std::string out;
  std::size_t done = 0;
  for (const std::size_t i : order) {
    const Splice& s = splices[i];
    out += text.substr(done, s.bytes.begin - done);
    out += s.with;
    done = s.bytes.end;
  }
  out += text.substr(done);
  return out;
}

}  // namespace baton
