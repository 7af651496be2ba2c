#include "cli/workspace/workspace_budget.h"

#include <cmath>

#include "core/shares.h"
#include "journal/shares.h"

namespace baton::cli {

Expected<workspace::BudgetLevel> month_level(const Project& project, const Config& config, Time now) {
  const auto dollars = config.number("workspace.budget_usd");
  if (!dollars) return workspace::BudgetLevel::normal;
  const auto total = static_cast<std::int64_t>(std::llround(*dollars * 1e9));
  const auto journal = project.journal_to_read();
  if (!journal && journal.error().code == "journal-missing") return workspace::budget_level(0, total);
  if (!journal) return std::unexpected(journal.error());
  const auto spent = (*journal)->shares().spent_since(month_of(now).from);
  if (!spent) return std::unexpected(spent.error());
  return workspace::budget_level(spent->nano_usd, total);
}

}  // namespace baton::cli
