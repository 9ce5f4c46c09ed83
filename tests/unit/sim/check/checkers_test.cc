// SPDX-License-Identifier: BSD-3-Clause
// Each checker passes a true run and fails the same run with one thing falsified.

#include "sim/check/checkers.h"

#include "true_run.h"

namespace lambdacast::sim {
namespace {

using CheckersTest = TrueRun;

TEST_F(CheckersTest, true_run__expect_no_violation_and_that_it_was_worth_checking) {
  EXPECT_EQ(check_all(scenario_, log_), Violations{});
  EXPECT_FALSE(log_.nack_frames.empty());
  EXPECT_TRUE(std::any_of(log_.told.begin(), log_.told.end(),
                          [](const Told& each) { return each.is_gap(); }));
}

TEST_F(CheckersTest, content_changed__expect_integrity_violated) {
  delivery(1).intact = false;
  EXPECT_EQ(check_integrity(scenario_, log_).size(), 1u);
}

TEST_F(CheckersTest, delivered_under_another_name__expect_integrity_violated) {
  Told& told = delivery(1);
  told.sender = 2;
  told.group = 8;
  told.qos = wire::Qos::kReliable;
  ++told.rel_seq;
  EXPECT_EQ(check_integrity(scenario_, log_).size(), 4u);
}

TEST_F(CheckersTest, delivered_what_nobody_published__expect_integrity_violated) {
  delivery(1).publication = kNobody;
  EXPECT_EQ(check_integrity(scenario_, log_).size(), 1u);
}

TEST_F(CheckersTest, delivered_twice__expect_integrity_violated_at_any_level) {
  for (const wire::Qos qos :
       {wire::Qos::kUnreliable, wire::Qos::kReliable, wire::Qos::kSourceOrdered}) {
    Log twice = log_;
    twice.told.push_back(delivery(1, qos));
    EXPECT_EQ(check_integrity(scenario_, twice).size(), 1u);
  }
}

TEST_F(CheckersTest, delivered_without_subscription_or_to_its_sender__expect_integrity_violated) {
  Log own = log_;
  own.told.push_back(delivery(1));
  own.told.back().receiver = 0;
  EXPECT_EQ(check_integrity(scenario_, own).size(), 1u);
  scenario_.nodes[1].subscribe.clear();
  EXPECT_FALSE(check_integrity(scenario_, log_).empty());
}

TEST_F(CheckersTest, ordered_message__expect_integrity_at_its_sender_too_and_with_a_place) {
  const Told delivered = delivery(1);
  log_.publications[delivered.publication].qos = wire::Qos::kTotallyOrdered;
  std::erase_if(log_.told,
                [&](const Told& each) { return each.publication == delivered.publication; });
  for (const uint32_t receiver : {0u, 1u}) {
    Told told = delivered;
    told.receiver = receiver;
    told.qos = wire::Qos::kTotallyOrdered;
    told.epoch = 1;
    log_.told.push_back(told);
  }
  EXPECT_EQ(check_integrity(scenario_, log_).size(), 0u);
  log_.told.back().epoch = 0;
  EXPECT_EQ(check_integrity(scenario_, log_).size(), 1u);
}

TEST_F(CheckersTest, delivered_before_it_was_sent__expect_integrity_violated) {
  delivery(1).at_ns = 0;
  EXPECT_EQ(check_integrity(scenario_, log_).size(), 1u);
}

TEST_F(CheckersTest, numbers_falsified__expect_numbering_violated) {
  const auto repair = std::find_if(log_.frames.begin(), log_.frames.end(),
                                   [](const SentFrame& frame) { return frame.repair; });
  ASSERT_NE(repair, log_.frames.end());
  const auto at = static_cast<size_t>(repair - log_.frames.begin());
  const std::function<void(SentFrame&)> falsifications[] = {
      [](SentFrame& frame) { ++frame.frame_seq; }, [](SentFrame& frame) { ++frame.rel_seq; },
      [](SentFrame& frame) { frame.repair = false; },
      [](SentFrame& frame) { frame.publication = kNobody; }};
  for (const auto& falsify : falsifications) {
    Log falsified = log_;
    falsify(falsified.frames[at]);
    EXPECT_FALSE(check_numbering(scenario_, falsified).empty());
  }
}

// Node 0 publishes three messages at a time, which share packets.
class SharedPackets : public ::testing::Test {
 protected:
  static Scenario make() {
    Scenario scenario = busy_scenario(60);
    scenario.nodes[0].coalesce_ns = 10'000;
    scenario.nodes[0].traffic.batch_packets = 3;
    scenario.nodes[0].traffic.publish_every_ns = 100'000;
    scenario.fabric.receivers[1].loss = 0.1;
    scenario.fabric.faults_end_ns = 4'000'000;
    return scenario;
  }
  // The receiver's first delivery that stands at that place in a packet of several messages.
  std::vector<Told>::iterator told(uint32_t receiver, uint32_t place) {
    return std::ranges::find_if(log_.told, [&](const Told& each) {
      return each.receiver == receiver && each.place == place && each.publication != kNobody &&
             log_.publications[each.publication].sharing > 1;
    });
  }
  [[nodiscard]] size_t wrong() const { return check_integrity(scenario_, log_).size(); }

