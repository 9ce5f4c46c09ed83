#include "dataplane/endpoint.h"

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <cstdio>

namespace lambdacast::dataplane {
namespace {

// Of each lcore at most, and never more than a 32nd of the pool: what lies in the cache of an lcore
// that only frees is lost to the one that receives (up to half as much again, on up to four).
constexpr uint32_t kPoolCache = 256;
// A paced endpoint may send this much at once after a pause.
constexpr uint32_t kPacerBurst = 64;

// Rings and pools live in one name space per process; endpoint names may be longer than it allows.
std::string unique_name(const char* what) {
  static uint32_t next = 0;
  return "lambdacast_" + std::string(what) + std::to_string(next++);
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string fault_arguments(const config::Faults& faults) {
  if (!faults.any()) return "";
  return ",loss=" + number(faults.loss) + ",corrupt=" + number(faults.corrupt) +
         ",duplicate=" + number(faults.duplicate) + ",burst_enter=" + number(faults.burst_enter) +
         ",burst_leave=" + number(faults.burst_leave) + ",burst_loss=" + number(faults.burst_loss) +
         ",delay_ns=" + std::to_string(faults.delay_ns) +
         ",jitter_ns=" + std::to_string(faults.jitter_ns) +
         ",rx_rate=" + std::to_string(faults.rx_rate_bps) +
         ",rx_buffer=" + std::to_string(faults.rx_buffer_bytes) +
         ",seed=" + std::to_string(faults.seed);
}

// The net_odbss device of an endpoint on the embedded fabric.
std::string odbss_device(const config::Endpoint& endpoint, const config::Fabric& fabric) {
  std::string device = "net_odbss_" + endpoint.name + ",fabric=" + fabric.name +
                       ",wavelength=" + wdm::channel_name(*endpoint.wavelength) +
                       ",wavelengths=" + std::to_string(fabric.wavelengths) +
                       ",slots=" + std::to_string(fabric.slots) +
                       ",frame_bytes=" + std::to_string(fabric.frame_bytes) +
                       ",grid=" + std::string(wdm::name(fabric.grid));
  if (fabric.line_rate_bps != 0) device += ",line_rate=" + std::to_string(fabric.line_rate_bps);
  return device + fault_arguments(endpoint.faults);
}

uint16_t mtu_for(const config::Endpoint& endpoint) {
  constexpr uint32_t kEthernetAndVlan = 14 + 4;
  return static_cast<uint16_t>(endpoint.path_mtu + config::kMaxFrameOverheadBytes -
                               kEthernetAndVlan);
}

wire::Gid gid_of(const config::IpAddress& address) { return {address.gid}; }

wire::IcrcMode icrc_mode(config::Icrc icrc) {
  switch (icrc) {
    case config::Icrc::kFull:
      return wire::IcrcMode::kFull;
    case config::Icrc::kGenerate:
      return wire::IcrcMode::kGenerate;
    case config::Icrc::kOff:
      return wire::IcrcMode::kOff;
  }
  return wire::IcrcMode::kFull;
}

endpoint::DeliveryConfig delivery_config(const config::Endpoint& config) {
  endpoint::DeliveryConfig delivery;
  delivery.ordering.max_groups = config.groups.size() + Endpoint::kMoreGroups;
  delivery.reassembly.max_message_bytes = config.max_message_bytes;
  delivery.reassembly.timeout_ns = uint64_t{config.reassembly_ms} * 1'000'000;
  delivery.reassembly_bytes = config.reassembly_bytes;
  return delivery;
}

PublisherConfig publisher_config(const config::Endpoint& config) {
  PublisherConfig publisher{config.max_message_bytes, {}};
  if (config.coalesce_us != 0) publisher.coalesce_ns = uint64_t{config.coalesce_us} * 1'000;
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
  endpoint->make_stages(options.first_frame_seq);
  return endpoint;
}

base::Result<void> Endpoint::make_pool() {
  const uint32_t cache = std::min(kPoolCache, config_.mbufs / 32);
  pool_.reset(rte_pktmbuf_pool_create(unique_name("pool").c_str(), config_.mbufs, cache,
                                      sizeof(endpoint::PacketInfo), kDataRoomBytes,
                                      static_cast<int>(rte_socket_id())));
  if (pool_ != nullptr) return {};
  return base::fail("endpoint " + config_.name + ": no memory for " +
                    std::to_string(config_.mbufs) + " mbufs (" + rte_strerror(rte_errno) +
                    "); lower mbufs or reserve more hugepages: sysctl -w vm.nr_hugepages=1024");
}

base::Result<void> Endpoint::open_port(const std::optional<config::Fabric>& fabric) {
  PortConfig port;
  port.device = config_.wavelength ? odbss_device(config_, *fabric) : config_.port;
  port.rx_descriptors = static_cast<uint16_t>(config_.rx_descriptors);
  port.tx_descriptors = static_cast<uint16_t>(config_.tx_descriptors);
  port.mtu = mtu_for(config_);
  auto opened = Port::open(port, pool_.get());
  if (!opened) return base::fail("endpoint " + config_.name + ": " + opened.error().message);
  port_ = std::move(*opened);
  if (config_.mac) {
    wire::MacAddress mac;
    std::copy(config_.mac->begin(), config_.mac->end(), mac.bytes.begin());
    if (auto set = port_->set_mac(mac); !set) return set;
  }
  auto filter = port_->receive_multicast({wire::multicast_mac(gid_of(config_.multicast))});
  if (!filter) return tl::unexpected(filter.error());
  multicast_filter_ = *filter;
  return {};
}

base::Result<void> Endpoint::make_identity(uint32_t incarnation) {
  identity_.mac = port_->mac();
  identity_.gid = gid_of(config_.address);
  identity_.vlan_tci = config_.vlan;
  identity_.data_qpn = config_.data_qpn;
  identity_.control_qpn = config_.control_qpn;
  identity_.qkey = config_.qkey;
  identity_.pkey = config_.pkey;
  identity_.multicast_gid = gid_of(config_.multicast);
  identity_.path_mtu = config_.path_mtu;
  identity_.incarnation = incarnation;
  if (auto valid = endpoint::validate(identity_); !valid) {
    return base::fail("endpoint " + config_.name + ": " + valid.error().message);
  }
  return {};
}

base::Result<void> Endpoint::make_links() {
  for (std::optional<Link>* link : {&received_, &accepted_, &deliveries_, &publications_}) {
    auto made = Link::create(unique_name("link"), config_.link_slots);
    if (!made) return tl::unexpected(made.error());
    link->emplace(std::move(*made));
  }
  auto made =
      ReleaseRing::create(unique_name("released"), ordering::ReassemblyConfig{}.max_messages);
  if (!made) return tl::unexpected(made.error());
  released_.emplace(std::move(*made));
  return {};
}

void Endpoint::make_stages(uint64_t first_frame_seq) {
  const uint32_t burst = std::min(config_.burst, kMaxBurst);
  const wire::IcrcMode icrc = icrc_mode(config_.icrc);
  receive_ =
      std::make_unique<ReceiveStage>(endpoint::ReceiveConfig{identity_, config_.max_peers, icrc},
                                     port_->id(), 0, burst, *received_);
  reliability_ = std::make_unique<ReliabilityStage>(
      reliability::ReliabilityConfig{config_.max_peers}, burst, *received_, *accepted_);
  ordering_ = std::make_unique<OrderingStage>(delivery_config(config_), burst, *accepted_,
                                              *deliveries_, *released_);
  for (const uint32_t group : config_.groups) ordering_->core().ordering().subscribe(group);
  rate_control_ = std::make_unique<RateControlStage>(
      endpoint::TransmitConfig{identity_, first_frame_seq, 0, icrc},
      rate_control::PacerConfig{config_.rate_pps, kPacerBurst}, port_->id(), burst, *publications_);
  publisher_ = std::make_unique<Publisher>(publisher_config(config_), rate_control_->core(),
                                           pool_.get(), *publications_);
}

void Endpoint::snapshot_receive(EndpointSnapshot& out) const {
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
  // The receive stage of another lcore may be asked later, and know more peers than so far.
  if (out.known_peers == 0) out.peers.resize(reliability_->core().max_peers());
  for (size_t i = 0; i < out.peers.size(); ++i) {
    out.peers[i].stream = reliability_->core().report(i);
  }
}

void Endpoint::snapshot_ordering(EndpointSnapshot& out) const {
  out.ordering = ordering_->counters();
  out.delivered = ordering_->core().ordering().total();
  out.held = ordering_->core().held();
  out.reassembly_free_bytes = ordering_->core().reassembly().free_bytes();
}

void Endpoint::snapshot_rate_control(EndpointSnapshot& out) const {
  const auto& sequencer = rate_control_->core().sequencer();
  out.published = rate_control_->packets();
  out.published_messages = rate_control_->messages();
  out.published_bytes = rate_control_->application_bytes();
  out.pending = rate_control_->pending();
  out.waiting = publications_->size();
  out.first_frame_seq = sequencer.first_frame_seq();
  out.next_frame_seq = sequencer.next_frame_seq();
  out.sent_psn_wraps = sequencer.psn_wraps();
}

}  // namespace lambdacast::dataplane
