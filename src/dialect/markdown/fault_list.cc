#include "dialect/markdown/fault_list.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/limits.h"

namespace baton::markdown {
namespace {

constexpr std::size_t gathered_max = 2'000;  // before sorting: a file of nothing but faults must not fill the memory

bool earlier(const Fault& a, const Fault& b) {
  return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
}

}  // namespace

bool FaultList::is_full() const { return faults_.size() >= gathered_max; }

bool FaultList::deserves_hint() const { return faults_.size() < Limits::faults_max; }

void FaultList::error(std::string code, Spot spot, std::string message, std::string help) {
  if (is_full()) return;
  faults_.push_back({std::move(code), std::move(message), std::move(help), {file_, spot.line, spot.column}});
}

void FaultList::warning(std::string code, Spot spot, std::string message, std::string help) {
  if (is_full()) return;
  error(std::move(code), spot, std::move(message), std::move(help));
  faults_.back().severity = Severity::warning;
}

void FaultList::add(Faults faults) { std::ranges::move(faults, std::back_inserter(faults_)); }

Faults FaultList::take() {
  std::ranges::stable_sort(faults_, earlier);
  if (faults_.size() > Limits::faults_max) {
    std::ranges::stable_partition(faults_, [](const Fault& f) { return f.severity == Severity::error; });
    faults_.resize(Limits::faults_max);
    std::ranges::stable_sort(faults_, earlier);
  }
  return std::move(faults_);
}

}  // namespace baton::markdown
