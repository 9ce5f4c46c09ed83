// One endpoint, all four stages in one piece: what the simulator runs, and the reference for how
// the data path joins the same parts with rings. Each stage counts what it received, what it
// forwarded and what it dropped by reason, so that received = forwarded + drops at every stage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counters/drop_reason.h"
#include "endpoint/identity.h"
#include "endpoint/packet_info.h"
#include "endpoint/receive_core.h"
#include "endpoint/transmit_core.h"
#include "ordering/ordering_core.h"
#include "rate_control/pacer.h"
#include "reliability/reliability_core.h"

namespace lambdacast::endpoint {

struct EndpointConfig {
  EndpointIdentity identity;  // validated
  size_t max_peers = 64;
  size_t max_groups = 1024;
  bool subscribe_all = false;
  wire::IcrcMode icrc = wire::IcrcMode::kFull;
  uint64_t first_frame_seq = 0;
  rate_control::PacerConfig pacer;  // packets a second and packets at once
};

// Of one stage. One writer; see counters::DropCounters.
struct StageCounters {
  uint64_t received = 0;
  uint64_t forwarded = 0;
  counters::DropCounters drops;

  // Counts one packet that came in with its outcome, which it returns.
  counters::DropReason count(counters::DropReason outcome) {
    ++received;
    if (outcome == counters::DropReason::kNone) [[likely]] {
      ++forwarded;
    } else {
      drops.add(outcome);
    }
    return outcome;
  }
};

struct EndpointCounters {
  StageCounters receive;
  StageCounters reliability;
  StageCounters ordering;
  uint64_t transmitted_packets = 0;  // rate_control: prepared for the port
  uint64_t transmitted_bytes = 0;    // application bytes
  uint64_t refused_too_long = 0;     // publications over max_message_bytes()
};

class EndpointCore {
 public:
  explicit EndpointCore(const EndpointConfig& config);

  // A frame from the port through receive, reliability and ordering. kNone: deliver the
  // `out.payload_bytes` at frame + out.payload_offset to the application, in this order.
  [[nodiscard]] counters::DropReason receive(const uint8_t* frame, size_t bytes, uint64_t now_ns,
                                             PacketInfo& out);

  // Packets that rate control lets go now; next_deadline_ns() says when there will be one.
  [[nodiscard]] uint64_t allowance(uint64_t now_ns) { return pacer_.allowance(now_ns); }
  [[nodiscard]] uint64_t next_deadline_ns() const { return pacer_.next_deadline_ns(); }

  // As TransmitCore::prepare, and pays for the packet. The caller has asked allowance().
  [[nodiscard]] size_t prepare(uint8_t* frame, size_t application_bytes, uint32_t group,
                               wire::Qos qos, uint64_t now_ns);

  [[nodiscard]] const EndpointCounters& counters() const { return counters_; }
  [[nodiscard]] ReceiveCore& receive_core() { return receive_; }
  [[nodiscard]] const ReceiveCore& receive_core() const { return receive_; }
  [[nodiscard]] reliability::ReliabilityCore& reliability_core() { return reliability_; }
  [[nodiscard]] const reliability::ReliabilityCore& reliability_core() const {
    return reliability_;
  }
  [[nodiscard]] ordering::OrderingCore& ordering_core() { return ordering_; }
  [[nodiscard]] const ordering::OrderingCore& ordering_core() const { return ordering_; }
  [[nodiscard]] const TransmitCore& transmit_core() const { return transmit_; }

 private:
  ReceiveCore receive_;
  reliability::ReliabilityCore reliability_;
  ordering::OrderingCore ordering_;
  rate_control::Pacer pacer_;
  TransmitCore transmit_;
  EndpointCounters counters_;
};

}  // namespace lambdacast::endpoint
