// SPDX-License-Identifier: BSD-3-Clause
// FastCast's measurements (FastCast 2013, section 4) in virtual time: nodes around a switch that
// broadcast messages of one size, as many as they can or so many a second, and what comes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/engine/lines.h"

namespace lambdacast::sim::rivals {

struct LoadRun {
  uint32_t nodes = 8;
  uint32_t message_bytes = 10'000;
  uint64_t line_bps = 942'000'000;  // of each node, either way
  uint64_t latency_ns = 20'000;     // one way
  uint32_t path_mtu = 4'096;        // of ours; the rivals' packets are as long
  // Application bits a second of all senders together; 0: each has always more to send.
  uint64_t load_bps = 0;
  uint32_t senders = 0;  // 0: all nodes; else so many, the last ones
  uint64_t warm_up_ns = 50'000'000;
  uint64_t measure_ns = 200'000'000;
};

struct LoadFigures {
  double delivered_bps = 0;  // application bits at a node, the mean of all, its own included
  // From a message's broadcast to its delivery at its sender.
  double response_ns = 0;  // the mean
  uint64_t response_p99_ns = 0;
  uint64_t published = 0;
  uint64_t delivered = 0;  // of these at their senders
  bool one_order = false;  // everywhere

  // Does it deliver what it is given, but for what is on its way at the end?
  [[nodiscard]] bool keeps_up() const {
    return one_order && static_cast<double>(delivered) >= 0.98 * static_cast<double>(published);
  }
};

// Bytes of a packet beside what an application gives: Ethernet, IPv4, UDP, BTH, DETH, the transport
// header and that of a fragment, ICRC.
inline constexpr uint64_t kHeaderBytes = 14 + 20 + 8 + 12 + 8 + 56 + 4;
// A message with the headers of its packets.
[[nodiscard]] constexpr uint64_t wire_bytes(const LoadRun& run) {
  const uint64_t room = run.path_mtu - 56;
  return run.message_bytes + (run.message_bytes + room - 1) / room * kHeaderBytes;
}
inline constexpr uint64_t kControlBytes = kHeaderBytes;

// N / (N - 1) of a line: what each of N nodes delivers at most if all send.
[[nodiscard]] constexpr double optimum_bps(const LoadRun& run) {
  return static_cast<double>(run.line_bps) * run.nodes / (run.nodes - 1);
}
[[nodiscard]] constexpr bool sends(const LoadRun& run, uint32_t node) {
  return run.senders == 0 || node + run.senders >= run.nodes;
}
// Between two messages of a sender; 0: as many as it can.
[[nodiscard]] constexpr uint64_t period_ns(const LoadRun& run) {
  const uint32_t senders = run.senders == 0 ? run.nodes : run.senders;
  return run.load_bps == 0
             ? 0
             : Lines::duration_ns(uint64_t{run.message_bytes} * senders, run.load_bps);
}

// Collects what becomes of messages, numbered by their senders.
class LoadLedger {
 public:
  explicit LoadLedger(const LoadRun& run);
  void published(uint32_t sender, uint64_t now_ns) { began_ns_[sender].push_back(now_ns); }
  void delivered(uint32_t node, uint32_t sender, uint32_t number, uint64_t now_ns);
  // `end_ns` is the end of the run: what was published a tenth of the measurement before counts.
  [[nodiscard]] LoadFigures figures(uint64_t begin_ns) const;

 private:
  struct Delivery {
    uint32_t sender = 0;
    uint32_t number = 0;
    uint64_t at_ns = 0;
  };
  const LoadRun run_;
  std::vector<std::vector<uint64_t>> began_ns_;    // by sender and number
  std::vector<std::vector<Delivery>> deliveries_;  // by node, in its order
};

[[nodiscard]] LoadFigures measure_lcr(const LoadRun& run);
[[nodiscard]] LoadFigures measure_ring_paxos(const LoadRun& run);

}  // namespace lambdacast::sim::rivals
