// A simulated ODBSS: whatever a node sends reaches every other node after the same latency and in
// the order sent, except where a fault is asked for. Losses in front of all receivers alike are the
// transmitter's; all other faults strike one copy at one receiver. All randomness comes from the
// seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/random.h"

namespace lambdacast::sim {

// Probabilities per copy, in [0, 1].
struct ReceiverFaults {
  double loss = 0;
  double duplication = 0;  // a second copy, up to max_delay_ns (at least 1 ns) later
  double corruption = 0;   // one to three bits flipped: CRC-32 finds every such damage
  double delay = 0;        // held back by up to max_delay_ns, so that later frames overtake
  uint64_t max_delay_ns = 0;
};

struct FabricConfig {
  uint64_t latency_ns = 1000;
  double transmitter_loss = 0;            // per frame, in [0, 1]: all receivers miss it
  bool echo = false;                      // a node hears its own frames as well
  std::vector<ReceiverFaults> receivers;  // one per node
};

// One copy at its receiver.
struct FrameCopy {
  size_t receiver = 0;
  uint64_t at_ns = 0;
  bool corrupted = false;
  std::vector<uint8_t> bytes;
};

class BroadcastFabric {
 public:
  struct Sink {
    std::function<void()> lost_at_transmitter;
    std::function<void(size_t receiver)> lost_at_receiver;
    std::function<void(FrameCopy)> arrives;
  };

  BroadcastFabric(FabricConfig config, uint64_t seed);

  // Decides the fate of a frame for every receiver, at once. Receivers in order of number.
  void transmit(size_t sender, std::span<const uint8_t> frame, uint64_t now_ns, const Sink& sink);

 private:
  void transmit_to(size_t receiver, std::span<const uint8_t> frame, uint64_t now_ns,
                   const Sink& sink);
  [[nodiscard]] FrameCopy make_copy(size_t receiver, std::span<const uint8_t> frame,
                                    uint64_t at_ns);
  [[nodiscard]] bool happens(double probability) {
    return base::Chance(probability).hit(random_());
  }

  FabricConfig config_;
  base::SplitMix64 random_;
};

}  // namespace lambdacast::sim
