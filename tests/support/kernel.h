#pragma once

#include <optional>
#include <string>
#include <vector>

/// What this machine's kernel gives, which a container may not pass on.
namespace baton::test {

/// A model's commands can be confined: a process may have namespaces of users and of mounts and mount something in them
/// (tried out in a child), and there is Landlock.
bool can_confine_commands();
bool has_landlock();

/// Words before a command that may mount something then, in a namespace of its own; none if nothing can be mounted
/// here.
std::string may_mount();

/// Words before a command that finds no user namespaces then: none where the system has none anyway, no value where
/// there is no way to take them away.
std::optional<std::vector<std::string>> without_user_namespaces();

}  // namespace baton::test
