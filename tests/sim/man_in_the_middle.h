// SPDX-License-Identifier: BSD-3-Clause
// A man in the middle between a node's stages and their surroundings, port and application: he may
// swallow, repeat and alter what passes in either direction. Without hooks he changes nothing.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/engine/node_clock.h"
#include "sim/multicast/frame_view.h"
#include "sim/multicast/sim_endpoint.h"
#include "wire/control/control.h"
#include "wire/roce/icrc.h"

namespace lambdacast::sim {

using Bytes = std::vector<uint8_t>;
class Middle;

struct Hooks {
  std::function<void(node::NodeConfig&)> configure;
  std::function<void(EndpointScenario&)> surround;  // alters what surrounds the node
  // Frames sent and received: false swallows one. An altered one gets a right ICRC again.
  std::function<bool(Middle&, Bytes&)> out;
  std::function<bool(Middle&, Bytes&)> in;
  std::function<bool(Middle&, node::PacketInfo&, Bytes&)> deliver;
  std::function<bool(Middle&, node::GapEvent&)> gap;
  std::function<bool(Middle&, reliability::ReceiverEvent&)> event;
  std::function<bool(Middle&, node::ViewEvent&)> view;
  std::function<bool(Middle&, wire::StreamName&)> bury;  // what the fabric says is over
  std::function<bool(Middle&)> free;
  std::function<void(wire::Qos&)> publish;
  std::function<void(reliability::StreamReport&)> account;
  std::function<uint64_t(const SimEndpoint&)> stable;  // what it says in place of the node's word
  bool deaf_to_timers = false;
};

// Between the node and the simulation.
class MiddleHost final : public NodeHost {
 public:
  MiddleHost(NodeHost& real, const Hooks& hooks) : real_(real), hooks_(hooks) {}
  void transmit(std::span<const uint8_t> frame, uint64_t offered_ns) override {
    if (!hooks_.out) return real_.transmit(frame, offered_ns);
    Bytes bytes(frame.begin(), frame.end());
    if (hooks_.out(*middle, bytes)) real_.transmit(bytes, offered_ns);
  }
  // The log tells of the frame that came to the node, whatever the node was given.
  void judged(const Waiting& frame, counters::DropReason outcome) override {
    const auto found = originals.find(frame.bytes.get());
    if (found == originals.end()) return real_.judged(frame, outcome);
    Waiting original = frame;
    original.bytes = found->second;
    originals.erase(found);
    real_.judged(original, outcome);
  }
  void deliver(const node::PacketInfo& info, std::span<const uint8_t> message) override {
    if (!hooks_.deliver) return real_.deliver(info, message);
    node::PacketInfo altered = info;
    Bytes bytes(message.begin(), message.end());
    if (hooks_.deliver(*middle, altered, bytes)) real_.deliver(altered, bytes);
  }
  void gap(const node::GapEvent& gap) override {
    node::GapEvent altered = gap;
    if (!hooks_.gap || hooks_.gap(*middle, altered)) real_.gap(altered);
  }
  void receiver_event(const reliability::ReceiverEvent& event) override {
    reliability::ReceiverEvent altered = event;
    if (!hooks_.event || hooks_.event(*middle, altered)) real_.receiver_event(altered);
  }
  void view_event(const node::ViewEvent& event) override {
    node::ViewEvent altered = event;
    if (!hooks_.view || hooks_.view(*middle, altered)) real_.view_event(altered);
  }
  void buried(const wire::StreamName& name) override { real_.buried(name); }
  void misuse(const std::string& what) override { real_.misuse(what); }
  bool gives_back(const SimPacket& packet) override {
    return (!hooks_.free || hooks_.free(*middle)) && real_.gives_back(packet);
  }
  [[nodiscard]] NodeHost& real() { return real_; }

  Middle* middle = nullptr;
  std::map<const Bytes*, FrameBytes> originals;  // by the bytes that the node was given

 private:
  NodeHost& real_;
  const Hooks& hooks_;
};

struct MiddleParts {
  MiddleParts(NodeHost& real, Hooks wanted) : hooks(std::move(wanted)), host(real, hooks) {}
  Hooks hooks;
  MiddleHost host;
};

class Middle : private MiddleParts, public SimEndpoint {
 public:
  Middle(size_t index, const node::NodeConfig& config, const EndpointScenario& scenario,
         Surroundings around, NodeHost& real, Hooks wanted)
      : MiddleParts(real, std::move(wanted)),
        SimEndpoint(altered(config), surrounded(scenario), around, host),
        index_(index) {
    host.middle = this;
  }

