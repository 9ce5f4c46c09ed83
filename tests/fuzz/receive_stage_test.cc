// SPDX-License-Identifier: BSD-3-Clause
// Ten million spoilt frames through an endpoint, burst by burst: the receive stage forwards what
// tests/fuzz/naive_receiver.cc finds right and drops all else for the reason that it gives, no
// other stage loses count, and every mbuf comes back.
// Usage: receive_stage_fuzz DIRECTORY-OF-PCAPS [FRAMES [SEED]]
#include <gtest/gtest.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "fuzz/endpoint_frames.h"
#include "fuzz/frame_check.h"
#include "fuzz/frame_mutator.h"
#include "fuzz/naive_receiver.h"
#include "rack/endpoint.h"

namespace lambdacast::fuzz {
namespace {

using counters::DropReason;
using rack::Endpoint;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

constexpr uint32_t kPathMtu = 256;
constexpr uint32_t kBurst = 32;
constexpr uint32_t kMaxPeers = 1000;
// A life of the endpoint, in which its peer table fills up. Its
// frames come from one sender after the other, all of which are known from the beginning.
constexpr uint64_t kFramesALife = 250'000;
constexpr uint64_t kFramesASender = 4096;
constexpr uint64_t kFrameNs = 10'000;

// Far enough apart not to be taken for one another by a queue pair's number that is one off.
uint32_t sender_of(uint64_t number) { return static_cast<uint32_t>(0x1000 + 16 * number); }

std::string directory;
uint64_t frames_to_send = kSanitized ? 400'000 : 10'000'000;
uint64_t seed = 20260714;

config::Config one_endpoint(bool ipv6) {
  auto config = config::parse(
      "[fabric]\nname = \"fuzz-" + std::to_string(::getpid()) +
          "\"\nwavelengths = 1\nslots = 64\n[[endpoint]]\nname = \"fuzzed\"\naddress = \"" +
          (ipv6 ? "fd00::1" : "10.77.0.1") + "\"\nwavelength = \"C21\"\nmbufs = 4096\npath_mtu = " +
          std::to_string(kPathMtu) + "\nmax_peers = " + std::to_string(kMaxPeers) +
          "\ngroups = [1, 2, 3]\nmax_message_bytes = 32768\nreassembly_bytes = 65536\n"
          "reassembly_ms = 1\n"
          // A life is too short for a peer to be gone, whose place would be another's.
          "reliability = { transmit_window = 64, receive_window = 256, hold = 64, "
          "suspect_after_ms = 3000, repair_deadline_ms = 6000 }\n",
      "fuzz");
  if (!config) throw std::runtime_error(config::text(config.error()));
  return *config;
}

NaiveIdentity naive(const node::EndpointIdentity& identity) {
  return {.gid = identity.gid.bytes,
          .group = identity.multicast_gid.bytes,
          .control = identity.control_gid.bytes,
          .vlan = identity.vlan_tci.value_or(0) % 4096u,
          .qpn = identity.data_qpn,
          .control_qpn = identity.control_qpn,
          .qkey = identity.qkey,
          .pkey = identity.pkey,
          .path_mtu = identity.path_mtu,
          .max_peers = kMaxPeers};
}

// A frame as an mbuf whose buffer ends with it: AddressSanitizer sees one byte read too many.
rte_mbuf* packet_of(const Frame& frame, rte_mempool* pool) {
  rte_mbuf* m = rte_pktmbuf_alloc(pool);
  if (m == nullptr) return nullptr;
  auto* shared = static_cast<rte_mbuf_ext_shared_info*>(
      std::malloc(sizeof(rte_mbuf_ext_shared_info) + frame.size()));
  shared->free_cb = [](void*, void* memory) { std::free(memory); };
  shared->fcb_opaque = shared;
  rte_mbuf_ext_refcnt_set(shared, 1);
  auto* bytes = reinterpret_cast<uint8_t*>(shared + 1);
  std::copy(frame.begin(), frame.end(), bytes);
  rte_pktmbuf_attach_extbuf(m, bytes, 0, static_cast<uint16_t>(frame.size()), shared);
  m->data_len = static_cast<uint16_t>(frame.size());
  m->pkt_len = m->data_len;
  return m;
}

// What the port is to receive next.
struct Arrivals {
  std::vector<rte_mbuf*> packets;
};

uint16_t arrive(uint16_t, uint16_t, rte_mbuf** packets, uint16_t, uint16_t most, void* argument) {
  auto& arrivals = *static_cast<Arrivals*>(argument);
  const auto count = std::min<size_t>(most, arrivals.packets.size());
  std::copy_n(arrivals.packets.begin(), count, packets);
  arrivals.packets.erase(arrivals.packets.begin(),
                         arrivals.packets.begin() + static_cast<ptrdiff_t>(count));
  return static_cast<uint16_t>(count);
}

class ReceiveStageFuzz : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    pool_ = rte_pktmbuf_pool_create("fuzz", 8191, 0, sizeof(node::PacketInfo), RTE_PKTMBUF_HEADROOM,
                                    SOCKET_ID_ANY);
    ASSERT_NE(pool_, nullptr);
    golden_ = golden_frames(directory);
    ASSERT_GT(golden_.size(), 100u);
  }
  void TearDown() override {
    end_life();
    rte_mempool_free(pool_);
  }

