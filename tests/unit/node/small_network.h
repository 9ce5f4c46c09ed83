// SPDX-License-Identifier: BSD-3-Clause
// A few nodes, the stages that ship, joined by a lossy broadcast medium in virtual time: enough to
// see a mechanism at work. Everything a frame may suffer, and the checkers, are lib/sim's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heard_view.h"
#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::node {

struct Delivery {
  uint16_t peer;
  uint64_t rel_seq;
  wire::Qos qos;
  std::vector<uint8_t> bytes;
  uint64_t at_ns;
  uint64_t epoch = 0;  // with index, of totally ordered messages and above
  uint64_t index = 0;
  wire::Kind kind = wire::Kind::kData;
};

class SmallNetwork;

// What one node tells. Memory used wrongly fails the test.
class SmallHost final : public sim::NodeHost {
 public:
  SmallHost(SmallNetwork& network, size_t node) : network_(network), node_(node) {}
  void transmit(std::span<const uint8_t> frame, uint64_t offered_ns) override;
  void judged(const sim::Waiting&, counters::DropReason outcome) override {
    outcomes.push_back(outcome);
  }
  void deliver(const PacketInfo& info, std::span<const uint8_t> message) override;
  void gap(const GapEvent& gap) override { gaps.push_back(gap); }
  void receiver_event(const reliability::ReceiverEvent& event) override { events.push_back(event); }
  void view_event(const ViewEvent& event) override { views.emplace_back(event); }
  void misuse(const std::string& what) override;

  std::vector<counters::DropReason> outcomes;  // of frames, in the order of their judgement
  std::vector<Delivery> deliveries;
  std::vector<GapEvent> gaps;
  std::vector<reliability::ReceiverEvent> events;
  std::vector<HeardView> views;

 private:
  SmallNetwork& network_;
  size_t node_;
};

struct SmallConfig {
  NodeConfig node;
  sim::EndpointScenario endpoint;
};

class SmallNetwork {
 public:
  static constexpr uint64_t kLatencyNs = 5'000;

  explicit SmallNetwork(size_t nodes, const std::function<void(size_t, SmallConfig&)>& adjust = {});

  // Is the copy of a frame lost? Called in order of transmission and of receiver.
  std::function<bool(size_t from, size_t to, std::span<const uint8_t> frame)> loses;

  [[nodiscard]] sim::SimEndpoint& endpoint(size_t i) { return *places_[i].endpoint; }
  [[nodiscard]] sim::SimNode& node(size_t i) { return endpoint(i).node(); }
  [[nodiscard]] SmallHost& host(size_t i) { return *places_[i].host; }
  // Packets of the node that somebody has.
  [[nodiscard]] size_t live(size_t i) { return endpoint(i).packets().live(); }
  [[nodiscard]] uint64_t now_ns() const { return now_ns_; }
  // Puts a frame in front of the node's port.
  void arrive(size_t to, std::vector<uint8_t> frame);
  // One turn of the node, now.
  void turn(size_t i);
  void run_for(uint64_t ns);
  void run_until_joined();
  void stop(size_t i) { places_[i].stopped = true; }  // it neither hears nor speaks
  void resume(size_t i) {
    places_[i].stopped = false;
    places_[i].next_ns = now_ns_;
  }
  uint64_t control_frames = 0;
  uint64_t data_frames = 0;

 private:
  friend class SmallHost;
  struct Place {
    std::unique_ptr<SmallHost> host;
    std::unique_ptr<sim::SimEndpoint> endpoint;
    uint64_t next_ns = 0;  // its next turn
    bool stopped = false;
  };
  struct Arrival {
    size_t to;
    std::vector<uint8_t> frame;
  };
  void transmit(size_t from, std::span<const uint8_t> frame);
  void arrive_what_is_due();

  uint64_t now_ns_ = 1'000'000;
  const sim::NodeClock clock_;
  std::multimap<uint64_t, Arrival> arrivals_;
  std::vector<Place> places_;
};

}  // namespace lambdacast::node
