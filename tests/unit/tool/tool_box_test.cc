#include "tool/tool_box.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "support/again.h"
#include "support/kernel.h"
#include "tool/confined_command.h"
#include "tool/work_folder.h"

namespace baton::tool {
namespace {

namespace fs = std::filesystem;
using api::ToolUse;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* not_here = "this system cannot confine commands";

class ToolBox : public testing::Test {
 protected:
  /// The one result; why there is none, where a command cannot be confined.
  static api::ToolResult first(const api::ToolAnswer& answer) {
    return answer.results.empty() ? api::ToolResult{"", answer.unavailable, true} : answer.results.front();
  }

  ToolBox() {
    std::string pattern = (fs::temp_directory_path() / "baton-tool-XXXXXX").string();
    base_ = ::mkdtemp(pattern.data());
    fs::create_directories(base_ / "work/sub");
    put("work/a.md", "one\ntwo\nthree\n");
    put("work/sub/b.md", "two again\n");
    put("secret", "key\n");
  }
  ~ToolBox() override { fs::remove_all(base_); }

  void put(const fs::path& path, const std::string& text) { std::ofstream{base_ / path} << text; }
  std::string get(const fs::path& path) {
    std::ifstream in{base_ / path};
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  Terms terms() { return {.folder = (base_ / "work").string(), .scratch = (base_ / "scratch").string()}; }
  api::ToolResult use(ToolUse use) {
    use.id = "t";
    return first(use_tools({use}, terms()));
  }
  api::ToolResult read(const std::string& path) { return use({.kind = ToolUse::Kind::read, .path = path}); }
  api::ToolResult write(const std::string& path, const std::string& content) {
    return use({.kind = ToolUse::Kind::write, .path = path, .content = content});
  }
  api::ToolResult run(const std::string& command, std::int64_t seconds = 0) {
    return use({.kind = ToolUse::Kind::run, .command = command, .limit = seconds});
  }

  fs::path base_;
};

TEST_F(ToolBox, files_are_read_whole_or_in_part) {
  EXPECT_EQ(read("a.md").content, "one\ntwo\nthree\n");
  EXPECT_EQ(read((base_ / "work/sub/b.md").string()).content, "two again\n") << "absolute, and beneath";
  EXPECT_EQ(read("sub/../a.md").content, "one\ntwo\nthree\n") << "up and down again stays within";
  EXPECT_EQ(use({.kind = ToolUse::Kind::read, .path = "a.md", .offset = 2, .limit = 1}).content, "two\n");
}

TEST_F(ToolBox, no_path_leads_out) {
  fs::create_symlink(base_ / "secret", base_ / "work/link");
  fs::create_directory_symlink(base_, base_ / "work/up");
  const std::string before = get("secret");
  for (const std::string& path :
       {std::string{"../secret"}, (base_ / "secret").string(), std::string{"sub/../../secret"}, std::string{"link"},
        std::string{"up/secret"}, std::string{"/etc/hostname"}, std::string{"/proc/self/cwd/../secret"},
        (base_ / "work2").string()}) {
    EXPECT_TRUE(read(path).is_error) << path;
    EXPECT_TRUE(write(path, "mine").is_error) << path;
    EXPECT_TRUE(use({.kind = ToolUse::Kind::list, .path = path}).is_error) << path;
  }
  EXPECT_EQ(get("secret"), before);
  EXPECT_FALSE(fs::exists(base_ / "work2"));
}

TEST_F(ToolBox, files_are_written_whole_with_the_folders_they_need) {
  EXPECT_FALSE(write("new/deep/c.md", "text").is_error);
  EXPECT_EQ(get("work/new/deep/c.md"), "text");
  fs::permissions(base_ / "work/a.md", fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(write("./a.md", "").is_error);
  EXPECT_EQ(get("work/a.md"), "");
  EXPECT_EQ(fs::status(base_ / "work/a.md").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(write("sub", "x").is_error) << "a folder";
  EXPECT_TRUE(write("sub/", "x").is_error);
  EXPECT_TRUE(write("sub/..", "x").is_error);
  EXPECT_TRUE(write("a.md/x", "x").is_error) << "a file is no folder";
  for (const auto& entry : fs::recursive_directory_iterator{base_ / "work"}) {
    EXPECT_THAT(entry.path().filename().string(), testing::Not(StartsWith(".baton"))) << "nothing is left beside";
  }
}

TEST_F(ToolBox, lists_and_searches_see_files_and_no_links) {
  fs::create_symlink(base_ / "secret", base_ / "work/link");
  put("work/.hidden", "two");
  EXPECT_EQ(use({.kind = ToolUse::Kind::list}).content, "a.md (14 bytes)\nsub/b.md (10 bytes)\n");
  EXPECT_EQ(use({.kind = ToolUse::Kind::list, .path = "sub"}).content, "sub/b.md (10 bytes)\n");
  EXPECT_EQ(use({.kind = ToolUse::Kind::search, .pattern = "^t[wx]o"}).content, "a.md:2: two\nsub/b.md:1: two again\n");
  EXPECT_EQ(use({.kind = ToolUse::Kind::search, .path = "a.md", .pattern = "key"}).content, "nothing found");
  EXPECT_TRUE(use({.kind = ToolUse::Kind::search, .pattern = "("}).is_error);
}

TEST_F(ToolBox, commands_run_in_the_folder_and_tell_how_they_ended) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  EXPECT_EQ(run("cat a.md; echo no >&2; exit 3").content, "one\ntwo\nthree\nno\n[exit code 3]");
  EXPECT_TRUE(run("exit 3").is_error);
  EXPECT_EQ(run("true").content, "[exit code 0]");
  EXPECT_FALSE(run("true").is_error);
  EXPECT_EQ(run("kill -9 $$").content, "[ended by signal 9]");
  EXPECT_FALSE(fs::exists(base_ / "scratch"));
}

TEST_F(ToolBox, a_command_that_does_not_end_is_ended_with_all_it_started) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  const api::ToolResult result = run("sleep 1000 & echo $! > sub/left; sleep 1000", 1);
  EXPECT_EQ(result.content, "[ended after 1.0s]");
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(::kill(std::stoi(get("work/sub/left")), 0), -1);
}

TEST_F(ToolBox, commands_change_no_limits_of_others) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  EXPECT_FALSE(run("prlimit --core=0 true && ulimit -n 20").is_error) << "its own are its own affair";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(run("prlimit --pid $PPID --nofile=20").is_error);
  rlimit after{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(before.rlim_cur, after.rlim_cur);
}

TEST_F(ToolBox, nothing_that_a_command_started_outlives_it) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  // It leaves the session, heeds no signal that can be ignored, and has no parent.
  run("(setsid sh -c 'trap \"\" TERM HUP; echo $$ > sub/left; while :; do sleep 1000; done' &); "
      "while [ ! -s sub/left ]; do :; done");
  const pid_t left = std::stoi(get("work/sub/left"));
  EXPECT_EQ(::kill(left, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(ToolBox, commands_write_to_no_terminal) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  const Descriptor terminal{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  ASSERT_TRUE(terminal);
  ASSERT_EQ(::grantpt(terminal.get()), 0);
  ASSERT_EQ(::unlockpt(terminal.get()), 0);
  const std::string name = ::ptsname(terminal.get());
  EXPECT_THAT(run("echo x >> " + name + " || echo closed").content, testing::EndsWith("closed\n[exit code 0]"));
}

TEST_F(ToolBox, commands_read_no_key_of_the_kernels) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "this test needs python3";
  const auto call = [&](long number) {
    return run(fmt::format("python3 -c 'import ctypes; libc = ctypes.CDLL(None, use_errno=True)\n"
                           "print(libc.syscall({}, 0, -3, 0), ctypes.get_errno())'",
                           number))
        .content;
  };
  const std::string not_there = fmt::format("-1 {}\n[exit code 0]", ENOSYS);
  EXPECT_EQ(call(SYS_keyctl), not_there);
  EXPECT_EQ(call(SYS_add_key), not_there);
  EXPECT_EQ(call(SYS_request_key), not_there);
}

TEST_F(ToolBox, a_command_that_is_forbidden_is_not_run) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  Terms strict = terms();
  strict.forbids = [](std::string_view command) {
    return command.find("rm") == std::string_view::npos ? std::nullopt : std::optional<std::string>{"no"};
  };
  const auto results = use_tools({{.id = "a", .kind = ToolUse::Kind::run, .command = "rm a.md"},
                                  {.id = "b", .kind = ToolUse::Kind::run, .command = "echo hi"}},
                                 strict)
                           .results;
  EXPECT_EQ(results.at(0).content, "no");
  EXPECT_TRUE(results.at(0).is_error);
  EXPECT_EQ(results.at(1).content, "hi\n[exit code 0]");
  EXPECT_TRUE(fs::exists(base_ / "work/a.md"));
}

TEST_F(ToolBox, commands_change_nothing_outside) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  EXPECT_TRUE(run("echo x > ../secret").is_error);
  EXPECT_TRUE(run("rm -f ../secret; mkdir ../new; mv a.md ../").is_error);
  EXPECT_TRUE(run("echo x > " + (fs::temp_directory_path() / "baton-tool-elsewhere").string()).is_error);
  EXPECT_FALSE(run("echo x > sub/here && mv sub/here sub/there && echo y > /dev/null").is_error);
  EXPECT_EQ(get("secret"), "key\n");
  EXPECT_FALSE(fs::exists(base_ / "new"));
  EXPECT_TRUE(fs::exists(base_ / "work/a.md"));
  EXPECT_EQ(get("work/sub/there"), "x\n");
}

TEST_F(ToolBox, commands_have_a_folder_for_what_passes) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  fs::create_directory(base_ / "tmp");
  Terms own = terms();
  own.temporary = (base_ / "tmp").string();
  const auto result =
      first(use_tools({{.id = "t", .kind = ToolUse::Kind::run, .command = "echo $TMPDIR; echo x > $TMPDIR/f"}}, own));
  EXPECT_EQ(result.content, own.temporary + "\n[exit code 0]");
  EXPECT_EQ(get("tmp/f"), "x\n");
}

TEST_F(ToolBox, commands_find_no_key_in_their_environment) {
  EXPECT_THAT(command_environment({"PATH=/bin", "ANTHROPIC_API_KEY=canary", "LC_ALL=C", "BATON_STEP=a", "MY_TOKEN=t",
                                   "https_proxy=http://u:pw@p", "BATON_CALLBACK=x", "TMPDIR=/tmp"},
                                  "/own"),
              testing::ElementsAre("PATH=/bin", "LC_ALL=C", "BATON_STEP=a", "TMPDIR=/own"));
}

/// Ours is what the process was started with: the test starts itself once more, with a key.
TEST_F(ToolBox, commands_cannot_read_the_environment_of_others) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  if (::getenv("BATON_TEST_CANARY") == nullptr) {
    EXPECT_TRUE(test::passes_again("export BATON_TEST_CANARY=sk-canary; " + test::this_test_again()));
    return;
  }
  std::ifstream ours{"/proc/self/environ"};
  std::stringstream text;
  text << ours.rdbuf();
  ASSERT_THAT(text.str(), HasSubstr("sk-canary"));
  EXPECT_THAT(run("env; cat /proc/*/environ | tr '\\0' '\\n'").content, testing::Not(HasSubstr("sk-canary")));
  EXPECT_TRUE(run("cat /proc/$PPID/environ").is_error);
}

