// SPDX-License-Identifier: BSD-3-Clause
// The cores' packet handles are mbufs.
#pragma once

#include <rte_mbuf.h>

#include "base/packet_handle.h"

namespace lambdacast::dpdk {

[[nodiscard]] inline base::PacketHandle handle_of(rte_mbuf* m) {
  return static_cast<base::PacketHandle>(reinterpret_cast<uintptr_t>(m));
}
[[nodiscard]] inline rte_mbuf* mbuf_of(base::PacketHandle packet) {
  return reinterpret_cast<rte_mbuf*>(static_cast<uintptr_t>(packet));
}

}  // namespace lambdacast::dpdk
