// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/link.h"

#include <rte_errno.h>
#include <rte_lcore.h>

namespace lambdacast::dpdk {

void Link::Drain::operator()(rte_ring* ring) const {
  void* packet = nullptr;
  while (rte_ring_sc_dequeue(ring, &packet) == 0) rte_pktmbuf_free(static_cast<rte_mbuf*>(packet));
  rte_ring_free(ring);
}

base::Result<Link> Link::create(const std::string& name, uint32_t slots) {
  rte_ring* ring = rte_ring_create(name.c_str(), slots, static_cast<int>(rte_socket_id()),
                                   RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
  if (ring == nullptr) {
    return base::fail("cannot make the link " + name + " of " + std::to_string(slots) +
                      " packets: " + rte_strerror(rte_errno));
  }
  return Link(ring);
}

}  // namespace lambdacast::dpdk
