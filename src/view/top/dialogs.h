#pragma once

#include "view/top/model.h"

namespace baton::top {

/// What the key of an action begins: the act itself, or a dialog before it.
Acts begin_action(Model& m, char key);

/// A key while a dialog is open.
Acts update_dialog(Model& m, const Key& key);

/// Where a confirmation's two buttons stand, within the dialog's row `confirm_row`.
constexpr int confirm_row = 3;
constexpr int confirm_yes_x = 2, confirm_yes_width = 7;
constexpr int confirm_no_x = 11, confirm_no_width = 6;

/// The rows above the list of workflows, and above the fields of the form.
constexpr int new_run_list_row = 2;

/// The rows of a field of the form, its label included.
int field_rows(const NewRun::Field& field, int dialog_rows);

/// The first workflow, or the first field, that is seen: so that the one somebody is at is seen too.
std::size_t first_workflow_seen(const NewRun& d, int dialog_rows);
std::size_t first_field_seen(const NewRun& d, int dialog_rows);

}  // namespace baton::top
