// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/attachment.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <cstdio>

#include "config/address.h"
#include "dpdk/kernel_interface.h"
#include "neighbor/neighbor_protocol.h"
#include "node/identity.h"

namespace lambdacast::dpdk {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string fault_arguments(const fabric::FaultRates& faults) {
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
  if (endpoint.rx_queues == config::RxQueues::kWavelength) device += ",rx_queues=wavelength";
  if (fabric.line_rate_bps != 0) device += ",line_rate=" + std::to_string(fabric.line_rate_bps);
  return device + fault_arguments(endpoint.faults);
}

// The net_verbs device of an endpoint: a queue pair for its data group, one for that of control.
std::string verbs_device(const config::Endpoint& endpoint, const config::VerbsPort& port) {
  const wire::Gid multicast = endpoint.multicast.gid;
  return "net_verbs_" + endpoint.name + ",device=" + std::string(port.device) +
         ",port=" + std::to_string(port.port) + ",gid=" + endpoint.address.text +
         ",qkey=" + std::to_string(endpoint.qkey) + ",pkey=" + std::to_string(endpoint.pkey) +
         ",group=" + wire::format(multicast) +
         ",group=" + wire::format(node::control_gid_of(multicast));
}

std::string device_of(const config::Endpoint& endpoint,
                      const std::optional<config::Fabric>& fabric) {
  if (endpoint.wavelength) return odbss_device(endpoint, *fabric);
  const auto verbs = config::verbs_port(endpoint.port);
  return verbs ? verbs_device(endpoint, *verbs) : endpoint.port;
}

PortConfig port_config(const config::Endpoint& endpoint,
                       const std::optional<config::Fabric>& fabric) {
  constexpr uint32_t kEthernetAndVlan = 14 + 4;
  PortConfig port;
  port.device = device_of(endpoint, fabric);
  port.rx_descriptors = static_cast<uint16_t>(endpoint.rx_descriptors);
  port.tx_descriptors = static_cast<uint16_t>(endpoint.tx_descriptors);
  port.mtu =
      static_cast<uint16_t>(endpoint.path_mtu + config::kMaxFrameOverheadBytes - kEthernetAndVlan);
  port.all_rx_queues = endpoint.rx_queues == config::RxQueues::kWavelength;
  return port;
}

void add_received(PortStatistics& sum, const PortStatistics& more) {
  sum.rx_packets += more.rx_packets;
  sum.rx_bytes += more.rx_bytes;
  sum.missed += more.missed;
  sum.no_mbuf += more.no_mbuf;
  sum.rx_errors += more.rx_errors;
  for (const auto& [key, value] : more.extended) sum.extended[key] += value;
}

}  // namespace

base::Result<Attachment> Attachment::open(const config::Endpoint& endpoint,
                                          const std::optional<config::Fabric>& fabric,
                                          rte_mempool* pool) {
  const bool speaks_for_itself = !endpoint.wavelength && !config::verbs_port(endpoint.port);
  if (const auto owner = kernel_owner_of(endpoint.address.gid); owner && speaks_for_itself) {
    return base::fail("address " + endpoint.address.text + " is the kernel's, on " + *owner +
                      ", and both would answer for it; use another, or: ip addr del " +
                      endpoint.address.text + " dev " + *owner);
  }
  Attachment attachment;
  const PortConfig config = port_config(endpoint, fabric);
  auto opened = Port::open(config, pool);
  if (!opened) return tl::unexpected(opened.error());
  attachment.port_ = std::move(*opened);
  if (auto more = attachment.open_rx_ports(endpoint, config, pool); !more) {
    return tl::unexpected(more.error());
  }
  if (auto set = attachment.set_addresses(endpoint); !set) return tl::unexpected(set.error());
  return attachment;
}

base::Result<void> Attachment::open_rx_ports(const config::Endpoint& endpoint,
                                             const PortConfig& like, rte_mempool* pool) {
  receives_on_port_ = endpoint.rx_ports.empty();
  for (const std::string& device : endpoint.rx_ports) {
    if (config::device_name(device) == config::device_name(endpoint.port)) {
      receives_on_port_ = true;
      continue;
    }
    PortConfig config = like;
    config.device = device;
    auto opened = Port::open(config, pool);
    if (!opened) return tl::unexpected(opened.error());
    rx_ports_.push_back(std::move(*opened));
    rx_queues_.push_back({rx_ports_.back()->id(), 0});
  }
  if (!receives_on_port_) return {};
  for (uint16_t queue = 0; queue < port_->rx_queues(); ++queue) {
    rx_queues_.push_back({port_->id(), queue});
  }
  return {};
}

base::Result<void> Attachment::set_addresses(const config::Endpoint& of) {
  if (is_verbs()) {
    multicast_filter_ = MulticastFilter::kQueuePairs;
    return {};
  }
  if (of.mac) {
    if (auto set = port_->set_mac(*of.mac); !set) return set;
  }
  const wire::Gid multicast = of.multicast.gid;
  std::vector<wire::MacAddress> groups = {wire::multicast_mac(multicast),
                                          wire::multicast_mac(node::control_gid_of(multicast))};
  if (!is_embedded_fabric()) {
    const auto more = neighbor::NeighborProtocol::filter_addresses(of.address.gid, port_->mac());
    groups.insert(groups.end(), more.begin(), more.end());
  }
  auto filter = port_->receive_multicast(groups);
  if (!filter) return tl::unexpected(filter.error());
  multicast_filter_ = *filter;
  for (const auto& port : rx_ports_) {
    // Frames to the endpoint's own address come in on all of them.
    if (auto unicast = port->receive_unicast(port_->mac()); !unicast) return unicast;
    auto wider = port->receive_multicast(groups);
    if (!wider) return tl::unexpected(wider.error());
    multicast_filter_ = std::max(multicast_filter_, *wider);
  }
  return {};
}

base::Result<void> Attachment::start() {
  if (auto started = port_->start(); !started) return started;
  for (const auto& port : rx_ports_) {
    if (auto started = port->start(); !started) return started;
  }
  return {};
}

void Attachment::stop() {
  port_->stop();
  for (const auto& port : rx_ports_) port->stop();
}

PortStatistics Attachment::statistics() const {
  PortStatistics sum = port_->statistics();
  if (!receives_on_port_) {
    PortStatistics transmitted;
    transmitted.tx_packets = sum.tx_packets;
    transmitted.tx_bytes = sum.tx_bytes;
    transmitted.tx_errors = sum.tx_errors;
    sum = transmitted;
  }
  for (const auto& port : rx_ports_) add_received(sum, port->statistics());
  return sum;
}

}  // namespace lambdacast::dpdk