  // A new endpoint, and what it must come to know.
  void begin_life() {
    const config::Config config = one_endpoint(GetParam());
    auto created = Endpoint::create(config.endpoints[0], config.fabric, {});
    ASSERT_TRUE(created) << created.error().message;
    endpoint_ = std::move(*created);
    ASSERT_TRUE(endpoint_->port().start());
    callback_ = rte_eth_add_rx_callback(endpoint_->port().id(), 0, arrive, &arrivals_);
    ASSERT_NE(callback_, nullptr);
    ours_ = frames_for(endpoint_->identity());
    naive_ = std::make_unique<NaiveReceiver>(naive(endpoint_->identity()));
    expected_ = {};
    sent_ = 0;
  }
  void end_life() {
    if (callback_ != nullptr) rte_eth_remove_rx_callback(endpoint_->port().id(), 0, callback_);
    callback_ = nullptr;
    endpoint_.reset();
    EXPECT_EQ(rte_mempool_in_use_count(pool_), 0u) << "mbufs that nobody gave back";
  }

  // Every sender is heard once before the table fills up.
  void introduce_senders() {
    for (uint32_t i = 0; i <= kFramesALife / kFramesASender; ++i) {
      Frame frame = ours_.front();
      set_sender(frame, sender_of(i));
      set_number(frame, 1, 0);
      ASSERT_TRUE(mend_icrc(frame));
      send(frame);
      poll_all();
    }
  }

  Frame some_frame() {
    const bool ours = random_.below(8) != 0;
    Frame frame =
        ours ? ours_[random_.below(ours_.size())] : golden_[random_.below(golden_.size())];
    const uint64_t sender = sent_ / kFramesASender;
    if (ours && random_.below(64) != 0) {
      set_sender(frame, sender_of(sender));
    }
    for (uint64_t n = random_.below(4); n > 0; --n) {
      const uint64_t kind = random_.below(16);
      if (kind < 5) {
        mutate_once(frame, random_);
      } else if (kind < 15) {
        mutate_field(frame, random_);
      } else {
        resize_payload(frame, random_);
      }
    }
    if (random_.below(1024) == 0) {
      set_number(frame, 1, random_());
    } else if (random_.below(64) != 0) {
      set_number(frame, 1, sent_ % kFramesASender + random_.below(4));
    }
    if (random_.below(16) != 0) mend_ipv4_checksum(frame.data(), frame.size());
    if (random_.below(8) != 0) (void)mend_icrc(frame);
    return frame;
  }

  void send(const Frame& frame) {
    expected_.add(naive_->judge(frame));
    rte_mbuf* packet = packet_of(frame, pool_);
    ASSERT_NE(packet, nullptr) << "the stages keep mbufs";
    arrivals_.packets.push_back(packet);
    last_.push_back(frame);
    ++sent_;
  }

  void poll_all() {
    const uint64_t now_ns = sent_ * kFrameNs;  // fragments wait for 100 frames
    uint32_t moved = 1;
    while (moved != 0) {
      dpdk::MbufNode& node = endpoint_->node();
      moved = node.receive().poll(now_ns) + node.reliability().poll(now_ns) +
              node.ordering().poll(now_ns);
      (void)node.rate_control().poll(now_ns);
      moved += endpoint_->take_deliveries(kBurst, node::DeliverySink{});
    }
  }

  // Each reason as often as the naive receiver says; if not, what the last burst was.
  void compare() {
    const node::StageCounters& counted = endpoint_->node().receive().counters();
    bool equal = counted.received == sent_ && counted.forwarded == expected_[DropReason::kNone];
    for (size_t i = 1; i < counters::kDropReasons; ++i) {
      equal = equal && counted.drops.frames[i] == expected_.frames[i];
    }
    if (equal) return last_.clear();
    EXPECT_EQ(counted.received, sent_);
    EXPECT_EQ(counted.forwarded, expected_[DropReason::kNone]);
    for (size_t i = 1; i < counters::kDropReasons; ++i) {
      EXPECT_EQ(counted.drops.frames[i], expected_.frames[i])
          << counters::name(static_cast<DropReason>(i));
    }
    std::string dump;
    for (const Frame& frame : last_) {
      for (const uint8_t byte : frame) {
        char text[4];
        std::snprintf(text, sizeof text, "%02x", byte);
        dump += text;
      }
      dump += '\n';
    }
    FAIL() << "up to frame " << sent_ << " of a life, seed " << seed << ", the last burst being\n"
           << dump;
  }

