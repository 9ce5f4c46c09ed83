// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/port.h"

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf_dyn.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "config/config.h"
#include "dpdk/eal_device.h"
#include "dpdk/kernel_interface.h"
#include "dpdk/log_capture.h"
#include "dpdk/probe.h"
#include "fabric/file_owner.h"
#include "fabric/keep_flag.h"

namespace lambdacast::dpdk {
namespace {

std::string reason(int error) { return rte_strerror(error < 0 ? -error : error); }

// The ports that this process uses; ethdev's own tables belong to a process as well. Only the
// control thread calls it. (Ethdev's owners do not serve here: telemetry would not list owned
// ports.)
std::set<uint16_t>& ports_in_use() {
  static std::set<uint16_t> ids;
  return ids;
}

// Devices that EAL made by its options, by the port, once that is closed.
std::map<std::string, rte_device*>& closed_devices() {
  static std::map<std::string, rte_device*> devices;
  return devices;
}

rte_ether_addr ether_address(const wire::MacAddress& mac) {
  rte_ether_addr address;
  std::memcpy(address.addr_bytes, mac.bytes.data(), mac.bytes.size());
  return address;
}

constexpr uint32_t kEthernetAndVlan = 14 + 4;

// "use path_mtu = 1024 or less", for what fits a port with that MTU.
std::string advice(uint32_t mtu) {
  constexpr uint32_t kAround = config::kMaxFrameOverheadBytes - kEthernetAndVlan;
  for (const uint32_t path_mtu : {4096, 2048, 1024, 512, 256}) {
    if (path_mtu + kAround > mtu) continue;
    return "use path_mtu = " + std::to_string(path_mtu) + (path_mtu == 256 ? "" : " or less");
  }
  return "no path_mtu fits";
}

// What the driver says it takes. Some tell only the longest frame.
uint32_t driver_mtu(const rte_eth_dev_info& info) {
  if (info.max_mtu != UINT16_MAX || info.max_rx_pktlen <= kEthernetAndVlan) return info.max_mtu;
  return std::min<uint32_t>(info.max_mtu, info.max_rx_pktlen - kEthernetAndVlan);
}

}  // namespace

const char* name(MulticastFilter filter) {
  switch (filter) {
    case MulticastFilter::kQueuePairs:
      return "queue pairs";
    case MulticastFilter::kMacList:
      return "MAC list";
    case MulticastFilter::kAllMulticast:
      return "all multicast";
    case MulticastFilter::kPromiscuous:
      return "promiscuous";
  }
  return "?";
}

namespace {
// How the drivers of this project begin their sentences about a port.
std::string own_prefix(const std::string& port) {
  return (port.starts_with("net_verbs") ? "net_verbs: " : "net_odbss: ") + port + ": ";
}
std::string own_sentence(LogCapture& log, const std::string& port) {
  return log.sentence(own_prefix(port));
}

// "; PATH is that of ..." where the device is to meet another at a socket that is another user's.
std::string foreign_socket(const std::string& device) {
  constexpr std::string_view kKey = ",socket=";
  const size_t at = device.find(kKey);
  if (at == std::string::npos) return {};
  const std::string path = device.substr(at + kKey.size());
  const std::string foreign = fabric::foreign_file_text(path.substr(0, path.find(',')));
  return foreign.empty() ? foreign : "; " + foreign;
}
}  // namespace

uint64_t PortStatistics::extended_or_zero(const std::string& key) const {
  const auto found = extended.find(key);
  return found == extended.end() ? 0 : found->second;
}

base::Result<std::unique_ptr<Port>> Port::open(const PortConfig& config, rte_mempool* pool) {
  std::unique_ptr<Port> port(new Port);
  if (auto attached = port->attach(config.device); !attached) {
    return tl::unexpected(attached.error());
  }
  if (auto configured = port->configure(config, pool); !configured) {
    return tl::unexpected(configured.error());
  }
  return port;
}

base::Result<void> Port::attach(const std::string& device) {
  const std::string device_name = device.substr(0, device.find(','));
  if (rte_eth_dev_get_port_by_name(device_name.c_str(), &id_) != 0) {
    std::string probed = device;
    const auto closed = closed_devices().find(device_name);
    const bool eals = closed != closed_devices().end();
    if (eals) {
      const std::string made_of = take_away_device(closed->second);
      closed_devices().erase(closed);
      if (device == device_name && !made_of.empty()) probed = made_of;
    }
    std::string said;
    const int error = probe(probed, own_prefix(device_name), said);
    if (error != 0 || rte_eth_dev_get_port_by_name(device_name.c_str(), &id_) != 0) {
      return base::fail("port " + device_name + " cannot be attached: " +
                        (said.empty() ? reason(error) : said) + foreign_socket(probed));
    }
    attached_here_ = !eals;
  }
  rte_eth_dev_info info;
  if (const int error = rte_eth_dev_info_get(id_, &info); error != 0) {
    return base::fail("port " + device_name + " tells nothing about itself: " + reason(error));
  }
  if (!ports_in_use().insert(id_).second) {
    return base::fail("port " + device_name + " is in use by another endpoint of this process");
  }
  name_ = device_name;  // ours to close, from here on
  driver_ = info.driver_name;
  if (const auto interface = kernel_interface(info.if_index); interface && !is_verbs()) {
    interface_index_ = info.if_index;
    interface_name_ = interface->name;
  }
  listen(true);
  return {};
}

int Port::heard(uint16_t, rte_eth_event_type event, void* self, void*) {
  auto& port = *static_cast<Port*>(self);
  if (event == RTE_ETH_EVENT_INTR_RMV)
    port.removed_ = true;
  else
    ++port.link_events_;
  return 0;
}

void Port::listen(bool on) {
  for (const rte_eth_event_type event : {RTE_ETH_EVENT_INTR_LSC, RTE_ETH_EVENT_INTR_RMV}) {
    if (on) {
      rte_eth_dev_callback_register(id_, event, &heard, this);
      continue;
    }
    while (rte_eth_dev_callback_unregister(id_, event, &heard, this) == -EAGAIN) {
    }  // one is being told of right now
  }
}

// A frame longer than what a port takes would be lost without a word, some of them only: no port is
// opened that does not take the endpoint's longest.
base::Result<void> Port::check_mtu(const PortConfig& config, const rte_eth_dev_info& info) const {
  const std::string needs = " bytes, this path MTU needs " + std::to_string(config.mtu);
  if (const uint32_t most = driver_mtu(info); config.mtu > most) {
    return base::fail("port " + name_ + " takes an MTU of at most " + std::to_string(most) + needs +
                      "; " + advice(most));
  }
  // The kernel drops what exceeds its interface's, and no driver of this kind knows that one.
  if (!driver_.starts_with("net_af_")) return {};
  const auto interface = kernel_interface(info.if_index);
  if (!interface || config.mtu <= interface->mtu) return {};
  return base::fail("port " + name_ + ": its interface " + interface->name + " has an MTU of " +
                    std::to_string(interface->mtu) + needs + "; " + advice(interface->mtu) +
                    ", or: ip link set " + interface->name + " mtu " + std::to_string(config.mtu));
}

base::Result<void> Port::configure(const PortConfig& config, rte_mempool* pool) {
  rte_eth_dev_info info;
  rte_eth_dev_info_get(id_, &info);
  if (auto fits = check_mtu(config, info); !fits) return fits;
  if (config.all_rx_queues) rx_queues_ = std::max<uint16_t>(info.max_rx_queues, 1);
  LogCapture log;
  const auto failed = [&](const char* what, int error) -> base::Result<void> {
    const std::string said = own_sentence(log, name_);
    return base::fail("port " + name_ + ": " + what +
                      " failed: " + (said.empty() ? reason(error) : said));
  };
  rte_eth_conf conf{};
  conf.rxmode.mtu = config.mtu;
  // Not MBUF_FAST_FREE: what rate_control retains for repair is flagged, or has a second reference.
  conf.txmode.offloads = 0;
  conf.intr_conf.lsc = (*info.dev_flags & RTE_ETH_DEV_INTR_LSC) != 0 ? 1 : 0;
  conf.intr_conf.rmv = (*info.dev_flags & RTE_ETH_DEV_INTR_RMV) != 0 ? 1 : 0;
  if (const int error = rte_eth_dev_configure(id_, rx_queues_, 1, &conf); error != 0) {
    return failed("configuration", error);
  }
  uint16_t rx = config.rx_descriptors;
  uint16_t tx = config.tx_descriptors;
  if (const int error = rte_eth_dev_adjust_nb_rx_tx_desc(id_, &rx, &tx); error != 0) {
    return failed("choosing the descriptors", error);
  }
  const int socket = rte_eth_dev_socket_id(id_);
  for (uint16_t queue = 0; queue < rx_queues_; ++queue) {
    const int error =
        rte_eth_rx_queue_setup(id_, queue, rx, static_cast<unsigned>(socket), nullptr, pool);
    if (error != 0) return failed("receive queue set-up", error);
  }
  if (const int error = rte_eth_tx_queue_setup(id_, 0, tx, static_cast<unsigned>(socket), nullptr);
      error != 0) {
    return failed("transmit queue set-up", error);
  }
  return {};
}

Port::~Port() {
  if (name_.empty()) return;
  stop();
  listen(false);
  rte_eth_dev_info info;
  const bool known = rte_eth_dev_info_get(id_, &info) == 0;
  rte_eth_dev_close(id_);
  ports_in_use().erase(id_);
  if (!attached_here_ && known) closed_devices()[name_] = info.device;
  if (attached_here_ && known) rte_dev_remove(info.device);
}

base::Result<void> Port::start() {
  LogCapture log;
  if (const int error = rte_eth_dev_start(id_); error != 0) {
    const std::string said = own_sentence(log, name_);
    return base::fail("port " + name_ +
                      " does not start: " + (said.empty() ? reason(error) : said));
  }
  started_ = true;
  return {};
}

void Port::stop() {
  if (started_) rte_eth_dev_stop(id_);
  started_ = false;
}

base::Result<MulticastFilter> Port::receive_multicast(const std::vector<wire::MacAddress>& groups) {
  std::vector<rte_ether_addr> addresses;
  std::transform(groups.begin(), groups.end(), std::back_inserter(addresses), ether_address);
  if (rte_eth_dev_set_mc_addr_list(id_, addresses.data(),
                                   static_cast<uint32_t>(addresses.size())) == 0) {
    return MulticastFilter::kMacList;
  }
  if (rte_eth_allmulticast_enable(id_) == 0) return MulticastFilter::kAllMulticast;
  if (const int error = rte_eth_promiscuous_enable(id_); error != 0) {
    return base::fail("port " + name_ +
                      " has neither a multicast list, all-multicast nor a "
                      "promiscuous mode: " +
                      reason(error));
  }
  return MulticastFilter::kPromiscuous;
}

base::Result<void> Port::receive_unicast(const wire::MacAddress& mac) {
  rte_ether_addr address = ether_address(mac);
  if (rte_eth_dev_mac_addr_add(id_, &address, 0) == 0) return {};
  if (const int error = rte_eth_promiscuous_enable(id_); error != 0) {
    return base::fail("port " + name_ +
                      " has neither a second MAC address nor a promiscuous mode: " + reason(error));
  }
  return {};
}

base::Result<void> Port::set_mac(const wire::MacAddress& mac) {
  rte_ether_addr address = ether_address(mac);
  if (const int error = rte_eth_dev_default_mac_addr_set(id_, &address); error != 0) {
    return base::fail("port " + name_ + " does not take another MAC address: " + reason(error) +
                      "; leave mac out");
  }
  return {};
}

wire::MacAddress Port::mac() const {
  rte_ether_addr address{};
  rte_eth_macaddr_get(id_, &address);
  wire::MacAddress mac;
  std::memcpy(mac.bytes.data(), address.addr_bytes, mac.bytes.size());
  return mac;
}

bool Port::link_up() const {
  if (interface_index_ != 0) {
    const auto interface = kernel_interface(interface_index_);
    return interface && interface->up;
  }
  rte_eth_link link{};
  return rte_eth_link_get_nowait(id_, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

PortStatistics Port::statistics() const {
  PortStatistics result;
  rte_eth_stats stats{};
  rte_eth_stats_get(id_, &stats);
  result.rx_packets = stats.ipackets;
  result.rx_bytes = stats.ibytes;
  result.missed = stats.imissed;
  result.no_mbuf = stats.rx_nombuf;
  result.rx_errors = stats.ierrors;
  result.tx_packets = stats.opackets;
  result.tx_bytes = stats.obytes;
  result.tx_errors = stats.oerrors;

  const int count = rte_eth_xstats_get(id_, nullptr, 0);
  if (count <= 0) return result;
  std::vector<rte_eth_xstat_name> names(static_cast<size_t>(count));
  std::vector<rte_eth_xstat> values(static_cast<size_t>(count));
  const auto size = static_cast<unsigned>(count);
  if (rte_eth_xstats_get_names(id_, names.data(), size) != count ||
      rte_eth_xstats_get(id_, values.data(), size) != count) {
    return result;
  }
  for (const rte_eth_xstat& value : values) {
    result.extended[names[value.id].name] = value.value;
  }
  return result;
}

uint32_t Port::queue_pair(uint32_t index) const {
  const std::string name = "queue_pair" + std::to_string(index);
  uint64_t id = 0;
  uint64_t value = 0;
  if (!is_verbs() || rte_eth_xstats_get_id_by_name(id_, name.c_str(), &id) != 0 ||
      rte_eth_xstats_get_by_id(id_, &id, &value, 1) != 1) {
    return 0;
  }
  return static_cast<uint32_t>(value);
}

uint64_t Port::keep_flag() const {
  const int bit =
      is_embedded_fabric() ? rte_mbuf_dynflag_lookup(fabric::kKeepFlagName, nullptr) : -1;
  return bit < 0 ? 0 : uint64_t{1} << bit;
}

}  // namespace lambdacast::dpdk
