// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/release_ring.h"

#include <rte_errno.h>
#include <rte_lcore.h>

namespace lambdacast::dpdk {

base::Result<ReleaseRing> ReleaseRing::create(const std::string& name, uint32_t slots) {
  rte_ring* ring = rte_ring_create(name.c_str(), slots, static_cast<int>(rte_socket_id()),
                                   RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
  if (ring == nullptr)
    return base::fail("cannot make the ring " + name + ": " + rte_strerror(rte_errno));
  return ReleaseRing(ring);
}

}  // namespace lambdacast::dpdk
