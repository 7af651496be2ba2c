#include "tool/capabilities.h"

#include <unistd.h>

#include <linux/capability.h>
#include <sys/syscall.h>

namespace baton::tool {

bool keep_only_capabilities(std::uint32_t kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, sets) != 0) return false;
  const std::uint32_t left = sets[0].permitted & kept;
  sets[0] = {.effective = left, .permitted = left, .inheritable = 0};
  sets[1] = {};
  return ::syscall(SYS_capset, &header, sets) == 0;
}

}  // namespace baton::tool
