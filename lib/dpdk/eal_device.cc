// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/eal_device.h"

#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>

namespace lambdacast::dpdk {
namespace {

bool has_ports(const rte_device* device) {
  uint16_t port = 0;
  RTE_ETH_FOREACH_DEV_OF(port, device) { return true; }
  return false;
}

}  // namespace

std::string take_away_device(rte_device* device) {
  if (has_ports(device)) return {};
  const rte_devargs* made_with = rte_dev_devargs(device);
  std::string again = rte_dev_name(device);
  if (made_with != nullptr && made_with->args != nullptr && made_with->args[0] != '\0')
    again.append(",").append(made_with->args);
  if (rte_dev_remove(device) != 0) return {};
  return again;
}

}  // namespace lambdacast::dpdk
