// Every kind of event comes out of the journal as it went in, byte for byte.
#include "journal/event_codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "support/every_event.h"

namespace baton::test {
namespace {

TEST(EventCodec, WritesAndReadsEveryKind) {
  std::set<std::size_t> kinds;
  for (const EventBody& body : every_event()) {
    const std::string text = encode(body);
    SCOPED_TRACE(text);
    const auto read = decode(kind_of(body), text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->index(), body.index());
    EXPECT_EQ(encode(*read), text);
    kinds.insert(body.index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<EventBody>) << "an event kind is missing from every_event()";
}

TEST(EventCodec, KeepsWhatNumbersOfOtherReadersWouldLose) {
  RunSettings settings{.seed = std::numeric_limits<std::uint64_t>::max(), .token_budget = (std::int64_t{1} << 53) + 1};
  const auto read = decode("settings.changed", encode(event::SettingsChanged{settings}));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<event::SettingsChanged>(*read).settings, settings);
}

TEST(EventCodec, KeepsAbsentApartFromZero) {
  const event::AttemptUsed without{step_index(0), 1, Usage{{1, 2, 3, 4}, {}}};
  const event::AttemptUsed with{step_index(0), 1, Usage{{1, 2, 3, 4}, Cost{0}}};
  EXPECT_EQ(std::get<event::AttemptUsed>(*decode("attempt.used", encode(without))).usage, without.usage);
  EXPECT_EQ(std::get<event::AttemptUsed>(*decode("attempt.used", encode(with))).usage, with.usage);
}

TEST(EventCodec, RefusesWhatIsNoWholeEvent) {
  for (const EventBody& body : every_event()) {
    const std::string text = encode(body);
    for (std::size_t cut = 0; cut + 1 < text.size(); cut += 1 + text.size() / 40) {
      const auto read = decode(kind_of(body), text.substr(0, cut));
      ASSERT_FALSE(read) << text.substr(0, cut);
      EXPECT_EQ(read.error().code, "journal-corrupt");
    }
  }
  EXPECT_EQ(decode("no.such", "{}").error().code, "journal-corrupt");
  EXPECT_EQ(decode("attempt.started", "[]").error().code, "journal-corrupt");
  EXPECT_EQ(decode("attempt.started", R"({"step":-1,"attempt":1,"pid":1,"started":1})").error().code,
            "journal-corrupt");
  EXPECT_EQ(decode("attempt.started", R"({"step":"1","attempt":1,"pid":1,"started":1})").error().code,
            "journal-corrupt");
  EXPECT_EQ(decode("timer.fired", R"({"kind":77,"step":0})").error().code, "journal-corrupt");
}

}  // namespace
}  // namespace baton::test
