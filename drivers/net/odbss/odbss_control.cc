// SPDX-License-Identifier: BSD-3-Clause
#include "odbss_control.h"

#include <mutex>
#include <string>

#include "odbss_port.h"

namespace lambdacast::odbss {
namespace {

// Control threads hold it to publish a value, so that one of them does so at a time.
std::mutex& control_mutex() {
  static std::mutex mutex;
  return mutex;
}

base::Result<rte_eth_dev*> device(uint16_t port_id) {
  if (!rte_eth_dev_is_valid_port(port_id)) {
    return base::fail("there is no port " + std::to_string(port_id));
  }
  rte_eth_dev* dev = &rte_eth_devices[port_id];
  if (dev->dev_ops == &kOps) return dev;
  return base::fail("port " + std::to_string(port_id) + " (" + dev->data->name +
                    ") is not on an embedded fabric; faults and line rates are net_odbss's alone");
}

}  // namespace

void show_line_rate(rte_eth_dev* dev) {
  constexpr uint64_t kMbps = 1'000'000;
  const uint64_t rate_bps = port_of(dev).line_rate_bps;
  rte_eth_link link;
  rte_eth_linkstatus_get(dev, &link);
  link.link_speed =
      rate_bps == 0 ? RTE_ETH_SPEED_NUM_UNKNOWN : static_cast<uint32_t>(rate_bps / kMbps);
  rte_eth_linkstatus_set(dev, &link);
}

base::Result<fabric::FaultRates> faults(uint16_t port_id) {
  const std::lock_guard guard(control_mutex());
  const auto dev = device(port_id);
  if (!dev) return tl::unexpected(dev.error());
  fabric::FaultRates rates;
  uint64_t version;
  (void)port_of(*dev).faults.read(rates, version);  // nobody is setting them: the mutex is ours
  return rates;
}

base::Result<void> set_faults(uint16_t port_id, const fabric::FaultRates& rates) {
  const std::lock_guard guard(control_mutex());
  const auto dev = device(port_id);
  if (!dev) return tl::unexpected(dev.error());
  if (auto valid = fabric::validate(rates); !valid) return tl::unexpected(valid.error());
  port_of(*dev).faults.set(rates);
  return {};
}

base::Result<uint64_t> line_rate_bps(uint16_t port_id) {
  const std::lock_guard guard(control_mutex());
  const auto dev = device(port_id);
  if (!dev) return tl::unexpected(dev.error());
  return port_of(*dev).line_rate_bps;
}

base::Result<void> set_line_rate_bps(uint16_t port_id, uint64_t rate_bps) {
  const std::lock_guard guard(control_mutex());
  const auto dev = device(port_id);
  if (!dev) return tl::unexpected(dev.error());
  if (rate_bps != 0 && (rate_bps < fabric::kMinRateBps || rate_bps > fabric::kMaxRateBps)) {
    return base::fail("line_rate=" + std::to_string(rate_bps) +
                      " is not allowed; allowed: 0, or 1000000 to 1600000000000 bit/s");
  }
  Port& port = port_of(*dev);
  port.line_rate_bps = rate_bps;
  if (port.tx_queue != nullptr) {
    port.tx_queue->line_rate_bps.store(rate_bps, std::memory_order_relaxed);
  }
  show_line_rate(*dev);
  return {};
}

}  // namespace lambdacast::odbss
