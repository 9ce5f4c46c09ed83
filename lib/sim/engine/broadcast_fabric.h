// SPDX-License-Identifier: BSD-3-Clause
// A simulated ODBSS: whatever a node sends reaches every other node after the same latency and in
// the order sent, except where a fault is asked for. Losses in front of all receivers alike are the
// transmitter's; all other faults strike one copy at one receiver. All randomness comes from the
// seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "sim/engine/lines.h"
#include "sim/engine/node_clock.h"

namespace lambdacast::sim {

// Probabilities per copy, in [0, 1].
struct ReceiverFaults {
  double loss = 0;
  double burst_loss = 0;     // the share of copies lost in bursts (Gilbert 1960), below 1
  double burst_packets = 1;  // the mean length of a burst, at least 1
  double duplication = 0;    // a second copy, up to max_delay_ns (at least 1 ns) later
  double corruption = 0;     // one to three bits flipped: CRC-32 finds every such damage
  double delay = 0;          // held back by up to max_delay_ns, so that later frames overtake
  uint64_t max_delay_ns = 0;
};

// Nothing of `from` reaches `to` in [begin_ns, end_ns).
struct Partition {
  size_t from = 0;
  size_t to = 0;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

struct FabricConfig {
  uint64_t latency_ns = 1000;
  uint64_t jitter_ns = 0;                 // more latency, up to this; it keeps the order
  LineRates lines;                        // of each node
  double transmitter_loss = 0;            // per frame, in [0, 1]: all receivers miss it
  bool echo = false;                      // a node hears its own frames as well
  uint64_t faults_end_ns = kNever;        // none of the probabilities counts from then on
  std::vector<ReceiverFaults> receivers;  // one per node
  std::vector<Partition> partitions;
};

using FrameBytes = std::shared_ptr<const std::vector<uint8_t>>;

// One copy at its receiver.
struct FrameCopy {
  size_t receiver = 0;
  uint64_t at_ns = 0;
  bool corrupted = false;
  FrameBytes bytes;  // undamaged copies share them
};

class BroadcastFabric {
 public:
  struct Sink {
    std::function<void()> lost_at_transmitter;
    std::function<void(size_t receiver)> lost_at_receiver;
    std::function<void(FrameCopy)> arrives;
  };

  BroadcastFabric(FabricConfig config, uint64_t seed);

  // When the receiver has a frame of which the last bit would come now. Times ascend.
  [[nodiscard]] uint64_t receive(size_t receiver, uint64_t bytes, uint64_t now_ns) {
    return lines_.limit_receivers() ? lines_.receive(receiver, bytes, now_ns) : now_ns;
  }

  // Decides the fate of a frame for every receiver, at once. Receivers in order of number.
  void transmit(size_t sender, const FrameBytes& frame, uint64_t now_ns, const Sink& sink);

 private:
  void transmit_to(size_t sender, size_t receiver, const FrameBytes& frame, uint64_t now_ns,
                   const Sink& sink);
  [[nodiscard]] FrameCopy make_copy(size_t receiver, const FrameBytes& frame, uint64_t at_ns,
                                    bool faulty);
  [[nodiscard]] bool burst_takes(size_t receiver);
  [[nodiscard]] bool parted(size_t sender, size_t receiver, uint64_t now_ns) const;
  [[nodiscard]] bool happens(double probability) {
    return probability > 0 && base::Chance(probability).hit(random_());
  }

  FabricConfig config_;
  base::SplitMix64 random_;
  Lines lines_;
  std::vector<bool> in_burst_;     // by receiver
  std::vector<uint64_t> last_ns_;  // of the ordered copies from a sender to a receiver
};

}  // namespace lambdacast::sim
