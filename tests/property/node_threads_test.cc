// SPDX-License-Identifier: BSD-3-Clause
// The stages that ship on threads, a thread each, over lock-free links: two nodes that publish to
// each other over fibres that lose. Built with ThreadSanitizer (scripts/dev/run_tests.py) it shows
// that what stages share beside their links is safe as well; TSan knows nothing of DPDK's rings.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "node/node_impl.h"
#include "thread_env.h"
#include "unit/node/test_identity.h"

namespace lambdacast::node {
namespace {

using wire::Qos;

constexpr uint64_t kMessages = 10'000;  // of each node
constexpr uint32_t kMessagesAPoll = 16;
constexpr int kPollsATurn = 16;  // of a thread before it lets others run
constexpr uint64_t kPackets = 4'096;
constexpr uint64_t kOneLostIn = 97;
constexpr uint64_t kLongEach = 50;  // of messages
constexpr size_t kShortBytes = 20;
constexpr size_t kLongBytes = 500;  // three packets
constexpr uint64_t kForEver = 1'000'000'000'000'000;

uint64_t now_ns() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// No timer that a machine with few processors could run into.
NodeConfig config(uint32_t number, bool views) {
  NodeConfig config;
  config.identity = test_identity(number);
  config.identity.path_mtu = 256;
  config.max_peers = 2;
  config.links.packets = 128;
  config.delivery.ordering.subscribe_all = true;
  config.delivery.reassembly = {.max_message_bytes = 1'000,
                                .max_messages = 16,
                                .timeout_ns = kForEver,
                                .memory_bytes = size_t{1} << 16};
  config.publisher = {.max_message_bytes = 1'000, .coalesce_ns = 10'000};
  config.reliability.suspect_after_ns = kForEver;
  config.reliability.repair_deadline_ns = 2 * kForEver;
  config.reliability.retain_ns = kForEver;
  config.reliability_with_ordering = views;
  if (!views) return config;
  config.view.emplace();
  config.view->membership.initial_nodes = 2;
  config.view->membership.suspect_after_ns = kForEver;
  config.groups.names = 4;
  config.groups.state_bytes = config.groups.queue_bytes = 1 << 12;
  return config;
}

// One node, its application, and what it shares with the threads that run them.
class ThreadedNode {
 public:
  ThreadedNode(uint32_t number, bool views, Fibre& in, Fibre& out)
      : qos_(views ? Qos::kTotallyOrdered : Qos::kSourceOrdered),
        receiver_(pool_, in),
        transmitter_(pool_, out, kOneLostIn),
        node_(std::move(*Node<ThreadEnv>::create(config(number, views), env_))) {
    for (uint64_t i = 0; i < expected_.size(); ++i) expected_[i] = 0;
  }
  ~ThreadedNode() {
    node_.reset();
    EXPECT_EQ(pool_.free_packets(), kPackets) << "packets that nobody gave back";
  }

  // What an lcore does without end. The stages of one lcore, by their places in the turn.
  void poll(const std::vector<StageId>& stages) {
    node_->for_each_stage([&](StageId id, Stage& stage) {
      if (std::find(stages.begin(), stages.end(), id) == stages.end()) return;
      (void)stage.poll(now_ns());
      if (id == StageId::kOrdering) run_application();
    });
  }
  // Until it has all it is to have, and the other has all of its own.
  void wait() const { done_.wait(false, std::memory_order_acquire); }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }  // when all threads are joined

