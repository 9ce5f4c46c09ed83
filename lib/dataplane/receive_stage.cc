#include "dataplane/receive_stage.h"

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include <algorithm>

#include "dpdk/packet.h"

namespace lambdacast::dataplane {

// On a real network some of what is no data is for us all the same.
counters::DropReason ReceiveStage::refused(rte_mbuf* m, counters::DropReason reason,
                                           uint64_t now_ns) {
  if (neighbor_ == nullptr || !NeighborStage::may_be_control(reason)) return reason;
  return neighbor_->take(frame_of(m), rte_pktmbuf_data_len(m), reason, now_ns);
}

uint32_t ReceiveStage::poll(uint64_t now_ns) {
  rte_mbuf* frames[kMaxBurst];
  const uint32_t wanted = std::min(burst_, out_.room());
  if (wanted == 0) return 0;
  const uint16_t got = receive(frames, static_cast<uint16_t>(wanted));
  if (got == 0) return 0;
  if (tap_ != nullptr) [[unlikely]]
    tap_->received(frames, got);

  endpoint::ReceivedFrame burst[kMaxBurst];
  for (uint16_t i = 0; i < got; ++i) {
    // Receive queues are set up without scatter: a frame is one segment.
    rte_mbuf* m = frames[i];
    rte_prefetch0(frame_of(m));
    burst[i] = {frame_of(m), rte_pktmbuf_data_len(m), &info_of(m), counters::DropReason::kNone};
  }
  core_.receive_burst({burst, got}, now_ns);

  rte_mbuf* dropped[kMaxBurst];
  uint32_t accepted_count = 0;
  uint32_t dropped_count = 0;
  for (uint16_t i = 0; i < got; ++i) {
    if (burst[i].outcome == counters::DropReason::kNone) [[likely]] {
      frames[accepted_count++] = frames[i];
    } else {
      counters_.drops.add(refused(frames[i], burst[i].outcome, now_ns));
      dropped[dropped_count++] = frames[i];
    }
  }
  counters_.received += got;
  counters_.forwarded += accepted_count;
  out_.push(frames, accepted_count);
  if (dropped_count != 0) rte_pktmbuf_free_bulk(dropped, dropped_count);
  return got;
}

}  // namespace lambdacast::dataplane
