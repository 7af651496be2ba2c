#pragma once

#include <string>
#include <string_view>

namespace baton {

/// Where a program of ours that was installed beside this one is: `NAME` in the folder of the running program.
std::string sibling_program(std::string_view name);

}  // namespace baton
