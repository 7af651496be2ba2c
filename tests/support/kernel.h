#pragma once

/// What this machine's kernel gives, which a container may not pass on.
namespace baton::test {

/// A process may have namespaces of users and of mounts, and mount something in them: without, no command of a model
/// can be confined. Tried out in a child.
bool has_namespaces();

}  // namespace baton::test
