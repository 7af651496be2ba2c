// What every journal promises, held against each of them.
#include <gtest/gtest.h>

#include "core/facts.h"
#include "support/digest.h"
#include "support/every_event.h"
#include "support/recorded.h"
#include "unit/journal/both_journals.h"

namespace baton::test {
namespace {

template <class Kind>
class JournalConformance : public testing::Test {
 protected:
  Kind kind;
  Journal& journal = kind.get();
  Time now = time_from_ms(1'000'000);
};
using Kinds = testing::Types<InMemory, InSqlite>;
TYPED_TEST_SUITE(JournalConformance, Kinds);

TYPED_TEST(JournalConformance, GivesBackEveryKindOfEventByteForByte) {
  Recorded recorded{this->journal, "r1", "a"};
  ASSERT_TRUE(recorded.take());
  // Most of these do not fit the run's state and change nothing there; on record they are all the same.
  for (const EventBody& body : every_event()) {
    recorded.story.after(Millis{7}).happens(body);
    ASSERT_TRUE(recorded.store());
  }
  const auto loaded = this->journal.load("r1");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(written(*loaded), written(recorded.story.history));
  baton::Run replayed;
  for (const Event& e : *loaded) (void)replayed.apply(e);
  EXPECT_EQ(digest(replayed), digest(recorded.story.run));
}

TYPED_TEST(JournalConformance, RefusesAnAppendThatExpectsAnotherNumberOfEvents) {
  Recorded recorded{this->journal, "r1", "a"};
  ASSERT_TRUE(recorded.take());
  recorded.story.begin();
  ASSERT_TRUE(recorded.store());
  const std::vector<Event> more{{this->now, event::PauseAsked{"x"}}};
  for (const std::uint64_t expected : {0U, 1U, 3U}) {
    const auto done = this->journal.append(recorded.lease, static_cast<Seq>(expected), more, recorded.story.run, {});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "journal-conflict");
  }
  EXPECT_EQ(this->journal.load("r1")->size(), 2U);
}

TYPED_TEST(JournalConformance, KnowsNoRunThatWasNotRecorded) {
  EXPECT_EQ(this->journal.load("r9").error().code, "unknown-run");
  EXPECT_EQ(this->journal.summary("r9").error().code, "unknown-run");
  ASSERT_TRUE(this->journal.acquire(lease_for("r9"), this->now, Millis{1000}, nobody_is_dead));
  EXPECT_EQ(this->journal.load("r9").error().code, "unknown-run") << "a lease alone makes no run";
  EXPECT_TRUE(this->journal.list()->empty());
}

TYPED_TEST(JournalConformance, AHeldLeaseIsRefusedAndItsOwnerNamed) {
  ASSERT_TRUE(this->journal.acquire(lease_for("r1", "first"), this->now, Millis{1000}, nobody_is_dead));
  const auto second = this->journal.acquire(lease_for("r1", "second"), this->now, Millis{1000}, nobody_is_dead);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "run-is-driven");
  EXPECT_NE(second.error().message.find("7 on here"), std::string::npos) << second.error().message;
  EXPECT_EQ((*this->journal.holder_of("r1"))->owner, "first");
}

TYPED_TEST(JournalConformance, ALeaseIsTakenFromItselfFromTheDeadAndAfterItsTimeAndTheEpochRises) {
  const auto take = [&](const char* owner, Time at, bool (*is_dead)(const Lease&)) {
    return this->journal.acquire(lease_for("r1", owner), at, Millis{1000}, is_dead);
  };
  EXPECT_EQ(take("first", this->now, nobody_is_dead)->epoch, 1U);
  EXPECT_EQ(take("first", this->now, nobody_is_dead)->epoch, 2U) << "by its own owner";
  EXPECT_EQ(take("second", this->now, everybody_is_dead)->epoch, 3U) << "from a dead one, at once";
  EXPECT_FALSE(take("third", this->now + Millis{999}, nobody_is_dead));
  EXPECT_EQ(take("third", this->now + Millis{1000}, nobody_is_dead)->epoch, 4U) << "after its time";
}

