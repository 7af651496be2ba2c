#pragma once

#include <string>
#include <vector>

namespace baton::chain {

/// What a step with this skill is asked to do. The user's task stands above it in the prompt; skills that look back at
/// a change are told that it is there as context only, so that they do not carry it out once more.
std::string mission_of(const std::string& skill);

/// The same for one part of the whole. `text`: what is known of that part besides its name; may be empty.
std::string sub_task_mission(const std::string& skill, const std::string& name, const std::string& text);

/// What a person who looked at the change wants to be different.
std::string revision_mission(const std::string& message);

/// What a person wants in addition.
std::string follow_up_mission(const std::string& task);
/// What a mission of follow_up_mission() was made of; empty for any other.
std::string task_of_follow_up(const std::string& mission);

/// What to do about a merge that stopped. `with`: the branch whose work is being taken in; may be empty.
std::string resolve_mission(const std::vector<std::string>& files, const std::string& with);

}  // namespace baton::chain
