// SPDX-License-Identifier: BSD-3-Clause
// The vdev driver: from device arguments to a port.
#include <ethdev_vdev.h>

#include <algorithm>

#include "base/plain_text.h"
#include "verbs_port.h"

namespace lambdacast::net_verbs {

RTE_LOG_REGISTER_SUFFIX(log_type, verbs, NOTICE);

namespace {

const rte_eth_link kLinkDown = {.link_speed = RTE_ETH_SPEED_NUM_UNKNOWN,
                                .link_duplex = RTE_ETH_LINK_FULL_DUPLEX,
                                .link_autoneg = RTE_ETH_LINK_AUTONEG,
                                .link_status = RTE_ETH_LINK_DOWN};

base::Result<std::unique_ptr<Port>> open_port(const char* arguments) {
  auto devargs = parse_devargs(arguments);
  if (!devargs) return tl::unexpected(devargs.error());
  auto device = Device::open(*devargs);
  if (!device) return tl::unexpected(device.error());
  auto port = std::make_unique<Port>();
  port->devargs = *devargs;
  port->device = std::move(*device);
  const auto& mac = port->device->mac().bytes;
  std::copy(mac.begin(), mac.end(), port->mac.addr_bytes);
  return port;
}

int probe(rte_vdev_device* vdev) {
  const char* name = rte_vdev_device_name(vdev);
  if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
    VERBS_LOG(ERR, "%s: a secondary process cannot use this port; open the device as a primary",
              name);
    return -ENOTSUP;
  }
  const char* arguments = rte_vdev_device_args(vdev);
  auto port = open_port(arguments == nullptr ? "" : arguments);
  if (!port) {
    // A sentence may quote device arguments.
    VERBS_LOG(ERR, "%s: %s", name, base::shown(port.error().message).c_str());
    return -EINVAL;
  }
  rte_eth_dev* dev = rte_eth_vdev_allocate(vdev, 0);
  if (dev == nullptr) return -ENOMEM;
  dev->data->mac_addrs = static_cast<rte_ether_addr*>(rte_zmalloc(name, sizeof(rte_ether_addr), 0));
  if (dev->data->mac_addrs == nullptr) {
    rte_eth_dev_release_port(dev);
    return -ENOMEM;
  }
  dev->data->mac_addrs[0] = (*port)->mac;
  dev->data->dev_private = port->release();
  dev->data->dev_link = kLinkDown;
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
}  // namespace lambdacast::net_verbs

// Constant-initialised: it is registered before C++ initialisers run.
static rte_vdev_driver net_verbs_driver = {.probe = lambdacast::net_verbs::probe,
                                           .remove = lambdacast::net_verbs::remove};
RTE_PMD_REGISTER_VDEV(net_verbs, net_verbs_driver);
RTE_PMD_REGISTER_PARAM_STRING(net_verbs, VERBS_DEVARGS_HELP);
