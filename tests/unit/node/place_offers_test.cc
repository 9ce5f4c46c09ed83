// SPDX-License-Identifier: BSD-3-Clause
#include "node/place_offers.h"

#include "place_fixture.h"

namespace lambdacast::node {
namespace {

class PlaceOffersTest : public PlaceFixture {
 protected:
  // The place of endpoint 1 is withdrawn.
  void SetUp() override {
    PlaceFixture::SetUp();
    withdraw();
    poll_receive();
  }
};

TEST_F(PlaceOffersTest, nothing_is_on_its_way__expect_the_place_granted) {
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kGranted);
  EXPECT_FALSE(receiver_.knows(1));
  EXPECT_FALSE(offers_.has_turn());
  EXPECT_EQ(offers_.next_deadline_ns(), ~uint64_t{0});
}

TEST_F(PlaceOffersTest, frames_wait_in_the_link__expect_those_judged_first_and_no_others) {
  handover_.go(Step::kOffered);
  (void)arrive(0);
  (void)arrive(2);
  poll_receive();
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kWithdrawn);
  judge(1);
  (void)arrive(0);  // later ones do not count
  (void)arrive(0);
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kWithdrawn);
  judge(1);
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kGranted);
}

TEST_F(PlaceOffersTest, packets_wait_in_links_behind__expect_each_seen_empty_in_its_order) {
  links_.handed_over = false;
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kWithdrawn);
  EXPECT_NE(offers_.next_deadline_ns(), ~uint64_t{0});
  links_ = {.judged = links_.judged, .handed_over = true, .delivered = false};
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kWithdrawn);
  links_ = {.judged = links_.judged, .handed_over = false, .delivered = true};
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kGranted) << "what fills the first again came later";
}

TEST_F(PlaceOffersTest, the_view_takes_the_peer__expect_the_place_not_granted) {
  receiver_.enlist(1, {name(1).gid, name(1).qpn, receiver_.incarnation(1)});
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kIdle);
  EXPECT_TRUE(receiver_.knows(1));
}

TEST_F(PlaceOffersTest, configuration_names_who_is_gone__expect_nothing_offered) {
  poll_reliability();
  poll_receive();
  (void)peers_.add(name(0).gid, name(0).qpn, "kept");
  pass(3 * small_config().suspect_after_ns);
  hear(2);
  hear(3);
  EXPECT_EQ(arrive(4), kNoPeer);
  poll_both();
  EXPECT_EQ(handover_.step(), Step::kNone);
}

TEST_F(PlaceOffersTest, nobody_is_gone__expect_another_look_only_after_a_while) {
  poll_reliability();
  poll_receive();
  hear(3);
  const auto ask = [&] {
    (void)arrive(4);
    poll_receive();
    poll_reliability();
  };
  ask();
  EXPECT_EQ(handover_.step(), Step::kNone);
  poll_receive();
  ask();
  EXPECT_EQ(handover_.step(), Step::kWanted);
  EXPECT_EQ(offers_.next_deadline_ns(), now_ns_ + kLookEvery);
  now_ns_ += kLookEvery;
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kNone);
}

}  // namespace
}  // namespace lambdacast::node
