// Stage `receive`: port -> parse, ICRC, classify -> link to reliability.
#pragma once

#include "dataplane/capture_tap.h"
#include "dataplane/link.h"
#include "dataplane/stage.h"
#include "endpoint/receive_core.h"

namespace lambdacast::dataplane {

class ReceiveStage final : public Stage {
 public:
  ReceiveStage(const endpoint::ReceiveConfig& config, uint16_t port, uint16_t queue, uint32_t burst,
               Link& out)
      : core_(config), port_(port), queue_(queue), burst_(burst), out_(out) {}

  [[nodiscard]] const char* name() const override { return "receive"; }
  uint32_t poll(uint64_t now_ns) override;

  // On the stage's lcore: what is received from now on is shown to `tap`; null: to none.
  void set_tap(CaptureTap* tap) { tap_ = tap; }

  [[nodiscard]] const StageCounters& counters() const { return counters_; }
  [[nodiscard]] const endpoint::PeerTable& peers() const { return core_.peers(); }

 private:
  endpoint::ReceiveCore core_;
  uint16_t port_;
  uint16_t queue_;
  uint32_t burst_;
  Link& out_;
  CaptureTap* tap_ = nullptr;
  StageCounters counters_;
};

}  // namespace lambdacast::dataplane
