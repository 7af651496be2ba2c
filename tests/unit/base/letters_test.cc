#include "base/letters.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

TEST(Lower, ChangesLatinCapitalsAlone) {
  EXPECT_EQ(lower("AZ az @[ 09"), "az az @[ 09");
  EXPECT_EQ(lower("Ž漢"), "Ž漢");
}

}  // namespace
}  // namespace baton
