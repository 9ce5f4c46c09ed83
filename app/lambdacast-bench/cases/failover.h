// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench failover`: nodes of a view publish totally resilient messages; then one or two
// of them are polled no more, as if their hosts had died. How long is it to the first delivery in
// the next view at every survivor, and has any of them lost anything? With --kill each node is a
// process, and those who stop are killed: the fabric tells the others, and in every other run it
// does not, so that silence has to. With --lock the first node that stops holds a lock that all
// others wait for: how long until the next one has it?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../command_line.h"
#include "../harness/figures.h"
#include "../harness/rack_plan.h"

namespace lambdacast::bench {

enum class Victims : uint8_t {
  kSequencer,  // of the benchmark's group, which a ring has not
  kMember,     // another one
  kTwo         // the sequencer and another one, at once: neighbours in a ring
};
[[nodiscard]] const char* name(Victims victims);

struct FailoverOptions {
  ViewPlan rack = {.suspect_after_us = 20'000};
  Victims victims = Victims::kSequencer;
  uint32_t runs = 20;
  uint64_t rate = 2'000;                                 // messages a second of each node
  bool lock = false;                                     // the first who stops holds one
  bool kill = false;                                     // each node is a process, and is killed
  config::IdlePolicy idle = config::IdlePolicy::kSleep;  // with `kill`
  uint32_t payload_bytes = 64;
  Output output;
};
void add_options(CLI::App& command, FailoverOptions& options);
[[nodiscard]] std::string check(const FailoverOptions& options);
[[nodiscard]] uint32_t sequencer_of(const FailoverOptions& options);
// One node survives in every run: with it half of a view goes on.
[[nodiscard]] Planned rack_of(const FailoverOptions& options);

struct FailoverReport {
  // Of each run: from when polling stopped to the first delivery in the new view at the last of the
  // survivors to have one.
  std::vector<uint64_t> standstill_ns;
  std::vector<uint64_t> view_ns;  // until the last of them was told of that view
  // With --kill: of the runs in which the fabric told nobody.
  std::vector<uint64_t> untold_ns;
  // With --lock: until its next holder was told that it has it, of the runs of standstill_ns.
  std::vector<uint64_t> lock_ns;
  uint64_t runs = 0;
  uint64_t measured = 0;
  // Of the runs: a view ended before any node was stopped, or without a survivor. Timers too short
  // for this machine: nothing is measured.
  uint64_t disturbed = 0;
  uint64_t stuck = 0;         // no new view, or no delivery in it, within the patience
  uint64_t published = 0;     // by survivors
  uint64_t missing = 0;       // deliveries of these at survivors
  uint64_t wrong = 0;         // content
  uint64_t out_of_order = 0;  // of their sender
  uint64_t gaps = 0;          // packets declared lost at survivors
  uint64_t different = 0;     // runs in which survivors delivered in different orders

  [[nodiscard]] bool sound() const {
    return measured != 0 && stuck + missing + wrong + out_of_order + gaps + different == 0;
  }
  // The least that so large a share of the runs does not exceed; exact, for a millisecond matters
  // beside a suspicion of many. 0: nothing was measured.
  [[nodiscard]] static uint64_t value_at(std::vector<uint64_t> samples, double share);
  [[nodiscard]] uint64_t standstill_at(double share) const {
    return value_at(standstill_ns, share);
  }
  // The median beyond the time of suspicion.
  [[nodiscard]] int64_t suspect_plus_ns(const FailoverOptions& options) const {
    return static_cast<int64_t>(standstill_at(0.5)) - int64_t{options.rack.suspect_after_us} * 1000;
  }
};
[[nodiscard]] Readings readings_of(const FailoverReport& report, const FailoverOptions& options);

// The nodes that stop, the sequencer first; with a lock the first is its holder.
[[nodiscard]] std::vector<uint32_t> victims_of(const FailoverOptions& options);

// With --kill (failover_kill.cc).
[[nodiscard]] int run_kill(const app::CommandLine& line, const FailoverOptions& options);

[[nodiscard]] int run(const app::CommandLine& line, const FailoverOptions& options);

}  // namespace lambdacast::bench
