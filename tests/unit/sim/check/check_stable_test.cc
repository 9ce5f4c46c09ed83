// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

using wire::Qos;

TEST(CheckStable, true_story__expect_no_violation) {
  OrderScript script = true_story();
  for (uint32_t message = 0; message < script.log_.publications.size(); ++message) {
    const Life& sender = script.log_.lives[script.log_.publications[message].life];
    if (sender.died_ns == kNever) script.call_stable(message);
  }
  EXPECT_EQ(script.violations(check_stable), 0u);
}

TEST(CheckStable, not_held_by_a_member__expect_violation_unless_it_is_dead) {
  for (const Qos qos : {Qos::kReliable, Qos::kTotallyOrdered}) {
    OrderScript script(3);
    script.install(1, {0, 1, 2});
    const uint32_t message = script.publish_to(0, qos, {1});
    OrderScript dead = script;
    script.call_stable(message);
    EXPECT_EQ(script.violations(check_stable), 1u);
    dead.crash(2);
    dead.call_stable(message);
    EXPECT_EQ(dead.violations(check_stable), 0u);
  }
}

TEST(CheckStable, declared_lost_by_a_member__expect_violation_if_ordered_or_later) {
  for (const Qos qos : {Qos::kSourceOrdered, Qos::kTotallyOrdered}) {
    OrderScript script(2);
    script.install(1, {0, 1});
    const uint32_t message = script.publish_to(0, qos, {});
    Told gap;
    gap.what = Told::What::kGap;
    gap.receiver = 1;
    gap.sender = 0;
    gap.at_ns = script.step();
    gap.first = script.log_.publications[message].rel_seq;
    gap.count = 1;
    script.call_stable(message);
    OrderScript late = script;
    script.log_.told.push_back(gap);
    EXPECT_EQ(script.violations(check_stable), is_ordered(qos) ? 1u : 0u);
    gap.at_ns = late.step();
    late.log_.told.push_back(gap);
    EXPECT_EQ(late.violations(check_stable), 1u);
  }
}

TEST(CheckStable, held_only_later__expect_violation) {
  OrderScript script(2);
  script.install(1, {0, 1});
  const uint32_t message = script.publish(0, Qos::kTotallyOrdered);
  script.call_stable(message);
  EXPECT_EQ(script.violations(check_stable), 0u);
  script.log_.publications[message].stable_arrivals = 0;
  EXPECT_EQ(script.violations(check_stable), 1u);
}

// Node 0 goes on alone, says that the view is chosen, and dies before its application hears of it.
TEST(CheckStable, not_held_by_whom_an_untold_view_leaves_out__expect_violation_unless_parted) {
  for (const bool chosen : {true, false}) {
    for (const bool parted : {true, false}) {
      OrderScript script(2);
      script.install(1, {0, 1});
      const uint32_t message = script.publish_to(0, Qos::kTotallyOrdered, {});
      script.log_.ballots.push_back({0, script.step(), 2});
      if (chosen) script.log_.chosen.push_back({script.step(), 2, 2, 0});
      if (parted)
        script.log_.memberships.push_back(
            {.sender = 0,
             .receiver = 1,
             .at_ns = script.step(),
             .what = reliability::ReceiverEvent::What::kEvictedSilent});
      script.call_stable(message);
      EXPECT_EQ(script.violations(check_stable), chosen && parted ? 0u : 1u);
    }
  }
}

TEST(CheckStable, member_that_joined_behind_it__expect_no_violation) {
  OrderScript script(3);
  script.install(1, {0, 1});
  const uint32_t message = script.publish_to(0, Qos::kTotallyOrdered, {1});
  script.deliver({0, 1}, message, 0);
  script.install(2, {0, 1, 2});
  const uint32_t later = script.publish_to(0, Qos::kTotallyOrdered, {1});
  script.call_stable(message);
  EXPECT_EQ(script.violations(check_stable), 0u);
  script.call_stable(later);
  EXPECT_EQ(script.violations(check_stable), 1u);
}

// A stranded sender cuts a silent member off, and the next view, which still has it, admits it
// again.
TEST(CheckStable, cut_off_in_a_view_and_admitted_behind_it__expect_no_violation_if_not_ordered) {
  using What = reliability::ReceiverEvent::What;
  for (const Qos qos : {Qos::kReliable, Qos::kTotallyOrdered}) {
    for (const uint64_t behind : {0, 1}) {
      OrderScript script(2);
      script.install(1, {0, 1});
      const uint32_t message = script.publish_to(0, qos, {});
      const uint64_t rel_seq = script.log_.publications[message].rel_seq;
      script.log_.memberships.push_back({.sender = 0,
                                         .receiver = 1,
                                         .at_ns = script.step(),
                                         .what = What::kEvictedSilent,
                                         .position = rel_seq});
      script.log_.memberships.push_back({.sender = 0,
                                         .receiver = 1,
                                         .at_ns = script.step(),
                                         .what = What::kJoined,
                                         .position = rel_seq + behind});
      script.call_stable(message);
      EXPECT_EQ(script.violations(check_stable), qos == Qos::kReliable && behind == 1 ? 0u : 1u);
    }
  }
}

// A sender admits a node, cuts it off, publishes, and admits it again.
TEST(CheckStable, admitted_again_behind_it__expect_no_violation_before_the_first_view) {
  for (const bool again : {true, false}) {
    OrderScript script(3);
    script.install(1, {1, 2});
    const uint32_t message = script.publish_to(0, Qos::kReliable, {2});
    const uint64_t rel_seq = script.log_.publications[message].rel_seq;
    const auto admit = [&](uint64_t position) {
      script.log_.memberships.push_back({.sender = 0,
                                         .receiver = 1,
                                         .at_ns = script.step(),
                                         .what = reliability::ReceiverEvent::What::kJoined,
                                         .position = position});
    };
    admit(rel_seq);
    if (again) admit(rel_seq + 1);
    script.install(2, {0, 1, 2});
    script.call_stable(message);
    EXPECT_EQ(script.violations(check_stable), again ? 0u : 1u);
  }
}

TEST(CheckStable, without_a_view_or_not_called_so__expect_no_violation) {
  OrderScript script(2);
  const uint32_t message = script.publish_to(0, Qos::kReliable, {});
  script.call_stable(message);
  EXPECT_EQ(script.violations(check_stable), 0u);
  script.install(1, {0, 1});
  (void)script.publish_to(0, Qos::kReliable, {});
  EXPECT_EQ(script.violations(check_stable), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
