#include "sim/fake_trees.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "git/report.h"

namespace baton::test {
namespace {

bool happens(Draws& draws, int percent) { return draws.below(100) < static_cast<std::size_t>(percent); }

/// Trees and branches have the same last names.
std::string branch_of(const std::string& folder) { return "baton/" + folder.substr(folder.rfind('/') + 1); }

std::vector<std::string> merges_of(const std::vector<std::string>& argv) {
  std::vector<std::string> merges;
  for (std::size_t n = 0; n + 1 < argv.size(); ++n) {
    if (argv[n] == "--merge") merges.push_back(argv[n + 1]);
  }
  return merges;
}

std::string report(const std::string& outcome, const std::string& with = {}) {
  git::TreeReport r;
  r.outcome = outcome;
  r.with = with;
  if (outcome == "ready") r.changed = {"README"};
  if (outcome == "conflict" || outcome == "unresolved") r.files = {"a.txt", "b.txt"};
  return git::to_json(r);
}

std::string fault_report(const std::string& code, const std::string& message) {
  git::TreeReport r;
  r.outcome = "fault";
  r.fault = {code, message};
  return git::to_json(r);
}

}  // namespace

std::string FakeTrees::option(const std::vector<std::string>& argv, const std::string& name) {
  const auto found = std::ranges::find(argv, name);
  return found == argv.end() || found + 1 == argv.end() ? std::string{} : *(found + 1);
}

std::string FakeTrees::ended(const SpawnSpec& spec, bool by_itself) {
  Draws draws{hash64(fmt::format("{}/{}/{}", spec.key.run, spec.key.step, spec.key.attempt), seed_ ^ 0x7EE5)};
  const bool dies = happens(draws, troubles.deaths) || !by_itself;
  const bool faulty = happens(draws, troubles.faults);
  const bool got_to_work = draws.chance(0.5);
  const bool got_to_speak = draws.chance(0.3);
  if (dies && !got_to_work) return {};
  if (faulty) return fault_report("git-failed", "injected: git does not want to");
  const std::string printed = is_prepare(spec.key) ? prepare(spec) : commit(spec);
  if (!dies) return printed + "\n";
  return got_to_speak ? printed.substr(0, printed.size() / 2) : std::string{};
}

void FakeTrees::finish_merge(Tree& tree, const std::string& folder) {
  tree.merged[tree.merging] = tree.merging_head;
  tree.merging.clear();
  ++heads_[branch_of(folder)];
}

std::string FakeTrees::prepare(const SpawnSpec& spec) {
  const std::string folder = option(spec.argv, "--tree");
  Tree& tree = trees_[folder];
  tree.made = true;
  if (!tree.merging.empty()) return report("conflict", tree.merging);
  for (const std::string& branch : merges_of(spec.argv)) {
    const int head = heads_[branch];
    if (tree.merged[branch] >= head) continue;
    tree.merging = branch;
    tree.merging_head = head;
    Draws draws{hash64(fmt::format("{}+{}+{}", folder, branch, head), seed_)};
    if (happens(draws, troubles.conflicts)) return report("conflict", branch);
    finish_merge(tree, folder);
  }
  return report("ready");
}

std::string FakeTrees::commit(const SpawnSpec& spec) {
  const std::string folder = option(spec.argv, "--tree");
  Tree& tree = trees_[folder];
  const AttemptKey attempt{spec.key.run, step_of(spec.key), spec.key.attempt};
  Draws draws{hash64(fmt::format("{}/{}/{}", attempt.run, attempt.step, attempt.attempt), seed_ ^ 0xC0)};
  const bool resolves = attempt.step.starts_with("resolve");
  // Whoever resolves has a tree that nobody makes ready for him.
  if (!tree.made || (!resolves && happens(draws, troubles.gone))) {
    tree.made = false;  // its branch has what was committed
    tree.merging.clear();
    return fault_report("tree-gone", "injected: the working tree is gone");
  }
  commits_.insert(attempt);
  if (!tree.merging.empty()) {
    if (!resolves || happens(draws, troubles.left_open)) return report("unresolved");
    finish_merge(tree, folder);
    return report("committed");
  }
  if (draws.chance(0.3)) return report("nothing");
  ++heads_[branch_of(folder)];
  return report("committed");
}

void FakeTrees::resolve(const std::string& folder) {
  const auto found = trees_.find(folder);
  if (found != trees_.end() && !found->second.merging.empty()) finish_merge(found->second, folder);
}

bool FakeTrees::is_made(const std::string& folder) const {
  const auto found = trees_.find(folder);
  return found != trees_.end() && found->second.made;
}

std::string FakeTrees::trouble(const std::string& folder, const std::vector<std::string>& merges) const {
  if (!is_made(folder)) return "there is no tree " + folder;
  const Tree& tree = trees_.at(folder);
  if (!tree.merging.empty()) return folder + " stands in the middle of taking in " + tree.merging;
  for (const std::string& branch : merges) {
    const auto head = heads_.find(branch);
    const auto merged = tree.merged.find(branch);
    const int has = merged == tree.merged.end() ? 0 : merged->second;
    if (head != heads_.end() && has < head->second) return folder + " lacks work of " + branch;
  }
  return {};
}

}  // namespace baton::test
