#include "small_network.h"

#include "test_identity.h"

namespace lambdacast::node {

void SmallHost::transmit(std::span<const uint8_t> frame) { network_.transmit(node_, frame); }

void SmallHost::deliver(const PacketInfo& info, std::span<const uint8_t> message) {
  const bool ordered = info.qos >= wire::Qos::kTotallyOrdered;
  deliveries.push_back({info.peer,
                        info.rel_seq,
                        info.qos,
                        {message.begin(), message.end()},
                        network_.now_ns(),
                        ordered ? info.epoch : 0,
                        ordered ? info.index : 0,
                        info.kind});
}

SmallNetwork::SmallNetwork(size_t nodes,
                           const std::function<void(size_t, MulticastConfig&)>& adjust)
    : stopped_(nodes) {
  for (size_t i = 0; i < nodes; ++i) {
    MulticastConfig config;
    config.endpoint.identity = test_identity(static_cast<uint32_t>(i + 1));
    config.endpoint.delivery.ordering.subscribe_all = true;
    config.endpoint.max_peers = std::max<size_t>(nodes, 2);
    if (adjust) adjust(i, config);
    hosts_.push_back(std::make_unique<SmallHost>(*this, i));
    nodes_.push_back(std::make_unique<MulticastCore>(config, *hosts_.back()));
  }
}

SmallNetwork::~SmallNetwork() { nodes_.clear(); }

void SmallNetwork::transmit(size_t from, std::span<const uint8_t> frame) {
  // The last byte of the IPv4 destination: test_identity's groups end in 0x55 and 0x56.
  ++(frame[33] % 2 == 0 ? control_frames : data_frames);
  for (size_t to = 0; to < nodes_.size(); ++to) {
    if (to == from || stopped_[to] || (loses && loses(from, to, frame))) continue;
    arrivals_.emplace(now_ns_ + kLatencyNs, Arrival{to, {frame.begin(), frame.end()}});
  }
}

void SmallNetwork::run_for(uint64_t ns) {
  const uint64_t end_ns = now_ns_ + ns;
  while (now_ns_ < end_ns) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!stopped_[i]) nodes_[i]->poll(now_ns_);
    }
    uint64_t next_ns = end_ns;
    if (!arrivals_.empty()) next_ns = std::min(next_ns, arrivals_.begin()->first);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!stopped_[i]) next_ns = std::min(next_ns, nodes_[i]->next_deadline_ns());
    }
    now_ns_ = std::max(now_ns_ + 1, next_ns);
    while (!arrivals_.empty() && arrivals_.begin()->first <= now_ns_) {
      Arrival arrival = std::move(arrivals_.begin()->second);
      arrivals_.erase(arrivals_.begin());
      if (!stopped_[arrival.to]) (void)nodes_[arrival.to]->receive(arrival.frame, now_ns_);
    }
  }
}

void SmallNetwork::run_until_joined() {
  const auto joined = [&] {
    for (const auto& node : nodes_) {
      if (node->sender().receivers().admitted() + 1 != nodes_.size()) return false;
    }
    return true;
  };
  for (int i = 0; i < 1000 && !joined(); ++i) run_for(100'000);
  run_for(1'000'000);
}

}  // namespace lambdacast::node