TEST_F(ToolBox, commands_open_no_unix_socket) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "this test needs python3";
  EXPECT_THAT(run("python3 -c 'import socket; socket.socket(socket.AF_UNIX)'").content, HasSubstr("PermissionError"));
  EXPECT_EQ(run("python3 -c 'import socket; socket.socketpair(); socket.socket(socket.AF_INET)'").content,
            "[exit code 0]");
  EXPECT_THAT(run("python3 -c 'import socket; socket.socketpair(type=socket.SOCK_DGRAM)'").content,
              HasSubstr("PermissionError"))
      << "one end could send to any socket";
}

/// Where the system allows namespaces, the test starts itself once more in one that allows none beneath it.
TEST_F(ToolBox, where_the_system_cannot_confine_a_command_none_is_run_unless_that_is_allowed) {
  if (::getenv("BATON_TEST_CANARY") == nullptr) {
    const auto under = test::without_user_namespaces();
    if (!under) GTEST_SKIP() << "there are user namespaces here, and /proc/sys cannot be written to";
    std::string again = "export BATON_TEST_CANARY=sk-canary; ";
    for (const std::string& word : *under) again += "'" + word + "' ";
    EXPECT_TRUE(test::passes_again(again + test::this_test_again()));
    return;
  }
  const std::vector<ToolUse> uses = {{.id = "a", .kind = ToolUse::Kind::read, .path = "a.md"},
                                     {.id = "b",
                                      .kind = ToolUse::Kind::run,
                                      .command = "cat ../secret; touch sub/ran; touch ../ran; cat /proc/$PPID/environ"},
                                     {.id = "c", .kind = ToolUse::Kind::read, .path = "a.md"}};
  const api::ToolAnswer refused = use_tools(uses, terms());
  EXPECT_THAT(refused.unavailable, HasSubstr("cannot confine a model's commands"));
  EXPECT_EQ(refused.results.size(), 1U) << "nothing more is carried out";
  EXPECT_FALSE(fs::exists(base_ / "work/sub/ran"));

  Terms open = terms();
  open.unconfined = true;
  const api::ToolAnswer allowed = use_tools(uses, open);
  EXPECT_EQ(allowed.unavailable, "");
  ASSERT_EQ(allowed.results.size(), 3U);
  EXPECT_THAT(allowed.results[1].content, HasSubstr("key\n"));
  EXPECT_TRUE(fs::exists(base_ / "work/sub/ran"));
  if (!test::has_landlock()) return;
  // What the system does give holds all the same.
  EXPECT_FALSE(fs::exists(base_ / "ran"));
  EXPECT_THAT(allowed.results[1].content, testing::Not(HasSubstr("sk-canary")));
}

