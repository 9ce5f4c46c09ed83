// SPDX-License-Identifier: BSD-3-Clause
// Asks the kernel about this machine's network: for ports that are interfaces of the kernel, and to
// refuse an address of an endpoint that the kernel would answer for as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wire/roce/gid.h"

namespace lambdacast::dpdk {

struct KernelInterface {
  std::string name;
  uint32_t mtu = 0;  // bytes behind the Ethernet header
  bool up = false;   // it carries frames: switched on, and its link is there
};

// The interface of that index (rte_eth_dev_info::if_index) in this network namespace, if any.
[[nodiscard]] std::optional<KernelInterface> kernel_interface(uint32_t index);

// The name of the interface that has this address, in this network namespace, if any.
[[nodiscard]] std::optional<std::string> kernel_owner_of(const wire::Gid& gid);

}  // namespace lambdacast::dpdk