  // At the end of a life: no stage has lost count.
  void account() {
    const node::StageCounters* before = nullptr;
    const dpdk::MbufNode& node = endpoint_->node();
    for (const node::StageCounters* stage :
         {&node.receive().counters(), &node.reliability().counters(),
          &node.ordering().counters()}) {
      const uint64_t held = stage == &node.ordering().counters() ? node.filter().held() : 0;
      ASSERT_EQ(stage->received, stage->forwarded + stage->drops.total() + held);
      const uint64_t kept = before == &node.reliability().counters() ? node.receiver().kept() : 0;
      if (before != nullptr) {
        ASSERT_EQ(stage->received, before->forwarded - kept);
      }
      for (size_t i = 0; i < counters::kDropReasons; ++i) {
        total_.frames[i] += stage->drops.frames[i];
      }
      before = stage;
    }
    delivered_ += node.ordering().counters().forwarded;
  }

  base::SplitMix64 random_{seed};
  std::unique_ptr<Endpoint> endpoint_;
  rte_mempool* pool_ = nullptr;
  Arrivals arrivals_;
  const rte_eth_rxtx_callback* callback_ = nullptr;
  std::vector<Frame> golden_;
  std::vector<Frame> ours_;
  std::unique_ptr<NaiveReceiver> naive_;
  counters::DropCounters expected_;
  std::vector<Frame> last_;
  uint64_t sent_ = 0;  // in this life
  counters::DropCounters total_;
  uint64_t delivered_ = 0;
};

TEST_P(ReceiveStageFuzz, receive_spoilt_frames__expect_the_naive_receivers_account) {
  for (uint64_t life = 0; life < std::max<uint64_t>(1, frames_to_send / 2 / kFramesALife); ++life) {
    ASSERT_NO_FATAL_FAILURE(begin_life());
    ASSERT_NO_FATAL_FAILURE(introduce_senders());
    while (sent_ < kFramesALife) {
      for (uint64_t n = 1 + random_.below(kBurst); n > 0; --n) send(some_frame());
      poll_all();
      ASSERT_NO_FATAL_FAILURE(compare());
    }
    ASSERT_NO_FATAL_FAILURE(account());
    end_life();
  }
  // Every check was met; only a frame of 64 KiB no mbuf can hold.
  for (auto reason = DropReason::kTooShort; reason < DropReason::kStaleIncarnation;
       reason = static_cast<DropReason>(static_cast<int>(reason) + 1)) {
    if (reason == DropReason::kNeighborMessage) continue;  // of real networks only
    // An IPv4 endpoint meets IPv6 extensions only where chance spoils a frame into one.
    if (reason == DropReason::kIpv6Extension && !GetParam()) continue;
    EXPECT_GT(total_[reason], 10u) << counters::name(reason);
  }
  // And what the stages behind it have to say, but for memory that another sender holds (the
  // senders here come one after the other) and for views, in which nobody is here.
  for (auto reason = DropReason::kStaleIncarnation; reason < DropReason::kCount;
       reason = static_cast<DropReason>(static_cast<int>(reason) + 1)) {
    if (reason == DropReason::kReassemblyMemory || reason == DropReason::kNotInView ||
        reason == DropReason::kViewTooLarge)
      continue;
    EXPECT_GT(total_[reason], 10u) << counters::name(reason);
  }
  EXPECT_GT(delivered_, frames_to_send / 2 / 20);
  for (size_t i = 0; i < counters::kDropReasons; ++i) {
    std::printf("%12lu %s\n", total_.frames[i], counters::name(static_cast<DropReason>(i)));
  }
  std::printf("%12lu delivered\n", delivered_);
}

INSTANTIATE_TEST_SUITE_P(Families, ReceiveStageFuzz, ::testing::Values(false, true),
                         [](const auto& family) { return family.param ? "ipv6" : "ipv4"; });

}  // namespace
}  // namespace lambdacast::fuzz

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc < 2) {
    std::fputs("usage: receive_stage_fuzz DIRECTORY-OF-PCAPS [FRAMES [SEED]]\n", stderr);
    return 2;
  }
  lambdacast::fuzz::directory = argv[1];
  if (argc > 2) lambdacast::fuzz::frames_to_send = std::strtoull(argv[2], nullptr, 10);
  if (argc > 3) lambdacast::fuzz::seed = std::strtoull(argv[3], nullptr, 10);
  char eal[][32] = {
      "receive_stage_fuzz", "--no-huge", "--no-shconf", "-m", "256", "--no-pci", "-l", "0",
      "--log-level=error"};
  char* pointers[std::size(eal)];
  for (size_t i = 0; i < std::size(eal); ++i) pointers[i] = eal[i];
  if (rte_eal_init(static_cast<int>(std::size(eal)), pointers) < 0) {
    std::fputs("EAL does not start\n", stderr);
    return 1;
  }
  const int failed = RUN_ALL_TESTS();
  rte_eal_cleanup();
  return failed;
}
