// SPDX-License-Identifier: BSD-3-Clause
#include "small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "test_identity.h"

namespace lambdacast::node {

void SmallHost::transmit(std::span<const uint8_t> frame, uint64_t) {
  network_.transmit(node_, frame);
}

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

void SmallHost::misuse(const std::string& what) {
  ADD_FAILURE() << "node " << node_ << " " << what;
}

SmallNetwork::SmallNetwork(size_t nodes, const std::function<void(size_t, SmallConfig&)>& adjust)
    : places_(nodes) {
  for (size_t i = 0; i < nodes; ++i) {
    SmallConfig config;
    config.node.identity = test_identity(static_cast<uint32_t>(i + 1));
    config.node.delivery.ordering.subscribe_all = true;
    config.node.max_peers = std::max<size_t>(nodes, 2);
    config.node.links.publications = 1024;
    config.endpoint.seed = i;
    if (adjust) adjust(i, config);
    Place& place = places_[i];
    place.host = std::make_unique<SmallHost>(*this, i);
    const sim::Surroundings around{now_ns_, clock_, [&place, this](size_t) {
                                     place.next_ns = std::min(place.next_ns, now_ns_);
                                   }};
    place.endpoint =
        std::make_unique<sim::SimEndpoint>(config.node, config.endpoint, around, *place.host);
  }
}

void SmallNetwork::transmit(size_t from, std::span<const uint8_t> frame) {
  // The last byte of the IPv4 destination: test_identity's groups end in 0x55 and 0x56.
  ++(frame[33] % 2 == 0 ? control_frames : data_frames);
  for (size_t to = 0; to < places_.size(); ++to) {
    if (to == from || places_[to].stopped || (loses && loses(from, to, frame))) continue;
    arrivals_.emplace(now_ns_ + kLatencyNs, Arrival{to, {frame.begin(), frame.end()}});
  }
}

void SmallNetwork::arrive(size_t to, std::vector<uint8_t> frame) {
  sim::Waiting waiting;
  waiting.bytes = std::make_shared<const std::vector<uint8_t>>(std::move(frame));
  endpoint(to).arrive(std::move(waiting));
}

void SmallNetwork::arrive_what_is_due() {
  while (!arrivals_.empty() && arrivals_.begin()->first <= now_ns_) {
    Arrival arrival = std::move(arrivals_.begin()->second);
    arrivals_.erase(arrivals_.begin());
    if (!places_[arrival.to].stopped) arrive(arrival.to, std::move(arrival.frame));
  }
}

void SmallNetwork::turn(size_t i) {
  Place& place = places_[i];
  place.next_ns = sim::kNever;
  place.next_ns = std::min(place.next_ns, place.endpoint->turn(0));
}

void SmallNetwork::run_for(uint64_t ns) {
  const uint64_t end_ns = now_ns_ + ns;
  for (;;) {
    arrive_what_is_due();
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].stopped && places_[i].next_ns <= now_ns_) turn(i);
    }
    uint64_t next_ns = arrivals_.empty() ? sim::kNever : arrivals_.begin()->first;
    for (const Place& place : places_) {
      if (!place.stopped) next_ns = std::min(next_ns, place.next_ns);
    }
    if (next_ns >= end_ns) break;
    now_ns_ = next_ns;
  }
  now_ns_ = end_ns;
}

void SmallNetwork::run_until_joined() {
  const auto joined = [&] {
    for (size_t i = 0; i < places_.size(); ++i) {
      if (node(i).sender().receivers().admitted() + 1 != places_.size()) return false;
    }
    return true;
  };
  for (int i = 0; i < 1000 && !joined(); ++i) run_for(100'000);
  run_for(1'000'000);
}

}  // namespace lambdacast::node
