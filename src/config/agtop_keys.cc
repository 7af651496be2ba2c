#include "config/agtop_keys.h"

#include <array>

namespace baton {
namespace {

constexpr std::string_view dead = "does nothing in agtop, and has no place here";
constexpr std::string_view take_out = "take it out";
constexpr std::string_view no_repos = "is about several repositories in one project, which Baton does not know";
constexpr std::string_view one_repo = "run Baton in each repository";
constexpr std::string_view no_requests = "is about pull requests: 'baton accept' merges here and pushes nothing";
constexpr std::string_view push_yourself = "push the branch and open the request yourself, or in a step with a command";
constexpr std::string_view no_server = "is about a server beside each run, which Baton does not start";
constexpr std::string_view no_jira = "is about Jira, which Baton does not ask";
constexpr std::string_view no_window = "is about agtop's own window";
constexpr std::string_view counts_now = "is passed over by agtop; here it counts";
constexpr std::string_view see_value = "see that its value is what you want";

}  // namespace

std::span<const AgtopKey> agtop_keys() {
  using enum AgtopKey::Matters;
  static constexpr std::array keys = std::to_array<AgtopKey>({
      {"project.name", "", "has no effect: a project goes by its folder", take_out},
      {"project.root", "", "has no effect: the root is the folder of this file",
       "start Baton in the other folder, or with -C", if_elsewhere},
      {"project.worktree_path", "git.worktree_path", counts_now, see_value},
      {"project.repos", "", no_repos, one_repo},
      {"repos", "", no_repos, one_repo},
      {"project.test_command", "", dead, "name the command in your own 'test' skill"},
      {"project.ignore_skill_sources", "", "has no effect: the first folder that has a skill wins",
       "'baton skills' shows which; a copy in .baton/skills wins over all ('baton skills NAME --export')"},
      {"project.dev_server.*", "", no_server, take_out},
      {"runtime.claude.allowed_tools", "runtime.claude.tools", ""},
      {"runtime.claude.model", "runtime.claude.model", ""},
      {"runtime.claude.max_turns", "runtime.claude.max_turns", ""},
      {"runtime.default", "runtime.default", ""},
      {"runtime.opencode.model", "runtime.opencode.model", ""},
      {"runtime.opencode.agent", "", "is an argument of the program here",
       "write runtime.opencode.args = [\"--agent\", \"NAME\"]"},
      {"skills.*.model", "skills.*.model", ""},
      {"skills.*.timeout", "skills.*.timeout", ""},
      {"skills.*.allowed_tools", "skills.*.tools", ""},
      {"skills.*.parallel", "", dead, take_out},
      {"skills.*.ignore", "", "has no effect: the first folder that has the skill wins",
       "a copy in .baton/skills wins over all: 'baton skills NAME --export'", if_true},
      {"safety.blocked_patterns", "safety.blocked_patterns",
       "replaces the built-in patterns, which know more forms than agtop's and are really enforced",
       "take it out to have those; 'baton safety test COMMAND' shows what a command meets"},
      {"safety.allow_overrides", "", dead, "exceptions are patterns: safety.allow"},
      {"limits.max_tokens_per_run", "limits.budget_tokens", ""},
      {"limits.max_cost_per_run", "limits.budget_usd", ""},
      {"limits.max_concurrent_runs", "limits.concurrent_runs", "is not kept by agtop; here it is: further runs wait",
       see_value},
      {"limits.rate_limit_backoff", "limits.rate_limit_backoff", ""},
      {"limits.rate_limit_max_retries", "limits.rate_limit_retries", counts_now, see_value},
      {"merge.target_branch", "git.base", ""},
      {"merge.merge_strategy", "git.merge", ""},
      {"merge.auto_merge", "", no_requests, push_yourself, if_true},
      {"merge.fix_attempts", "", no_requests, take_out},
      {"merge.poll_interval", "", no_requests, take_out},
      {"merge.poll_timeout", "", no_requests, take_out},
      {"merge.golden_update_command", "", "has no effect: no file is resolved by its name",
       "let a step run the command"},
      {"merge.conflict_resolution_attempts", "",
       "has no effect: one step tries to resolve a conflict, then a person is asked", take_out},
      {"ui.log_scroll_speed", "", no_window, take_out},
      {"ui.*", "", dead, take_out},
      {"update.*", "", "has no effect: Baton never looks for updates of itself", take_out},
      {"integrations.jira.*", "", no_jira, "put the issue's text into --task or --task-file"},
  });
  return keys;
}

std::span<const AgtopDefault> agtop_defaults() {
  static constexpr std::array defaults = std::to_array<AgtopDefault>({
      {"limits.max_cost_per_run", "limits.budget_usd = 50"},
      {"limits.max_tokens_per_run", "limits.budget_tokens = 500000"},
      {"limits.max_concurrent_runs", "limits.concurrent_runs = 5"},
      {"runtime.claude.model", "runtime.claude.model = \"opus\""},
      {"runtime.claude.max_turns", "runtime.claude.max_turns = 50"},
      {"runtime.claude.allowed_tools",
       R"(runtime.claude.tools = ["Read", "Write", "Edit", "MultiEdit", "Bash", "Grep", "Glob"])"},
  });
  return defaults;
}

std::span<const std::string_view> agtop_skills() {
  static constexpr std::array<std::string_view, 9> skills = {"route",  "spec",     "decompose", "build", "test",
                                                             "review", "document", "commit",    "pr"};
  return skills;
}

std::span<const AgtopVariable> agtop_variables() {
  static constexpr std::array variables = std::to_array<AgtopVariable>({
      {"AGTOP_RUNTIME", "runtime.default"},
      {"AGTOP_MODEL", "runtime.claude.model"},
      {"AGTOP_PERMISSION_MODE", "runtime.claude.permission_mode"},
      {"AGTOP_MAX_COST", "limits.budget_usd"},
      {"AGTOP_MAX_TOKENS", "limits.budget_tokens"},
      {"AGTOP_MAX_CONCURRENT", "limits.concurrent_runs"},
  });
  return variables;
}

}  // namespace baton
