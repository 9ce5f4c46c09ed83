// SPDX-License-Identifier: BSD-3-Clause
// Each promise about endings broken once in a true run's log.

#include "true_run.h"

namespace lambdacast::sim {
namespace {

using reliability::LossReason;
using What = reliability::ReceiverEvent::What;

class CheckEndedTest : public TrueRun {
 protected:
  size_t violations() { return check_ended(scenario_, log_).size(); }
  Told gap_for(Told told, LossReason reason) {
    told.what = Told::What::kGap;
    told.first = told.rel_seq;
    told.count = 1;
    told.reason = reason;
    return told;
  }
  Membership& membership(What what) {
    return *std::find_if(log_.memberships.begin(), log_.memberships.end(),
                         [&](const Membership& each) { return each.what == what; });
  }
};

TEST_F(CheckEndedTest, true_run__expect_no_violation) { EXPECT_EQ(violations(), 0u); }

TEST_F(CheckEndedTest, one_delivery_missing__expect_violation_unless_unreliable) {
  Log whole = log_;
  forget(delivery(2, wire::Qos::kUnreliable));
  EXPECT_EQ(violations(), 0u);
  for (const wire::Qos qos : {wire::Qos::kReliable, wire::Qos::kSourceOrdered}) {
    log_ = whole;
    forget(delivery(2, qos));
    EXPECT_EQ(violations(), 1u);
  }
}

TEST_F(CheckEndedTest, last_delivery_missing__expect_violation) {
  while (log_.told.back().receiver != 2 || log_.told.back().sender != 0) log_.told.pop_back();
  log_.told.pop_back();
  EXPECT_GE(violations(), 1u);
}

TEST_F(CheckEndedTest, delivered_and_declared_lost__expect_violation) {
  log_.told.push_back(gap_for(delivery(1), LossReason::kEvicted));
  log_.told.back().at_ns = scenario_.end_ns;
  EXPECT_EQ(violations(), 1u);
}

TEST_F(CheckEndedTest, declared_lost_without_a_reason__expect_violation_for_each) {
  for (const LossReason reason :
       {LossReason::kNone, LossReason::kOutsideRetention, LossReason::kSenderGone,
        LossReason::kDeadline, LossReason::kEvicted}) {
    Log falsified = log_;
    Told& told = falsified.told[static_cast<size_t>(&delivery(2) - log_.told.data())];
    told = gap_for(told, reason);
    EXPECT_EQ(check_ended(scenario_, falsified).size(), 1u) << reliability::name(reason);
  }
}

TEST_F(CheckEndedTest, declared_lost_after_a_true_reason__expect_no_violation) {
  Told& told = delivery(2);
  told = gap_for(told, LossReason::kDeadline);
  told.at_ns += scenario_.nodes[2].repair.repair_deadline_ns;
  EXPECT_EQ(violations(), 0u);
  told.reason = LossReason::kSenderGone;
  told.silent_ns = scenario_.nodes[2].repair.suspect_after_ns;
  EXPECT_EQ(violations(), 0u);
}

// Who knows that the view without a member is chosen gives up what nobody has of it, and may not
// live to install that view.
TEST_F(CheckEndedTest, declared_lost_and_another_installs_the_view__expect_no_violation) {
  const auto install = [&](uint32_t life, uint64_t epoch, std::vector<uint32_t> members) {
    Told told;
    told.what = Told::What::kView;
    told.receiver = life;
    told.view = static_cast<uint32_t>(log_.views.size());
    log_.told.push_back(told);
    log_.views.push_back({life, 0, epoch, 1, 1, std::move(members), 0});
  };
  Told& lost = delivery(2);
  lost = gap_for(lost, LossReason::kSenderGone);
  install(2, 1, {0, 1, 2});
  EXPECT_EQ(violations(), 1u);
  install(1, 2, {0, 1, 2});
  EXPECT_EQ(violations(), 1u) << "its sender stays";
  install(1, 2, {1});
  EXPECT_EQ(violations(), 1u) << "the view is without the receiver";
  install(1, 3, {1, 2});
  EXPECT_EQ(violations(), 1u) << "it is not the next one";
  install(1, 2, {1, 2});
  EXPECT_EQ(violations(), 1u) << "the receiver lives";
  log_.lives[2].died_ns = scenario_.end_ns;
  EXPECT_EQ(violations(), 0u);
}

// Positions of marks are nobody's publication: their frame tells when they were sent.
TEST_F(CheckEndedTest, declared_lost_marks__expect_their_age_to_count) {
  Told& told = delivery(2);
  told = gap_for(told, LossReason::kDeadline);
  for (SentFrame& frame : log_.frames) {
    if (frame.rel_seq != told.first || log_.lives[frame.life].node != 0) continue;
    frame.marks = true;
    frame.publication = kNobody;
  }
  for (Publication& publication : log_.publications) {
    if (publication.life == told.sender && publication.rel_seq == told.first)
      publication.rel_seq = 0;
  }
  EXPECT_EQ(violations(), 1u);
  told.at_ns += scenario_.nodes[2].repair.repair_deadline_ns;
  EXPECT_EQ(violations(), 0u);
}

TEST_F(CheckEndedTest, declared_lost_what_was_never_sent__expect_violation) {
  Told told = gap_for(delivery(1), LossReason::kEvicted);
  told.first += 100'000;
  told.at_ns = scenario_.end_ns;
  log_.told.push_back(told);
  EXPECT_EQ(violations(), 1u);
}

TEST_F(CheckEndedTest, cut_off_without_silence_or_lag__expect_violation) {
  Membership& evicted = membership(What::kEvictedSilent);
  const uint64_t silent_ns = evicted.silent_ns;
  evicted.silent_ns /= 2;
  EXPECT_EQ(violations(), 1u);
  evicted.silent_ns = silent_ns;
  evicted.what = What::kEvictedLag;  // nobody is, under `pace`
  EXPECT_EQ(violations(), 1u);
}

TEST_F(CheckEndedTest, cut_off_what_never_lived__expect_violation) {
  Membership nobody = membership(What::kJoined);
  nobody.receiver = kNobody;
  log_.memberships.push_back(nobody);
  EXPECT_EQ(violations(), 1u);
}

TEST_F(CheckEndedTest, admitted_elsewhere_than_the_policy_says__expect_violation) {
  Membership& joined = membership(What::kJoined);
  ++joined.position;
  EXPECT_GE(violations(), 1u);
  joined.position -= 2;
  EXPECT_GE(violations(), 1u);
}

TEST_F(CheckEndedTest, welcomed_elsewhere_than_admitted__expect_violation) {
  ++log_.welcomes[0].open_at;
  EXPECT_GE(violations(), 1u);
}

// --- messages of several packets -----------------------------------------------------------------

class CheckEndedPartsTest : public TrueRun {
 protected:
  CheckEndedPartsTest() : TrueRun(true) {}
  size_t violations() { return check_ended(scenario_, log_).size(); }
  Told& long_delivery(wire::Qos qos) {
    return told(
        2, [&](const Told& each) { return each.is_message() && each.qos == qos && each.parts; });
  }
  // In place of a delivery: that packet of it is lost for a true reason, and then that one for want
  // of it.
  void lose(Told& told, uint64_t first, uint64_t then) {
    Told gap = told;
    gap.what = Told::What::kGap;
    gap.first = first;
    gap.count = 1;
    gap.reason = LossReason::kDeadline;
    gap.at_ns += scenario_.nodes[2].repair.repair_deadline_ns;
    told = gap;
    gap.first = then;
    gap.reason = LossReason::kReassembly;
    if (then != 0) log_.told.push_back(gap);
  }
};

TEST_F(CheckEndedPartsTest, true_run__expect_no_violation) { EXPECT_EQ(violations(), 0u); }

TEST_F(CheckEndedPartsTest, one_delivery_missing__expect_violation) {
  const Log whole = log_;
  for (const wire::Qos qos : {wire::Qos::kReliable, wire::Qos::kSourceOrdered}) {
    log_ = whole;
    forget(long_delivery(qos));
    EXPECT_EQ(violations(), 1u);
  }
}

TEST_F(CheckEndedPartsTest, delivered_without_a_packet_of_it__expect_violation) {
  Told& told = long_delivery(wire::Qos::kReliable);
  const Told delivered = told;
  lose(told, log_.publications[told.publication].first_rel_seq, 0);
  log_.told.push_back(delivered);
  EXPECT_EQ(violations(), 1u);
}

TEST_F(CheckEndedPartsTest, a_packet_of_it_is_lost__expect_no_violation_with_it_or_what_follows) {
  const Log whole = log_;
  for (const bool another : {false, true}) {
    log_ = whole;
    Told& told = long_delivery(wire::Qos::kSourceOrdered);
    const Publication& publication = log_.publications[told.publication];
    lose(told, publication.first_rel_seq, another ? publication.rel_seq : 0);
    EXPECT_EQ(violations(), 0u);
  }
}

TEST_F(CheckEndedPartsTest, lost_in_reassembly_and_nothing_before_it__expect_violation) {
  Told& told = long_delivery(wire::Qos::kSourceOrdered);
  const Publication& publication = log_.publications[told.publication];
  lose(told, publication.rel_seq, publication.first_rel_seq);
  EXPECT_EQ(violations(), 1u);
}

}  // namespace
}  // namespace lambdacast::sim
