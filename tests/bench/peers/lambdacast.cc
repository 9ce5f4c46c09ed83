// SPDX-License-Identifier: BSD-3-Clause
// Lambdacast in total order, an endpoint a process: what --config says, over af_packet as a rule.
// The stages are polled by the thread that sends or receives, in the order of an lcore's loop: one
// thread a node, which idles as its [[lcore]] says. All members receive, the sender too.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "dpdk/idle.h"
#include "message.h"
#include "ordering/total_order.h"
#include "peer.h"
#include "rack/application.h"
#include "recorder.h"

namespace lambdacast::peers {
namespace {

constexpr uint64_t kPatienceNs = 10'000'000'000;  // until all are in one view
constexpr wire::Qos kLevel = wire::Qos::kTotallyOrdered;
constexpr uint32_t kPassEvery = 32;  // messages: a burst

class Node {
 public:
  explicit Node(const Options& o) {
    auto opened = rack::Runtime::open(o.config, kPeerName, {"--log-level=error"});
    if (!opened) throw Failure{opened.error().message};
    runtime_ = std::move(*opened);
    endpoint_ = &runtime_->rack().endpoint(0);
    if (auto started = endpoint_->attachment().start(); !started)
      throw Failure{started.error().message};
    idler_.emplace(config::load_file(o.config)->lcores.front());
  }

  // Each stage once; what is delivered goes to `recorder`.
  void pass(Recorder& recorder) {
    const uint64_t at_ns = loop_ns();
    node::MessageSink sink([&](const node::PacketInfo&, std::span<const uint8_t> message) {
      recorder.receive(std::as_bytes(message));
    });
    uint32_t moved = 0;
    endpoint_->node().for_each_stage([&](node::StageId id, auto& stage) {
      moved += stage.poll(at_ns);
      if (id == node::StageId::kOrdering)
        moved +=
            endpoint_->take_deliveries(std::min(endpoint_->config().burst, node::kMaxBurst), sink);
    });
    if (moved == 0) {
      idler_->idle();
    } else {
      idler_->busy();
    }
  }

  [[nodiscard]] rack::Endpoint& endpoint() { return *endpoint_; }
  // By the data path's own clock.
  [[nodiscard]] uint64_t loop_ns() const { return runtime_->rack().clock().now_ns(); }

 private:
  std::unique_ptr<rack::Runtime> runtime_;
  rack::Endpoint* endpoint_ = nullptr;
  std::optional<dpdk::Idler> idler_;  // made on this thread
};

class LambdacastSender : public Sender {
 public:
  explicit LambdacastSender(const Options& o) : own_(o.bytes), node_(o), shares_(o.coalesce) {
    const uint32_t nodes = node_.endpoint().config().membership.views.initial_nodes;
    const uint64_t end_ns = now_ns() + kPatienceNs;
    while (node_.endpoint().view_members() < nodes || node_.endpoint().receivers() + 1 < nodes) {
      if (now_ns() > end_ns) throw Failure{fmt::format("no view of {} nodes after 10 s", nodes)};
      node_.pass(own_);
    }
    group_ = foreign_group(nodes);
  }

  bool send(std::span<const std::byte> message) override {
    if (++sends_ % kPassEvery == 0) node_.pass(own_);
    return shares_ ? send_shared(message) : send_alone(message);
  }
  void flush() override { node_.pass(own_); }
  void serve() override { node_.pass(own_); }
  [[nodiscard]] const Recorder* own_deliveries() const override { return &own_; }

 private:
  // One that another node puts in order, as it is for most senders. This node has the lowest
  // address and so the rank 0.
  [[nodiscard]] uint32_t foreign_group(uint32_t nodes) {
    const config::Endpoint& config = node_.endpoint().config();
    for (const uint32_t group : config.groups) {
      const uint32_t domain = ordering::domain_of(group, config.membership.order.domains);
      if (ordering::sequencer_of(domain, nodes) != 0) return group;
    }
    throw Failure{"the sender is the sequencer of all groups of --config; give it more"};
  }

  bool send_alone(std::span<const std::byte> message) {
    dpdk::Loan loan;
    if (node_.endpoint().loan({&loan, 1}) == 0) return false;
    std::memcpy(loan.payload(), message.data(), message.size());
    (void)loan.describe(message.size(), group_, kLevel);
    if (node_.endpoint().publish({&loan, 1}) == 1) return true;
    node_.endpoint().give_back({&loan, 1});
    return false;
  }
  bool send_shared(std::span<const std::byte> message) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(message.data());
    return node_.endpoint().publisher().send({bytes, message.size()}, group_, kLevel,
                                             node_.loop_ns()) == node::SendResult::kSent;
  }

  Recorder own_;
  Node node_;
  const bool shares_;
  uint32_t group_ = 0;
  uint32_t sends_ = 0;
};

class LambdacastReceiver : public Receiver {
 public:
  explicit LambdacastReceiver(const Options& o)
      : node_(o), bytes_(o.bytes), linger_ns_(static_cast<uint64_t>(o.linger_s * 1e9)) {}
  // The others may still need its marks and its repairs.
  ~LambdacastReceiver() override {
    Recorder rest(bytes_);
    for (const uint64_t end_ns = now_ns() + linger_ns_; now_ns() < end_ns;) node_.pass(rest);
  }

  void poll(Recorder& recorder) override { node_.pass(recorder); }

 private:
  Node node_;
  uint32_t bytes_;
  uint64_t linger_ns_;
};

}  // namespace

const char* const kPeerName = "lambdacast";
std::unique_ptr<Sender> make_sender(const Options& o) {
  return std::make_unique<LambdacastSender>(o);
}
std::unique_ptr<Receiver> make_receiver(const Options& o) {
  return std::make_unique<LambdacastReceiver>(o);
}

}  // namespace lambdacast::peers
