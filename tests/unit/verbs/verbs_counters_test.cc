// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_counters.h"

#include <gtest/gtest.h>

#include <sstream>

namespace lambdacast::verbs {
namespace {

TEST(VerbsCounters, AreLinesOfNameAndValue) {
  VerbsCounters counters;
  counters.add(Counter::kFramesSent, 12);
  counters.drops.add(counters::DropReason::kBadIcrc, 3);
  std::ostringstream text;
  write(text, counters);
  EXPECT_EQ(text.str().substr(0, 15), "frames_sent 12\n");
  EXPECT_NE(text.str().find("\nno_receive 0\n"), std::string::npos);
  EXPECT_NE(text.str().find("\ndrop_bad_icrc 3\n"), std::string::npos);
  EXPECT_EQ(text.str().find("drop_not_udp"), std::string::npos);
}

}  // namespace
}  // namespace lambdacast::verbs