  Scenario scenario_ = make();
  Log log_ = Simulation(scenario_, 3).run().log;
};

TEST_F(SharedPackets, true_run__expect_no_violation_and_packets_of_three) {
  EXPECT_EQ(check_all(scenario_, log_), Violations{});
  EXPECT_GT(std::ranges::count_if(log_.frames, [](const auto& each) { return each.shared == 3; }),
            10);
}

TEST_F(SharedPackets, last_message_of_a_packet_not_delivered__expect_integrity_violated) {
  log_.told.erase(told(1, 2));
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(SharedPackets, last_packet_not_delivered_whole__expect_integrity_violated) {
  const auto last = std::find_if(log_.told.rbegin(), log_.told.rend(),
                                 [](const Told& each) { return each.place == 2; });
  log_.told.erase(last.base() - 1, log_.told.end());
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(SharedPackets, two_messages_of_a_packet_exchanged__expect_integrity_violated) {
  std::swap(told(2, 0)->publication, told(2, 1)->publication);
  EXPECT_EQ(wrong(), 2u);
}

TEST_F(SharedPackets, sent_in_another_order__expect_numbering_violated) {
  EXPECT_EQ(check_numbering(scenario_, log_), Violations{});
  const auto frame =
      std::ranges::find_if(log_.frames, [](const auto& each) { return each.shared == 3; });
  std::swap(log_.shared[frame->shared_begin], log_.shared[frame->shared_begin + 1]);
  EXPECT_EQ(check_numbering(scenario_, log_).size(), 1u);
}

// Marks take a position between those of messages, and have no publication.
TEST_F(CheckersTest, marks_between_messages__expect_numbering_to_hold_and_their_numbers_checked) {
  Log log;
  log.lives.resize(1);
  for (const uint32_t publication : {0u, kNobody, 1u, kNobody}) {
    SentFrame frame;
    frame.frame_seq = log.frames.size();
    frame.rel_seq = log.frames.size() + 1;
    frame.publication = publication;
    frame.recoverable = true;
    frame.marks = publication == kNobody;
    log.frames.push_back(frame);
    if (frame.marks) continue;
    Publication message;
    message.qos = wire::Qos::kTotallyOrdered;
    message.rel_seq = frame.rel_seq;
    log.publications.push_back(message);
  }
  log.frames.back().rel_seq = 2;
  log.frames.back().repair = true;
  EXPECT_EQ(check_numbering(scenario_, log), Violations{});
  log.frames.back().repair = false;
  EXPECT_EQ(check_numbering(scenario_, log).size(), 1u);
  log.frames.back().relayed_by = 0;
  EXPECT_EQ(check_numbering(scenario_, log).size(), 0u);
  ++log.frames[1].rel_seq;
  EXPECT_FALSE(check_numbering(scenario_, log).empty());
}

}  // namespace
}  // namespace lambdacast::sim
