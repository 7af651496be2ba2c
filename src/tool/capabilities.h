#pragma once

#include <cstdint>

namespace baton::tool {

/// Of what a root may do beyond others, this process keeps these at most (bits by the kernel's CAP_ numbers, of the
/// first 32). With `no_new_privs` a program that it turns into gets no more either. False: the system refuses.
bool keep_only_capabilities(std::uint32_t kept);

}  // namespace baton::tool
