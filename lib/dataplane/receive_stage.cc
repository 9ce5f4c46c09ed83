#include "dataplane/receive_stage.h"

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include <algorithm>

#include "dataplane/packet.h"

namespace lambdacast::dataplane {

uint32_t ReceiveStage::poll(uint64_t now_ns) {
  rte_mbuf* frames[kMaxBurst];
  const uint32_t wanted = std::min(burst_, out_.room());
  if (wanted == 0) return 0;
  const uint16_t got = rte_eth_rx_burst(port_, queue_, frames, static_cast<uint16_t>(wanted));
  if (got == 0) return 0;
  if (tap_ != nullptr) [[unlikely]]
    tap_->received(port_, frames, got);

  rte_mbuf* accepted[kMaxBurst];
  rte_mbuf* dropped[kMaxBurst];
  uint32_t accepted_count = 0;
  uint32_t dropped_count = 0;
  rte_prefetch0(frame_of(frames[0]));
  for (uint16_t i = 0; i < got; ++i) {
    if (i + 1 < got) rte_prefetch0(frame_of(frames[i + 1]));
    rte_mbuf* m = frames[i];
    // Receive queues are set up without scatter: a frame is one segment.
    const auto outcome =
        counters_.count(core_.receive(frame_of(m), rte_pktmbuf_data_len(m), now_ns, info_of(m)));
    if (outcome == counters::DropReason::kNone) [[likely]] {
      accepted[accepted_count++] = m;
    } else {
      dropped[dropped_count++] = m;
    }
  }
  out_.push(accepted, accepted_count);
  if (dropped_count != 0) rte_pktmbuf_free_bulk(dropped, dropped_count);
  return got;
}

}  // namespace lambdacast::dataplane
