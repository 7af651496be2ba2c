// Every shape of a plan, interrupted at every kind of moment, comes to the same end as if nothing had happened: nothing
// is lost and nothing runs twice.
#include <gtest/gtest.h>

#include <algorithm>

#include "journal/event_codec.h"
#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// A plan, which step is interrupted at work, and which one brings others together.
struct Shape {
  std::string name;
  Plan (*plan)();
  std::string target;
  std::string joiner;
};

enum class Moment { before_start, mid_step, after_result_before_commit, during_join, while_paused, twice };

std::shared_ptr<const Work> writes(const std::string& output) {
  return std::make_shared<const Work>(Work{.command = {"/bin/true"}, .output = output});
}

void give_outputs(Plan& plan) {
  for (Step& s : plan.steps) s.work = writes("out/" + s.id + ".json");
}

Plan sequence() {
  Plan plan = plan_of("a; b: a; c: b");
  give_outputs(plan);
  return plan;
}

Plan parallel() {
  Plan plan = plan_of("a; b: a; c: a; d: b c");
  give_outputs(plan);
  return plan;
}

/// `a; each: a; after: each`, where `each` is what the flow makes of it.
Plan around(Flow flow, std::vector<Step> body) {
  Plan plan = plan_of("a; each: a; after: each");
  give_outputs(plan);
  flow.body = std::move(body);
  flow.sandbox = "sandbox";
  plan.steps[1].work = std::make_shared<const Work>(Work{.output = "out/whole.json"});
  plan.steps[1].flow = std::make_shared<const Flow>(std::move(flow));
  return plan;
}

Step one(const std::string& id, const std::string& output, std::vector<StepIndex> needs = {}) {
  Step step{.id = id, .needs = std::move(needs), .work = writes(output)};
  step.flow = std::make_shared<const Flow>(Flow{.deferred = true});
  return step;
}

Plan map() { return around({.for_each = "steps.a.output.list"}, {one("each", "out/each-${{ index }}.json")}); }

Plan loop() {
  return around({.until = "output.round == 3", .loop_max = 5}, {one("each", "out/each-${{ index }}.json")});
}

Plan sub_workflow() {
  return around({.for_each = "[1,2]"},
                {one("each:x", "${{ sandbox }}/x.json"), one("each:y", "${{ sandbox }}/y.json", {step_index(0)}),
                 one("each:z", "${{ sandbox }}/z.json", {step_index(0), step_index(1)})});
}

Plan gate() {
  Plan plan = plan_of("a; b: a; c: b");
  give_outputs(plan);
  plan.steps[1].flow = std::make_shared<const Flow>(Flow{.gate = true, .question = "Go on?"});
  return plan;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {"sequence", sequence, "b", "c"},
      {"parallel", parallel, "b", "d"},
      {"map", map, "each:2", "each"},
      {"loop", loop, "each:2", "each"},
      {"sub_workflow", sub_workflow, "each:2:y", "each"},
      {"gate", gate, "b", "b"},
  };
  return all;
}

/// Runs a shape to its end, through one interruption or none.
class Interrupted {
 public:
  Interrupted(const Shape& shape, std::optional<Moment> moment)
      : shape_(shape), moment_(moment), machine_(shape.plan()) {
    for (const char* id : {"a", "b", "c", "d", "after", "each:1", "each:2", "each:3", "each:1:x", "each:1:y",
                           "each:1:z", "each:2:x", "each:2:y", "each:2:z"}) {
      machine_.outcomes[id] = outcome_of({"r", id, 1});
    }
    machine_.journal.on_record = [this](const std::string&, const std::vector<Event>& events) { recorded(events); };
    machine_.journal.fate_of_append = [this] {
      const bool ended = machine_.host.exits().contains({"r", shape_.target, 1});
      if (moment_ != Moment::after_result_before_commit || crashes_ > 0 || !ended) return FaultyJournal::Fate::well;
      return FaultyJournal::Fate::fails;
    };
  }

  /// What the run came to, step by step, with all that was written.
  std::string run() {
    start();
    for (int slices = 0; slices < 1000 && !is_over(replayed_state()); ++slices) live(Millis{50});
    EXPECT_EQ(crashes_, moment_ ? (moment_ == Moment::twice ? 2 : 1) : 0) << "it was interrupted as it should be";
    return summary();
  }

 private:
  static Outcome outcome_of(const AttemptKey& key) {
    // A round says which one it was; every other step says who it is.
    const std::string number = key.step.substr(key.step.rfind(':') + 1);
    const bool round = key.step.starts_with("each:") && number.size() == 1;
    return {.lasts = Millis{1000},
            .output = round && std::isdigit(static_cast<unsigned char>(number[0])) != 0
                          ? R"({"round":)" + number + "}"
                          : R"({"by":")" + key.step + R"(","list":[1,2,3]})"};
  }

