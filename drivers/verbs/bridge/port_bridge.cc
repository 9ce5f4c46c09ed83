// SPDX-License-Identifier: BSD-3-Clause
#include "port_bridge.h"

#include <pthread.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>

#include "dpdk/packet.h"
#include "pauses.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/frame.h"
#include "wire/roce/ip.h"

namespace lambdacast::verbs {
namespace {

using counters::DropReason;

// Between the keeper's looks at a silent port.
constexpr std::chrono::milliseconds kFirstPause{1};
constexpr std::chrono::milliseconds kLongestPause{4};
constexpr uint16_t kBurst = 32;
constexpr uint32_t kTurns = 4;  // bursts a pump
constexpr uint32_t kTurnFrames = 64;
// Frames to peers that are being asked for, all of them together, and how long each waits.
constexpr size_t kMaxWaiting = 256;
constexpr uint64_t kPatienceNs = 3'000'000'000;
constexpr uint64_t kLeaveWithinNs = 200'000'000;

bool concerns_neighbors(DropReason reason) {
  return reason == DropReason::kNotIp || reason == DropReason::kNotUdp ||
         reason == DropReason::kIpv6Extension;
}

// The destination of a frame that this process has made: untagged, IP behind the Ethernet header.
wire::Gid destination_of(const uint8_t* frame) {
  const uint8_t* l3 = frame + wire::kEthernetBytes;
  return *l3 >> 4 == 4 ? wire::gid_from_ipv4(base::load_be32(l3 + 16))
                       : wire::load_ipv6(l3).destination;
}

}  // namespace

base::Result<std::unique_ptr<PortBridge>> PortBridge::open(const config::Endpoint& endpoint,
                                                           const std::string& fabric) {
  std::unique_ptr<PortBridge> bridge(new PortBridge);
  if (auto opened = bridge->open_port(endpoint); !opened) return tl::unexpected(opened.error());
  bridge->know_neighbors(endpoint);
  if (auto joined = bridge->join_fabric(fabric); !joined) return tl::unexpected(joined.error());
  if (auto set = bridge->set_filter(); !set) return tl::unexpected(set.error());
  if (auto started = bridge->attachment_->start(); !started) {
    return tl::unexpected(started.error());
  }
  bridge->neighbors_->start(bridge->clock_.now_ns());
  // Signals are the program's.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  bridge->keeper_ = std::thread([raw = bridge.get()] { raw->run_keeper(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return bridge;
}

base::Result<void> PortBridge::open_port(const config::Endpoint& endpoint) {
  static std::atomic<uint32_t> pools = 0;
  const std::string name = "verbs_bridge_" + std::to_string(++pools);
  pool_.reset(rte_pktmbuf_pool_create(name.c_str(), endpoint.mbufs, 0, 0, dpdk::kDataRoomBytes,
                                      static_cast<int>(rte_socket_id())));
  if (pool_ == nullptr) {
    return base::fail("endpoint " + endpoint.name + ": no memory for " +
                      std::to_string(endpoint.mbufs) + " mbufs (" + rte_strerror(rte_errno) +
                      "); lower mbufs");
  }
  auto opened = dpdk::Attachment::open(endpoint, std::nullopt, pool_.get());
  if (!opened) return base::fail("endpoint " + endpoint.name + ": " + opened.error().message);
  attachment_.emplace(std::move(*opened));
  queues_.emplace(attachment_->rx_queues());
  return {};
}

void PortBridge::know_neighbors(const config::Endpoint& endpoint) {
  vlan_id_ = endpoint.vlan;
  Neighbors::Self self;
  self.mac = attachment_->port().mac();
  self.gid = endpoint.address.gid;
  self.vlan_tci = endpoint.vlan;
  for (const config::Neighbor& each : endpoint.neighbors) {
    self.permanent.emplace_back(each.address.gid, each.mac);
  }
  self.max_neighbors = endpoint.max_peers;
  self.seed = rte_rdtsc();
  neighbors_.emplace(self);
  facts_ = {self.mac, self.gid, endpoint.path_mtu, endpoint.pkey, endpoint.pacer.units_per_second};
}

base::Result<void> PortBridge::join_fabric(const std::string& name) {
  auto attached = fabric::Fabric::attach(name, {});
  if (!attached) return tl::unexpected(attached.error());
  fabric_ = std::move(*attached);
  auto claimed = fabric_->claim(kOutsideWavelength);
  if (!claimed) return tl::unexpected(claimed.error());
  to_device_ = *claimed;
  from_device_ = fabric_->listen(kDeviceWavelength);
  return {};
}

base::Result<void> PortBridge::set_filter() {
  const auto macs = neighbors_->group_macs();
  auto filter = attachment_->port().receive_multicast(macs);
  if (!filter) return tl::unexpected(filter.error());
  for (const auto& port : attachment_->rx_ports()) {
    if (auto more = port->receive_multicast(macs); !more) return tl::unexpected(more.error());
  }
  return {};
}

PortBridge::~PortBridge() {
  {
    const std::scoped_lock held(lock_);
    stop_ = true;
    wake_.notify_all();
  }
  if (keeper_.joinable()) keeper_.join();
  if (fabric_ != nullptr) {
    const uint64_t end_ns = clock_.now_ns() + kLeaveWithinNs;
    (void)pump_held();  // what the device has sent
    neighbors_->leave(clock_.now_ns());
    while (!neighbors_->quiet() && clock_.now_ns() < end_ns) say(clock_.now_ns());
  }
  for (const Waiting& waiting : waiting_) rte_pktmbuf_free(waiting.frame);
  rte_pktmbuf_free(refused_);
  if (attachment_) attachment_->stop();
}

void PortBridge::run_keeper() {
  std::unique_lock held(lock_);
  Pauses pauses(kFirstPause, kLongestPause);
  while (!stop_) {
    if (pump_held()) pauses.restart();
    wake_.wait_for(held, pauses.take());
  }
}

void PortBridge::pump() {
  // Who holds the lock carries.
  if (const std::unique_lock held(lock_, std::try_to_lock); held) (void)pump_held();
}

void PortBridge::listen(std::span<const wire::Gid> groups) {
  const std::scoped_lock held(lock_);
  neighbors_->listen(groups, clock_.now_ns());
  // A filter that the port cannot have is a wider one as a rule; there is nobody to tell.
  (void)set_filter();
}

bool PortBridge::pump_held() {
  const uint64_t now_ns = clock_.now_ns();
  const bool came = carry_in();
  send_waiting(now_ns);
  const bool goes = from_device_.peek() != fabric::Peek::kEmpty;
  carry_out(now_ns);
  say(now_ns);
  return came || goes;
}

// ---- from the port to the device ----

bool PortBridge::carry_in() {
  bool came = false;
  const uint64_t now_ns = clock_.now_ns();
  for (uint32_t turn = 0; turn < kTurns; ++turn) {
    std::array<rte_mbuf*, kBurst> frames;
    const uint16_t count = queues_->burst(frames.data(), kBurst);
    for (uint16_t i = 0; i < count; ++i) take(frames[i], now_ns);
    if (count != 0) to_device_.end_burst();
    came = came || count != 0;
    if (count < kBurst) break;
  }
  return came;
}

void PortBridge::take(rte_mbuf* m, uint64_t now_ns) {
  const uint32_t bytes = rte_pktmbuf_pkt_len(m);
  if (bytes <= to_device_.max_frame_bytes()) {
    // A frame has one segment as a rule, and is read where it lies then.
    const auto* frame = static_cast<const uint8_t*>(rte_pktmbuf_read(m, 0, bytes, scratch_.data()));
    wire::FrameView view;
    const DropReason reason = wire::parse_frame(frame, bytes, view);
    // Others are the device's to count.
    const bool ours =
        reason != DropReason::kNone ||
        ((view.vlan_tci & wire::kVlanIdMask) == vlan_id_.value_or(0) && !is_own(view.source_gid));
    if (concerns_neighbors(reason)) {
      neighbors_->receive(frame, bytes, now_ns);
    } else if (reason != DropReason::kNotRocePort && ours) {
      std::memcpy(to_device_.begin_frame(), frame, bytes);
      to_device_.end_frame(bytes, rte_rdtsc());
    }
  }
  rte_pktmbuf_free(m);
}

// ---- from the device to the port ----

bool PortBridge::transmit(rte_mbuf* m) {
  if (rte_eth_tx_burst(attachment_->port().id(), 0, &m, 1) == 1) return true;
  refused_ = m;
  return false;
}

void PortBridge::carry_out(uint64_t now_ns) {
  for (uint32_t i = 0; i < kTurnFrames; ++i) {
    if (refused_ != nullptr && !transmit(std::exchange(refused_, nullptr))) return;
    if (!carry_one(now_ns)) return;
  }
}

// The next frame whose time to leave has come. False: none, or none can be carried now.
bool PortBridge::carry_one(uint64_t now_ns) {
  const fabric::Peek peek = from_device_.peek();
  if (peek == fabric::Peek::kEmpty) return false;
  if (peek == fabric::Peek::kFrame && !from_device_.has_left(rte_rdtsc(), rte_get_tsc_hz()))
    return false;
  if (peek == fabric::Peek::kOverrun || !from_device_.copy_to(scratch_.data())) {
    (void)from_device_.resume();
    return true;
  }
  const uint32_t bytes = from_device_.length();
  const wire::Gid to = destination_of(scratch_.data());
  if (is_own(to)) {  // it hears that on its own wavelength
    from_device_.advance();
    return true;
  }
  rte_mbuf* m = rte_pktmbuf_alloc(pool_.get());
  if (m == nullptr) return false;
  from_device_.advance();
  uint8_t* frame = dpdk::frame_of(m);
  const size_t tag = vlan_id_ ? wire::kVlanTagBytes : 0;
  constexpr size_t kMacs = 2 * wire::kMacBytes;
  std::memcpy(frame, scratch_.data(), kMacs);
  if (vlan_id_) {
    base::store_be16(frame + kMacs, wire::kEtherTypeVlan);
    base::store_be16(frame + kMacs + 2, *vlan_id_);
  }
  std::memcpy(frame + kMacs + tag, scratch_.data() + kMacs, bytes - kMacs);
  m->data_len = static_cast<uint16_t>(bytes + tag);
  m->pkt_len = static_cast<uint32_t>(bytes + tag);
  send_to(to, m, now_ns);
  return refused_ == nullptr;
}

void PortBridge::send_to(const wire::Gid& to, rte_mbuf* m, uint64_t now_ns) {
  const auto mac = neighbors_->resolve(to, now_ns);
  const bool others_wait =
      std::ranges::any_of(waiting_, [&](const Waiting& waiting) { return waiting.to == to; });
  if (mac && !others_wait) {
    wire::store_mac(dpdk::frame_of(m), *mac);
    (void)transmit(m);
  } else if (waiting_.size() < kMaxWaiting) {
    waiting_.push_back({to, m, now_ns + kPatienceNs});
  } else {
    rte_pktmbuf_free(m);
  }
}

void PortBridge::send_waiting(uint64_t now_ns) {
  for (auto at = waiting_.begin(); at != waiting_.end() && refused_ == nullptr;) {
    const auto mac = neighbors_->resolve(at->to, now_ns);
    if (mac) {
      wire::store_mac(dpdk::frame_of(at->frame), *mac);
      (void)transmit(at->frame);
    } else if (now_ns < at->until_ns) {
      ++at;
      continue;
    } else {
      rte_pktmbuf_free(at->frame);
    }
    at = waiting_.erase(at);
  }
}

void PortBridge::say(uint64_t now_ns) {
  while (refused_ == nullptr) {
    rte_mbuf* m = rte_pktmbuf_alloc(pool_.get());
    if (m == nullptr) return;
    const size_t bytes = neighbors_->transmit(now_ns, dpdk::frame_of(m));
    if (bytes == 0) {
      rte_pktmbuf_free(m);
      return;
    }
    m->data_len = static_cast<uint16_t>(bytes);
    m->pkt_len = static_cast<uint32_t>(bytes);
    (void)transmit(m);
  }
}

}  // namespace lambdacast::verbs
