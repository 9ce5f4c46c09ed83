// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

using wire::Qos;

// A first view of four, of epoch 1: its passes are made by ranks 1, 2, 3, 0, 1, ...
class RingScript : public OrderScript {
 public:
  RingScript() {
    scenario_.membership.order.order = ordering::Order::kRing;
    install(1, {0, 1, 2, 3});
  }
  void pass(uint32_t life, uint64_t number, const std::vector<PassSent::Item>& items = {},
            const Lives& heard_by = {0, 1, 2, 3}) {
    for (SentFrame& frame : log_.frames) frame.recoverable = true;
    const uint64_t rel_seq = 1'000 + number;
    log_.passes.push_back(
        {life, step(), static_cast<uint32_t>(log_.arrivals.size()), rel_seq, 1, number, items});
    SentFrame frame;
    frame.life = life;
    frame.rel_seq = rel_seq;
    frame.marks = frame.recoverable = true;
    log_.frames.push_back(frame);
    for (const uint32_t receiver : heard_by) {
      if (receiver != life)
        log_.arrivals.push_back({static_cast<uint32_t>(log_.frames.size() - 1), receiver, {}});
    }
  }
};

TEST(CheckToken, true_story__expect_no_violation) {
  RingScript script;
  (void)script.publish(0, Qos::kTotallyOrdered);
  script.pass(1, 1, {{0, 1}});
  for (uint64_t number = 2; number <= 4; ++number) script.pass(number % 4, number);
  EXPECT_EQ(script.violations(check_token), 0u);
}

TEST(CheckToken, pass_made_twice_or_by_another__expect_violation) {
  RingScript script;
  (void)script.publish(0, Qos::kTotallyOrdered);
  script.pass(1, 1, {{0, 1}});
  RingScript other = script;
  script.pass(1, 1, {{0, 1}});
  EXPECT_EQ(script.violations(check_token), 1u);
  other.pass(3, 2);
  EXPECT_EQ(other.violations(check_token), 1u);
}

TEST(CheckToken, maker_lacks_the_pass_before_or_its_content__expect_violation) {
  RingScript script;
  (void)script.publish_to(0, Qos::kTotallyOrdered, {1, 3});
  RingScript other = script;
  script.pass(1, 1, {{0, 1}});
  script.pass(2, 2);
  EXPECT_EQ(script.violations(check_token), 1u) << "content";
  other.pass(1, 1, {}, {0, 3});
  other.pass(2, 2);
  EXPECT_EQ(other.violations(check_token), 3u) << "the pass, and both had to rest";
}

TEST(CheckToken, token_that_had_to_rest_goes_on__expect_violation) {
  RingScript script;
  (void)script.publish(0, Qos::kTotallyOrdered);
  script.pass(1, 1, {{0, 1}});
  for (uint64_t number = 2; number <= 5; ++number) script.pass(number % 4, number);
  EXPECT_EQ(script.violations(check_token), 1u);
}

TEST(CheckToken, pass_behind_one_that_was_never_made__expect_violation) {
  RingScript script;
  (void)script.publish(0, Qos::kTotallyOrdered);
  script.pass(2, 2, {{0, 1}});
  EXPECT_EQ(script.violations(check_token), 1u);
}

// Of four that were, three are left.
TEST(CheckMaxN, majority_before_all_have_begun__expect_one_of_the_view_before_to_be_needed) {
  for (const bool begun : {false, true}) {
    for (const bool third : {false, true}) {
      RingScript script;
      script.install(2, {0, 1, 2});
      for (const uint32_t life : {0u, 2u}) {
        if (begun) script.log_.begun.push_back({life, script.now_ns(), 2});
      }
      const uint32_t message = script.publish_to(0, Qos::kMajority, third ? Lives{1, 2} : Lives{1});
      script.deliver({1}, message, 0);
      EXPECT_EQ(script.violations(check_max_n), begun || third ? 0u : 1u);
    }
  }
}

TEST(CheckMaxN, newcomer_before_all_have_begun__expect_all_to_be_needed) {
  RingScript script;
  script.crash(3);
  const uint32_t back = script.start(3);
  script.install(2, {0, 1, 2, back});
  const uint32_t message = script.publish_to(0, Qos::kMajority, {1, back});
  script.deliver({back}, message, 0);
  EXPECT_EQ(script.violations(check_max_n), 1u);
  script.scenario_.membership.order = {.domains = 16, .order = ordering::Order::kMixed};
  EXPECT_EQ(script.violations(check_max_n), 0u) << "its domain has a sequencer";
}

}  // namespace
}  // namespace lambdacast::sim
