// Stage `rate_control`: publications -> paced, numbered, framed -> port. It pulls only what it may
// send. Control frames of the neighbor stage go before data, and are not paced.
#pragma once

#include <array>

#include "dataplane/capture_tap.h"
#include "dataplane/link.h"
#include "dataplane/packet.h"
#include "dataplane/stage.h"
#include "endpoint/transmit_core.h"
#include "rate_control/pacer.h"

namespace lambdacast::dataplane {

class RateControlStage final : public Stage {
 public:
  RateControlStage(const endpoint::TransmitConfig& config, rate_control::PacerConfig pacer,
                   uint16_t port, uint32_t burst, Link& publications)
      : core_(config), pacer_(pacer), port_(port), burst_(burst), publications_(publications) {}
  ~RateControlStage() override;

  // Before it runs: frames to send as they are, ahead of the publications.
  void set_control(Link* control) { control_ = control; }

  [[nodiscard]] const char* name() const override { return "rate_control"; }
  uint32_t poll(uint64_t now_ns) override;

  // On the stage's lcore: what the port takes from now on is shown to `tap`; null: to none.
  void set_tap(CaptureTap* tap) { tap_ = tap; }

  [[nodiscard]] const endpoint::TransmitCore& core() const { return core_; }
  [[nodiscard]] uint64_t packets() const { return packets_; }
  [[nodiscard]] uint64_t messages() const { return messages_; }  // a fragmented one: its first part
  [[nodiscard]] uint64_t application_bytes() const { return application_bytes_; }
  // Nothing of control waits to be sent.
  [[nodiscard]] bool control_idle() const {
    return control_ == nullptr || (control_frame_ == nullptr && control_->empty());
  }
  [[nodiscard]] uint64_t control_packets() const { return control_packets_; }
  // Handed to the port so far are packets() less these: numbered, and not yet taken by it.
  [[nodiscard]] uint32_t pending() const { return pending_end_ - pending_begin_; }

 private:
  void take(uint32_t count, uint64_t now_ns);
  [[nodiscard]] uint32_t send_control();
  [[nodiscard]] uint16_t offer(rte_mbuf** frames, uint16_t count);

  endpoint::TransmitCore core_;
  rate_control::Pacer pacer_;
  uint16_t port_;
  uint32_t burst_;
  Link& publications_;
  Link* control_ = nullptr;
  rte_mbuf* control_frame_ = nullptr;  // that the port did not take yet
  uint64_t control_packets_ = 0;
  CaptureTap* tap_ = nullptr;
  uint64_t packets_ = 0;
  uint64_t messages_ = 0;
  uint64_t application_bytes_ = 0;
  // A frame that has its number must go out: what the port did not take waits here.
  uint32_t pending_begin_ = 0;
  uint32_t pending_end_ = 0;
  std::array<rte_mbuf*, kMaxBurst> pending_{};
};

}  // namespace lambdacast::dataplane
