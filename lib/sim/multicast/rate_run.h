// SPDX-License-Identifier: BSD-3-Clause
// Measures the agreement on rates where nothing else counts: links of one latency, nothing lost,
// all nodes members of one view, receivers alike (FastCast 2013, Tables 1 to 3 and Figure 5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::sim {

// --- how long a higher need takes to be granted --------------------------------------------------

// One member after the other needs more than before, of a receiver that is full: the others have
// to send less first.
struct RaiseRun {
  size_t nodes = 4;     // 3 .. wire::kMaxMembers
  bool loaded = false;  // all send at nine tenths of their shares; or nobody sends
  uint64_t capacity_bps = 10'000'000'000;  // of each receiver
  uint64_t latency_ns = 5'000;             // one way
  uint64_t ack_ns = 5'000;                 // the least time between two acknowledgements
  uint32_t window_pkts = 4'096;            // of each stream, at every receiver
  uint64_t raises = 16;
  uint64_t seed = 1;
};

struct RaiseFigures {
  uint64_t asked = 0;
  uint64_t granted = 0;
  bool one_view = false;
  uint64_t windows_closed = 0;  // times that a receiver's window held a sender's data back
  // From the need to the share that it brings.
  uint64_t p50_ns = 0;
  uint64_t max_ns = 0;

  // Behind a closed window announcements and marks wait for statuses, whatever the rates are.
  [[nodiscard]] bool sound() const {
    return one_view && granted == asked && asked != 0 && windows_closed == 0;
  }
};
// The announcement, its mark and the acknowledgements go one way each. The mark may wait for the
// sequencer's time to acknowledge, and the last acknowledgement for its sender's.
[[nodiscard]] constexpr uint64_t raise_bound_ns(const RaiseRun& run) {
  return 3 * run.latency_ns + 2 * run.ack_ns + 1'000;
}

[[nodiscard]] RaiseFigures measure_raises(const RaiseRun& run,
                                          const EndpointFactory& factory = make_shipped_endpoint);

// --- what four members send while their needs change ---------------------------------------------

inline constexpr size_t kFigureNodes = 4;
inline constexpr size_t kPlateaus = 5;
using FigureRates = std::array<double, kFigureNodes>;  // by node

// FastCast's Figure 5, in parts of a receiver's room. All send as much as they may.
[[nodiscard]] FigureRates figure_needs(size_t plateau);
[[nodiscard]] FigureRates figure_optimum(size_t plateau);  // max-min fair shares
// 1: all get the same part of what they should; 1 / nodes: one gets all (Jain 1984).
[[nodiscard]] double jain_index(const FigureRates& parts);

struct FigureRun {
  uint64_t capacity_bps = 1'000'000'000;
  uint64_t plateau_ns = 200'000'000;
  uint64_t latency_ns = 5'000;
  uint64_t ack_ns = 50'000;
  uint64_t burst_ns = 10'000;
  uint64_t buffer_bytes = 256 << 10;  // in front of each receiver
  uint32_t message_bytes = 4'048;
  uint64_t seed = 1;
};

struct FigureFigures {
  bool one_view = false;
  // Messages' bytes on the wire from twenty round trips after each change on, relative to the
  // optimum.
  std::array<FigureRates, kPlateaus> parts{};
  uint64_t most_waiting_bytes = 0;  // in front of a receiver that is served at its capacity
  uint64_t dropped = 0;             // frames that find its buffer full
  uint64_t repairs = 0;
  std::vector<uint64_t> raise_ns;  // from a higher need to 99 % of the share it brings

  [[nodiscard]] double least_part() const;
  [[nodiscard]] double most_part() const;
  [[nodiscard]] double least_jain() const;
};

[[nodiscard]] FigureFigures measure_figure(const FigureRun& run,
                                           const EndpointFactory& factory = make_shipped_endpoint);

}  // namespace lambdacast::sim