  void arrive(Waiting waiting) override {
    if (hooks.in && looks_sound(*waiting.bytes)) {
      Bytes bytes = *waiting.bytes;
      if (!hooks.in(*this, bytes)) return host.judged(waiting, counters::DropReason::kControlTaken);
      if (bytes != *waiting.bytes) {
        auto altered = std::make_shared<const Bytes>(std::move(bytes));
        host.originals.emplace(altered.get(), std::exchange(waiting.bytes, altered));
      }
    }
    SimEndpoint::arrive(std::move(waiting));
  }
  void bury(const wire::StreamName& name) override {
    wire::StreamName altered = name;
    if (!hooks.bury || hooks.bury(*this, altered)) SimEndpoint::bury(altered);
  }
  bool publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
               wire::Kind kind) override {
    if (hooks.publish) hooks.publish(qos);
    return SimEndpoint::publish(message, group, qos, kind);
  }
  [[nodiscard]] uint64_t next_deadline_ns(size_t lcore) const override {
    return hooks.deaf_to_timers ? kNever : SimEndpoint::next_deadline_ns(lcore);
  }
  [[nodiscard]] uint64_t stable() const override {
    return hooks.stable ? hooks.stable(*this) : SimEndpoint::stable();
  }
  [[nodiscard]] reliability::StreamReport frames(size_t peer) const override {
    reliability::StreamReport report = SimEndpoint::frames(peer);
    if (hooks.account) hooks.account(report);
    return report;
  }

  [[nodiscard]] size_t index() const { return index_; }
  [[nodiscard]] uint64_t now_ns() const { return now_local_ns(); }
  [[nodiscard]] NodeHost& real() { return host.real(); }
  // For the hooks to remember things in.
  uint64_t count = 0;
  std::set<uint64_t> seen;
  std::map<std::string, uint32_t> incarnations;
  std::unique_ptr<std::pair<node::PacketInfo, Bytes>> held;
  std::unique_ptr<node::GapEvent> held_gap;

 private:
  node::NodeConfig altered(node::NodeConfig config) const {
    if (hooks.configure) hooks.configure(config);
    return config;
  }
  EndpointScenario surrounded(EndpointScenario scenario) const {
    if (hooks.surround) hooks.surround(scenario);
    return scenario;
  }
  static bool looks_sound(std::span<const uint8_t> frame) {
    return wire::load_icrc(frame.data() + frame.size() - wire::kIcrcBytes) ==
           wire::icrc(frame.data(), 14, frame.size() - wire::kIcrcBytes);
  }

  size_t index_;
};

[[nodiscard]] inline uint8_t* payload_of(Bytes& frame) {
  return frame.data() + (frame[12] == 0x08 ? 62 : 82);
}
inline void reseal(Bytes& frame) {
  const size_t at = frame.size() - wire::kIcrcBytes;
  wire::store_icrc(frame.data() + at, wire::icrc(frame.data(), 14, at));
}
[[nodiscard]] inline FrameView::Kind kind_of(const Bytes& frame) { return FrameView(frame).kind(); }

// change(uint8_t* entry) for each status entry, of a status or behind a NACK's runs; then seals the
// frame again. Of other frames nothing changes.
template <typename Change>
void alter_status(Bytes& frame, Change&& change) {
  const FrameView view(frame);
  if (view.statuses() == 0) return;
  uint8_t* entry = payload_of(frame) + view.statuses_at();
  for (size_t i = view.statuses(); i != 0; --i) {
    change(entry);
    entry += wire::kStatusEntryBytes + size_t{entry[57]} * wire::kLossRunBytes;
  }
  reseal(frame);
}
inline constexpr size_t kContiguousAt = wire::kStreamNameBytes;
inline constexpr size_t kEchoAt = wire::kStreamNameBytes + 8;
inline constexpr size_t kRoomAt = wire::kStreamNameBytes + 20;

[[nodiscard]] inline EndpointFactory middle(Hooks hooks) {
  return [hooks](size_t index, const node::NodeConfig& config, const EndpointScenario& scenario,
                 Surroundings around, NodeHost& host) {
    return std::make_unique<Middle>(index, config, scenario, std::move(around), host, hooks);
  };
}

}  // namespace lambdacast::sim
