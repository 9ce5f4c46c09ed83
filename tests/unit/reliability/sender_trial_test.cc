// SPDX-License-Identifier: BSD-3-Clause
// StreamSender: a receiver that lags again and again is on trial, and nobody waits for it.
#include <functional>

#include "sender_fixture.h"

namespace lambdacast::reliability {
namespace {

class SenderTrialTest : public SenderFixture {
 protected:
  void SetUp() override {
    ReliabilityConfig config = small_sender_config();
    config.slow_receiver = SlowReceiver::kEvict;
    configure(config);
    join(kFast);
    (void)heartbeat();
    sent_ = kFirst - 1;
  }
  // Sends packets, a millisecond each; the fast receiver has all of them.
  void run(
      uint64_t packets, const std::function<void()>& also = [] {}) {
    for (; packets != 0; --packets) {
      sent_ = send();
      pass(kMs);
      status(kFast, sent_);
      also();
      (void)release();
    }
  }
  // The slow one joins, takes nothing and is cut off.
  void lag() {
    join(kSlow);
    run(config_.evict_lag_ns / kMs + 10);
  }
  void begin_trial() {
    lag();
    lag();
    (void)events();
    join(kSlow);
  }

  static constexpr uint32_t kFast = 0, kSlow = 1;
  uint64_t sent_ = 0;
};

TEST_F(SenderTrialTest, lag_twice__expect_a_welcome_and_nobody_waiting_for_it) {
  begin_trial();
  EXPECT_EQ(events(), std::vector<What>{What::kOnTrial});
  const auto verdicts = heartbeat();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0],
            (wire::VerdictEntry{peer_name(kSlow), sent_ + 1, wire::Verdict::kWelcome}));
  EXPECT_EQ(sender_->receivers().admitted(), 1u);
  run(1'000);
  EXPECT_TRUE(events().empty());
  EXPECT_TRUE(sender_->flushed());
  EXPECT_EQ(sender_->window().size(), 0u);
  EXPECT_EQ(sender_->counters().evicted_lag, 2u);
}

TEST_F(SenderTrialTest, keep_up_for_long_enough__expect_it_admitted_where_it_is) {
  begin_trial();
  (void)events();
  run(101, [&] { status(kSlow, sent_); });
  EXPECT_EQ(events(), std::vector<What>{What::kJoined});
  EXPECT_EQ(sender_->receivers().at(kSlow).contiguous, sent_);
  EXPECT_EQ(sender_->receivers().admitted(), 2u);
  (void)send();
  pass(kMs);
  status(kFast, sent_ + 1);
  EXPECT_FALSE(sender_->flushed());
}

TEST_F(SenderTrialTest, its_window_is_full_each_time__expect_it_on_trial_for_good) {
  begin_trial();
  (void)events();
  run(1'000, [&] { status(kSlow, sent_ - 10, 9); });
  EXPECT_TRUE(events().empty());
  EXPECT_EQ(sender_->receivers().admitted(), 1u);
}

TEST_F(SenderTrialTest, ask_for_repairs__expect_one_for_so_many_frames_of_data) {
  begin_trial();
  sender_->sent_data(3 * 32);
  for (int i = 0; i < 10; ++i) nack(kSlow, send());
  EXPECT_EQ(repair_all().size(), 3u);
  nack(kFast, send());
  EXPECT_EQ(repair_all().size(), 1u);
}

TEST_F(SenderTrialTest, be_silent_on_trial__expect_it_cut_off_when_it_speaks) {
  begin_trial();
  (void)heartbeat();
  run(config_.suspect_after_ns / kMs + 100);
  status(kSlow, sent_);
  const auto verdicts = heartbeat();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].verdict, wire::Verdict::kEvictedSilent);
}

TEST_F(SenderTrialTest, restart_or_become_a_member__expect_no_trial) {
  begin_trial();
  join(kSlow, 2);
  EXPECT_TRUE(sender_->receivers().at(kSlow).admitted);
  configure(config_);
  join(kFast);
  begin_trial();
  sender_->enlist(kSlow, peer_name(kSlow), sent_, now_ns_);
  EXPECT_TRUE(sender_->receivers().at(kSlow).admitted);
  EXPECT_FALSE(sender_->receivers().at(kSlow).trial.on());
}

}  // namespace
}  // namespace lambdacast::reliability