TYPED_TEST(JournalConformance, AReleasedLeaseIsFreeAndItsEpochStillRises) {
  const Lease first = *this->journal.acquire(lease_for("r1", "first"), this->now, Millis{1000}, nobody_is_dead);
  ASSERT_TRUE(this->journal.release(first));
  EXPECT_EQ((*this->journal.holder_of("r1"))->owner, "");
  EXPECT_EQ(this->journal.acquire(lease_for("r1", "second"), this->now, Millis{1000}, nobody_is_dead)->epoch, 2U);
  ASSERT_TRUE(this->journal.release(first)) << "an owner that lost it gives up nothing";
  EXPECT_EQ((*this->journal.holder_of("r1"))->owner, "second");
}

TYPED_TEST(JournalConformance, ARenewedLeaseLastsLonger) {
  Lease lease = *this->journal.acquire(lease_for("r1", "first"), this->now, Millis{1000}, nobody_is_dead);
  ASSERT_TRUE(this->journal.renew(lease, this->now + Millis{900}, Millis{1000}));
  EXPECT_EQ(lease.expires, this->now + Millis{1900});
  EXPECT_FALSE(this->journal.acquire(lease_for("r1", "second"), this->now + Millis{1500}, Millis{1}, nobody_is_dead));
  ASSERT_TRUE(this->journal.acquire(lease_for("r1", "second"), this->now + Millis{1900}, Millis{1}, nobody_is_dead));
  EXPECT_EQ(this->journal.renew(lease, this->now, Millis{1000}).error().code, "lease-lost");
}

TYPED_TEST(JournalConformance, AStaleOwnerCannotAppend) {
  Recorded stale{this->journal, "r1", "a"};
  ASSERT_TRUE(stale.take("first"));
  stale.story.begin();
  ASSERT_TRUE(stale.store());
  ASSERT_TRUE(this->journal.acquire(lease_for("r1", "second"), this->now, Millis{1000}, everybody_is_dead));
  stale.story.happens(event::PauseAsked{"x"});
  EXPECT_EQ(stale.store().error().code, "lease-lost");
  ASSERT_TRUE(this->journal.acquire(lease_for("r1", "first"), this->now, Millis{1000}, everybody_is_dead));
  EXPECT_EQ(stale.store().error().code, "lease-lost") << "the same owner, but an epoch ago";
  EXPECT_EQ(this->journal.load("r1")->size(), 2U);
}

TYPED_TEST(JournalConformance, SeveralRunsAreRecordedTogetherOrNotAtAll) {
  Recorded first{this->journal, "r1", "a"};
  Recorded second{this->journal, "r2", "a"};
  for (Recorded* r : {&first, &second}) {
    ASSERT_TRUE(r->take("me"));
    r->story.begin();
  }
  const std::vector<std::int64_t> none;
  const auto both = [&](std::uint64_t second_has) {
    return std::vector<Addition>{{first.lease, Seq{0}, first.story.history, first.story.run, none},
                                 {second.lease, Seq{second_has}, second.story.history, second.story.run, none}};
  };
  EXPECT_EQ(this->journal.append_all(both(3)).error().code, "journal-conflict");
  EXPECT_EQ(this->journal.load("r1").error().code, "unknown-run")
      << "one was refused, so the other is not there either";
  ASSERT_TRUE(this->journal.append_all(both(0)));
  EXPECT_EQ(written(*this->journal.load("r1")), written(first.story.history));
  EXPECT_EQ(written(*this->journal.load("r2")), written(second.story.history));
}

TYPED_TEST(JournalConformance, NobodyAppendsWithoutALease) {
  Recorded recorded{this->journal, "r1", "a"};
  recorded.lease = lease_for("r1");
  recorded.story.begin();
  EXPECT_EQ(recorded.store().error().code, "lease-lost");
}

TYPED_TEST(JournalConformance, RequestsAreConsumedWithTheEventsThatAnswerThem) {
  Recorded recorded{this->journal, "r1", "a"};
  ASSERT_TRUE(recorded.take());
  recorded.story.begin();
  ASSERT_TRUE(recorded.store());
  const std::int64_t first = *this->journal.request({0, "r1", "pause", "me", this->now});
  const std::int64_t second = *this->journal.request({0, "r1", "retry", "a", this->now});
  (void)*this->journal.request({0, "r2", "cancel", "", this->now});
  auto waiting = *this->journal.requests("r1");
  ASSERT_EQ(waiting.size(), 2U);
  EXPECT_EQ(waiting[0].id, first);
  EXPECT_EQ(waiting[0].kind, "pause");
  EXPECT_EQ(waiting[1].argument, "a");
  EXPECT_EQ(waiting[1].at, this->now);

  const std::vector<Event> answer{{this->now, event::PauseAsked{"me"}}};
  EXPECT_FALSE(this->journal.append(recorded.lease, static_cast<Seq>(99), answer, recorded.story.run, {first}));
  EXPECT_EQ(this->journal.requests("r1")->size(), 2U) << "nothing was recorded, so nothing is answered";
  recorded.story.happens(event::PauseAsked{"me"});
  ASSERT_TRUE(recorded.store({first}));
  EXPECT_EQ(this->journal.requests("r1")->size(), 1U);
  EXPECT_FALSE(*this->journal.withdraw(first)) << "it was answered";
  EXPECT_TRUE(*this->journal.withdraw(second));
  EXPECT_TRUE(this->journal.requests("r1")->empty());
  EXPECT_EQ(this->journal.requests("r2")->size(), 1U);
}

