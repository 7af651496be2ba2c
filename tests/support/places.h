#pragma once

#include <string>

/// Where the project's files are, learned when the test runs: no program holds a path of the machine it was built on.
namespace baton::test {

/// The project's root: $BATON_SOURCE, or the folder above this program that has CMakePresets.json.
const std::string& source_folder();

/// The build this program is of: the folder above the one it lies in.
const std::string& build_folder();

/// A program of ours as this build made it, or as another did: $BATON_PROGRAMS names that one's folder.
std::string program_of_ours(const std::string& name);

}  // namespace baton::test