 private:
  // Ordering's thread.
  void run_application() {
    struct Sink : DeliverySink {
      explicit Sink(ThreadedNode& node) : node_(node) {}
      void message(const PacketInfo& info, std::span<const uint8_t> message) {
        node_.heard(info, message);
      }
      void gap(const GapEvent& gap) {
        node_.wrong_ = "a gap at " + std::to_string(gap.first_rel_seq);
      }

     private:
      ThreadedNode& node_;
    };
    (void)node_->deliveries().take(kMaxBurst, Sink(*this));
    const bool all_here = node_->rate_control().receivers() == 1 &&
                          (node_->view() == nullptr || node_->view()->members() == 2);
    for (uint32_t i = 0; i < kMessagesAPoll && all_here && published_ < kMessages; ++i) publish();
    const bool settled = published_ == kMessages && send_rest() &&
                         node_->publisher().stable() == node_->publisher().published();
    const bool own = node_->view() == nullptr || expected_[1] == kMessages;
    if (!settled || !own || expected_[0] != kMessages || done_.load(std::memory_order_relaxed))
      return;
    done_.store(true, std::memory_order_release);
    done_.notify_all();
  }
  void publish() {
    if (!send_rest()) return;
    const size_t bytes = published_ % kLongEach == 0 ? kLongBytes : kShortBytes;
    message_.assign(bytes, static_cast<uint8_t>(published_));
    base::store_be64(message_.data(), published_);
    rest_ = Outgoing(message_, 1, qos_);
    ++published_;
    (void)send_rest();
  }
  [[nodiscard]] bool send_rest() {
    return rest_.done() || node_->publisher().send(rest_, now_ns()) == SendResult::kSent;
  }
  // The other's messages, and in a view this node's own, each exactly once and in its order.
  void heard(const PacketInfo& info, std::span<const uint8_t> message) {
    uint64_t& expected = expected_[info.peer == kNoPeer ? 1 : 0];
    const uint64_t number = base::load_be64(message.data());
    const size_t bytes = number % kLongEach == 0 ? kLongBytes : kShortBytes;
    const bool intact = message.size() == bytes && message.back() == static_cast<uint8_t>(number);
    if (number != expected || !intact) {
      wrong_ = "message " + std::to_string(number) + " in the place of " + std::to_string(expected);
    }
    ++expected;
  }

  const Qos qos_;
  ThreadPool pool_{kPackets};
  ThreadReceiver receiver_;
  ThreadTransmitter transmitter_;
  ThreadEnv env_{pool_, receiver_, transmitter_};
  std::unique_ptr<Node<ThreadEnv>> node_;
  // The application's.
  std::vector<uint8_t> message_;
  Outgoing rest_;
  uint64_t published_ = 0;
  std::array<uint64_t, 2> expected_;
  std::string wrong_;
  std::atomic<bool> done_{false};
};

using Lcores = std::vector<std::vector<StageId>>;

void run(bool views, const Lcores& lcores) {
  Fibre there(512);
  Fibre back(512);
  ThreadedNode one(1, views, back, there);
  ThreadedNode other(2, views, there, back);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (ThreadedNode* node : {&one, &other}) {
    for (const auto& stages : lcores) {
      threads.emplace_back([node, stages, &stop] {
        while (!stop.load(std::memory_order_acquire)) {
          for (int polls = 0; polls < kPollsATurn; ++polls) node->poll(stages);
          std::this_thread::yield();
        }
      });
    }
  }
  one.wait();
  other.wait();
  stop.store(true, std::memory_order_release);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(one.wrong(), "");
  EXPECT_EQ(other.wrong(), "");
}

TEST(NodeThreads, a_thread_for_each_stage__expect_every_message_once_in_order) {
  run(false, {{StageId::kReceive},
              {StageId::kReliability},
              {StageId::kOrdering, StageId::kApplication},
              {StageId::kRateControl}});
}

TEST(NodeThreads, both_halves_apart__expect_every_message_once_in_order) {
  run(false, {{StageId::kReceive, StageId::kReliability},
              {StageId::kOrdering, StageId::kApplication, StageId::kRateControl}});
}

// With membership only receive has a thread of its own.
TEST(NodeThreads, receive_apart_in_a_view__expect_one_order_and_every_message_once) {
  run(true,
      {{StageId::kReceive},
       {StageId::kReliability, StageId::kOrdering, StageId::kApplication, StageId::kRateControl}});
}

}  // namespace
}  // namespace lambdacast::node
