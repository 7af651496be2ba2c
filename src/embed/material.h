#pragma once

#include "baton/baton.h"
#include "dialect/workspace/squads.h"
#include "dialect/workspace/task.h"
#include "io/folder.h"

namespace baton::embed {

/// A task of a file, as the library's users know it.
Task public_task(const workspace::Task& task);

/// Which squad each skill belongs to: the workspace's `skills.yaml`, else the project's in `.agents/`, else the folders
/// that are there and those everybody knows.
workspace::SquadsRead squads_of(const Folder& folder, const std::string& project_root);

/// What went wrong with a task.
ExecutionError error_of(ExecutionErrorCode code, std::string message, const std::string& task);

}  // namespace baton::embed
