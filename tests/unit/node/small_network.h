// A few MulticastCores joined by a lossy broadcast medium in virtual time: enough to see a
// mechanism at work. Everything a frame may suffer, and the checkers, are lib/sim's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "node/multicast_core.h"

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

// A view event, with members of its own.
struct HeardView {
  ViewEvent::What what;
  wire::ViewId id;
  std::vector<wire::StreamName> members;
  size_t stayed;
};

class SmallNetwork;

class SmallHost final : public Host {
 public:
  SmallHost(SmallNetwork& network, size_t node) : network_(network), node_(node) {}
  PacketHandle allocate() override {
    if (live >= most_live) return PacketHandle::kNone;
    packets_.push_back(std::make_unique<Packet>());
    ++live;
    return static_cast<PacketHandle>(reinterpret_cast<uintptr_t>(packets_.back().get()));
  }
  void free(PacketHandle) override { --live; }
  PacketInfo& info(PacketHandle packet) override { return of(packet).info; }
  uint8_t* frame(PacketHandle packet) override { return of(packet).bytes; }
  void transmit(std::span<const uint8_t> frame) override;
  void deliver(const PacketInfo& info, std::span<const uint8_t> message) override;
  void gap(const GapEvent& gap) override { gaps.push_back(gap); }
  void receiver_event(const reliability::ReceiverEvent& event) override { events.push_back(event); }
  void view_event(const ViewEvent& event) override {
    views.push_back(
        {event.what, event.id, {event.members.begin(), event.members.end()}, event.stayed});
  }

  std::vector<Delivery> deliveries;
  std::vector<GapEvent> gaps;
  std::vector<reliability::ReceiverEvent> events;
  std::vector<HeardView> views;
  int64_t live = 0;
  int64_t most_live = 1 << 30;

 private:
  struct Packet {
    PacketInfo info;
    uint8_t bytes[wire::kMaxFrameBytes];
  };
  static Packet& of(PacketHandle packet) { return *reinterpret_cast<Packet*>(packet); }
  SmallNetwork& network_;
  size_t node_;
  std::vector<std::unique_ptr<Packet>> packets_;
};

class SmallNetwork {
 public:
  static constexpr uint64_t kLatencyNs = 5'000;

  explicit SmallNetwork(size_t nodes,
                        const std::function<void(size_t, MulticastConfig&)>& adjust = {});
  ~SmallNetwork();

  // Is the copy of a frame lost? Called in order of transmission and of receiver.
  std::function<bool(size_t from, size_t to, std::span<const uint8_t> frame)> loses;

  [[nodiscard]] MulticastCore& node(size_t i) { return *nodes_[i]; }
  [[nodiscard]] SmallHost& host(size_t i) { return *hosts_[i]; }
  [[nodiscard]] uint64_t now_ns() const { return now_ns_; }
  void run_for(uint64_t ns);
  void run_until_joined();
  void stop(size_t node) { stopped_[node] = true; }  // it neither hears nor speaks
  void resume(size_t node) { stopped_[node] = false; }
  uint64_t control_frames = 0;
  uint64_t data_frames = 0;

 private:
  friend class SmallHost;
  struct Arrival {
    size_t to;
    std::vector<uint8_t> frame;
  };
  void transmit(size_t from, std::span<const uint8_t> frame);

  std::vector<std::unique_ptr<SmallHost>> hosts_;
  std::vector<std::unique_ptr<MulticastCore>> nodes_;
  std::vector<bool> stopped_;
  std::multimap<uint64_t, Arrival> arrivals_;
  uint64_t now_ns_ = 1'000'000;
};

}  // namespace lambdacast::node
