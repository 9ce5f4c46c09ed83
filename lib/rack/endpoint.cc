// SPDX-License-Identifier: BSD-3-Clause
#include "rack/endpoint.h"

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <bit>
#include <cstdio>

namespace lambdacast::rack {
namespace {

// The most mbufs in the cache of an lcore, and never more than a 32nd of the pool. What lies in the
// cache of an lcore that only frees is lost to the one that receives (up to half as much again, on
// up to four lcores).
constexpr uint32_t kPoolCache = 512;
// The pool behind these caches is a lock-free stack. A ring would bring back the buffers that were
// away for longest.
constexpr char kPoolDriver[] = "lf_stack";
// What an application publishes faster than it may go out waits with the application. An
// application that floods keeps this link full from its first stall on; with a link of 1 024 long
// packets their buffers then pass through no second-level cache: a quarter of the rate.
uint32_t publication_slots(uint32_t burst) { return std::bit_ceil(std::max(2 * burst, 64u)); }

// What the parts are configured with: the settings, and what the endpoint alone knows.

node::DeliveryFilterConfig delivery_config(const config::Endpoint& config) {
  node::DeliveryFilterConfig delivery;
  delivery.ordering.max_groups = Endpoint::max_groups(config);
  delivery.reassembly = config.reassembly;
  delivery.all_group_messages = config.membership.enabled;
  delivery.max_peers = config.max_peers;
  return delivery;
}

reliability::ReliabilityConfig reliability_config(const config::Endpoint& config,
                                                  const node::EndpointIdentity& identity,
                                                  const Endpoint::Options& options) {
  reliability::ReliabilityConfig repair = config.reliability;
  repair.first_rel_seq = options.first_rel_seq;
  repair.seed = base::mix64(wire::hash(identity.gid) ^ identity.incarnation);
  return repair;
}

// The queue pairs of entries are numbered as this endpoint's own.
std::vector<group::EntryAddress> entries_of(const config::Endpoint& config) {
  std::vector<group::EntryAddress> entries;
  for (const std::string& each : config.requests.entries)
    entries.push_back({config::parse_ip(each).value().gid, config.data_qpn});
  return entries;
}

node::ViewConfig view_config(const config::Endpoint& config) {
  node::ViewConfig view{config.membership.views, config.membership.order};
  view.order.stream_pkts = config.reliability.receive_window_pkts;
  return view;
}

// Ten heartbeats, so that an endpoint is heard though its process has to wait for its turn. A
// device numbers the queue pairs of a verbs port so that no two are alike.
uint64_t listen_ns(const reliability::ReliabilityConfig& reliability) {
  return std::min(10 * reliability.heartbeat_max_ns, reliability.suspect_after_ns / 4);
}

// What a kernel would do for a socket, an endpoint on a real network does itself.
neighbor::NeighborConfig neighbor_config(const config::Endpoint& config,
                                         const node::EndpointIdentity& identity) {
  neighbor::NeighborConfig neighbor;
  neighbor.mac = identity.mac;
  neighbor.gid = identity.gid;
  neighbor.vlan_tci = identity.vlan_tci;
  neighbor.groups = {identity.multicast_gid, identity.control_gid};
  for (const config::Neighbor& each : config.neighbors)
    neighbor.permanent.emplace_back(each.address.gid, each.mac);
  neighbor.table.max_neighbors = config.max_peers + config.neighbors.size();
  neighbor.seed = base::mix64(wire::hash(identity.gid) ^ identity.incarnation);
  return neighbor;
}

node::PublisherConfig publisher_config(const config::Endpoint& config) {
  node::PublisherConfig publisher{config.reassembly.max_message_bytes, {}, config.group_rates};
  if (config.coalesce_ns != 0) publisher.coalesce_ns = config.coalesce_ns;
  return publisher;
}

}  // namespace

base::Result<std::unique_ptr<Endpoint>> Endpoint::create(
    const config::Endpoint& config, const std::optional<config::Fabric>& fabric,
    const Options& options) {
  std::unique_ptr<Endpoint> endpoint(new Endpoint(config, fabric));
  if (auto made = endpoint->make_pool(); !made) return tl::unexpected(made.error());
  if (auto opened = endpoint->open_port(); !opened) return tl::unexpected(opened.error());
  if (auto made = endpoint->make_node(options); !made) return tl::unexpected(made.error());
  return endpoint;
}

base::Result<void> Endpoint::make_pool() {
  const uint32_t cache = std::min(kPoolCache, config_.mbufs / 32);
  pool_.reset(rte_pktmbuf_pool_create_by_ops(dpdk::unique_name("pool").c_str(), config_.mbufs,
                                             cache, sizeof(node::PacketInfo), dpdk::kDataRoomBytes,
                                             static_cast<int>(rte_socket_id()), kPoolDriver));
  if (pool_ != nullptr) return {};
  if (rte_errno == EINVAL)
    return base::fail("endpoint " + config_.name + ": EAL lacks the mempool driver " + kPoolDriver +
                      " or ring; apt-get install librte-mempool-ring23 librte-mempool-stack23");
  return base::fail("endpoint " + config_.name + ": no memory for " +
                    std::to_string(config_.mbufs) + " mbufs (" + rte_strerror(rte_errno) +
                    "); lower mbufs or reserve more hugepages: sysctl -w vm.nr_hugepages=1024");
}

base::Result<void> Endpoint::open_port() {
  auto opened = dpdk::Attachment::open(config_, fabric_, pool_.get());
  if (!opened) return base::fail("endpoint " + config_.name + ": " + opened.error().message);
  attachment_.emplace(std::move(*opened));
  packets_.emplace(pool_.get(), port().keep_flag());
  receiver_.emplace(attachment_->rx_queues());
  transmitter_.emplace(port().id());
  env_.emplace(dpdk::MbufEnv{*packets_, *receiver_, *transmitter_});
  return {};
}

base::Result<node::EndpointIdentity> Endpoint::make_identity(uint32_t incarnation) const {
  node::EndpointIdentity identity;
  identity.mac = port().mac();
  identity.gid = config_.address.gid;
  identity.vlan_tci = config_.vlan;
  identity.data_qpn = config_.data_qpn;
  identity.control_qpn = config_.control_qpn;
  if (attachment_->is_verbs()) {  // as the device numbered them
    identity.data_qpn = port().queue_pair(0);
    identity.control_qpn = port().queue_pair(1);
  }
  identity.qkey = config_.qkey;
  identity.pkey = config_.pkey;
  identity.multicast_gid = config_.multicast.gid;
  identity.control_gid = node::control_gid_of(identity.multicast_gid);
  identity.path_mtu = config_.path_mtu;
  identity.incarnation = incarnation;
  if (auto valid = node::validate(identity); !valid)
    return base::fail("endpoint " + config_.name + ": " + valid.error().message);
  return identity;
}

// Fills in the values that follow from the rest of the configuration.
rate_control::RateConfig Endpoint::rates_of(const config::Endpoint& config) const {
  rate_control::RateConfig rate = config.rate;
  rate.policy = config::rate_policy(config);
  if (!config.wavelength || !fabric_) return rate;
  if (rate.capacity_bps == 0) rate.capacity_bps = config.faults.rx_rate_bps;
  if (config.faults.rx_rate_bps != 0) rate.buffer_bytes = config.faults.rx_buffer_bytes;
  if (config.rx_queues == config::RxQueues::kWavelength)
    rate.each_bps = rate.capacity_bps / fabric_->wavelengths;
  rate.line_bps = fabric_->line_rate_bps;
  return rate;
}

base::Result<void> Endpoint::make_node(const Options& options) {
  auto identity = make_identity(options.incarnation);
  if (!identity) return tl::unexpected(identity.error());
  const bool by_device = attachment_->is_verbs();  // which makes and verifies ICRCs, and has PSNs
  node::NodeConfig node;
  node.identity = *identity;
  node.burst = std::min(config_.burst, node::kMaxBurst);
  node.max_peers = config_.max_peers;
  node.icrc = by_device ? wire::IcrcMode::kOff : config_.icrc;
  node.tells_psn = !by_device;
  node.first_frame_seq = options.first_frame_seq;
  if (options.listens && !by_device) node.listen_ns = listen_ns(config_.reliability);
  node.rate = rates_of(config_);
  node.port_frames =
      config_.wavelength && fabric_
          ? fabric_->slots * fabric_->wavelengths
          : config_.rx_descriptors * static_cast<uint32_t>(attachment_->rx_queues().size());
  node.pacer = rate_control::smooth(config_.pacer.units_per_second, config_.pacer.burst_units);
  node.reliability = reliability_config(config_, *identity, options);
  node.delivery = delivery_config(config_);
  node.publisher = publisher_config(config_);
  node.links.packets = config_.link_slots;
  node.links.publications = publication_slots(node.burst);
  node.reliability_with_ordering = config_.stages.reliability == config_.stages.ordering;
  if (config_.membership.enabled) {
    node.view = view_config(config_);
    node.groups = config_.membership.groups;
  } else {
    node.entries = entries_of(config_);
  }
  node.groups.requests = config_.requests.limits;
  if (!attachment_->is_embedded_fabric() && !by_device)
    node.neighbor = neighbor_config(config_, *identity);
  auto made = dpdk::MbufNode::create(node, *env_);
  if (!made) return tl::unexpected(made.error());
  node_ = std::move(*made);
  for (const uint32_t group : config_.groups) node_->subscriptions().subscribe(group);
  return {};
}

}  // namespace lambdacast::rack