  void start() {
    for (;;) {
      try {
        machine_.start_engine();
        return;
      } catch (const Crash&) {
        crash();
      }
    }
  }
  void crash() {
    ++crashes_;
    machine_.kill_engine();
  }

  void live(Millis time) {
    try {
      const Time until = machine_.clock.now() + time;
      if (!machine_.settle()) throw Crash{};
      answer();
      interrupt();
      machine_.clock.set(until);
      machine_.host.catch_up();
    } catch (const Crash&) {
      crash();
      machine_.pass(Millis{300});
      start();
    }
  }

  /// A person who approves whatever waits.
  void answer() {
    const baton::Run& run = *machine_.engine->run("r");
    if (run.state() != RunState::reviewing) return;
    machine_.ask("gate.answered", encode(event::GateAnswered{{}, true, ""}));
  }

  /// Between two ticks.
  void interrupt() {
    const bool alive = machine_.host.processes().contains({"r", shape_.target, 1});
    const bool wanted = moment_ == Moment::mid_step || moment_ == Moment::while_paused || moment_ == Moment::twice;
    if (!wanted || !alive || crashes_ >= (moment_ == Moment::twice ? 2 : 1)) return;
    if (moment_ != Moment::while_paused) throw Crash{};
    machine_.ask("pause");
    ASSERT_TRUE(machine_.settle());
    crash();
    machine_.pass(Millis{5000});
    start();
    machine_.pass(Millis{5000});
    EXPECT_EQ(replayed_state(), RunState::paused);
    EXPECT_TRUE(machine_.host.processes().contains({"r", shape_.target, 1})) << "it stands still";
    machine_.ask("resume");
  }

  /// In the middle of a commit: it is on record, and nobody has acted on it.
  void recorded(const std::vector<Event>& events) {
    if (crashes_ > 0) return;
    const baton::Run run = machine_.replayed();
    for (const Event& e : events) {
      const auto* admitted = std::get_if<event::AttemptAdmitted>(&e.body);
      const bool begins = admitted != nullptr && run.step(admitted->step).id == shape_.target;
      if (moment_ == Moment::before_start && begins) throw Crash{};
      if (moment_ == Moment::during_join && std::holds_alternative<event::GateAnswered>(e.body)) throw Crash{};
    }
    if (moment_ != Moment::during_join || shape_.name == "gate") return;
    const StepIndex joiner = run.find(shape_.joiner).value();
    const FlowRun* flow = run.flow_of(joiner);
    const bool joins = flow == nullptr ? run.unmet(joiner) == 0 : flow->is_asked() && !flow->made.empty();
    if (joins) throw Crash{};
  }

  RunState replayed_state() {
    if (!machine_.journal.load("r")) return RunState::queued;
    return machine_.replayed().state();
  }

  std::string summary() {
    const baton::Run run = machine_.replayed();
    std::string text = std::string{name(run.state())} + "\n";
    for (std::size_t n = 0; n < run.step_count(); ++n) {
      const StepIndex i = step_index(n);
      const Step& step = run.step(i);
      text += step.id + " " + std::string{name(run.of(i).state)} + " attempts " +
              std::to_string(run.of(i).attempts.size()) + " started " + std::to_string(machine_.starts(step.id)) +
              " digest " + run.digest_of(i) + " output " + machine_.files.files["/p/" + step.work->output] + "\n";
    }
    return text;
  }

  const Shape& shape_;
  std::optional<Moment> moment_;
  Machine machine_;
  int crashes_ = 0;
};

class ResumeMatrix : public testing::TestWithParam<std::tuple<std::size_t, Moment>> {};

TEST_P(ResumeMatrix, EndsAsIfNothingHadHappened) {
  const auto& [which, moment] = GetParam();
  const Shape& shape = shapes()[which];
  const std::string undisturbed = Interrupted{shape, {}}.run();
  EXPECT_TRUE(undisturbed.starts_with("completed\n")) << undisturbed;
  Interrupted interrupted{shape, moment};
  EXPECT_EQ(interrupted.run(), undisturbed);
}

std::string cell_name(const testing::TestParamInfo<ResumeMatrix::ParamType>& cell) {
  static const std::vector<std::string> moments{"before_start", "mid_step",     "after_result_before_commit",
                                                "during_join",  "while_paused", "twice"};
  return shapes()[std::get<0>(cell.param)].name + "_" + moments[static_cast<std::size_t>(std::get<1>(cell.param))];
}

INSTANTIATE_TEST_SUITE_P(All, ResumeMatrix,
                         testing::Combine(testing::Range<std::size_t>(0, 6),
                                          testing::Values(Moment::before_start, Moment::mid_step,
                                                          Moment::after_result_before_commit, Moment::during_join,
                                                          Moment::while_paused, Moment::twice)),
                         cell_name);

}  // namespace
}  // namespace baton::test
