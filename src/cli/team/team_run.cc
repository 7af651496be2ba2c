#include "cli/team/team_run.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "core/facts.h"
#include "dialect/team/reports.h"
#include "dialect/team/turns.h"
#include "dialect/team/worker_prompt.h"
#include "host/program_path.h"

namespace baton::cli {
namespace {

using team::TurnWord;

event::TurnTaken taken(const command::TakeTurn& turn, TurnVerdict verdict, std::string code = {},
                       std::string reason = {}) {
  return {turn.step, turn.generation, turn.round, verdict, std::move(reason), std::move(code), nullptr, {}, {}};
}

bool is_rehearsed(const Run& run, StepIndex step, int attempt) {
  const Attempt* a = run.attempt(step, attempt);
  return a != nullptr && run.interned(a->runtime) == "rehearsal";
}

/// Words that a shell takes as one each.
std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"_-./:=@%+,"}.find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + "'";
}

}  // namespace

std::string callback_command(const Project& project, const std::string& session, const std::string& role,
                             const std::string& task, int attempt) {
  std::string out;
  for (const std::string& word :
       {sibling_program("baton"), std::string{"team"}, project.root() + "/" + session, std::string{"callback"},
        std::string{"-C"}, project.root(), std::string{"--state-dir"}, project.state_dir(), std::string{"--role"}, role,
        std::string{"--task"}, task, std::string{"--attempt"}, std::to_string(attempt)}) {
    out += (out.empty() ? "" : " ") + shell_word(word);
  }
  return out;
}

struct TeamRun::Round {
  Round(const Run& its_run, const std::string& root)
      : run(its_run), files(team_files_of(its_run, root)), team(files.read(files.folder()).team) {}

  const Run& run;
  TeamFiles files;
  team::Team team;

  /// The task of a step. One that was made by a run, or whose entry is gone, is what the step says.
  [[nodiscard]] team::Task task_of(StepIndex step) const {
    const Step& s = run.step(step);
    const team::Task* known = team.find(s.id);
    if (known != nullptr) return *known;
    team::Task task;
    task.id = s.id;
    task.subject = s.work->title;
    task.description = s.work->mission;
    task.role = s.work->skill;
    if (const team::Task* original = team.find(team::original_of(s.id))) {
      task.artifacts = original->artifacts;
    } else if (s.work->output.starts_with(files.folder() + "/")) {
      task.artifacts.push_back(s.work->output.substr(files.folder().size() + 1));
    }
    return task;
  }
  [[nodiscard]] bool has_loop(const std::string& id) const {
    const team::Task* task = team.find(id);
    return task != nullptr && task->inner_loop.value_or(false);
  }
  [[nodiscard]] std::vector<std::string> missing(const team::Task& task) const {
    std::vector<std::string> out;
    for (const std::string& path : task.artifacts) {
      if (!files.exists(path)) out.push_back(path);
    }
    return out;
  }
  [[nodiscard]] team::Role role_of(const std::string& name) const {
    if (const team::Role* role = team::find_role(team.roles, name)) return *role;
    team::Role role;
    role.name = name;
    role.file = "roles/" + name + ".md";
    role.is_there = false;
    return role;
  }

  [[nodiscard]] team::TaskBrief brief_of(StepIndex step) const {
    team::TaskBrief brief{.task = task_of(step)};
    for (const StepIndex need : run.needs_of(step)) {
      const team::Task before = task_of(need);
      if (run.of(need).state.is_skipped_by_person()) brief.left_out.push_back(before.id);
      for (const std::string& path : before.artifacts) {
        const std::string whole = files.folder() + "/" + path;
        const bool told = std::ranges::find(brief.upstream, whole) != brief.upstream.end();
        if (!told && files.exists(path)) brief.upstream.push_back(whole);
      }
      std::ranges::move(team::caveats_of(run, need), std::back_inserter(brief.caveats));
    }
    brief.is_done = !brief.task.artifacts.empty() && missing(brief.task).empty();
    return brief;
  }

  /// What others miss that this role covers.
  [[nodiscard]] std::vector<std::string> requests_to(const std::string& role) const {
    std::vector<std::string> out;
    for (const Report& r : run.reports()) {
      if (!r.current || r.said.kind != "capability_gap") continue;
      const team::Gap gap = team::gap_of(r.said);
      const team::Role* covering = team::covering_role(gap, team);
      if (covering != nullptr && covering->name == role) {
        out.push_back(fmt::format("[{}] asks: {}", gap.role, gap.description));
      }
    }
    return out;
  }

  [[nodiscard]] TurnWord decide(StepIndex step, const std::vector<team::Claim>& claims,
                                const std::set<std::string>& begun) const {
    const team::Task task = task_of(step);
    const team::Reality real = files.reality();
    team::TurnFacts facts{.now = real.now};
    facts.role_is_there = role_of(run.step(step).work->skill).is_there;
    for (const std::string& need : task.needs) {
      if (!run.find(need)) facts.unknown_needs.push_back(need);
    }
    facts.declares = !task.artifacts.empty();
    facts.artifacts_exist = facts.declares && missing(task).empty();
    const auto claim = std::ranges::find(claims, task.id, &team::Claim::task);
    // A claim is of the first time only.
    const FlowRun* flow = run.flow_of(step);
    if (claim != claims.end() && run.of(step).attempts.empty() && (flow == nullptr || flow->generation == 1)) {
      facts.claim = &*claim;
      facts.claimer_lives = claim->pid && real.lives(*claim->pid);
    }
    return team::decide_turn(run, step, [this](const std::string& id) { return has_loop(id); }, begun, facts);
  }

