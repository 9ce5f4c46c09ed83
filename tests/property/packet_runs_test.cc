// SPDX-License-Identifier: BSD-3-Clause
// Packets judged a run at a time against the same ones judged one by one: the same answers, packets
// handed on, control payloads and reports, over random losses, repairs, repetitions and levels.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "../unit/reliability/control_payloads.h"
#include "base/random.h"
#include "reliability/frame_account.h"
#include "reliability/stream_receiver.h"

namespace lambdacast::reliability {
namespace {

constexpr uint32_t kPeers = 3;
constexpr uint64_t kFirst = 100;  // position of each stream

struct Packet {
  uint16_t peer = 0;
  uint32_t incarnation = 1;
  uint64_t frame_seq = 0;
  uint64_t rel_seq = 0;
  uint32_t psn = 0;
  uint64_t timestamp_ns = 0;
  wire::Qos qos = wire::Qos::kSourceOrdered;
  [[nodiscard]] PacketHandle handle() const {
    return static_cast<PacketHandle>(frame_seq * kPeers + peer + 1);
  }
};

// One receiver, and all that can be seen of it.
class Receiver {
 public:
  explicit Receiver(const ReliabilityConfig& config) : frames_({kPeers}), core_(config) {
    core_.tick(1);
    for (uint32_t peer = 0; peer < kPeers; ++peer) {
      core_.introduce(peer, peer_name(peer).gid, peer_name(peer).qpn);
      hear(peer, heartbeat_payload(peer_name(peer), 0, kFirst - 1, 1));
      hear(peer, heartbeat_payload(peer_name(peer), 0, kFirst - 1, 2,
                                   {{config.self, kFirst, wire::Verdict::kWelcome}}));
    }
  }
  void one(const Packet& packet, uint64_t now_ns) {
    auto outcome =
        StreamReceiver::Outcome{StreamReceiver::Disposition::kDrop, frames_.accept(packet)};
    if (outcome.reason == counters::DropReason::kNone)
      outcome = core_.accept(packet, packet.handle(), now_ns);
    seen_.push_back(static_cast<uint64_t>(packet.handle()));
    seen_.push_back(static_cast<uint64_t>(outcome.disposition) << 8 |
                    static_cast<uint64_t>(outcome.reason));
  }
  // False: they have to come one by one.
  bool run(const Packet* packets, uint32_t count, uint64_t now_ns) {
    if (!frames_.next_are(packets[0], count)) return false;
    std::vector<PacketHandle> handles;
    for (uint32_t i = 0; i < count; ++i) handles.push_back(packets[i].handle());
    const auto disposition = core_.accept_run(packets[0], packets[count - 1], handles, now_ns);
    if (!disposition) return false;
    frames_.accept_run(packets[0], count);
    for (const PacketHandle handle : handles) {
      seen_.push_back(static_cast<uint64_t>(handle));
      seen_.push_back(static_cast<uint64_t>(*disposition) << 8);
    }
    return true;
  }
  void pass(uint32_t most, uint64_t now_ns) {
    struct Sink {
      std::vector<uint64_t>& seen;
      void deliver(PacketHandle packet) { seen.push_back(static_cast<uint64_t>(packet)); }
      bool gap(size_t peer, uint32_t, uint64_t first, uint64_t count, LossReason) {
        seen.insert(seen.end(), {peer, first, count});
        return true;
      }
    };
    core_.tick(now_ns);
    seen_.push_back(core_.drain(most, now_ns, Sink{seen_}));
    uint8_t payload[1024];
    while (const size_t bytes = core_.next_control(payload, sizeof payload, now_ns))
      seen_.insert(seen_.end(), payload, payload + bytes);
    for (uint32_t peer = 0; peer < kPeers; ++peer) {
      const ReceiverReport report = core_.report(peer);
      const StreamReport stream = frames_.report(peer);
      seen_.insert(seen_.end(),
                   {report.contiguous, report.missing, report.kept, report.room, report.repaired,
                    report.duplicates, report.nacks_sent, stream.highest_frame_seq,
                    stream.current.received, stream.current.missing, stream.current.gaps,
                    stream.current.duplicates, stream.psn_wraps, stream.psn_mismatches});
    }
  }
  // Since the last call.
  [[nodiscard]] std::vector<uint64_t> seen() { return std::exchange(seen_, {}); }
  void clear() {
    core_.clear([](PacketHandle) {});
  }

