#include "dataplane/ordering_stage.h"

#include <rte_errno.h>
#include <rte_lcore.h>

#include <algorithm>

namespace lambdacast::dataplane {

base::Result<ReleaseRing> ReleaseRing::create(const std::string& name, uint16_t max_messages) {
  rte_ring* ring = rte_ring_create(name.c_str(), max_messages, static_cast<int>(rte_socket_id()),
                                   RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
  if (ring == nullptr) {
    return base::fail("cannot make the ring " + name + ": " + rte_strerror(rte_errno));
  }
  return ReleaseRing(ring);
}

uint32_t OrderingStage::poll(uint64_t now_ns) {
  using Step = endpoint::DeliveryCore::Step;
  take_back();
  core_.expire(now_ns);
  rte_mbuf* packets[kMaxBurst];
  const uint32_t got = in_.pull(packets, std::min(burst_, out_.room()));
  if (got == 0) return 0;

  rte_mbuf* done[kMaxBurst];
  uint32_t delivered_count = 0;
  uint32_t done_count = 0;
  for (uint32_t i = 0; i < got; ++i) {
    rte_mbuf* m = packets[i];
    if (info_of(m).kind == wire::Kind::kGap) [[unlikely]] {
      packets[delivered_count++] = m;  // of whatever group it would have been
      continue;
    }
    if (core_.accept(info_of(m), frame_of(m), now_ns).step == Step::kDeliver) [[likely]] {
      packets[delivered_count++] = m;
    } else {
      done[done_count++] = m;
    }
  }
  out_.push(packets, delivered_count);
  if (done_count != 0) [[unlikely]]
    rte_pktmbuf_free_bulk(done, done_count);
  return got;
}

void OrderingStage::take_back() {
  if (core_.reassembly().completed_outstanding() == 0) return;
  uint16_t handle = 0;
  while (released_.pull(handle)) core_.release(handle);
}

}  // namespace lambdacast::dataplane
