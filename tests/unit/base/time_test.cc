#include "base/time.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

TEST(Time, IsWrittenInUtcWithMilliseconds) {
  EXPECT_EQ(rfc3339(time_from_ms(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(time_from_ms(1'794'740'421'634)), "2026-11-15T11:00:21.634Z");
}

TEST(Duration, HasUnitsAndABareNumberIsSeconds) {
  EXPECT_EQ(parse_duration("90s"), Millis{90'000});
  EXPECT_EQ(parse_duration("20m"), Millis{1'200'000});
  EXPECT_EQ(parse_duration("2h"), Millis{7'200'000});
  EXPECT_EQ(parse_duration("250ms"), Millis{250});
  EXPECT_EQ(parse_duration("1h30m"), Millis{5'400'000});
  EXPECT_EQ(parse_duration("7"), Millis{7'000});
  EXPECT_EQ(parse_duration("0.5"), Millis{500});
  EXPECT_EQ(parse_duration("1d"), Millis{86'400'000});
}

TEST(Duration, RefusesWhatIsNone) {
  for (const char* text : {"", "s", "-1s", "1x", "nan", "inf", "1e9h", "99999999999999999999d", " 1s"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, "bad-duration");
  }
}

TEST(Duration, IsShortForPeople) {
  EXPECT_EQ(brief(Millis{0}), "0.0s");
  EXPECT_EQ(brief(Millis{1'450}), "1.4s");
  EXPECT_EQ(brief(Millis{59'999}), "59s");
  EXPECT_EQ(brief(Millis{185'000}), "3m 05s");
  EXPECT_EQ(brief(Millis{7'800'000}), "2h 10m");
}

}  // namespace
}  // namespace baton
