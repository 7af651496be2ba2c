#include "text/fault_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

#include "base/limits.h"

namespace baton {
namespace {

constexpr std::size_t gathered_max = 2'000;  // before sorting: a file of nothing but faults must not fill the memory

/// In the order of places; those of one place stay as they came. (std::stable_sort uses what clang calls deprecated.)
void sort_by_place(Faults& faults) {
  std::vector<std::size_t> order(faults.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {},
                    [&](std::size_t i) { return std::tuple{faults[i].place.line, faults[i].place.column, i}; });
  Faults sorted;
  sorted.reserve(faults.size());
  for (const std::size_t i : order) sorted.push_back(std::move(faults[i]));
  faults = std::move(sorted);
}

}  // namespace

bool FaultList::is_full() const { return faults_.size() >= gathered_max; }

bool FaultList::deserves_hint() const { return faults_.size() < Limits::faults_max; }

void FaultList::error(std::string code, Spot spot, std::string message, std::string help) {
  if (is_full() || was_said(code, spot, message)) return;
  faults_.push_back({std::move(code), std::move(message), std::move(help), {file_, spot.line, spot.column}});
}

void FaultList::warning(std::string code, Spot spot, std::string message, std::string help) {
  const std::size_t before = faults_.size();
  error(std::move(code), spot, std::move(message), std::move(help));
  if (faults_.size() > before) faults_.back().severity = Severity::warning;
}

bool FaultList::was_said(const std::string& code, Spot spot, const std::string& message) {
  return !said_.insert(fmt::format("{}:{} {} {}", spot.line, spot.column, code, message)).second;
}

void FaultList::add(Faults faults) { std::ranges::move(faults, std::back_inserter(faults_)); }

Faults FaultList::take() {
  sort_by_place(faults_);
  if (faults_.size() > Limits::faults_max) {
    Faults kept;
    for (const Severity severity : {Severity::error, Severity::warning}) {
      for (Fault& fault : faults_) {
        if (kept.size() < Limits::faults_max && fault.severity == severity) kept.push_back(std::move(fault));
      }
    }
    sort_by_place(kept);
    faults_ = std::move(kept);
  }
  return std::move(faults_);
}

}  // namespace baton
