// SPDX-License-Identifier: BSD-3-Clause
#include "test_node.h"

#include <gtest/gtest.h>

#include <utility>

#include "sim/multicast/frame_view.h"

namespace lambdacast::node {

void TestHost::misuse(const std::string& what) { ADD_FAILURE() << "the code under test " << what; }

void TestEnv::arrive(Bytes frame) {
  sim::Waiting waiting;
  waiting.bytes = std::make_shared<const Bytes>(std::move(frame));
  receiver.arrive(std::move(waiting));
}

std::vector<SimPacket*> TestEnv::take_all() {
  std::vector<SimPacket*> taken;
  for (SimPacket* packet = packets.allocate(); packet != nullptr; packet = packets.allocate())
    taken.push_back(packet);
  return taken;
}

void TestEnv::give_back(std::vector<SimPacket*>& taken) {
  packets.free(taken.data(), static_cast<uint32_t>(taken.size()));
  taken.clear();
}

NodeConfig test_config(uint32_t number) {
  NodeConfig config;
  config.identity = test_identity(number);
  config.identity.path_mtu = 256;
  config.max_peers = 4;
  config.links.packets = 64;
  config.delivery.ordering.subscribe_all = true;
  config.delivery.reassembly.max_message_bytes = 100'000;
  config.delivery.reassembly.memory_bytes = size_t{1} << 18;
  config.publisher.max_message_bytes = 100'000;
  return config;
}

NodeConfig member_config(uint32_t number, size_t initial_nodes) {
  NodeConfig config = test_config(number);
  ViewConfig view;
  view.membership.initial_nodes = initial_nodes;
  view.membership.heartbeat_ns = 1'000'000;
  view.membership.suspect_after_ns = 50'000'000;
  view.membership.ack_ns = 10'000;
  view.order.domains = 16;
  config.view = view;
  config.publisher.coalesce_ns = 10'000;
  config.groups.names = 16;
  config.groups.state_bytes = config.groups.queue_bytes = 1 << 16;
  return config;
}

TestNode::TestNode(const NodeConfig& config, const uint64_t& now, const sim::NodeWild& wild)
    : now_ns(now), env(wild), node(std::move(*sim::SimNode::create(config, env.env))) {}

// Whatever a node was doing, it leaves no packet behind.
TestNode::~TestNode() {
  node.reset();
  env.transmitter.clear();
  EXPECT_EQ(env.packets.live(), 0u) << "packets that nobody gave back";
}

void TestNode::poll_stages() {
  env.pass_time(now_ns);
  node->for_each_stage([&](StageId, Stage& stage) { (void)stage.poll(now_ns); });
}

void TestNode::poll() {
  env.pass_time(now_ns);
  node->for_each_stage([&](StageId id, Stage& stage) {
    (void)stage.poll(now_ns);
    if (id == StageId::kOrdering) (void)take();
  });
}

uint32_t TestNode::take(uint32_t most) {
  struct Sink : DeliverySink {
    explicit Sink(TestNode& node) : node_(node) {}
    void message(const PacketInfo& info, std::span<const uint8_t> message) {
      node_.messages.push_back({info, {message.begin(), message.end()}});
    }
    void group_message(const PacketInfo& info, std::span<const uint8_t> message) {
      node_.group_messages.push_back({info, {message.begin(), message.end()}});
    }
    void request_message(const PacketInfo& info, std::span<const uint8_t> message) {
      node_.request_messages.push_back({info, {message.begin(), message.end()}});
    }
    void gap(const GapEvent& gap) { node_.gaps.push_back(gap); }
    void view(const ViewEvent& event) {
      node_.views.emplace_back(event);
      node_.messages_before_view.push_back(node_.messages.size());
    }

   private:
    TestNode& node_;
  };
  return node->deliveries().take(most, Sink(*this));
}

bool TestNode::publish(const Bytes& message, wire::Qos qos, uint32_t group) {
  Loan<SimEnv> loan;
  if (node->publisher().loan({&loan, 1}) == 0) return false;
  std::copy(message.begin(), message.end(), loan.payload());
  if (loan.describe(message.size(), group, qos) && node->publisher().publish({&loan, 1}) == 1)
    return true;
  node->publisher().give_back({&loan, 1});
  return false;
}

TestNetwork::TestNetwork(size_t nodes, const Config& config, const sim::NodeWild& wild)
    : stopped(nodes), taking(nodes, true) {
  for (size_t i = 0; i < nodes; ++i) {
    nodes_.push_back(
        std::make_unique<TestNode>(config(static_cast<uint32_t>(i + 1)), now_ns, wild));
  }
}

void TestNetwork::carry() {
  for (size_t from = 0; from < nodes_.size(); ++from) {
    for (const Bytes& frame : std::exchange(nodes_[from]->env.host.frames, {})) {
      for (size_t to = 0; to < nodes_.size(); ++to) {
        if (to != from && !(loses && loses(from, to, frame))) nodes_[to]->env.arrive(frame);
      }
    }
  }
}

void TestNetwork::run_us(uint64_t us, uint64_t step_us) {
  for (const uint64_t end_ns = now_ns + us * 1'000; now_ns < end_ns; now_ns += step_us * 1'000) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (stopped[i]) continue;
      taking[i] ? nodes_[i]->poll() : nodes_[i]->poll_stages();
    }
    carry();
  }
}

void TestNetwork::join() {
  const auto joined = [&] {
    for (const auto& each : nodes_) {
      if (each->node->rate_control().receivers() + 1 != nodes_.size()) return false;
    }
    return true;
  };
  for (int i = 0; i < 100 && !joined(); ++i) run_us(1'000);
  ASSERT_TRUE(joined());
}

bool is_data(const Bytes& frame) {
  return sim::FrameView(frame).kind() == sim::FrameView::Kind::kData;
}
uint64_t frame_seq_of(const Bytes& frame) { return sim::FrameView(frame).frame_seq(); }
uint64_t rel_seq_of(const Bytes& frame) { return sim::FrameView(frame).rel_seq(); }
bool is_repair(const Bytes& frame) { return sim::FrameView(frame).repair(); }

}  // namespace lambdacast::node
