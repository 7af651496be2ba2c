#pragma once

#include <gtest/gtest.h>

#include <string>

/// A test that needs another world than this process has (a mount, no namespaces, a variable from the start on) starts
/// itself once more in one.
namespace baton::test {

/// Shell words that start the running test once more, alone. For the command of passes_again().
std::string this_test_again();

/// Runs the command in a shell. Success: the test ran in it, once, was not skipped and passed.
testing::AssertionResult passes_again(const std::string& command);

}  // namespace baton::test
