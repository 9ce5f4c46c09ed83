#include "rack/endpoint.h"

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <bit>
#include <cstdio>

namespace lambdacast::dataplane {
namespace {

// Of each lcore at most, and never more than a 32nd of the pool: what lies in the cache of an lcore
// that only frees is lost to the one that receives (up to half as much again, on up to four).
constexpr uint32_t kPoolCache = 512;
// Behind those last in, first out, lock-free: a ring brings back what has been away for longest.
constexpr char kPoolDriver[] = "lf_stack";
// Of the neighbor and the reliability stage; they wait while theirs is full.
constexpr uint32_t kControlSlots = 64;
// What an application publishes faster than it may go out waits with the application. An
// application that floods keeps this link full from its first stall on; with a link of 1 024 long
// packets their buffers then pass through no second-level cache: a quarter of the rate.
uint32_t publication_slots(uint32_t burst) { return std::bit_ceil(std::max(2 * burst, 64u)); }

// Rings and pools live in one name space per process; endpoint names may be longer than it allows.
std::string unique_name(const char* what) {
  static uint32_t next = 0;
  return "lambdacast_" + std::string(what) + std::to_string(next++);
}

// What the parts are configured with: the settings, and what the endpoint alone knows.

wire::StreamName stream_of(const endpoint::EndpointIdentity& identity) {
  return {identity.gid, identity.data_qpn, identity.incarnation};
}

endpoint::DeliveryFilterConfig delivery_config(const config::Endpoint& config) {
  endpoint::DeliveryFilterConfig delivery;
  delivery.ordering.max_groups = Endpoint::max_groups(config);
  delivery.reassembly = config.reassembly;
  delivery.all_group_messages = config.membership.enabled;
  delivery.max_peers = config.max_peers;
  return delivery;
}

reliability::ReliabilityConfig reliability_config(const config::Endpoint& config,
                                                  const endpoint::EndpointIdentity& identity,
                                                  const Endpoint::Options& options) {
  reliability::ReliabilityConfig repair = config.reliability;
  repair.self = stream_of(identity);
  repair.max_peers = config.max_peers;
  repair.first_rel_seq = options.first_rel_seq;
  repair.seed = base::mix64(wire::hash(identity.gid) ^ identity.incarnation);
  return repair;
}

endpoint::ViewConfig view_config(const config::Endpoint& config,
                                 const endpoint::EndpointIdentity& identity) {
  endpoint::ViewConfig view{config.membership.views, config.membership.order};
  view.membership.self = stream_of(identity);
  view.membership.max_peers = view.order.max_peers = config.max_peers;
  view.order.stream_pkts = config.reliability.receive_window_pkts;
  return view;
}

PublisherConfig publisher_config(const config::Endpoint& config) {
  PublisherConfig publisher{config.reassembly.max_message_bytes, {}};
  if (config.coalesce_ns != 0) publisher.coalesce_ns = config.coalesce_ns;
  return publisher;
}

}  // namespace

base::Result<std::unique_ptr<Endpoint>> Endpoint::create(
    const config::Endpoint& config, const std::optional<config::Fabric>& fabric,
    const Options& options) {
  std::unique_ptr<Endpoint> endpoint(new Endpoint(config));
  for (const auto& step : {&Endpoint::make_pool, &Endpoint::make_links}) {
    if (auto done = (*endpoint.*step)(); !done) return tl::unexpected(done.error());
  }
  if (auto opened = endpoint->open_port(fabric); !opened) return tl::unexpected(opened.error());
  if (auto made = endpoint->make_identity(options.incarnation); !made) {
    return tl::unexpected(made.error());
  }
  endpoint->first_rel_seq_ = options.first_rel_seq;
  endpoint->make_stages(options);
  if (auto made = endpoint->make_neighbor(); !made) return tl::unexpected(made.error());
  return endpoint;
}

base::Result<void> Endpoint::make_pool() {
  const uint32_t cache = std::min(kPoolCache, config_.mbufs / 32);
  pool_.reset(rte_pktmbuf_pool_create_by_ops(unique_name("pool").c_str(), config_.mbufs, cache,
                                             sizeof(endpoint::PacketInfo), kDataRoomBytes,
                                             static_cast<int>(rte_socket_id()), kPoolDriver));
  if (pool_ != nullptr) return {};
  if (rte_errno == EINVAL)
    return base::fail("endpoint " + config_.name + ": EAL lacks the mempool driver " + kPoolDriver +
                      " or ring; apt-get install librte-mempool-ring23 librte-mempool-stack23");
  return base::fail("endpoint " + config_.name + ": no memory for " +
                    std::to_string(config_.mbufs) + " mbufs (" + rte_strerror(rte_errno) +
                    "); lower mbufs or reserve more hugepages: sysctl -w vm.nr_hugepages=1024");
}

base::Result<void> Endpoint::open_port(const std::optional<config::Fabric>& fabric) {
  auto opened = Attachment::open(config_, fabric, pool_.get());
  if (!opened) return base::fail("endpoint " + config_.name + ": " + opened.error().message);
  attachment_.emplace(std::move(*opened));
  return {};
}

base::Result<void> Endpoint::make_identity(uint32_t incarnation) {
  identity_.mac = port().mac();
  identity_.gid = config_.address.gid;
  identity_.vlan_tci = config_.vlan;
  identity_.data_qpn = config_.data_qpn;
  identity_.control_qpn = config_.control_qpn;
  if (attachment_->is_verbs()) {  // as the device numbered them
    identity_.data_qpn = port().queue_pair(0);
    identity_.control_qpn = port().queue_pair(1);
  }
  identity_.qkey = config_.qkey;
  identity_.pkey = config_.pkey;
  identity_.multicast_gid = config_.multicast.gid;
  identity_.control_gid = endpoint::control_gid_of(identity_.multicast_gid);
  identity_.path_mtu = config_.path_mtu;
  identity_.incarnation = incarnation;
  if (auto valid = endpoint::validate(identity_); !valid) {
    return base::fail("endpoint " + config_.name + ": " + valid.error().message);
  }
  return {};
}

base::Result<void> Endpoint::make_links() {
  const uint32_t publications = publication_slots(std::min(config_.burst, kMaxBurst));
  const std::pair<std::optional<Link>*, uint32_t> wanted[] = {
      {&received_, config_.link_slots},
      {&accepted_, config_.link_slots},
      {&deliveries_, config_.link_slots},
      {&heard_, config_.link_slots},
      {&publications_, publications},
      {&recoverable_, publications},
      {&said_, kControlSlots},
  };
  for (const auto& [link, slots] : wanted) {
    auto made = Link::create(unique_name("link"), slots);
    if (!made) return tl::unexpected(made.error());
    link->emplace(std::move(*made));
  }
  auto made = ReleaseRing::create(unique_name("released"), config_.reassembly.max_messages);
  if (!made) return tl::unexpected(made.error());
  released_.emplace(std::move(*made));
  return {};
}

void Endpoint::make_stages(const Options& options) {
  const uint32_t burst = std::min(config_.burst, kMaxBurst);
  const bool by_device = attachment_->is_verbs();  // which makes and verifies ICRCs, and has PSNs
  const wire::IcrcMode icrc = by_device ? wire::IcrcMode::kOff : config_.icrc;
  receive_ = std::make_unique<ReceiveStage>(
      endpoint::FrameClassifierConfig{identity_, config_.max_peers, icrc, !by_device}, port().id(),
      0, burst, *received_);
  ordering_ = std::make_unique<OrderingStage>(delivery_config(config_), burst, *accepted_,
                                              *deliveries_, *released_);
  for (const uint32_t group : config_.groups) ordering_->core().ordering().subscribe(group);
  const reliability::ReliabilityConfig repair = reliability_config(config_, identity_, options);
  RateControlConfig sending;
  sending.transmit.identity = identity_;
  sending.transmit.first_frame_seq = options.first_frame_seq;
  sending.transmit.first_rel_seq = options.first_rel_seq;
  sending.transmit.icrc = icrc;
  sending.pacer = config_.pacer;
  sending.repair = repair;
  sending.port = port().id();
  sending.keep_flag = port().keep_flag();
  sending.burst = burst;
  rate_control_ = std::make_unique<RateControlStage>(
      sending, receive_->peers(), pool_.get(),
      RateControlStage::Links{*publications_, *recoverable_, *heard_, *said_});
  const endpoint::ControlTransmit& control = rate_control_->control_transmit();
  reliability_ = std::make_unique<ReliabilityStage>(
      repair, receive_->peers(), control.payload_offset(), control.room_bytes(), pool_.get(), burst,
      ReliabilityStage::Links{*received_, *accepted_, *heard_, *said_});
  rate_control_->set_hearing(reliability_.get());
  if (config_.stages.reliability == config_.stages.ordering)
    reliability_->set_subscriptions(&ordering_->core().ordering());
  else
    ordering_->fetch_subscriptions();
  if (config_.membership.enabled) make_view();
  publisher_ = std::make_unique<Publisher>(publisher_config(config_), rate_control_->core(),
                                           pool_.get(), *publications_, *recoverable_);
  publisher_->set_view(view_.get());
  publisher_->set_stable(&rate_control_->stable());
  if (config_.membership.enabled) make_groups();
}

void Endpoint::make_view() {
  view_ = std::make_unique<OrderedDelivery>(view_config(config_, identity_), receive_->peers(),
                                            reliability_->receiver(), rate_control_->sender(),
                                            rate_control_->stability(), ordering_->core(),
                                            pool_.get(), *accepted_, *deliveries_);
  reliability_->set_view(view_.get());
  ordering_->set_view(view_.get(), reliability_.get());
  rate_control_->set_view(view_.get());
}

void Endpoint::make_groups() {
  Groups::Config groups;
  groups.core = config_.membership.groups;
  groups.core.self = stream_of(identity_);
  groups.core.packet_bytes = publisher_->max_loan_bytes();
  groups_ = std::make_unique<Groups>(groups, receive_->peers(), *publisher_, *ordering_);
}

// What a kernel would do for a socket, an endpoint on a real network does itself.
base::Result<void> Endpoint::make_neighbor() {
  const Attachment& attachment = *attachment_;
  if (attachment.rx_queues().size() > 1 || !attachment.rx_ports().empty()) {
    receive_->listen_on(attachment.rx_queues());
  }
  if (attachment.is_embedded_fabric() || attachment.is_verbs()) return {};
  auto link = Link::create(unique_name("link"), kControlSlots);
  if (!link) return tl::unexpected(link.error());
  control_.emplace(std::move(*link));
  neighbor::NeighborConfig neighbor;
  neighbor.mac = identity_.mac;
  neighbor.gid = identity_.gid;
  neighbor.vlan_tci = identity_.vlan_tci;
  neighbor.groups = {identity_.multicast_gid, identity_.control_gid};
  for (const config::Neighbor& each : config_.neighbors) {
    neighbor.permanent.emplace_back(each.address.gid, each.mac);
  }
  neighbor.table.max_neighbors = config_.max_peers + config_.neighbors.size();
  neighbor.seed = base::mix64(wire::hash(identity_.gid) ^ identity_.incarnation);
  auto stage = NeighborStage::create(unique_name("requests"), neighbor, pool_.get(), *control_);
  if (!stage) return tl::unexpected(stage.error());
  neighbor_ = std::move(*stage);
  receive_->set_neighbor(neighbor_.get());
  rate_control_->set_control(&*control_);
  return {};
}

void Endpoint::snapshot_receive(EndpointSnapshot& out) const {
  if (neighbor_ != nullptr) {
    const neighbor::NeighborProtocol& core = neighbor_->core();
    out.neighbor.emplace();
    out.neighbor->counters = core.counters();
    out.neighbor->conflict = core.conflict();
  }
  out.receive = receive_->counters();
  const endpoint::PeerTable& peers = receive_->peers();
  out.known_peers = peers.size();
  out.peers.resize(std::max(out.peers.size(), peers.size()));
  for (size_t i = 0; i < peers.size(); ++i) {
    out.peers[i].gid = peers.at(i).gid;
    out.peers[i].qpn = peers.at(i).qpn;
  }
}

void Endpoint::snapshot_reliability(EndpointSnapshot& out) const {
  out.reliability = reliability_->counters();
  out.sequences = reliability_->core().total();
  out.receiver_counters = reliability_->receiver().counters();
  out.kept = reliability_->receiver().kept();
  // The receive stage of another lcore may be asked later, and know more peers than so far.
  if (out.known_peers == 0) out.peers.resize(reliability_->core().max_peers());
  for (size_t i = 0; i < out.peers.size(); ++i) {
    out.peers[i].stream = reliability_->core().report(i);
    out.peers[i].receiver = reliability_->receiver().report(i);
    out.peers[i].receiver.lost[static_cast<size_t>(reliability::LossReason::kReassembly)] =
        ordering_->core().lost(i);
  }
}

void Endpoint::snapshot_ordering(EndpointSnapshot& out) const {
  out.ordering = ordering_->counters();
  out.delivered = ordering_->core().ordering().total();
  out.held = ordering_->core().held();
  out.reassembly_free_bytes = ordering_->core().reassembly().free_bytes();
  if (view_ != nullptr) snapshot_view(out.view.emplace());
}

void Endpoint::snapshot_groups(std::vector<GroupStatus>& out) const {
  const ordering::Subscriptions& ordering = ordering_->core().ordering();
  ordering.for_each_group([&](const ordering::GroupReport& report) {
    if (groups_ != nullptr && report.group >= wire::kFirstNamedGroup) return;
    out.emplace_back().report = report;
  });
  if (groups_ == nullptr) return;
  const group::GroupLayer& core = groups_->core();
  for (size_t i = 0; i < core.directory().size(); ++i) {
    const group::Group& group = core.directory().at(i);
    GroupStatus& status = out.emplace_back();
    status.report = ordering.report(group.number);
    status.report.group = group.number;
    std::copy(group.name().begin(), group.name().end(), status.name.begin());
    status.standing = core.standing(group);
    status.members = static_cast<size_t>(std::popcount(group.members.all));
    status.waiting = static_cast<size_t>(std::popcount(group.members.waiting));
  }
}

void Endpoint::snapshot_view(ViewSnapshot& out) const {
  const membership::MembershipProtocol& membership = view_->core().membership();
  const ordering::TotalOrder& order = view_->core().order();
  out.state = membership.state();
  out.stranded = membership.stranded();
  out.left = membership.left();
  out.id = membership.view().id;
  out.own_rank = membership.own_rank();
  out.size = membership.view().size();
  for (size_t rank = 0; rank < out.size; ++rank) {
    ViewSnapshot::Member& member = out.members[rank];
    member.name = membership.view().members[rank];
    member.suspected = membership.suspects(rank);
    member.silent_ns = membership.silent_ns(rank);
    if (order.epoch() == out.id.epoch) member.ack_lag = order.ack_lag(rank);
  }
  out.membership = membership.counters();
  out.order = order.counters();
  out.held = order.held();
  out.account = view_->account();
}

void Endpoint::snapshot_rate_control(EndpointSnapshot& out) const {
  const auto& sequencer = rate_control_->core().sequencer();
  out.published = rate_control_->packets();
  out.published_messages = rate_control_->messages();
  out.published_bytes = rate_control_->application_bytes();
  out.pending = rate_control_->pending();
  out.control_packets = rate_control_->control_packets();
  out.waiting = publications_->size() + recoverable_->size();
  out.first_frame_seq = sequencer.first_frame_seq();
  out.next_frame_seq = sequencer.next_frame_seq();
  out.sent_psn_wraps = sequencer.psn_wraps();
  const reliability::StreamSender& sender = rate_control_->sender();
  out.sender_counters = sender.counters();
  out.retention = {first_rel_seq_,         sender.window().last(),       sender.stable(),
                   sender.window().size(), sender.window().bytes(),      sender.rtt_ns(),
                   sender.in_flight(),     sender.receivers().admitted()};
  out.peers.resize(std::max(out.peers.size(), sender.receivers().max_peers()));
  for (size_t i = 0; i < sender.receivers().max_peers(); ++i) {
    out.peers[i].as_receiver = sender.receivers().at(i);
    out.peers[i].retained_bytes = sender.retained_bytes(i);
  }
}

}  // namespace lambdacast::dataplane
