// SPDX-License-Identifier: BSD-3-Clause
// Places of the peer table on two threads, as the receive and the reliability stage have them, and
// names read by a third one. Built with ThreadSanitizer (scripts/dev/run_tests.py) it shows that
// all that they share is safe.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "node/newcomers.h"
#include "node/place_offers.h"
#include "thread_env.h"

namespace lambdacast::node {
namespace {

constexpr uint32_t kPlaces = 4;
constexpr uint32_t kLives = 30;
constexpr uint64_t kMs = 1'000'000;

// Both parts of a name tell which one it is.
PeerName name(uint32_t number) { return {wire::gid_from_ipv4(0x0a000000 + number), number}; }
bool whole(const PeerName& name) {
  return name.qpn <= kLives && name.gid == wire::gid_from_ipv4(0x0a000000 + name.qpn);
}

reliability::ReliabilityConfig small_config() {
  reliability::ReliabilityConfig config;
  config.self = {wire::gid_from_ipv4(0x0b000001), 0x20, 77};
  config.max_peers = kPlaces;
  config.receive_window_pkts = config.hold_pkts = 64;
  return config;
}

struct Info {
  uint16_t peer = 0;
  uint32_t life = 0;  // who sent it
  uint32_t incarnation = 1;
  uint64_t rel_seq = 0;
  uint64_t timestamp_ns = 0;
  wire::Qos qos = wire::Qos::kUnreliable;
};

// The reliability stage.
class Judge {
 public:
  Judge(SpscRing<Info>& link, PlaceHandover& handover, const PeerTable& peers)
      : link_(link), peers_(peers), offers_(handover, receiver_, peers, kMs) {}
  void poll(uint64_t now_ns) {
    receiver_.tick(now_ns);
    if (offers_.has_turn())
      offers_.poll(
          now_ns,
          {.judged = judged_, .waiting = link_.size(), .handed_over = true, .delivered = true});
    Info info;
    while (link_.pull(&info, 1) == 1) {
      ++judged_;
      const PeerName is = peers_.name_of(info.peer);
      if (!receiver_.knows(info.peer)) (void)receiver_.introduce(info.peer, is.gid, is.qpn);
      // The name that this stage knows its stream by is that of the packet's sender.
      if (is.qpn != info.life) ++wrong_;
      (void)receiver_.accept(info, base::PacketHandle{1}, now_ns);
    }
  }
  [[nodiscard]] uint64_t wrong() const { return wrong_; }

 private:
  SpscRing<Info>& link_;
  const PeerTable& peers_;
  reliability::StreamReceiver receiver_{small_config()};
  PlaceOffers offers_;
  uint64_t judged_ = 0;
  uint64_t wrong_ = 0;
};

// Time passes as life 0 is heard, whatever the threads wait for, so that it is never gone. Each of
// the others is heard until it has sent a few packets; one in three is heard once more whenever
// another one has begun, and may be gone by then or not.
TEST(PlacesThreads, lives_come_and_go__expect_every_packet_judged_by_the_name_of_its_sender) {
  PeerTable peers(kPlaces);
  PlaceHandover handover;
  Newcomers newcomers(peers, handover);
  SpscRing<Info> link(256);
  std::atomic<bool> over{false};
  std::atomic<uint64_t> now_ns{1'000 * kMs};
  std::atomic<uint64_t> wrong{0};
  std::thread reliability([&] {
    Judge judge(link, handover, peers);
    while (!over.load()) {
      judge.poll(now_ns.load());
      std::this_thread::yield();
    }
    judge.poll(now_ns.load());
    wrong = judge.wrong();
  });
  std::thread application([&] {
    while (!over.load()) {
      for (size_t place = 0; place < kPlaces; ++place)
        if (!whole(peers.name_of(place))) wrong.fetch_add(1'000'000);
      std::this_thread::yield();
    }
  });

  uint16_t first_place = kNoPeer;
  const auto arrive = [&](uint32_t life) {
    newcomers.poll(0);
    while (link.room() == 0) std::this_thread::yield();
    const uint16_t peer = peers.find_or_learn(name(life).gid, name(life).qpn, 1);
    if (life == 0 && first_place == kNoPeer) first_place = peer;
    if (life == 0) {
      EXPECT_EQ(peer, first_place) << "it is alive";
    }
    const Info info{.peer = peer, .life = life};
    if (peer != kNoPeer) link.push(&info, 1);
    return peer != kNoPeer;
  };
  arrive(0);
  for (uint32_t life = 1; life <= kLives; ++life) {
    for (int heard = 0; heard < 3;) {
      arrive(0);
      now_ns.fetch_add(10 * kMs);
      heard += arrive(life) ? 1 : 0;
      if (life % 3 == 0) (void)arrive(life - 1);
      std::this_thread::yield();
    }
  }
  over = true;
  reliability.join();
  application.join();
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_GE(newcomers.reused(), kLives - kPlaces);
}

}  // namespace
}  // namespace lambdacast::node
