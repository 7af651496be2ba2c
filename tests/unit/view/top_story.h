#pragma once

#include <memory>
#include <string>
#include <vector>

#include "view/top/draw.h"
#include "view/top/layout.h"
#include "view/top/model.h"

namespace baton::top {

constexpr Time story_time = time_from_ms(1'800'000'060'000);

/// A few runs, one of them at work: `changes`, then three beside each other, then `notes`.
class Story {
 public:
  Story() {
    auto plan = std::make_shared<Plan>();
    plan->workflow = "release-notes";
    plan->dialect = "markdown";
    const auto add = [&](const std::string& id, std::vector<StepIndex> needs, const std::string& title) {
      auto work = std::make_shared<Work>();
      work->skill = "writer";
      work->title = title;
      Step s{id, std::move(needs), work, {}, {}, false};
      s.policy.retries = 2;
      plan->steps.push_back(s);
    };
    add("changes", {}, "What changed");
    add("features", {step_index(0)}, "");
    add("risks", {step_index(0)}, "Was bricht, 何が壊れるか");
    add("count", {step_index(0)}, "");
    add("notes", {step_index(1), step_index(2), step_index(3)}, "");
    RunSettings settings;
    settings.cost_budget = Cost{1'000'000'000};
    settings.token_budget = 100'000;
    happens(0, event::RunCreated{plan, settings});
    happens(0, event::DriverTook{1, "host", 1});
    start(0, 1, 0);
    use(0, 1, 1200, 40'000'000);
    end(0, 1, 4000, {});
    for (const std::size_t i : {1U, 2U, 3U}) start(i, 1, 4000);
    end(1, 1, 9000, Failure{"checks-failed", "2 of 3 checks failed: min_key_points", true});
    happens(10'000, event::TimerFired{{TimerId::Kind::retry, step_index(1)}});
    start(1, 2, 10'000);
    use(3, 1, 800, 2'000'000);
    end(3, 1, 12'000, {});
    use(2, 1, 33'000, 811'000'000);

    model = new_model("myshop", {80, 24}, story_time);
    (void)runs_changed(
        model, {
                   item(7, "lvp598k2", "release-notes", RunState::running, 2, 5, 60, 35'000, 853'000'000),
                   item(6, "q01zz7m1", "plan-build", RunState::reviewing, 3, 3, 754, 120'400, 2'310'000'000),
                   item(5, "h2k9w0aa", "nightly-漢字-check", RunState::failed, 4, 9, 81, 800, 0),
                   item(4, "aaaabbbb", "release-notes", RunState::completed, 5, 5, 3723, 1'204'000, 12'500'000'000),
                   item(3, "cccc1111", "👩‍💻 pairing", RunState::paused, 1, 2, 9, 10, 18'000),
                   item(2, "dddd2222", "quick", RunState::cancelled, 0, 1, 0, 0, 0),
               });
    model.complete = true;
    run_changed(model, "lvp598k2", std::shared_ptr<const Run>{run_, run_.get()});
    Document& log = model.document(Pane::log);
    log.clear(wanted(model).about());
    log.add({Entry::Kind::note, "[begin] claude-opus-5-5"});
    log.add(
        {Entry::Kind::thinking, "The user wants a list of what may break.\nFirst I look at the diff.\nThen I write."});
    log.add({Entry::Kind::agent, "I look at what changed since the last release, and at who calls it."});
    log.add({Entry::Kind::tool, "[tool] Bash: git log --oneline v1.4..HEAD"});
    log.add({Entry::Kind::plain,
             "\x1b[32mok\x1b[0m and \x1b]0;title\x07 and \x1b[2J and 漢字 and e\u0301 and 👩‍💻!"});
    log.add({Entry::Kind::trouble, "[tool failed] exit code 1: no such tag"});
    log.add({Entry::Kind::agent,
             "There is no such tag; I take the last merge instead.\n\n1. The login form sends JSON now.\n2. Passwords "
             "are hashed with argon2."});
  }

  void happens(std::int64_t ms, EventBody body) {
    last_ = ms;
    (void)run_->apply({time_from_ms(1'800'000'000'000 + ms), std::move(body)});
  }
  void start(std::size_t i, int n, std::int64_t ms) {
    happens(ms, event::AttemptAdmitted{step_index(i), n, "claude", "opus", {}});
    happens(ms, event::AttemptStarted{step_index(i), n, 42, time_from_ms(1'800'000'000'000 + ms)});
  }
  void use(std::size_t i, int n, std::int64_t tokens, std::int64_t nano) {
    happens(last_, event::AttemptUsed{step_index(i), n, {{tokens / 2, tokens / 2, 0, 0}, Cost{nano}, 1}});
  }
  void end(std::size_t i, int n, std::int64_t ms, std::optional<Failure> failure) {
    happens(ms, event::AttemptEnded{
                    step_index(i), n, false, std::move(failure), 0, {}, time_from_ms(1'800'000'000'000 + ms)});
  }

  static RunItem item(std::int64_t number, const std::string& id, const std::string& workflow, RunState state,
                      std::size_t done, std::size_t total, int seconds, std::int64_t tokens, std::int64_t nano) {
    RunItem i;
    i.number = number;
    i.row.id = id;
    i.row.workflow = workflow;
    i.row.dialect = "markdown";
    i.row.state = state;
    i.row.task = "Write the notes for release 1.5 (" + workflow + ")";
    i.row.done = done;
    i.row.total = total;
    i.row.started = story_time - Millis{seconds * 1000};
    if (is_over(state) || state == RunState::failed) i.row.finished = story_time;
    i.row.tokens.input = tokens;
    i.row.cost = Cost{nano};
    i.row.known = Cost{nano};
    if (state == RunState::running) i.row.driver = DriverFact{1, "host"};
    i.activity = {0, 1, 3, 7, 2, 0, 5, 4};
    return i;
  }

  Model model;

 private:
  std::int64_t last_ = 0;
  std::shared_ptr<Run> run_ = std::make_shared<Run>();
};

/// Makes the selected run one that waits for a person: at the gates `publish` and `mail`, or, of a chain, at the end.
inline void let_wait(Model& m, const std::string& dialect, bool at_gate) {
  auto plan = std::make_shared<Plan>();
  plan->workflow = "kit";
  plan->dialect = dialect;
  for (const char* id : {"publish", "mail"}) {
    Step s{id, {}, std::make_shared<Work>(), {}, {}, false};
    if (at_gate) s.flow = std::make_shared<const Flow>(Flow{.gate = true, .question = std::string{id} + " it?"});
    plan->steps.push_back(std::move(s));
  }
  auto run = std::make_shared<Run>();
  const auto happens = [&](EventBody body) { (void)run->apply({story_time, std::move(body)}); };
  happens(event::RunCreated{plan, {}});
  happens(event::DriverTook{1, "host", 1});
  for (std::size_t i = 0; i < 2; ++i) {
    if (at_gate) {
      happens(event::TurnTaken{step_index(i), 1, 1, TurnVerdict::go, "", "", nullptr, {}, ""});
      continue;
    }
    happens(event::AttemptAdmitted{step_index(i), 1, "claude", "opus", {}});
    happens(event::AttemptStarted{step_index(i), 1, 42, story_time});
    happens(event::AttemptEnded{step_index(i), 1, false, {}, 0, {}, story_time});
  }
  run_changed(m, m.selected, run);
}

inline void press(Model& m, const std::string& letters) {
  for (const char c : letters) (void)update(m, {Key::Kind::letter, std::string(1, c)});
}
inline Acts press(Model& m, Key::Kind kind, const std::string& text = {}) { return update(m, {kind, text, {}}); }

}  // namespace baton::top