void expect_agrees(Journal& journal, const std::string& id, const Run& run) {
  const RunSummary kept = journal.summary(id).value();
  const RunSummary made = summarise(id, run);
  EXPECT_EQ(kept.id, made.id);
  EXPECT_EQ(kept.workflow, made.workflow);
  EXPECT_EQ(kept.dialect, made.dialect);
  EXPECT_EQ(kept.state, made.state);
  EXPECT_EQ(kept.task, made.task);
  EXPECT_EQ(kept.error, made.error);
  EXPECT_EQ(kept.done, made.done);
  EXPECT_EQ(kept.total, made.total);
  EXPECT_EQ(kept.created, made.created);
  EXPECT_EQ(kept.started, made.started);
  EXPECT_EQ(kept.finished, made.finished);
  EXPECT_EQ(kept.updated, made.updated);
  EXPECT_EQ(kept.cost, made.cost);
  EXPECT_EQ(kept.tokens, made.tokens);
  EXPECT_EQ(kept.folder, made.folder);
  EXPECT_EQ(kept.sandbox, made.sandbox);
  std::vector<std::string> current;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepState s = shown_state(run, step_index(n));
    if (s == StepState::running || s == StepState::checking) current.push_back(run.step(step_index(n)).id);
  }
  EXPECT_EQ(kept.current, current);
  const std::vector<RunSummary> all = journal.list().value();
  const auto listed = std::ranges::find(all, id, &RunSummary::id);
  ASSERT_NE(listed, all.end());
  EXPECT_EQ(listed->state, kept.state);
  EXPECT_EQ(listed->current, current);
}

TYPED_TEST(JournalConformance, SummariesAgreeWithTheRunAfterEveryAppend) {
  Recorded recorded{this->journal, "r1", "a; b: a; c"};
  Story& story = recorded.story;
  story.settings.options = {{"task", "t"}, {"folder", "/f"}, {"sandbox", "s"}};
  story.policy("b").retries = 1;
  story.with_output("b");
  ASSERT_TRUE(recorded.take());
  const auto stored = [&] {
    ASSERT_TRUE(recorded.store());
    expect_agrees(this->journal, "r1", story.run);
  };
  story.begin();
  stored();
  story.admit("a").admit("c");
  stored();
  story.after(Millis{5}).start("a").start("c").uses("a", 100, Cost{77});
  stored();
  story.ends("a").after(Millis{5}).fails("c").begins("b").happens(event::PauseAsked{"somebody"});
  stored();
  story.happens(event::ResumeAsked{}).ends("b");
  stored();
  story.checked("b", false).begins("b").uses("b", 5);
  stored();
  story.ends("b").checked("b", true);
  stored();
  EXPECT_EQ(story.run.state(), RunState::failed);
  story.after(Millis{100}).happens(event::RetryAsked{story.step("a")});
  stored();
  Plan more = plan_of("a; b; c; n");
  story.begins("a").happens(event::PlanExtended{step_index(0), step_index(3), {more.steps[3]}, false, {}});
  stored();
}

TYPED_TEST(JournalConformance, ListsTheNewestRunFirst) {
  for (const char* id : {"r2", "r1", "r3"}) {
    Recorded recorded{this->journal, id, "a"};
    ASSERT_TRUE(recorded.take());
    recorded.story.begin();
    ASSERT_TRUE(recorded.store());
  }
  std::string order;
  const std::vector<RunSummary> all = this->journal.list().value();
  for (const RunSummary& s : all) order += s.id + " ";
  EXPECT_EQ(order, "r3 r1 r2 ");
}

}  // namespace
}  // namespace baton::test
