#include "runtime/reset_time.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::November;
using std::chrono::October;
using std::chrono::sys_days;

// Sunday, 15 November 2026, 12:30 UTC.
constexpr Time noon{sys_days{std::chrono::year{2026} / November / 15} + hours{12} + minutes{30}};

/// Where we are it is two hours later than in UTC. London turns its clocks back on 25 October at 1:00 UTC.
std::optional<Millis> offset_of(std::string_view zone, Time at) {
  if (zone.empty()) return hours{2};
  if (zone == "America/New_York") return -hours{5};
  if (zone != "Europe/London") return std::nullopt;
  return at < Time{sys_days{std::chrono::year{2026} / October / 25} + hours{1}} ? hours{1} : hours{0};
}

std::optional<std::string> reset(std::string_view text, Time when = noon) {
  const auto moment = reset_in(text, when, offset_of);
  return moment ? std::optional{rfc3339(*moment)} : std::nullopt;
}

TEST(ResetTime, AMomentIsTakenAsItIs) {
  EXPECT_EQ(reset("Claude AI usage limit reached|1784079000"), "2026-07-15T01:30:00.000Z");
  EXPECT_EQ(reset("Claude AI usage limit reached|1784079000500"), "2026-07-15T01:30:00.000Z") << "in milliseconds";
  EXPECT_EQ(reset("usage limit reached|5"), std::nullopt);
  EXPECT_EQ(reset("usage limit reached|"), std::nullopt);
}

TEST(ResetTime, AClocksTimeIsTheNextOneHere) {
  EXPECT_EQ(reset("You've hit your session limit · resets 3:40pm"), "2026-11-15T13:40:00.000Z");
  EXPECT_EQ(reset("5-hour limit reached ∙ Resets 3PM"), "2026-11-15T13:00:00.000Z");
  EXPECT_EQ(reset("You've hit your limit · resets 1:20pm"), "2026-11-16T11:20:00.000Z") << "not today any more";
  EXPECT_EQ(reset("limit · resets 12am"), "2026-11-15T22:00:00.000Z") << "midnight";
  EXPECT_EQ(reset("limit · resets 12:15 pm"), "2026-11-16T10:15:00.000Z") << "noon";
  EXPECT_EQ(reset("limit · resets 12:15 am"), "2026-11-15T22:15:00.000Z");
  EXPECT_EQ(reset("limit, resets at 15:00"), "2026-11-15T13:00:00.000Z");
}

TEST(ResetTime, ANamedZoneIsMinded) {
  EXPECT_EQ(reset("You've hit your limit · resets 3am (Europe/London)"), "2026-11-16T03:00:00.000Z");
  EXPECT_EQ(reset("You've hit your limit · resets 8am (America/New_York)"), "2026-11-15T13:00:00.000Z");
  const Time before{sys_days{std::chrono::year{2026} / October / 24} + hours{22}};
  EXPECT_EQ(reset("resets 11:30pm (Europe/London)", before), "2026-10-24T22:30:00.000Z");
  EXPECT_EQ(reset("resets 5am (Europe/London)", before), "2026-10-25T05:00:00.000Z") << "clocks are turned on the way";
  EXPECT_EQ(reset("resets 3am (Mars/Olympus)"), std::nullopt) << "nobody knows what time it is there";
}

TEST(ResetTime, ADayIsTheNextOneOfThatName) {
  EXPECT_EQ(reset("You've hit your weekly limit · resets Nov 18 at 5pm"), "2026-11-18T15:00:00.000Z");
  EXPECT_EQ(reset("Weekly limit reached ∙ resets Nov 18, 10:30am (America/New_York)"), "2026-11-18T15:30:00.000Z");
  EXPECT_EQ(reset("resets on January 2 at 1am"), "2027-01-01T23:00:00.000Z") << "next year";
  EXPECT_EQ(reset("resets Feb 30 at 1am"), std::nullopt);
}

TEST(ResetTime, WhatWasReadLateIsAMomentOfThePast) {
  EXPECT_EQ(reset("limit · resets 2:25pm"), "2026-11-15T12:25:00.000Z") << "five minutes ago: not tomorrow's";
  EXPECT_EQ(reset("limit · resets 2:30pm"), "2026-11-15T12:30:00.000Z") << "now";
  EXPECT_EQ(reset("You've hit your limit · resets 1:40pm"), "2026-11-15T11:40:00.000Z") << "fifty minutes ago";
  EXPECT_EQ(reset("You've hit your session limit · resets 12:15pm"), "2026-11-15T10:15:00.000Z")
      << "a session's window is five hours long";
  EXPECT_EQ(reset("5-hour limit reached ∙ resets 7:30pm"), "2026-11-15T17:30:00.000Z") << "just within it";
  const Time half_past_eight{sys_days{std::chrono::year{2026} / November / 18} + hours{18} + minutes{12}};
  EXPECT_EQ(reset("weekly, resets Nov 18 7:42pm", half_past_eight), "2026-11-18T17:42:00.000Z") << "not next year";
  EXPECT_EQ(reset("resets Nov 10 at 5pm"), "2026-11-10T15:00:00.000Z") << "days ago";
  const Time new_year{sys_days{std::chrono::year{2027} / std::chrono::January / 1} + minutes{10}};
  EXPECT_EQ(reset("resets Dec 31 at 11:50pm (America/New_York)", new_year), "2027-01-01T04:50:00.000Z")
      << "there it is still last year";
  EXPECT_EQ(reset("resets Dec 31 at 11pm", new_year), "2026-12-31T21:00:00.000Z") << "last year";
  EXPECT_EQ(reset("limit · resets 11:50pm (Europe/London)", new_year), "2026-12-31T23:50:00.000Z") << "yesterday";
}

TEST(ResetTime, WhatCannotBeReadSaysNothing) {
  for (const char* text :
       {"", "resets", "resets soon", "resets 3", "resets 25:00", "resets 13pm", "resets 1:75pm", "resets 0am",
        "resets 300pm", "resets Smarch 3 at 1pm", "resets Nov 3", "resets 3pmish", "no word of it"}) {
    EXPECT_EQ(reset(text), std::nullopt) << text;
  }
  EXPECT_EQ(reset_in("resets 3:40pm", noon, {}), std::nullopt) << "no clock to read";
}

}  // namespace
}  // namespace baton
