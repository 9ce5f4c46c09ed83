// A man in the middle between the shipped core and its host, and in front of the core: he may
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
#include "sim/multicast/packet_pool.h"
#include "sim/multicast/sim_endpoint.h"
#include "wire/control/control.h"
#include "wire/roce/icrc.h"

namespace lambdacast::sim {

using Bytes = std::vector<uint8_t>;
class Middle;

struct Hooks {
  std::function<void(node::MulticastConfig&)> configure;
  // Of frames sent and received: false swallows them. An altered one gets a right ICRC again.
  std::function<bool(Middle&, Bytes&)> out;
  std::function<bool(Middle&, Bytes&)> in;
  std::function<bool(Middle&, node::PacketInfo&, Bytes&)> deliver;
  std::function<bool(Middle&, node::GapEvent&)> gap;
  std::function<bool(Middle&, reliability::ReceiverEvent&)> event;
  std::function<bool(Middle&, node::ViewEvent&)> view;
  std::function<bool(Middle&, PacketHandle)> free;
  std::function<void(wire::Qos&)> publish;
  std::function<void(reliability::StreamReport&)> account;
  std::function<uint64_t(const node::MulticastCore&)> stable;  // what it says in place of that
  bool deaf_to_timers = false;
};

class MiddleHost final : public node::Host {
 public:
  MiddleHost(node::Host& real, const Hooks& hooks) : real_(real), hooks_(hooks) {}
  PacketHandle allocate() override { return real_.allocate(); }
  void free(PacketHandle packet) override {
    if (!hooks_.free || hooks_.free(*middle, packet)) real_.free(packet);
  }
  node::PacketInfo& info(PacketHandle packet) override { return real_.info(packet); }
  uint8_t* frame(PacketHandle packet) override { return real_.frame(packet); }
  void transmit(std::span<const uint8_t> frame) override {
    if (!hooks_.out) return real_.transmit(frame);
    Bytes bytes(frame.begin(), frame.end());
    if (hooks_.out(*middle, bytes)) real_.transmit(bytes);
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
  [[nodiscard]] node::Host& real() { return real_; }

  Middle* middle = nullptr;

 private:
  node::Host& real_;
  const Hooks& hooks_;
};

struct MiddleParts {
  MiddleParts(node::Host& real, Hooks wanted) : hooks(std::move(wanted)), host(real, hooks) {}
  Hooks hooks;
  MiddleHost host;
};

class Middle : private MiddleParts, public SimEndpoint {
 public:
  Middle(size_t node, const node::MulticastConfig& config, node::Host& real, Hooks wanted)
      : MiddleParts(real, std::move(wanted)), SimEndpoint(altered(config), host), node_(node) {
    host.middle = this;
  }

  void receive(std::span<const std::span<const uint8_t>> frames, uint64_t now_ns,
               std::span<counters::DropReason> outcomes) override {
    now_ns_ = now_ns;
    if (!hooks.in) return SimEndpoint::receive(frames, now_ns, outcomes);
    for (size_t i = 0; i < frames.size(); ++i) outcomes[i] = receive_one(frames[i]);
  }
  bool publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
               wire::Kind kind) override {
    if (hooks.publish) hooks.publish(qos);
    return SimEndpoint::publish(message, group, qos, kind);
  }
  void poll(uint64_t now_ns, uint32_t most) override {
    now_ns_ = now_ns;
    SimEndpoint::poll(now_ns, most);
  }
  [[nodiscard]] uint64_t next_deadline_ns() const override {
    return hooks.deaf_to_timers ? kNever : SimEndpoint::next_deadline_ns();
  }
  [[nodiscard]] uint64_t stable() const override {
    return hooks.stable ? hooks.stable(core()) : SimEndpoint::stable();
  }
  [[nodiscard]] reliability::StreamReport frames(size_t peer) const override {
    reliability::StreamReport report = SimEndpoint::frames(peer);
    if (hooks.account) hooks.account(report);
    return report;
  }

  [[nodiscard]] size_t node() const { return node_; }
  [[nodiscard]] uint64_t now_ns() const { return now_ns_; }
  [[nodiscard]] node::Host& real() { return host.real(); }
  // For the hooks to remember things in.
  uint64_t count = 0;
  std::set<uint64_t> seen;
  std::map<std::string, uint32_t> incarnations;
  std::unique_ptr<std::pair<node::PacketInfo, Bytes>> held;
  std::unique_ptr<node::GapEvent> held_gap;

 private:
  counters::DropReason receive_one(std::span<const uint8_t> frame) {
    Bytes bytes(frame.begin(), frame.end());
    if (looks_sound(frame) && !hooks.in(*this, bytes)) return counters::DropReason::kControlTaken;
    return core().receive(bytes, now_ns_);
  }
  node::MulticastConfig altered(node::MulticastConfig config) const {
    if (hooks.configure) hooks.configure(config);
    return config;
  }
  static bool looks_sound(std::span<const uint8_t> frame) {
    return wire::load_icrc(frame.data() + frame.size() - wire::kIcrcBytes) ==
           wire::icrc(frame.data(), 14, frame.size() - wire::kIcrcBytes);
  }

  size_t node_;
  uint64_t now_ns_ = 0;
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
  return [hooks](size_t node, const node::MulticastConfig& config, node::Host& host) {
    return std::make_unique<Middle>(node, config, host, hooks);
  };
}

}  // namespace lambdacast::sim
