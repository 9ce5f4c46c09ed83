// Stage `receive`: port -> parse, ICRC, classify -> link to reliability.
#pragma once

#include <rte_ethdev.h>

#include <optional>
#include <vector>

#include "capture/capture_tap.h"
#include "dataplane/neighbor_stage.h"
#include "dpdk/link.h"
#include "dpdk/receive_queues.h"
#include "endpoint/frame_classifier.h"
#include "endpoint/stage.h"

namespace lambdacast::dataplane {

class ReceiveStage final : public Stage {
 public:
  ReceiveStage(const endpoint::FrameClassifierConfig& config, uint16_t port, uint16_t queue,
               uint32_t burst, Link& out)
      : core_(config), port_(port), queue_(queue), burst_(burst), out_(out) {}

  [[nodiscard]] const char* name() const override { return "receive"; }
  uint32_t poll(uint64_t now_ns) override;

  // Before it runs: receives from these in place of the one port and queue; hands what is no data
  // to `neighbor`, on the same lcore, if there is one.
  void listen_on(const std::vector<RxQueue>& queues) { several_.emplace(queues); }
  void set_neighbor(NeighborStage* neighbor) { neighbor_ = neighbor; }

  // On the stage's lcore: what is received from now on is shown to `tap`; null: to none.
  void set_tap(CaptureTap* tap) { tap_ = tap; }

  [[nodiscard]] const StageCounters& counters() const { return counters_; }
  [[nodiscard]] const endpoint::PeerTable& peers() const { return core_.peers(); }

 private:
  [[nodiscard]] uint16_t receive(rte_mbuf** frames, uint16_t wanted) {
    if (several_) return several_->burst(frames, wanted);
    return rte_eth_rx_burst(port_, queue_, frames, wanted);
  }
  [[nodiscard]] counters::DropReason refused(rte_mbuf* m, counters::DropReason reason,
                                             uint64_t now_ns);

  endpoint::FrameClassifier core_;
  uint16_t port_;
  uint16_t queue_;
  uint32_t burst_;
  Link& out_;
  CaptureTap* tap_ = nullptr;
  NeighborStage* neighbor_ = nullptr;
  std::optional<ReceiveQueues> several_;
  StageCounters counters_;
};

}  // namespace lambdacast::dataplane
