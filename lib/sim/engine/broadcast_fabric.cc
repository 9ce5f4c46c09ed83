// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/broadcast_fabric.h"

#include <algorithm>
#include <utility>

namespace lambdacast::sim {

BroadcastFabric::BroadcastFabric(FabricConfig config, uint64_t seed)
    : config_(std::move(config)),
      random_(seed),
      lines_(config_.receivers.size(), config_.lines),
      in_burst_(config_.receivers.size()),
      last_ns_(config_.receivers.size() * config_.receivers.size()) {}

void BroadcastFabric::transmit(size_t sender, const FrameBytes& frame, uint64_t now_ns,
                               const Sink& sink) {
  if (now_ns < config_.faults_end_ns && happens(config_.transmitter_loss)) {
    sink.lost_at_transmitter();
    return;
  }
  const uint64_t left_ns = lines_.transmit(sender, frame->size(), now_ns);
  for (size_t receiver = 0; receiver < config_.receivers.size(); ++receiver) {
    if (receiver == sender && !config_.echo) continue;
    transmit_to(sender, receiver, frame, left_ns, sink);
  }
}

void BroadcastFabric::transmit_to(size_t sender, size_t receiver, const FrameBytes& frame,
                                  uint64_t now_ns, const Sink& sink) {
  const ReceiverFaults& faults = config_.receivers[receiver];
  const bool faulty = now_ns < config_.faults_end_ns;
  if (parted(sender, receiver, now_ns) ||
      (faulty && (happens(faults.loss) || burst_takes(receiver)))) {
    sink.lost_at_receiver(receiver);
    return;
  }
  uint64_t at_ns = now_ns + config_.latency_ns;
  if (config_.jitter_ns != 0) at_ns += random_.below(config_.jitter_ns + 1);
  uint64_t& last_ns = last_ns_[sender * config_.receivers.size() + receiver];
  at_ns = last_ns = std::max(at_ns, last_ns);
  if (faulty && happens(faults.delay)) at_ns += random_.below(faults.max_delay_ns + 1);
  sink.arrives(make_copy(receiver, frame, at_ns, faulty));
  if (faulty && happens(faults.duplication)) {
    const uint64_t later_ns = 1 + random_.below(std::max<uint64_t>(faults.max_delay_ns, 1));
    sink.arrives(make_copy(receiver, frame, at_ns + later_ns, faulty));
  }
}

// Gilbert's two states: in a burst everything is lost. The chances of entering and leaving it
// follow from the mean length of a burst and the share of copies lost.
bool BroadcastFabric::burst_takes(size_t receiver) {
  const ReceiverFaults& faults = config_.receivers[receiver];
  if (faults.burst_loss <= 0) return false;
  const double leave = 1 / std::max(faults.burst_packets, 1.0);
  const double enter = leave * faults.burst_loss / (1 - faults.burst_loss);
  in_burst_[receiver] = in_burst_[receiver] ? !happens(leave) : happens(enter);
  return in_burst_[receiver];
}

bool BroadcastFabric::parted(size_t sender, size_t receiver, uint64_t now_ns) const {
  return std::any_of(config_.partitions.begin(), config_.partitions.end(), [&](const Partition& p) {
    return p.from == sender && p.to == receiver && now_ns >= p.begin_ns && now_ns < p.end_ns;
  });
}

FrameCopy BroadcastFabric::make_copy(size_t receiver, const FrameBytes& frame, uint64_t at_ns,
                                     bool faulty) {
  FrameCopy copy{receiver, at_ns, faulty && happens(config_.receivers[receiver].corruption), frame};
  if (copy.corrupted) {
    std::vector<uint8_t> damaged = *frame;
    const uint64_t first_bit = random_.below(damaged.size() * 8);
    const uint64_t flips = 1 + random_.below(3);
    for (uint64_t i = 0; i < flips; ++i) {  // distinct bits, so that none flips back
      const uint64_t bit = (first_bit + i * 13) % (damaged.size() * 8);
      damaged[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    }
    copy.bytes = std::make_shared<const std::vector<uint8_t>>(std::move(damaged));
  }
  return copy;
}

}  // namespace lambdacast::sim