/// From now on a system call says that it is not there; with `first`, just where that is its first argument.
void take_away(std::uint32_t call, std::optional<std::uint32_t> first) {
  constexpr auto load = BPF_LD | BPF_W | BPF_ABS;
  constexpr auto equal = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr auto answer = BPF_RET | BPF_K;
  sock_filter steps[] = {
      BPF_STMT(load, offsetof(seccomp_data, nr)),
      BPF_JUMP(equal, call, 0, 3),
      BPF_STMT(load, offsetof(seccomp_data, args)),
      BPF_JUMP(equal, first.value_or(0), 0, static_cast<std::uint8_t>(first ? 1 : 0)),
      BPF_STMT(answer, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(answer, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof steps / sizeof steps[0], steps};
  ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), 0);
}

/// Each part of the confinement is taken away in a process of its own.
TEST_F(ToolBox, where_one_part_is_lacking_no_command_is_run) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  const char* lacking = ::getenv("BATON_TEST_LACKING");
  if (lacking == nullptr) {
    for (const std::string part : {"Landlock", "seccomp"}) {
      EXPECT_TRUE(test::passes_again("export BATON_TEST_LACKING=" + part + "; " + test::this_test_again()));
    }
    return;
  }
  if (std::string_view{lacking} == "Landlock") take_away(SYS_landlock_create_ruleset, std::nullopt);
  if (std::string_view{lacking} == "seccomp") take_away(SYS_prctl, PR_SET_SECCOMP);
  const std::vector<ToolUse> uses = {{.id = "a", .kind = ToolUse::Kind::run, .command = "touch sub/ran; touch ../ran"}};
  EXPECT_THAT(use_tools(uses, terms()).unavailable, HasSubstr(lacking));
  EXPECT_FALSE(fs::exists(base_ / "work/sub/ran"));
  Terms open = terms();
  open.unconfined = true;
  EXPECT_EQ(use_tools(uses, open).unavailable, "");
  EXPECT_TRUE(fs::exists(base_ / "work/sub/ran"));
  EXPECT_FALSE(fs::exists(base_ / "ran")) << "the other parts hold all the same";
}

