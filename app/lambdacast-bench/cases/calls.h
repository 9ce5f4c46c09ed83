// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench calls`: how long locks and calls take, beside a message of the same level in
// the same round, and how many calls are answered in a second (RMP 1996, 5).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../../command_line.h"
#include "../harness/figures.h"
#include "../harness/rack_plan.h"

namespace lambdacast::bench {

inline constexpr const char* kCallsGroup = "bench.calls";
inline constexpr uint64_t kPacedPerSecond = 10'000;

struct CallsOptions {
  ViewPlan rack;
  bool outside = true;       // one more endpoint, outside the view, calls too
  uint32_t rounds = 9;       // each measures everything in turn
  uint32_t under_way = 64;   // calls at a time, where they are counted
  uint32_t answer_mib = 16;  // of a long answer; 0: none is measured
  double seconds = 0.2;      // of each measurement
  double warm_up = 0.02;     // before it
  Output output;
};

void add_options(CLI::App& command, CallsOptions& options);
[[nodiscard]] std::string check(const CallsOptions& options);
[[nodiscard]] Planned rack_of(const CallsOptions& options);

// The parts that the nodes have: none of them is the sequencer, and the caller is no member.
struct CallsRoles {
  uint32_t holder = 0;
  uint32_t caller = 0;
  uint32_t locker = 0;  // a member that asks for another lock
};
[[nodiscard]] CallsRoles roles_of(const CallsOptions& options);

// Medians of one round.
struct CallsRound {
  uint64_t message_ns = 0;  // at majority, from its publication to its delivery at the holder
  uint64_t hop_ns = 0;      // from an answer to its arrival
  uint64_t inside_ns = 0;   // a call at majority to the holder, by a node of the view
  uint64_t outside_ns = 0;  // the same from outside; 0: not measured
  uint64_t grant_ns = 0;    // of a free lock
  double messages_s = 0;    // at majority, as fast as they are taken
  double calls_s = 0;       // with so many under way
  // The slowest hundredth of majority messages at kPacedPerSecond begins there: without anything
  // else, and while long answers come to their publisher, one at a time.
  uint64_t paced_p99_ns = 0;
  uint64_t amid_p99_ns = 0;
  uint64_t long_ns = 0;  // a call with a long answer

  [[nodiscard]] double call_ratio() const;
  [[nodiscard]] double outside_ratio() const;
  [[nodiscard]] double grant_ratio() const;
  [[nodiscard]] double rate_ratio() const;
  [[nodiscard]] double amid_ratio() const;
  [[nodiscard]] double long_ms() const { return static_cast<double>(long_ns) / 1e6; }
};

// The quartiles of the rounds in which something was measured. Without such a round all are zero.
struct Quartiles {
  double low = 0;
  double middle = 0;
  double high = 0;
};
[[nodiscard]] Quartiles quartiles(std::vector<double> values);

struct CallsReport {
  std::vector<CallsRound> rounds;
  uint64_t ended = 0;     // calls
  uint64_t answered = 0;  // of them
  uint64_t spoiled = 0;   // long answers that were not what the holder gave
  uint64_t views = 0;     // begun, at all members; one each is right

  [[nodiscard]] Quartiles of(double (CallsRound::*ratio)() const) const;
  [[nodiscard]] bool sound(const CallsOptions& options) const;
};
[[nodiscard]] Readings readings_of(const CallsReport& report, const CallsOptions& options);

[[nodiscard]] int run(const app::CommandLine& line, const CallsOptions& options);

}  // namespace lambdacast::bench
