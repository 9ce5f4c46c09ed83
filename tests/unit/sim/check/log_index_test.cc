// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/log_index.h"

#include <gtest/gtest.h>

#include "busy_scenario.h"

namespace lambdacast::sim {
namespace {

using What = reliability::ReceiverEvent::What;

// Three lives, the third a second one of node 0; life 0 sent two recoverable messages, with one of
// the protocol between.
class LogIndexTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const size_t node : {0, 1, 0}) {
      Life life;
      life.node = node;
      life.incarnation = 1 + static_cast<uint32_t>(log_.lives.size());
      life.first_rel_seq = 10;
      log_.lives.push_back(life);
    }
    for (const wire::Qos qos : {wire::Qos::kReliable, wire::Qos::kUnreliable,
                                wire::Qos::kSourceOrdered, wire::Qos::kReliable}) {
      Publication publication;
      publication.group = 7;
      publication.qos = qos;
      publication.sent_ns = 5;
      publication.rel_seq = qos == wire::Qos::kSourceOrdered ? 13 : 11 + log_.publications.size();
      log_.publications.push_back(publication);
    }
    log_.publications[3].sent_ns = kNever;
  }
  Scenario scenario_ = busy_scenario(0, 2);
  Log log_;
};

TEST_F(LogIndexTest, positions__expect_those_recoverable_and_sent) {
  const LogIndex index(scenario_, log_);
  EXPECT_EQ(index.positions(0), 3u);
  EXPECT_EQ(index.positions(1), 0u);
  EXPECT_EQ(index.at(0, 11), &log_.publications[0]);
  EXPECT_EQ(index.at(0, 12), nullptr);  // the protocol's own
  EXPECT_EQ(index.at(0, 13), &log_.publications[2]);
  EXPECT_EQ(index.at(0, 10), nullptr);
  EXPECT_EQ(index.at(0, 14), nullptr);
}

TEST_F(LogIndexTest, packets_of_a_message__expect_it_at_its_last_and_covering_all_but_marks) {
  for (const uint64_t rel_seq : {14, 15, 16, 17}) {
    SentFrame frame;
    frame.rel_seq = rel_seq;
    frame.recoverable = true;
    frame.marks = rel_seq == 15;
    frame.part = rel_seq == 14 || rel_seq == 16;
    frame.part_of = frame.part ? 3 : kNobody;
    frame.publication = rel_seq == 17 ? 3 : kNobody;
    log_.frames.push_back(frame);
  }
  log_.publications[3].sent_ns = 6;
  log_.publications[3].first_rel_seq = 14;
  log_.publications[3].rel_seq = 17;
  const LogIndex index(scenario_, log_);
  EXPECT_EQ(index.positions(0), 7u);
  for (const uint64_t rel_seq : {14, 15, 16}) EXPECT_EQ(index.at(0, rel_seq), nullptr);
  EXPECT_EQ(index.at(0, 17), &log_.publications[3]);
  for (const uint64_t rel_seq : {14, 16, 17})
    EXPECT_EQ(index.covering(0, rel_seq), &log_.publications[3]);
  EXPECT_EQ(index.covering(0, 15), nullptr);
  EXPECT_EQ(index.covering(0, 13), &log_.publications[2]);
}

TEST_F(LogIndexTest, pairs__expect_lives_of_different_nodes_and_what_they_were_told) {
  log_.told.resize(3);
  log_.told[0].sender = 0;
  log_.told[0].receiver = 1;
  log_.told[1].sender = 2;
  log_.told[1].receiver = 1;
  log_.told[2].sender = kNobody;
  const LogIndex index(scenario_, log_);
  EXPECT_EQ(index.pairs().size(), 4u);
  for (const PairLog& pair : index.pairs())
    EXPECT_EQ(pair.told.size(), pair.receiver == 1 ? 1u : 0u);
}

// The four stages of a calm node have a turn each 100 ns, which makes 400.
TEST_F(LogIndexTest, view_is_chosen_before_an_application_is_told__expect_it_begun_turns_before) {
  const InstalledView view{.life = 0, .at_ns = 7'000, .epoch = 2, .round = 3};
  log_.chosen = {{4'000, 2, 2, 1}, {6'000, 2, 3, 1}, {6'500, 3, 1, 1}};
  EXPECT_EQ(LogIndex(scenario_, log_).begun_ns(view), 5'600u);
  log_.chosen = {{8'000, 2, 3, 1}};
  EXPECT_EQ(LogIndex(scenario_, log_).begun_ns(view), 6'600u);
}

TEST_F(LogIndexTest, memberships__expect_evicted_at_some_time_and_at_the_end) {
  for (const What what : {What::kJoined, What::kEvictedLag, What::kJoined}) {
    Membership membership;
    membership.sender = 0;
    membership.receiver = 1;
    membership.what = what;
    log_.memberships.push_back(membership);
  }
  log_.welcomes.push_back({0, 1, 0, 11});
  log_.welcomes.push_back({0, 1, 0, 99});
  const LogIndex index(scenario_, log_);
  for (const PairLog& pair : index.pairs()) {
    const bool meant = pair.sender == 0 && pair.receiver == 1;
    EXPECT_EQ(pair.evicted, meant);
    EXPECT_FALSE(pair.cut_off);
    EXPECT_EQ(pair.open_at, meant ? 11u : 0u);
  }
}

TEST_F(LogIndexTest, subscribed__expect_its_groups_and_the_epilogue) {
  scenario_.nodes[1].subscribe = {};
  const LogIndex index(scenario_, log_);
  EXPECT_TRUE(index.subscribed(2, 7));
  EXPECT_FALSE(index.subscribed(1, 7));
  EXPECT_TRUE(index.subscribed(1, kEpilogueGroup));
  EXPECT_EQ(index.name(2), "node 0/3");
  EXPECT_EQ(index.name(9), "nobody");
}

}  // namespace
}  // namespace lambdacast::sim
