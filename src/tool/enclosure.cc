#include "tool/enclosure.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "io/descriptor.h"
#include "tool/capabilities.h"
#include "tool/namespace.h"

namespace baton::tool {
namespace {

// Not in the headers of every system this is built on.
constexpr std::uint64_t access_refer = 1ULL << 13U;
constexpr std::uint64_t access_truncate = 1ULL << 14U;
constexpr std::uint64_t scope_abstract_sockets = 1ULL << 0U;
constexpr std::uint64_t scope_signals = 1ULL << 1U;
struct RulesetAttributes {
  std::uint64_t handled_access_fs = 0;
  std::uint64_t handled_access_net = 0;
  std::uint64_t scoped = 0;
};

constexpr std::uint64_t changes = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                  LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                  LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                  LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

/// A disk that is made anew in the folder would lead out of it.
constexpr std::uint64_t changes_by_devices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

std::string cannot(std::string_view what) { return fmt::format("{}: {}", what, strerrordesc_np(errno)); }

Confinement allow(int rules, const std::string& path, std::uint64_t access) {
  const Descriptor handle = open_file(path, O_PATH);
  if (!handle) return {.wrong = cannot(path)};
  landlock_path_beneath_attr beneath{};
  beneath.allowed_access = access;
  beneath.parent_fd = handle.get();
  const bool is_added = ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
  return is_added ? Confinement{} : Confinement{.lacking = cannot("a rule of Landlock's")};
}

/// What is written to these changes nothing. Others of /dev are disks and terminals.
constexpr std::string_view harmless_devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

Confinement restrict_files(const Enclosure& enclosure) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return {.lacking = cannot("Landlock")};
  const std::uint64_t all = changes | (version >= 2 ? access_refer : 0) | (version >= 3 ? access_truncate : 0);
  RulesetAttributes attributes{.handled_access_fs = all};
  if (version >= 6) attributes.scoped = scope_abstract_sockets | scope_signals;
  const std::size_t size = version >= 6 ? sizeof attributes : sizeof attributes.handled_access_fs;
  const Descriptor rules{static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0))};
  if (!rules) return {.lacking = cannot("Landlock")};
  const std::uint64_t in_folders = all & ~changes_by_devices;
  Confinement allowed = allow(rules.get(), enclosure.folder, in_folders);
  const auto is_good = [&] { return allowed.lacking.empty() && allowed.wrong.empty(); };
  if (is_good() && !enclosure.temporary.empty()) allowed = allow(rules.get(), enclosure.temporary, in_folders);
  for (const std::string_view device : harmless_devices) {
    const std::string path{device};
    if (is_good() && ::access(path.c_str(), F_OK) == 0)
      allowed = allow(rules.get(), path, LANDLOCK_ACCESS_FS_WRITE_FILE);
  }
  if (!is_good()) return allowed;
  const bool is_restricted = ::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0;
  return is_restricted ? Confinement{} : Confinement{.lacking = cannot("Landlock")};
}

#if defined(__x86_64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#endif

/// A Unix socket leads to whoever would do it for the command: the holder, a session's bus, a container's daemon. A
/// pair of datagram sockets can send anywhere, too. The kernel keeps keys of the user's. Another process's limits could
/// let it leave a core with all it knows, or keep it from ending what a command left. Calls of another architecture,
/// and io_uring, would be ways around.
Confinement forbid_ways_around() {
  constexpr auto load = BPF_LD | BPF_W | BPF_ABS;
  constexpr auto equal = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr auto at_least = BPF_JMP | BPF_JGE | BPF_K;
  constexpr auto keep_bits = BPF_ALU | BPF_AND | BPF_K;
  constexpr auto answer = BPF_RET | BPF_K;
  constexpr auto first_word = offsetof(seccomp_data, args);
  constexpr auto second_word = first_word + sizeof(std::uint64_t);
  constexpr std::uint32_t kind_of_socket = 0xF;  // without SOCK_CLOEXEC and the like
  sock_filter steps[] = {
      BPF_STMT(load, offsetof(seccomp_data, arch)),
      BPF_JUMP(equal, own_architecture, 0, 18),
      BPF_STMT(load, offsetof(seccomp_data, nr)),
      BPF_JUMP(at_least, 0x40000000U, 16, 0),
      BPF_JUMP(equal, static_cast<std::uint32_t>(SYS_io_uring_setup), 15, 0),
      BPF_JUMP(equal, static_cast<std::uint32_t>(SYS_add_key), 14, 0),
      BPF_JUMP(equal, static_cast<std::uint32_t>(SYS_request_key), 13, 0),
      BPF_JUMP(equal, static_cast<std::uint32_t>(SYS_keyctl), 12, 0),
      BPF_JUMP(equal, static_cast<std::uint32_t>(SYS_socket), 0, 2),
      BPF_STMT(load, first_word),
      BPF_JUMP(equal, static_cast<std::uint32_t>(AF_UNIX), 10, 8),
      BPF_JUMP(equal, static_cast<std::uint32_t>(SYS_prlimit64), 0, 2),
      BPF_STMT(load, first_word),
      BPF_JUMP(equal, 0, 5, 7),  // its own limits are its own affair
      BPF_JUMP(equal, static_cast<std::uint32_t>(SYS_socketpair), 0, 4),
      BPF_STMT(load, second_word),
      BPF_STMT(keep_bits, kind_of_socket),
      BPF_JUMP(equal, static_cast<std::uint32_t>(SOCK_STREAM), 1, 0),
      BPF_JUMP(equal, static_cast<std::uint32_t>(SOCK_SEQPACKET), 0, 2),
      BPF_STMT(answer, SECCOMP_RET_ALLOW),
      BPF_STMT(answer, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(answer, SECCOMP_RET_ERRNO | EACCES),
  };
  const sock_fprog program{sizeof steps / sizeof steps[0], steps};
  const bool is_set = ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  return is_set ? Confinement{} : Confinement{.lacking = cannot("seccomp")};
}

/// A root reads the memory and the environment of other processes, loads modules and more, whatever Landlock says.
/// Where there is no namespace to be nobody in, it keeps its rights over files: the folder may be another user's.
bool give_up_rights_over_the_system() {
  constexpr std::uint32_t over_files = 1U << CAP_CHOWN | 1U << CAP_DAC_OVERRIDE | 1U << CAP_FOWNER | 1U << CAP_FSETID;
  return keep_only_capabilities(over_files);
}

}  // namespace

Confinement enclose(const Enclosure& enclosure) {
  // The folder first: a command that is not confined works there, too.
  if (::chdir(enclosure.folder.c_str()) != 0) return {.wrong = cannot(enclosure.folder)};
  Confinement all = enter_namespace(enclosure);
  const auto add = [&](Confinement more) {
    if (all.lacking.empty()) all.lacking = std::move(more.lacking);
    if (all.wrong.empty()) all.wrong = std::move(more.wrong);
  };
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) add({.lacking = cannot("privileges")});
  if (!all.lacking.empty() && !give_up_rights_over_the_system()) add({.wrong = cannot("privileges")});
  add(restrict_files(enclosure));
  add(forbid_ways_around());
  return all;
}

}  // namespace baton::tool