  bool say(const command::TakeTurn& turn, const TurnWord& word, TurnNews& news) const;
};

/// Puts into events what a turn came to. True if steps are added: they are numbered on, so one extension at a time.
bool TeamRun::Round::say(const command::TakeTurn& turn, const TurnWord& word, TurnNews& news) const {
  const Step& step = run.step(turn.step);
  bool extends = false;
  switch (word.kind) {
    case TurnWord::Kind::go: {
      event::TurnTaken e = taken(turn, TurnVerdict::go, {}, word.reason);
      if (!word.also.empty()) {
        auto work = std::make_shared<Work>(*step.work);
        work->also = word.also;
        e.work = std::move(work);
      }
      news.events.emplace_back(std::move(e));
      break;
    }
    case TurnWord::Kind::done: {
      // What its loop's worker said of it counts as if it had been its own.
      const bool tried = word.lead && !run.of(*word.lead).attempts.empty();
      team::Judgement judgement;
      if (tried) judgement = team::judge(run, turn.step, run.of(*word.lead).attempts.back().n, {});
      extends = judgement.revision.has_value();
      if (judgement.revision) news.events.emplace_back(std::move(*judgement.revision));
      if (!judgement.pause.empty()) news.events.emplace_back(event::PauseAsked{judgement.pause});
      news.events.emplace_back(taken(turn, TurnVerdict::done));
      break;
    }
    case TurnWord::Kind::block:
      news.events.emplace_back(taken(turn, TurnVerdict::block, word.code, word.reason));
      break;
    case TurnWord::Kind::ask: {
      const Fault missing = team::role_missing(role_of(step.work->skill));
      news.warnings.push_back(missing);
      news.events.emplace_back(event::PauseAsked{fmt::format("'{}': {}", step.id, missing.message)});
      news.events.emplace_back(taken(turn, TurnVerdict::ask, missing.code, missing.message));
      break;
    }
    case TurnWord::Kind::hold:
      break;
  }
  return extends;
}

TurnNews TeamRun::take_turns(const Run& run, OpenTurns& open) {
  TurnNews news;
  const std::vector<command::TakeTurn> asked = open.all(run);
  if (asked.empty()) return news;
  const Round round{run, project_.root()};
  const std::vector<team::Claim> claims = team::claims_from_json(option_of(run, "team_claims"));
  std::set<std::string> begun;
  for (const command::TakeTurn& turn : asked) {
    if (news.more) break;
    const TurnWord word = round.decide(turn.step, claims, begun);
    if (word.kind == TurnWord::Kind::hold) {
      if (word.look_again) news.look_again = std::min(news.look_again.value_or(*word.look_again), *word.look_again);
      continue;
    }
    const Step& step = run.step(turn.step);
    if (word.kind == TurnWord::Kind::go && round.has_loop(step.id)) begun.insert(step.work->skill);
    news.more = round.say(turn, word, news);
  }
  return news;
}

DialectRun::Briefing TeamRun::brief(const Run& run, StepIndex step, int attempt) {
  const Round round{run, project_.root()};
  team::WorkerBrief brief;
  brief.session_id = option_of(run, "session");
  brief.session_folder = round.files.folder();
  brief.team_name = round.team.file.team_name;
  brief.requirement = round.team.file.description;
  brief.role = round.role_of(run.step(step).work->skill);
  brief.task = round.brief_of(step);
  for (const std::string& id : run.step(step).work->also) {
    if (const auto other = run.find(id)) brief.also.push_back(round.brief_of(*other));
  }
  if (attempt == 1 && run.of(step).attempts.size() <= 1) brief.task.is_done = false;
  brief.requests = round.requests_to(brief.role.name);
  brief.attempt = attempt;
  if (const Attempt* before = run.attempt(step, attempt - 1);
      before != nullptr && before->detail && before->detail->failure) {
    brief.failure = fmt::format("{} ({})", before->detail->failure->message, before->detail->failure->code);
  }
  Briefing briefing{.mission = team::worker_prompt(brief)};
  if (brief.role.body.empty()) {
    briefing.skill = told_.find(run.step(step).work->skill);
  } else {
    briefing.skill = SkillText{brief.role.body, {}, {}};
  }
  return briefing;
}

DialectRun::Judgement TeamRun::judge(const Run& run, const Finished& ended) {
  const auto [step, attempt] = std::pair{ended.step, ended.attempt};
  const Round round{run, project_.root()};
  std::vector<std::string> missing;
  if (!is_rehearsed(run, step, attempt)) missing = round.missing(round.task_of(step));
  // That the first one is not there is said by the check of the step's output.
  std::erase_if(missing, [&](const std::string& path) {
    return round.files.folder() + "/" + path == run.step(step).work->output;
  });
  team::Judgement judgement = team::judge(run, step, attempt, missing);
  Judgement out{.results = std::move(judgement.results)};
  if (judgement.revision) out.before.emplace_back(std::move(*judgement.revision));
  if (!judgement.pause.empty()) out.before.emplace_back(event::PauseAsked{std::move(judgement.pause)});
  return out;
}

std::vector<std::string> TeamRun::environment(const Run& run, StepIndex step, int attempt) {
  const std::string folder = option_of(run, "team_folder");
  const Step& s = run.step(step);
  return {"BATON_SESSION=" + project_.root() + "/" + folder, "BATON_ROLE=" + s.work->skill,
          "BATON_CALLBACK=" + callback_command(project_, folder, s.work->skill, s.id, attempt)};
}

}  // namespace baton::cli
