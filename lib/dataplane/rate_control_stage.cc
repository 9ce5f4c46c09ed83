#include "dataplane/rate_control_stage.h"

#include <rte_ethdev.h>

#include <algorithm>

namespace lambdacast::dataplane {

RateControlStage::~RateControlStage() {
  rte_pktmbuf_free(control_frame_);
  if (pending() != 0) rte_pktmbuf_free_bulk(pending_.data() + pending_begin_, pending());
}

uint32_t RateControlStage::poll(uint64_t now_ns) {
  const uint32_t control = control_ != nullptr ? send_control() : 0;
  if (pending() == 0) {
    const uint64_t wanted = std::min<uint64_t>(burst_, pacer_.allowance(now_ns));
    if (wanted != 0) take(static_cast<uint32_t>(wanted), now_ns);
  }
  if (pending() == 0) return control;
  const uint16_t sent = offer(pending_.data() + pending_begin_, static_cast<uint16_t>(pending()));
  pending_begin_ += sent;
  return control + sent;
}

// A few a second: one by one will do.
uint32_t RateControlStage::send_control() {
  uint32_t sent = 0;
  while (sent < burst_ && (control_frame_ != nullptr || control_->pull(&control_frame_, 1) == 1)) {
    if (offer(&control_frame_, 1) == 0) break;
    control_frame_ = nullptr;
    ++sent;
  }
  control_packets_ += sent;
  return sent;
}

uint16_t RateControlStage::offer(rte_mbuf** frames, uint16_t count) {
  if (tap_ != nullptr) [[unlikely]]
    return tap_->transmit(port_, 0, frames, count);
  return rte_eth_tx_burst(port_, 0, frames, count);
}

// Pulls publications and makes frames of them: headers before the payload that the application
// wrote in place, pad and ICRC behind it.
void RateControlStage::take(uint32_t count, uint64_t now_ns) {
  pending_begin_ = 0;
  pending_end_ = publications_.pull(pending_.data(), count);
  for (uint32_t i = 0; i < pending_end_; ++i) {
    rte_mbuf* m = pending_[i];
    const endpoint::PacketInfo& info = info_of(m);
    const size_t bytes = core_.lay(frame_of(m), info, now_ns);
    m->data_len = static_cast<uint16_t>(bytes);
    m->pkt_len = static_cast<uint32_t>(bytes);
    messages_ += endpoint::messages_begun(info);
    application_bytes_ += endpoint::application_bytes(info);
  }
  for (uint32_t i = 0; i < pending_end_; ++i) {
    core_.seal(frame_of(pending_[i]), pending_[i]->data_len);
  }
  packets_ += pending_end_;
  pacer_.spend(pending_end_);
}

}  // namespace lambdacast::dataplane
