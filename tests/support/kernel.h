#pragma once

/// What this machine's kernel gives, which a container may not pass on.
namespace baton::test {

/// A model's commands can be confined: a process may have namespaces of users and of mounts and mount something in them
/// (tried out in a child), and there is Landlock.
bool can_confine_commands();
bool has_landlock();

}  // namespace baton::test
