// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/rate_events.h"

#include <gtest/gtest.h>

namespace lambdacast::appliance {
namespace rate_events_test {

using What = node::RateEvent::What;

std::string said(const node::RateEvent& event) { return sentence("node0", "10.77.0.2", event); }

TEST(RateEvents, the_own_share__expect_what_happened_and_the_rate_that_follows) {
  EXPECT_EQ(said({What::kLeaseOver}),
            "node0: its share is over: no quorum of its view has been heard for suspect_after_us / "
            "4; it sends at the rate of an endpoint outside");
  EXPECT_EQ(said({What::kLeaseBack}), "node0: it has its share again");
}

TEST(RateEvents, another_member__expect_its_address) {
  EXPECT_EQ(said({What::kOverShare, 1, 5'000'000}),
            "node0: member 10.77.0.2 sends more than its share, 5000000 bit/s");
  EXPECT_EQ(said({What::kWithinShare, 1, 5'000'000}),
            "node0: member 10.77.0.2 keeps to its share again");
  EXPECT_EQ(said({What::kSilent, 1}),
            "node0: member 10.77.0.2 has not announced what it needs and takes: nobody new has a "
            "share before it does");
  EXPECT_EQ(said({What::kCapacity, 1, 7'000'000}),
            "node0: member 10.77.0.2 takes 7000000 bit/s now");
  EXPECT_EQ(said({What::kCapacity, 1, 0}), "node0: member 10.77.0.2 has no limit any more");
}

}  // namespace rate_events_test
}  // namespace lambdacast::appliance