 private:
  void hear(uint32_t peer, const ControlPayload& payload) {
    bool for_sender = false;
    (void)core_.accept_control(peer, payload.bytes.data(), payload.header, 1, for_sender);
  }
  FrameAccount frames_;
  StreamReceiver core_;
  std::vector<uint64_t> seen_;
};

// What the peers send, and the network makes of it.
class Senders {
 public:
  explicit Senders(uint64_t seed) : random_(seed) {
    for (Sender& sender : senders_) {
      sender.frame_seq = random_.below(2) == 0 ? 0 : 0xffff00;  // where the PSN wraps
      sender.rel_seq = kFirst - 1;
    }
  }
  std::vector<Packet> burst(uint64_t now_ns) {
    std::vector<Packet> packets;
    for (uint64_t i = random_.below(4) + 1; i != 0; --i) {
      const auto peer = static_cast<uint16_t>(random_.below(kPeers));
      if (random_.below(3) == 0) repair(peer, now_ns, packets);
      for (uint64_t left = random_.below(40); left != 0; --left) send(peer, now_ns, packets);
      if (random_.below(4) == 0) senders_[peer].qos = kLevels[random_.below(std::size(kLevels))];
    }
    return packets;
  }

 private:
  static constexpr wire::Qos kLevels[] = {wire::Qos::kSourceOrdered, wire::Qos::kReliable,
                                          wire::Qos::kUnreliable, wire::Qos::kSourceOrdered};
  struct Sender {
    uint64_t frame_seq = 0;
    uint64_t rel_seq = 0;
    wire::Qos qos = wire::Qos::kSourceOrdered;
    std::deque<Packet> lost;
  };

  void arrive(Packet packet, uint64_t now_ns, std::vector<Packet>& packets) {
    Sender& sender = senders_[packet.peer];
    packet.frame_seq = sender.frame_seq++;
    packet.psn = static_cast<uint32_t>(packet.frame_seq & wire::kPsnMask);
    if (random_.below(500) == 0) packet.psn ^= 1;
    packet.timestamp_ns = now_ns;
    if (random_.below(20) == 0) {
      if (packet.qos != wire::Qos::kUnreliable) sender.lost.push_back(packet);
      return;
    }
    packets.push_back(packet);
    if (random_.below(200) == 0) packets.push_back(packet);
  }
  void send(uint16_t peer, uint64_t now_ns, std::vector<Packet>& packets) {
    Sender& sender = senders_[peer];
    if (sender.qos != wire::Qos::kUnreliable) ++sender.rel_seq;
    arrive({.peer = peer, .rel_seq = sender.rel_seq, .qos = sender.qos}, now_ns, packets);
  }
  // Nearly all that was lost, once more; some of it for nothing.
  void repair(uint16_t peer, uint64_t now_ns, std::vector<Packet>& packets) {
    std::deque<Packet> lost;
    lost.swap(senders_[peer].lost);
    for (const Packet& packet : lost) {
      arrive(packet, now_ns, packets);
      if (random_.below(10) == 0) arrive(packet, now_ns, packets);
    }
  }

  base::SplitMix64 random_;
  Sender senders_[kPeers];
};

uint32_t run_from(const std::vector<Packet>& packets, size_t at) {
  const Packet& first = packets[at];
  const uint64_t step = first.qos == wire::Qos::kUnreliable ? 0 : 1;
  uint32_t run = 1;
  for (; at + run < packets.size(); ++run) {
    const Packet& next = packets[at + run];
    if (next.peer != first.peer || next.qos != first.qos ||
        next.frame_seq != first.frame_seq + run || next.rel_seq != first.rel_seq + run * step ||
        next.psn != (next.frame_seq & wire::kPsnMask))
      break;
  }
  return run;
}

TEST(PacketRunsProperty, judged_a_run_at_a_time_expect_what_one_by_one_gives) {
  uint64_t in_runs = 0;
  uint64_t in_all = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    base::SplitMix64 random(seed ^ 0x5eed);
    ReliabilityConfig config;
    config.self = {wire::gid_from_ipv4(0x0a000001), 0x20, 77};
    config.max_peers = kPeers;
    config.receive_window_pkts = 512;
    config.hold_pkts = seed % 2 == 0 ? 512 : 40;  // which is soon full
    Receiver by_one(config);
    Receiver by_run(config);
    Senders senders(seed);
    uint64_t now_ns = 1'000'000;
    for (int turn = 0; turn < 150; ++turn) {
      const std::vector<Packet> packets = senders.burst(now_ns);
      in_all += packets.size();
      for (const Packet& packet : packets) by_one.one(packet, now_ns);
      for (size_t i = 0; i < packets.size();) {
        const auto count = 1 + static_cast<uint32_t>(random.below(run_from(packets, i)));
        if (by_run.run(&packets[i], count, now_ns)) {
          in_runs += count;
          i += count;
        } else {
          by_run.one(packets[i++], now_ns);
        }
      }
      now_ns += 1 + random.below(50'000);
      const auto most = static_cast<uint32_t>(random.below(200));
      by_one.pass(most, now_ns);
      by_run.pass(most, now_ns);
      ASSERT_EQ(by_one.seen(), by_run.seen()) << "seed " << seed << " turn " << turn;
    }
    by_one.clear();
    by_run.clear();
  }
  // Or it would be a test of nothing.
  EXPECT_GT(in_runs, in_all / 4);
  EXPECT_LT(in_runs, in_all);
}

}  // namespace
}  // namespace lambdacast::reliability
