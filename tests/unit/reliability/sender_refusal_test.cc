// SPDX-License-Identifier: BSD-3-Clause
// StreamSender: a receiver whose path MTU is too short for what is sent is refused, and a packet
// that never arrives is sent again less and less often.
#include "sender_fixture.h"

namespace lambdacast::reliability {
namespace {

class SenderRefusalTest : public SenderFixture {
 protected:
  static constexpr uint32_t kOverhead = 70;

  void SetUp() override {
    ReliabilityConfig config = small_sender_config();
    config.transmit_window_bytes = 1 << 20;
    config.path_mtu = 1024;
    config.frame_overhead_bytes = kOverhead;
    configure(config);
  }
  void send_frame(uint32_t bytes) {
    (void)sender_->sent(static_cast<PacketHandle>(++packets_), bytes, now_ns_, [](PacketHandle) {});
  }
  void say(uint32_t peer, uint16_t path_mtu, bool joining, uint64_t contiguous = 0) {
    wire::StatusEntry status = entry(contiguous);
    status.path_mtu = path_mtu;
    status.flags = joining ? wire::kStatusJoining : uint8_t{0};
    hear(peer, status_payload(peer_name(peer), {status}));
  }
};

TEST_F(SenderRefusalTest,
       send_what_one_receiver_cannot_take__expect_it_alone_refused_with_our_mtu) {
  say(0, 1024, true);
  say(1, 512, true);
  (void)heartbeat();
  (void)events();
  send_frame(512 + kOverhead);
  EXPECT_TRUE(events().empty()) << "as long as it can take";
  send_frame(513 + kOverhead);
  EXPECT_EQ(events(), std::vector<What>{What::kRefused});
  EXPECT_EQ(sender_->receivers().admitted(), 1u);
  const auto verdicts = heartbeat();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0], (wire::VerdictEntry{peer_name(1), sender_->window().end(),
                                             wire::Verdict::kRefused, 1024}));
  say(0, 1024, false, kFirst + 1);
  EXPECT_TRUE(sender_->flushed());
}

TEST_F(SenderRefusalTest, it_asks_to_join_again__expect_it_refused_again_and_told_once) {
  send_frame(1024 + kOverhead);
  for (int i = 0; i < 3; ++i) say(1, 512, true);
  EXPECT_EQ(events(), std::vector<What>{What::kRefused});
  EXPECT_EQ(heartbeat()[0].verdict, wire::Verdict::kRefused);
  EXPECT_EQ(sender_->counters().refused, 1u);
  EXPECT_EQ(sender_->counters().admissions, 0u);
  EXPECT_TRUE(sender_->flushed());
}

TEST_F(SenderRefusalTest, it_comes_back_with_a_longer_path_mtu__expect_a_welcome) {
  send_frame(1024 + kOverhead);
  say(1, 512, true);
  (void)events();
  wire::StatusEntry status = entry(0);
  status.path_mtu = 1024;
  status.flags = wire::kStatusJoining;
  hear(1, status_payload(peer_name(1, 2), {status}));
  EXPECT_EQ(events(), std::vector<What>{What::kJoined});
}

TEST_F(SenderRefusalTest, it_does_not_say_its_path_mtu__expect_it_admitted) {
  send_frame(1024 + kOverhead);
  say(1, 0, true);
  EXPECT_EQ(events(), std::vector<What>{What::kJoined});
}

TEST_F(SenderRefusalTest, a_member_cannot_take_it__expect_it_accused_before_its_view) {
  say(1, 512, true);
  sender_->enlist(1, peer_name(1), kFirst - 1, now_ns_);
  send_frame(1024 + kOverhead);
  std::vector<size_t> accused;
  sender_->proposals([&](size_t peer) { accused.push_back(peer); });
  EXPECT_EQ(accused, std::vector<size_t>{1});
  EXPECT_TRUE(sender_->receivers().at(1).admitted) << "the view decides";
}

TEST_F(SenderRefusalTest, a_packet_never_arrives__expect_repairs_ever_further_apart) {
  say(0, 1024, true);
  send_frame(100);
  std::vector<uint64_t> repaired_ns;
  for (int ms = 0; ms < 5'000; ++ms) {
    pass(kMs);
    nack(0, kFirst);
    if (!repair_all().empty()) repaired_ns.push_back(now_ns_);
  }
  EXPECT_GE(repaired_ns.size(), 10u);
  EXPECT_LE(repaired_ns.size(), 30u);
  EXPECT_EQ(repaired_ns[5] - repaired_ns[0], 5 * kMs) << "the first ones promptly";
}

}  // namespace
}  // namespace lambdacast::reliability
