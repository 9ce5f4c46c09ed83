// SPDX-License-Identifier: BSD-3-Clause
// The vdev driver: from device arguments to a port.
#include <ethdev_vdev.h>

#include <algorithm>

#include "base/plain_text.h"
#include "base/random.h"
#include "odbss_port.h"
#include "wdm/channel.h"

namespace lambdacast::odbss {

RTE_LOG_REGISTER_SUFFIX(log_type, odbss, NOTICE);

namespace {

// A fabric has no line rate unless one is given to it.
const rte_eth_link kLinkDown = {.link_speed = RTE_ETH_SPEED_NUM_UNKNOWN,
                                .link_duplex = RTE_ETH_LINK_FULL_DUPLEX,
                                .link_autoneg = RTE_ETH_LINK_FIXED,
                                .link_status = RTE_ETH_LINK_DOWN};

wdm::Grid grid_of(const Port& port) {
  return wdm::grid_from_spacing(port.fabric->geometry().grid_ghz).value_or(wdm::Grid::k100GHz);
}

// Beyond the channels of the grid a fabric's wavelengths have numbers only.
std::string wavelength_name(const Port& port, uint32_t index) {
  const auto channel = wdm::channel_at(grid_of(port), index);
  return channel ? wdm::channel_name(*channel) : std::to_string(index);
}

// 02: locally administered; 4f:44 "OD"; then a hash of the fabric and the wavelength.
rte_ether_addr default_mac(const Port& port) {
  uint64_t hash = 0;
  for (unsigned char c : port.devargs.fabric) hash = base::mix64(hash ^ c);
  // Receive-only ports have no wavelength to be told apart by: any difference will do.
  static uint32_t receive_only = 0;
  const uint32_t last = port.wavelength ? *port.wavelength : 0x80 | ++receive_only;
  return {{0x02, 0x4f, 0x44, static_cast<uint8_t>(hash >> 8), static_cast<uint8_t>(hash),
           static_cast<uint8_t>(last)}};
}

base::Result<void> check_frame_bytes(const fabric::Geometry& geometry) {
  constexpr uint32_t kShortest = RTE_ETHER_MIN_MTU + kFrameOverheadBytes;
  if (geometry.frame_bytes >= kShortest) return {};
  return base::fail("frame_bytes=" + std::to_string(geometry.frame_bytes) +
                    " is too small for an Ethernet port; allowed: " + std::to_string(kShortest) +
                    " or more");
}

base::Result<void> claim_wavelength(Port& port) {
  const auto& wanted = port.devargs.wavelength;
  if (!wanted) return {};
  const auto index = index_of(*wanted, grid_of(port));
  if (!index) return base::fail("wavelength=" + text(*wanted) + ": " + index.error().message);
  auto transmitter = port.fabric->claim(*index);
  if (!transmitter) {
    return base::fail("wavelength=" + wavelength_name(port, *index) + ": " +
                      transmitter.error().message);
  }
  port.wavelength = *index;
  port.transmitter = *transmitter;
  return {};
}

base::Result<void> select_wavelengths(Port& port) {
  const uint32_t wavelengths = port.fabric->geometry().wavelengths;
  std::string wanted;
  for (const Wavelength& each : port.devargs.select) {
    if (!wanted.empty()) wanted += ':';
    wanted += text(each);
    const auto index = index_of(each, grid_of(port));
    if (!index) return base::fail("select=" + text(each) + ": " + index.error().message);
    if (*index >= wavelengths) {
      return base::fail("select=" + wavelength_name(port, *index) + " is not on fabric " +
                        port.devargs.fabric + ", which has wavelengths " +
                        wavelength_name(port, 0) + " to " + wavelength_name(port, wavelengths - 1));
    }
    if (std::find(port.selected.begin(), port.selected.end(), *index) != port.selected.end()) {
      return base::fail("select=" + wanted + " is not allowed; allowed: " + kSelectAllowed);
    }
    port.selected.push_back(*index);
  }
  for (uint32_t w = 0; port.devargs.select.empty() && w < wavelengths; ++w) {
    port.selected.push_back(w);
  }
  if (!port.devargs.loopback && port.wavelength) std::erase(port.selected, *port.wavelength);
  return {};
}

base::Result<std::unique_ptr<Port>> open_port(const char* arguments) {
  auto devargs = parse_devargs(arguments);
  if (!devargs) return tl::unexpected(devargs.error());
  auto faults = fabric::validate(devargs->faults);
  if (!faults) return tl::unexpected(faults.error());
  auto attached = fabric::Fabric::attach(devargs->fabric, devargs->attach);
  if (!attached) return tl::unexpected(attached.error());
  auto port = std::make_unique<Port>();
  port->devargs = *devargs;
  port->fabric = std::move(*attached);
  if (auto fits = check_frame_bytes(port->fabric->geometry()); !fits) {
    return tl::unexpected(fits.error());
  }
  for (const auto step : {claim_wavelength, select_wavelengths}) {
    if (auto done = step(*port); !done) return tl::unexpected(done.error());
  }
  port->faults.set(*faults);
  port->line_rate_bps = devargs->line_rate_bps;
  port->wavelength_at_reset.resize(port->selected.size());
  port->mac = devargs->mac.value_or(default_mac(*port));
  port->filter.set_unicast(0, port->mac);
  return port;
}

int probe(rte_vdev_device* vdev) {
  const char* name = rte_vdev_device_name(vdev);
  if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
    ODBSS_LOG(ERR,
              "%s: a secondary process cannot use this port; attach to the fabric as a "
              "primary process with a wavelength of its own",
              name);
    return -ENOTSUP;
  }
  const char* arguments = rte_vdev_device_args(vdev);
  auto port = open_port(arguments == nullptr ? "" : arguments);
  if (!port) {
    // A sentence may quote device arguments.
    ODBSS_LOG(ERR, "%s: %s", name, base::shown(port.error().message).c_str());
    return -EINVAL;
  }
  rte_eth_dev* dev = rte_eth_vdev_allocate(vdev, 0);
  if (dev == nullptr) return -ENOMEM;
  const fabric::Fabric& fabric = *(*port)->fabric;
  ODBSS_LOG(INFO, "%s: fabric %s (%s) in %s, %s", name, fabric.name().c_str(),
            fabric.geometry().text().c_str(), fabric.data_path().c_str(),
            (*port)->wavelength
                ? ("transmits on " + wavelength_name(**port, *(*port)->wavelength)).c_str()
                : "receives only");
  dev->data->dev_private = port->release();
  // MAC addresses beyond the first are kept by ethdev in this array: it wants room for all.
  dev->data->mac_addrs = static_cast<rte_ether_addr*>(
      rte_zmalloc(name, sizeof(rte_ether_addr) * AddressFilter::kUnicastEntries, 0));
  if (dev->data->mac_addrs == nullptr) {
    dev_close(dev);
    rte_eth_dev_release_port(dev);
    return -ENOMEM;
  }
  dev->data->mac_addrs[0] = port_of(dev).mac;
  dev->data->dev_link = kLinkDown;
  show_line_rate(dev);
  dev->dev_ops = &kOps;
  dev->rx_pkt_burst = rx_burst;
  dev->tx_pkt_burst = tx_burst;
  rte_eth_dev_probing_finish(dev);
  return 0;
}

int remove(rte_vdev_device* vdev) {
  rte_eth_dev* dev = rte_eth_dev_allocated(rte_vdev_device_name(vdev));
  if (dev == nullptr) return 0;
  dev_close(dev);
  return rte_eth_dev_release_port(dev);
}

}  // namespace
}  // namespace lambdacast::odbss

// Constant-initialised: it is registered before C++ initialisers run.
static rte_vdev_driver net_odbss_driver = {.probe = lambdacast::odbss::probe,
                                           .remove = lambdacast::odbss::remove};
RTE_PMD_REGISTER_VDEV(net_odbss, net_odbss_driver);
RTE_PMD_REGISTER_PARAM_STRING(net_odbss, ODBSS_DEVARGS_HELP);
