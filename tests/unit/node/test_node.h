// SPDX-License-Identifier: BSD-3-Clause
// Nodes that a test polls stage by stage, on a clock of its own, and what surrounds them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heard_view.h"
#include "sim/multicast/sim_endpoint.h"
#include "test_identity.h"

namespace lambdacast::node {

using Bytes = std::vector<uint8_t>;
using sim::SimEnv;
using sim::SimPacket;

// Keeps what a node does to its surroundings. Memory used wrongly fails the test.
class TestHost final : public sim::NodeHost {
 public:
  void transmit(std::span<const uint8_t> frame, uint64_t) override {
    frames.emplace_back(frame.begin(), frame.end());
  }
  void judged(const sim::Waiting&, counters::DropReason outcome) override {
    outcomes.push_back(outcome);
  }
  void deliver(const PacketInfo&, std::span<const uint8_t>) override {}
  void gap(const GapEvent&) override {}
  void receiver_event(const reliability::ReceiverEvent&) override {}
  void view_event(const ViewEvent&) override {}
  void misuse(const std::string& what) override;

  std::vector<Bytes> frames;                   // transmitted, and not carried away yet
  std::vector<counters::DropReason> outcomes;  // of frames, in the order of their judgement
};

// What a stage needs of the world.
struct TestEnv {
  explicit TestEnv(const sim::NodeWild& wild = {})
      : packets(host, wild.pool, wild.port.keeps, 3, port_ns),
        receiver(packets, wild.port, 1),
        transmitter(packets, wild.port, 2, port_ns) {}

  void arrive(Bytes frame);
  [[nodiscard]] sim::SimQueue queue(uint32_t slots) { return {slots, nullptr, nullptr}; }
  // Takes the first packet of a link; null: there is none.
  [[nodiscard]] static SimPacket* pull(sim::SimQueue& queue) {
    SimPacket* packet = nullptr;
    return queue.pull(&packet, 1) == 1 ? packet : nullptr;
  }
  // Every packet that the pool still has, so that nobody else gets one.
  [[nodiscard]] std::vector<SimPacket*> take_all();
  void give_back(std::vector<SimPacket*>& taken);

  // The port's time follows the test's, but for one that stands still: it is as wild as ever.
  void pass_time(uint64_t now_ns) { port_ns = port_stands ? 0 : now_ns; }

  TestHost host;
  uint64_t port_ns = 0;
  bool port_stands = false;
  sim::SimPackets packets;
  sim::SimReceiver receiver;
  sim::SimTransmitter transmitter;
  SimEnv env{packets, receiver, transmitter, [](LinkId) { return SimEnv::Ends{}; }};
};

struct Taken {
  PacketInfo info;
  Bytes bytes;
};

// Of path MTU 256: 208 bytes in a packet, 200 in a fragment. Delivers every group.
[[nodiscard]] NodeConfig test_config(uint32_t number);
// The same in a view of so many.
[[nodiscard]] NodeConfig member_config(uint32_t number, size_t initial_nodes = 3);

// A node with an application that keeps what it takes.
class TestNode {
 public:
  TestNode(const NodeConfig& config, const uint64_t& now_ns, const sim::NodeWild& wild = {});
  ~TestNode();

  // A turn without the application: every stage once.
  void poll_stages();
  // And with it.
  void poll();
  uint32_t take(uint32_t most = kMaxBurst);
  // A packet of its own with `message`.
  [[nodiscard]] bool publish(const Bytes& message, wire::Qos qos, uint32_t group = 1);
  [[nodiscard]] uint32_t on_link(LinkId link) const { return node->link(link).size(); }
  [[nodiscard]] wire::StreamName name() const {
    const EndpointIdentity& self = node->identity();
    return {self.gid, self.data_qpn, self.incarnation};
  }

  const uint64_t& now_ns;
  TestEnv env;
  std::unique_ptr<sim::SimNode> node;
  // What the application took.
  std::vector<Taken> messages;
  std::vector<Taken> group_messages;
  std::vector<Taken> request_messages;
  std::vector<GapEvent> gaps;
  std::vector<HeardView> views;
  std::vector<size_t> messages_before_view;  // the view of the same place
};

// Nodes that hear each other: what one transmits is in front of the others at once.
class TestNetwork {
 public:
  using Config = std::function<NodeConfig(uint32_t number)>;
  explicit TestNetwork(size_t nodes, const Config& config = test_config,
                       const sim::NodeWild& wild = {});

  // Is this copy lost?
  std::function<bool(size_t from, size_t to, const Bytes& frame)> loses;

  [[nodiscard]] TestNode& operator[](size_t i) { return *nodes_[i]; }
  [[nodiscard]] sim::SimNode& node(size_t i) { return *nodes_[i]->node; }
  [[nodiscard]] size_t size() const { return nodes_.size(); }
  // Frames transmitted, to all others.
  void carry();
  // In steps of `step_us`: every node that is not stopped is polled, with its application if that
  // takes anything.
  void run_us(uint64_t us, uint64_t step_us = 1);
  void run_ms(uint64_t ms) { run_us(ms * 1'000, 10); }
  // Until everybody receives everybody's stream.
  void join();

  uint64_t now_ns = 1'000'000;
  std::vector<bool> stopped;
  std::vector<bool> taking;

 private:
  std::vector<std::unique_ptr<TestNode>> nodes_;
};

// What data frames say, read from their bytes: IPv4 without options, no VLAN tag.
[[nodiscard]] bool is_data(const Bytes& frame);
[[nodiscard]] uint64_t frame_seq_of(const Bytes& frame);
[[nodiscard]] uint64_t rel_seq_of(const Bytes& frame);
[[nodiscard]] bool is_repair(const Bytes& frame);

// A port that takes a part of a burst, or refuses, until so late.
[[nodiscard]] inline sim::NodeWild reluctant_port(double partial, double refusal,
                                                  uint64_t until_ns) {
  sim::NodeWild wild;
  wild.port.partial_burst = partial;
  wild.port.refusal = refusal;
  wild.port.refusal_ns = 1;
  wild.port.until_ns = until_ns;
  return wild;
}

}  // namespace lambdacast::node