/// A project with a repository and with the state folder in it.
class ClosedPlaces : public ToolBox {
 protected:
  ClosedPlaces() {
    fs::create_directories(base_ / "work/.git/hooks");
    fs::create_directories(base_ / "work/sub/.git");
    fs::create_directories(base_ / "work/.baton/runs/r");
    put("work/.baton/baton.db", "journal");
    put("work/.git/config", "[core]");
    fs::create_directory_symlink(".baton", base_ / "work/way");
    fs::create_directory_symlink(".git", base_ / "work/other");
  }
  api::ToolResult use_closed(ToolUse use) {
    Terms t = terms();
    t.state = (base_ / "work/.baton").string();
    use.id = "t";
    return first(use_tools({use}, t));
  }
};

TEST_F(ClosedPlaces, file_tools_do_not_touch_them) {
  for (const std::string path :
       {".git/hooks/post-checkout", ".git/config", "sub/.git/config", ".baton/evil", ".baton/runs/x/../../holder.log",
        ".baton/baton.db", "way/baton.db", "other/config", "sub/../.git/new/deep", "way/new/deep", ".git"}) {
    EXPECT_TRUE(use_closed({.kind = ToolUse::Kind::write, .path = path, .content = "mine"}).is_error) << path;
    EXPECT_TRUE(use_closed({.kind = ToolUse::Kind::read, .path = path}).is_error) << path;
    EXPECT_TRUE(use_closed({.kind = ToolUse::Kind::list, .path = path}).is_error) << path;
  }
  EXPECT_EQ(get("work/.baton/baton.db"), "journal");
  EXPECT_FALSE(fs::exists(base_ / "work/.baton/evil"));
  EXPECT_FALSE(fs::exists(base_ / "work/.git/new"));
  EXPECT_FALSE(fs::exists(base_ / "work/.git/hooks/post-checkout"));
  EXPECT_FALSE(use_closed({.kind = ToolUse::Kind::write, .path = ".gitignore", .content = "x"}).is_error);
  EXPECT_FALSE(use_closed({.kind = ToolUse::Kind::write, .path = ".batons/x", .content = "x"}).is_error);
}

