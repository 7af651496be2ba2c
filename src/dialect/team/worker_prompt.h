#pragma once

#include <string>
#include <vector>

#include "dialect/team/team.h"

namespace baton::team {

/// What a worker is told of a task beside its role's own text.
struct TaskBrief {
  Task task;
  std::vector<std::string> upstream = {};  ///< artifacts of the tasks it needs, from the project's folder
  std::vector<std::string> left_out = {};  ///< tasks it needs that a person left out
  std::vector<std::string> caveats = {};   ///< what others found of those
  bool is_done = false;                    ///< in a loop that is taken up again: its artifact is there
};

struct WorkerBrief {
  std::string session_id;
  std::string session_folder;  ///< from the project's
  std::string team_name;
  std::string requirement;
  Role role;
  TaskBrief task;
  std::vector<TaskBrief> also = {};        ///< further tasks of its inner loop, in order
  std::vector<std::string> requests = {};  ///< gaps of others that this role covers
  std::string failure = {};                ///< why the attempt before this one was not the last
  int attempt = 1;
};

/// The worker's mission: of one task, or (with `also`) of an inner loop. Its role's text comes before it, by itself.
std::string worker_prompt(const WorkerBrief& brief);

}  // namespace baton::team
