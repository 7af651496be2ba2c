#include "text/iso_time.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

TEST(IsoTime, IsReadInEveryFormAndWrittenInTwo) {
  EXPECT_EQ(read_time("2026-11-15T12:00:00.125Z"), time_from_ms(1794744000125));
  EXPECT_EQ(read_time("2026-11-15T20:00:00+08:00"), time_from_ms(1794744000000));
  EXPECT_EQ(read_time("2026-11-15"), time_from_ms(1794700800000));
  EXPECT_EQ(read_time("2026-13-15"), std::nullopt);
  EXPECT_EQ(read_time("yesterday"), std::nullopt);
  EXPECT_EQ(bus_time(time_from_ms(1794744000125)), "2026-11-15T12:00:00.125+00:00");
  EXPECT_EQ(utc_seconds(1794744000125), "2026-11-15T12:00:00Z");
}

}  // namespace
}  // namespace baton
