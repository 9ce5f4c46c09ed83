// One endpoint, all four stages in one piece: what the simulator runs, and the reference for how
// the data path joins the same parts with rings. Each stage counts what it received, what it
// forwarded and what it dropped by reason, so that received = forwarded + drops at every stage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counters/drop_reason.h"
#include "node/delivery_filter.h"
#include "node/frame_builder.h"
#include "node/frame_classifier.h"
#include "node/identity.h"
#include "node/packet_info.h"
#include "node/stage_counters.h"
#include "rate_control/pacer.h"
#include "reliability/frame_account.h"

namespace lambdacast::node {

struct EndpointConfig {
  EndpointIdentity identity;  // validated
  size_t max_peers = 64;
  DeliveryFilterConfig delivery;
  wire::IcrcMode icrc = wire::IcrcMode::kFull;
  uint64_t first_frame_seq = 0;
  rate_control::PacerConfig pacer;  // packets a second and packets at once
};

struct EndpointCounters {
  StageCounters receive;
  StageCounters reliability;
  StageCounters ordering;            // received = forwarded + drops + held by reassembly
  uint64_t transmitted_packets = 0;  // rate_control: prepared for the port
  uint64_t transmitted_bytes = 0;    // application bytes
  uint64_t refused_too_long = 0;     // publications over room_bytes()
};

class EndpointCore {
 public:
  explicit EndpointCore(const EndpointConfig& config);

  // A frame from the port through receive, reliability and ordering. kNone: deliver the
  // `out.payload_bytes` at frame + out.payload_offset to the application, in this order. Except for
  // fragments: out.message is null, and nothing is to be delivered yet, or all the message, which
  // is valid until release(out.reassembly).
  [[nodiscard]] counters::DropReason receive(const uint8_t* frame, size_t bytes, uint64_t now_ns,
                                             PacketInfo& out);

  void release(uint16_t reassembly) { delivery_.release(reassembly); }
  // Gives up on fragments in time. To be called now and then.
  void expire(uint64_t now_ns) { delivery_.expire(now_ns); }

  // Packets that rate control lets go now; next_deadline_ns() says when there will be one.
  [[nodiscard]] uint64_t allowance(uint64_t now_ns) { return pacer_.allowance(now_ns); }
  [[nodiscard]] uint64_t next_deadline_ns() const { return pacer_.next_deadline_ns(); }

  // As FrameBuilder::prepare and its halves, and pays for the packet. The caller has asked
  // allowance().
  [[nodiscard]] size_t prepare(uint8_t* frame, size_t application_bytes, uint32_t group,
                               wire::Qos qos, uint64_t now_ns);
  [[nodiscard]] size_t prepare(uint8_t* frame, const PacketInfo& info, uint64_t now_ns);

  [[nodiscard]] EndpointCounters counters() const;
  [[nodiscard]] FrameClassifier& frame_classifier() { return receive_; }
  [[nodiscard]] const FrameClassifier& frame_classifier() const { return receive_; }
  [[nodiscard]] reliability::FrameAccount& frame_account() { return reliability_; }
  [[nodiscard]] const reliability::FrameAccount& frame_account() const { return reliability_; }
  [[nodiscard]] DeliveryFilter& delivery_filter() { return delivery_; }
  [[nodiscard]] const DeliveryFilter& delivery_filter() const { return delivery_; }
  [[nodiscard]] ordering::Subscriptions& subscriptions() { return delivery_.subscriptions(); }
  [[nodiscard]] const FrameBuilder& frame_builder() const { return transmit_; }

 private:
  void account(uint64_t application_bytes);

  FrameClassifier receive_;
  reliability::FrameAccount reliability_;
  DeliveryFilter delivery_;
  rate_control::Pacer pacer_;
  FrameBuilder transmit_;
  EndpointCounters counters_;  // ordering's are in delivery_
};

}  // namespace lambdacast::node
