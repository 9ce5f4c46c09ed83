// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/standing.h"

#include <gtest/gtest.h>

namespace lambdacast::appliance {
namespace standing_test {

using What = membership::Standing::What;

// Of a view of 10.77.0.1 to .3, of which the last two are missing.
node::StandingEvent event(What what, size_t here, size_t needed) {
  membership::View view;
  view.id = {4, 7, 1};
  for (uint32_t i = 1; i <= 3; ++i)
    view.members.push_back({wire::gid_from_ipv4(0x0a4d0000 + i), 16, i});
  membership::Standing standing;
  standing.what = what;
  standing.view = view.id;
  standing.here = here;
  standing.needed = needed;
  if (what == What::kNoQuorum || what == What::kOver) {
    standing.missing = base::NodeSet::of(1) | base::NodeSet::of(2);
    standing.over = base::NodeSet::of(2);
  }
  return node::standing_event(standing, view);
}
bool says(const node::StandingEvent& event, const std::string& words) {
  return sentence("node0", event).find(words) != std::string::npos;
}

TEST(Standing, a_view_goes_on__expect_no_line) {
  EXPECT_EQ(sentence("node0", event(What::kClear, 0, 0)), "");
}

TEST(Standing, a_first_view_waits__expect_how_many_are_here_and_how_many_more_it_takes) {
  EXPECT_EQ(sentence("node0", event(What::kFirstView, 2, 3)),
            "node0: no first view yet: 2 of the 3 nodes that it takes are here; it begins when 1 "
            "more are started, or everywhere with lower initial_nodes and minimum_partition; what "
            "needs no view goes on\n");
}

TEST(Standing, enough_are_here_for_a_first_view__expect_that_they_do_not_hear_each_other) {
  EXPECT_TRUE(
      says(event(What::kFirstView, 3, 3), "3 nodes are here, and not each hears all others"));
}

TEST(Standing, no_quorum__expect_each_that_is_missing_by_address_and_why) {
  const auto lacks = event(What::kNoQuorum, 1, 2);
  EXPECT_TRUE(says(lacks, "no view can follow view 4.7: 1 of its members here, and it takes 2; "));
  EXPECT_TRUE(says(lacks, "10.77.0.2 (silent), 10.77.0.3 (that life of it has ended)"));
  EXPECT_TRUE(says(lacks, "--rejoin"));
}

TEST(Standing, a_quorum_that_does_not_agree__expect_nobody_called_missing) {
  auto heard = event(What::kNoQuorum, 3, 2);
  heard.missing = 0;
  EXPECT_TRUE(says(heard, "no view follows view 4.7: its members are heard, and do not agree"));
}

TEST(Standing, others_have_a_view__expect_how_many_of_them_are_heard) {
  EXPECT_TRUE(says(event(What::kOthers, 1, 2), "not taken into view 4.7 of others: 1 of its"));
}

TEST(Standing, a_view_is_over__expect_it_to_say_so) {
  EXPECT_TRUE(says(event(What::kOver, 1, 2), "view 4.7 is over for good"));
}

}  // namespace standing_test
}  // namespace lambdacast::appliance