TEST_F(ClosedPlaces, commands_do_not_change_them) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  const auto run = [&](const std::string& line) { return use_closed({.kind = ToolUse::Kind::run, .command = line}); };
  for (const std::string line :
       {"echo x > .git/hooks/post-checkout", "echo x > other/config", "echo x > .baton/evil", "mv .git elsewhere",
        "rm .baton/baton.db", "mv .baton elsewhere", "umount .git", "umount -l .baton"}) {
    EXPECT_TRUE(run(line).is_error) << line;
  }
  EXPECT_EQ(get("work/.git/config"), "[core]");
  EXPECT_EQ(get("work/.baton/baton.db"), "journal");
  EXPECT_FALSE(fs::exists(base_ / "work/.git/hooks/post-checkout"));
}

/// Calls of the kernel's that no program of the shell makes; 442 and 428 everywhere. A root's command would be let.
TEST_F(ClosedPlaces, commands_do_not_undo_what_closes_them) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "this test needs python3";
  const auto call = [&](const std::string& words) {
    return use_closed({.kind = ToolUse::Kind::run,
                       .command = "python3 -c 'import ctypes, sys; call = ctypes.CDLL(None, use_errno=True).syscall\n"
                                  "attributes = (ctypes.c_uint64 * 4)(0, 1)\n"
                                  "sys.exit(call(" +
                                  words + ") >= 0)'"})
        .content;
  };
  EXPECT_EQ(call(R"(442, -100, b".git", 0, attributes, 32)"), "[exit code 0]") << "mount_setattr: to be written again";
  EXPECT_EQ(call(R"(428, -100, b".", 1)"), "[exit code 0]") << "open_tree: as it is below what is mounted on it";
  EXPECT_EQ(use_closed({.kind = ToolUse::Kind::run, .command = "grep 'Cap[EP]' /proc/self/status"}).content,
            "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n[exit code 0]");
}

TEST_F(ClosedPlaces, in_a_namespace_commands_make_files_and_see_no_state) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  const auto run = [&](const std::string& line) { return use_closed({.kind = ToolUse::Kind::run, .command = line}); };
  EXPECT_EQ(run("echo x > new && mkdir more && cat .git/config").content, "[core]\n[exit code 0]");
  EXPECT_EQ(get("work/new"), "x\n");
  EXPECT_TRUE(run("cat .baton/baton.db").is_error);
  const auto before = fs::status(base_ / "secret").permissions();
  EXPECT_TRUE(run("chmod 777 ../secret").is_error);
  EXPECT_EQ(fs::status(base_ / "secret").permissions(), before);
}

