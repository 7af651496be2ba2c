// Working trees from outside: `tree`, which the engine uses, and `diff`.
#include <filesystem>

#include "journal/sqlite_journal.h"
#include "support/programs.h"
#include "support/story.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

class WorkingTree : public Outside {
 protected:
  WorkingTree() {
    place.env["HOME"] = place.root();
    place.env["GIT_CONFIG_NOSYSTEM"] = "1";
    place.write("README", "first\n");
    place.write(".baton/.gitignore", "*\n");
    sh("git init -q -b main . && git add README && git -c user.name=A -c user.email=a@b commit -q -m first");
    first = sh("git rev-parse HEAD");
  }

  std::string sh(const std::string& command) {
    Outcome ran = run_program(command);
    EXPECT_EQ(ran.code, 0) << command << ran;
    if (ran.out.ends_with('\n')) ran.out.pop_back();
    return ran.out;
  }
  Outcome run_program(const std::string& command) {
    Launch launch = place.launch({});
    launch.argv = {"/bin/sh", "-c", command};
    return Process{launch}.wait();
  }

  std::string tree(const std::string& name = "r1") const { return place.state("worktrees/" + name); }
  Outcome prepare(const std::string& name = "r1", const std::vector<std::string>& merge = {}) {
    std::vector<std::string> args{"tree",     "prepare",  "--root",        place.root(), "--tree",
                                  tree(name), "--branch", "baton/" + name, "--start",    first};
    for (const std::string& branch : merge) args.insert(args.end(), {"--merge", branch});
    return place.baton(args);
  }
  /// The one line it prints.
  static json::object said(const Outcome& outcome) {
    const std::vector<json::object> lines = json_lines(outcome.out);
    EXPECT_EQ(lines.size(), 1U) << outcome;
    return lines.empty() ? json::object{} : lines.front();
  }

  /// A run on record, as one in a worktree leaves it.
  void record_run(const std::map<std::string, std::string>& options) {
    auto journal = SqliteJournal::open(place.state(), SqliteJournal::Mode::read_write);
    ASSERT_TRUE(journal) << journal.error().message;
    Lease wanted;
    wanted.run = "r1";
    wanted.owner = "test";
    auto lease = (*journal)->acquire(wanted, Time{Millis{1}}, Millis{1}, [](const Lease&) { return false; });
    ASSERT_TRUE(lease) << lease.error().message;
    RunSettings settings;
    settings.options = options;
    const Event created{Time{Millis{1}}, event::RunCreated{std::make_shared<const Plan>(plan_of("a")), settings}};
    baton::Run run;
    (void)run.apply(created);
    const auto appended = (*journal)->append(*lease, Seq{}, {created}, run, {});
    ASSERT_TRUE(appended) << appended.error().message;
    ASSERT_TRUE((*journal)->release(*lease));
  }
  void record_run_in_its_tree() {
    record_run({{"worktree", tree()}, {"branch", "baton/r1"}, {"base_commit", first}, {"base_branch", "main"}});
  }

  std::string first;
};

TEST_F(WorkingTree, PreparesCommitsAndMerges) {
  const Outcome made = prepare("r1--a");
  ASSERT_EQ(made.code, 0) << made;
  EXPECT_EQ(text_at(said(made), "outcome"), "ready");
  EXPECT_EQ(text_at(said(made), "head"), first);
  EXPECT_EQ(said(made).at("changed"), json::array{});
  place.write(".baton/worktrees/r1--a/new", "n\n");
  const Outcome done = place.baton({"tree", "commit", "--tree", tree("r1--a"), "--message=-build: new"});
  ASSERT_EQ(done.code, 0) << done;
  EXPECT_EQ(text_at(said(done), "outcome"), "committed");
  EXPECT_EQ(said(done).at("files"), json::array{"new"});
  EXPECT_EQ(sh("git log -1 --format='%an %s' baton/r1--a"), "Baton -build: new");
  EXPECT_EQ(place.baton({"tree", "commit", "--tree", tree("r1--a"), "--message", "again"}).out,
            "{\"outcome\":\"nothing\"}\n");
  const Outcome merged = prepare("r1", {"baton/r1--a"});
  ASSERT_EQ(merged.code, 0) << merged;
  EXPECT_EQ(said(merged).at("changed"), json::array{"new"});
  EXPECT_EQ(sh("git status --porcelain"), "") << "the user's checkout has not changed";
}

