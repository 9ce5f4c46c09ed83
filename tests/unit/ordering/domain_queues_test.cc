// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/domain_queues.h"

#include <gtest/gtest.h>

#include "stub_host.h"

namespace lambdacast::ordering {
namespace domain_queues_test {

using State = Held::State;
using wire::Qos;

// View 1 of streams 0 to 2 (this node's), by rank; everything is marked by rank 0.
class DomainQueuesTest : public ::testing::Test {
 protected:
  static constexpr TotalOrderConfig kQueues{2, 8, 4, 1};
  static constexpr size_t kMembers[] = {0, 1, 2};

  DomainQueuesTest() {
    view_.end();
    view_.begin(1, kMembers, 2);
    acks_.begin(3, kQueues.k);
    queues_.begin_view();
  }
  uint32_t add(uint64_t rel_seq, uint32_t domain, Qos qos = Qos::kTotallyOrdered) {
    const bool ordered = qos != Qos::kSourceOrdered;
    return held_.add(entry(1, rel_seq, domain, ordered ? State::kUnmarked : State::kFollows, qos));
  }
  Packets delivered() { return std::exchange(host_.delivered, {}); }

  StubHost host_;
  OrderView view_{3};
  Acknowledgements acks_{3};
  HeldPackets held_{kQueues, host_};
  DomainQueues queues_{kQueues, view_, acks_, held_, host_};
};

TEST_F(DomainQueuesTest, mark__expect_the_next_index_of_its_domain_and_delivery_at_once) {
  queues_.mark(add(1, 0), 7);
  queues_.mark(add(2, 3), 7);
  queues_.mark(add(3, 0), 8);
  EXPECT_EQ(delivered(), (Packets{packet(1, 1), packet(1, 2), packet(1, 3)}));
  EXPECT_EQ(host_.last.index, 1u);
  EXPECT_EQ(host_.last.mark, 8u);
  EXPECT_EQ(host_.last.epoch, 1u);
  EXPECT_TRUE(queues_.idle());
}

TEST_F(DomainQueuesTest, level_not_reached__expect_its_domain_alone_to_wait) {
  queues_.mark(add(1, 0, Qos::kTotallyResilient), 7);
  queues_.mark(add(2, 0), 7);
  queues_.mark(add(3, 1), 7);
  EXPECT_EQ(delivered(), (Packets{packet(1, 3)}));
  EXPECT_FALSE(queues_.idle());
  for (size_t member = 0; member < 3; ++member) acks_.acknowledge(member, 0, 7);
  queues_.drain(0);
  EXPECT_EQ(delivered(), (Packets{packet(1, 1), packet(1, 2)}));
  EXPECT_TRUE(queues_.idle());
}

TEST_F(DomainQueuesTest, source_ordered_behind_it__expect_it_to_follow_as_far_as_nothing_blocks) {
  const uint32_t first = add(1, 0);
  add(2, 0, Qos::kSourceOrdered);
  add(3, 1, Qos::kSourceOrdered);  // of another domain
  const uint32_t second = add(4, 0);
  add(5, 0, Qos::kSourceOrdered);
  queues_.mark(first, 1);
  EXPECT_EQ(delivered(), (Packets{packet(1, 1), packet(1, 2)}));
  queues_.mark(second, 2);
  EXPECT_EQ(delivered(), (Packets{packet(1, 4), packet(1, 5)}));
  EXPECT_EQ(host_.last.epoch, 0u) << "source ordered: of no view";
}

TEST_F(DomainQueuesTest, refused__expect_nothing_more_until_retry) {
  host_.refuses = true;
  queues_.mark(add(1, 0), 1);
  queues_.mark(add(2, 1), 1);
  EXPECT_TRUE(queues_.refused());
  host_.refuses = false;
  queues_.drain_all();
  EXPECT_EQ(delivered(), Packets{});
  queues_.retry();
  EXPECT_EQ(delivered(), (Packets{packet(1, 1), packet(1, 2)}));
  EXPECT_FALSE(queues_.refused());
}

TEST_F(DomainQueuesTest, view_that_ends__expect_all_that_is_marked_whatever_its_level) {
  queues_.mark(add(1, 0, Qos::kTotallyResilient), 7);
  view_.end();
  queues_.mark(add(2, 0, Qos::kMajority), 0);
  EXPECT_EQ(delivered(), Packets{});
  queues_.drain_all();
  EXPECT_EQ(delivered(), (Packets{packet(1, 1), packet(1, 2)}));
  EXPECT_EQ(queues_.recovered(), 2u);
  EXPECT_EQ(queues_.delivered(), 2u);
  queues_.begin_view();
  view_.begin(2, kMembers, 2);
  queues_.mark(add(3, 0), 8);
  EXPECT_EQ(host_.last.index, 0u) << "indices begin anew";
}

TEST_F(DomainQueuesTest, give_up__expect_source_ordered_content_at_the_last_call_and_no_other) {
  host_.refuses = true;
  queues_.mark(add(1, 0), 1);
  add(2, 0, Qos::kSourceOrdered);
  queues_.give_up();
  EXPECT_EQ(delivered(), (Packets{packet(1, 2)}));
  EXPECT_TRUE(host_.last.last_call);
  EXPECT_FALSE(queues_.refused());
  queues_.clear();
  EXPECT_TRUE(queues_.idle());
}

}  // namespace domain_queues_test
}  // namespace lambdacast::ordering