TEST_F(ClosedPlaces, settings_are_read_and_not_written) {
  put("work/baton.toml", "[limits]\n");
  put("work/sub/agtop.toml", "old");
  for (const std::string path : {"baton.toml", "agtop.toml", "sub/agtop.toml", "sub/baton.toml", "Baton.TOML",
                                 "sub/../baton.toml", "agtop.toml/x", "new/agtop.toml/x"}) {
    const auto result = use_closed({.kind = ToolUse::Kind::write, .path = path, .content = "mine"});
    EXPECT_TRUE(result.is_error) << path;
    EXPECT_THAT(result.content, HasSubstr("holds settings of Baton's")) << path;
  }
  EXPECT_EQ(use_closed({.kind = ToolUse::Kind::read, .path = "baton.toml"}).content, "[limits]\n");
  EXPECT_EQ(get("work/sub/agtop.toml"), "old");
  EXPECT_FALSE(fs::exists(base_ / "work/agtop.toml"));
  EXPECT_FALSE(fs::exists(base_ / "work/new"));
  EXPECT_FALSE(use_closed({.kind = ToolUse::Kind::write, .path = "my-baton.toml", .content = "x"}).is_error);
}

TEST_F(ClosedPlaces, commands_do_not_change_settings) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  put("work/baton.toml", "[limits]\n");
  const auto run = [&](const std::string& line) { return use_closed({.kind = ToolUse::Kind::run, .command = line}); };
  for (const std::string line : {"echo x > baton.toml", "rm baton.toml", "echo x > y && mv y baton.toml",
                                 "mv baton.toml elsewhere", "umount baton.toml && echo x > baton.toml"}) {
    EXPECT_TRUE(run(line).is_error) << line;
    EXPECT_EQ(get("work/baton.toml"), "[limits]\n") << line;
  }
  EXPECT_EQ(run("cat baton.toml").content, "[limits]\n[exit code 0]");
}

TEST_F(ClosedPlaces, settings_that_a_command_made_are_put_aside) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  const auto run = [&](const std::string& line) { return use_closed({.kind = ToolUse::Kind::run, .command = line}); };
  for (const std::string line : {"echo x > baton.toml", "mkdir baton.toml", "ln -s a.md baton.toml"}) {
    const auto result = run(line);
    EXPECT_FALSE(fs::exists(fs::symlink_status(base_ / "work/baton.toml"))) << line;
    EXPECT_FALSE(result.is_error) << result.content;
    EXPECT_THAT(result.content, HasSubstr("baton.toml is closed to tools")) << line;
    fs::remove_all(base_ / "work/baton.toml.put-aside");
  }
}

TEST_F(ClosedPlaces, a_link_to_settings_is_not_exchanged) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  put("work/own.toml", "[limits]\n");
  fs::create_symlink("own.toml", base_ / "work/baton.toml");
  for (const bool unconfined : {false, true}) {
    Terms t = terms();
    t.unconfined = unconfined;
    const api::ToolAnswer answer = use_tools({{.id = "t", .kind = ToolUse::Kind::run, .command = "rm baton.toml"}}, t);
    EXPECT_EQ(answer.unavailable, "") << "it is not the system that is to blame";
    ASSERT_EQ(answer.results.size(), 1U);
    EXPECT_TRUE(answer.results[0].is_error);
    EXPECT_THAT(answer.results[0].content, HasSubstr("baton.toml is a link"));
  }
  EXPECT_TRUE(fs::is_symlink(base_ / "work/baton.toml"));
}

/// A run's own tree lies in the state folder.
TEST_F(ClosedPlaces, a_tree_in_the_state_folder_is_open) {
  if (!test::can_confine_commands()) GTEST_SKIP() << not_here;
  fs::create_directories(base_ / "state/trees/r");
  put("state/baton.db", "journal");
  const Terms t{.folder = (base_ / "state/trees/r").string(),
                .scratch = (base_ / "scratch").string(),
                .state = (base_ / "state").string()};
  const auto results = use_tools({{.id = "1", .kind = ToolUse::Kind::write, .path = "a", .content = "x"},
                                  {.id = "2", .kind = ToolUse::Kind::run, .command = "echo y >> a; cat a"},
                                  {.id = "3", .kind = ToolUse::Kind::run, .command = "echo z > ../../baton.db"}},
                                 t)
                           .results;
  EXPECT_FALSE(results.at(0).is_error) << results.at(0).content;
  EXPECT_EQ(results.at(1).content, "xy\n[exit code 0]");
  EXPECT_TRUE(results.at(2).is_error);
  EXPECT_EQ(get("state/baton.db"), "journal");
}

}  // namespace
}  // namespace baton::tool
