#include "node/endpoint_core.h"

namespace lambdacast::node {

using counters::DropReason;

EndpointCore::EndpointCore(const EndpointConfig& config)
    : receive_({config.identity, config.max_peers, config.icrc}),
      reliability_({receive_.peers().max_peers()}),
      delivery_(config.delivery),
      pacer_(config.pacer),
      transmit_({.identity = config.identity,
                 .first_frame_seq = config.first_frame_seq,
                 .icrc = config.icrc}) {}

DropReason EndpointCore::receive(const uint8_t* frame, size_t bytes, uint64_t now_ns,
                                 PacketInfo& out) {
  DropReason outcome = counters_.receive.count(receive_.receive(frame, bytes, now_ns, out));
  if (outcome != DropReason::kNone) return outcome;
  outcome = counters_.reliability.count(reliability_.accept(out));
  if (outcome != DropReason::kNone) return outcome;
  return delivery_.accept(out, frame, now_ns).reason;
}

size_t EndpointCore::prepare(uint8_t* frame, size_t application_bytes, uint32_t group,
                             wire::Qos qos, uint64_t now_ns) {
  const size_t bytes = transmit_.prepare(frame, application_bytes, group, qos, now_ns);
  if (bytes == FrameBuilder::kRefused) {
    ++counters_.refused_too_long;
    return bytes;
  }
  account(application_bytes);
  return bytes;
}

size_t EndpointCore::prepare(uint8_t* frame, const PacketInfo& info, uint64_t now_ns) {
  account(application_bytes(info));
  const size_t frame_bytes = transmit_.lay(frame, info, now_ns);
  transmit_.seal(frame, frame_bytes);
  return frame_bytes;
}

void EndpointCore::account(uint64_t application_bytes) {
  pacer_.spend(1);
  ++counters_.transmitted_packets;
  counters_.transmitted_bytes += application_bytes;
}

EndpointCounters EndpointCore::counters() const {
  EndpointCounters counters = counters_;
  counters.ordering = delivery_.counters();
  return counters;
}

}  // namespace lambdacast::node
