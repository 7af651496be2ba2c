#pragma once

#include <vector>

#include "view/grid.h"
#include "view/top/document.h"

namespace baton::top {

/// Columns before an entry's text: whether it is folded, where the cursor is.
constexpr int gutter = 2;

/// The entry as rows of at most `width` columns, one at least; folded it has one that says how much more there is.
std::vector<CellLine> entry_rows(const Entry& entry, bool folded, int width);

}  // namespace baton::top