TEST_F(WorkingTree, AConflictIsNoFault) {
  for (const char* name : {"r1--a", "r1--b"}) {
    ASSERT_EQ(prepare(name).code, 0);
    place.write(std::string{".baton/worktrees/"} + name + "/README", name);
    ASSERT_EQ(place.baton({"tree", "commit", "--tree", tree(name), "--message", "x"}).code, 0);
  }
  const Outcome conflict = prepare("r1", {"baton/r1--a", "baton/r1--b"});
  EXPECT_EQ(conflict.code, 0) << conflict;
  EXPECT_EQ(text_at(said(conflict), "outcome"), "conflict");
  EXPECT_EQ(text_at(said(conflict), "with"), "baton/r1--b");
  EXPECT_EQ(said(conflict).at("files"), json::array{"README"});
  const Outcome stuck = place.baton({"tree", "commit", "--tree", tree(), "--message", "x"});
  EXPECT_EQ(stuck.code, 0) << stuck;
  EXPECT_EQ(text_at(said(stuck), "outcome"), "unresolved");
}

TEST_F(WorkingTree, AFaultIsSaidInTheSameForm) {
  place.write(".baton/worktrees/r1/precious", "p");
  const Outcome refused = prepare();
  EXPECT_EQ(refused.code, 1) << refused;
  EXPECT_EQ(text_at(said(refused), "outcome"), "fault");
  EXPECT_EQ(text_at(said(refused), "code"), "tree-in-the-way");
  EXPECT_TRUE(says_error(refused, "tree-in-the-way")) << refused;
  const Outcome misused = place.baton({"tree", "prepare", "--tree", tree()});
  EXPECT_EQ(misused.code, 1);
  EXPECT_EQ(text_at(said(misused), "code"), "bad-usage");
}

TEST_F(WorkingTree, TheVerbIsNobodysBusiness) {
  EXPECT_FALSE(has(place.baton({"--help"}).out, "working tree"));
  EXPECT_FALSE(has(place.baton({"__complete", "t"}).out, "tree"));
  EXPECT_TRUE(has(place.baton({"__complete", "d"}).out, "diff"));
}

TEST_F(WorkingTree, DiffShowsAllThatARunChanged) {
  ASSERT_EQ(prepare().code, 0);
  record_run_in_its_tree();
  EXPECT_EQ(place.baton({"diff", "r1"}).out, "");
  place.write(".baton/worktrees/r1/README", "second \x1b[31m\n");
  place.write(".baton/worktrees/r1/new", "n\n");
  const Outcome shown = place.baton({"diff", "last"});
  EXPECT_EQ(shown.code, 0) << shown;
  EXPECT_TRUE(has(shown.out, "-first\n+second \x1b[31m\n")) << "for a program byte for byte" << shown;
  EXPECT_TRUE(has(shown.out, "+n\n")) << "what git does not know yet too" << shown;
  const Outcome colored = place.baton({"diff", "last", "--color", "always"});
  EXPECT_TRUE(has(colored.out, "\x1b[32m+second \\x1b[31m\x1b[m\n")) << colored;
  const Outcome stat = place.baton({"diff", "last", "--stat"});
  EXPECT_TRUE(has(stat.out, "2 files changed")) << stat;
  const json::object all = parse_json(place.baton({"diff", "last", "--json"}).out).as_object();
  EXPECT_EQ(text_at(all, "branch"), "baton/r1");
  ASSERT_EQ(all.at("files").as_array().size(), 2U);
  EXPECT_EQ(all.at("files").as_array()[1], (json::object{{"path", "new"}, {"added", 1}, {"removed", 0}}));
}

TEST_F(WorkingTree, DiffOfABranchWhoseTreeIsGone) {
  ASSERT_EQ(prepare().code, 0);
  record_run_in_its_tree();
  place.write(".baton/worktrees/r1/new", "n\n");
  ASSERT_EQ(place.baton({"tree", "commit", "--tree", tree(), "--message", "x"}).code, 0);
  fs::remove_all(tree());
  EXPECT_TRUE(has(place.baton({"diff", "last"}).out, "+n\n"));
}

TEST_F(WorkingTree, DiffOfARunThatWorkedInPlace) {
  const Outcome none = place.baton({"diff", "last"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(says_error(none, "unknown-run")) << none;
  record_run({});
  const Outcome in_place = place.baton({"diff", "r1"});
  EXPECT_EQ(in_place.code, 2);
  EXPECT_TRUE(says_error(in_place, "no-worktree")) << in_place;
}

}  // namespace
}  // namespace baton::test
