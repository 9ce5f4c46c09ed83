#include "sim/broadcast_fabric.h"

#include <algorithm>
#include <utility>

namespace lambdacast::sim {

BroadcastFabric::BroadcastFabric(FabricConfig config, uint64_t seed)
    : config_(std::move(config)), random_(seed) {}

void BroadcastFabric::transmit(size_t sender, std::span<const uint8_t> frame, uint64_t now_ns,
                               const Sink& sink) {
  if (happens(config_.transmitter_loss)) {
    sink.lost_at_transmitter();
    return;
  }
  for (size_t receiver = 0; receiver < config_.receivers.size(); ++receiver) {
    if (receiver == sender && !config_.echo) continue;
    transmit_to(receiver, frame, now_ns, sink);
  }
}

void BroadcastFabric::transmit_to(size_t receiver, std::span<const uint8_t> frame, uint64_t now_ns,
                                  const Sink& sink) {
  const ReceiverFaults& faults = config_.receivers[receiver];
  if (happens(faults.loss)) {
    sink.lost_at_receiver(receiver);
    return;
  }
  uint64_t at_ns = now_ns + config_.latency_ns;
  if (happens(faults.delay)) at_ns += random_.below(faults.max_delay_ns + 1);
  sink.arrives(make_copy(receiver, frame, at_ns));
  if (happens(faults.duplication)) {
    const uint64_t later_ns = 1 + random_.below(std::max<uint64_t>(faults.max_delay_ns, 1));
    sink.arrives(make_copy(receiver, frame, at_ns + later_ns));
  }
}

FrameCopy BroadcastFabric::make_copy(size_t receiver, std::span<const uint8_t> frame,
                                     uint64_t at_ns) {
  FrameCopy copy{receiver, at_ns, happens(config_.receivers[receiver].corruption),
                 std::vector<uint8_t>(frame.begin(), frame.end())};
  if (copy.corrupted) {
    const uint64_t first_bit = random_.below(frame.size() * 8);
    const uint64_t flips = 1 + random_.below(3);
    for (uint64_t i = 0; i < flips; ++i) {  // distinct bits, so that none flips back
      const uint64_t bit = (first_bit + i * 13) % (frame.size() * 8);
      copy.bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    }
  }
  return copy;
}

}  // namespace lambdacast::sim
