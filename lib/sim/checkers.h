// Whether a run was right (design: protocol-decisions, "Checkers"). The checkers know the scenario
// and the log, and share no code with what they check. Each returns one sentence per violation;
// none: it holds. At most a few of a kind are told.
#pragma once

#include <string>
#include <vector>

#include "sim/log.h"
#include "sim/scenario.h"

namespace lambdacast::sim {

using Violations = std::vector<std::string>;

// Every transmission has the next frame_seq of its life; a recoverable message goes out under its
// own rel_seq, first in order, later as repairs; an unreliable one once, under the last rel_seq
// before it.
[[nodiscard]] Violations check_numbering(const Scenario& scenario, const Log& log);

// A message is delivered at most once by each life, only if it was published, unchanged, under its
// sender's name, group, level of service and position, to subscribers only and not to its sender.
[[nodiscard]] Violations check_integrity(const Scenario& scenario, const Log& log);

// When a source-ordered message is delivered, all source-ordered ones of its sender and group
// before it were delivered, or declared lost; and no recoverable message of an earlier life comes
// after one of a later life.
[[nodiscard]] Violations check_source(const Scenario& scenario, const Log& log);

// From the position at which its sender admitted a receiver every recoverable message of a group it
// subscribes to ends there as exactly one of delivered and declared lost (unless one of the two
// died, or the receiver was cut off for good); admissions follow the late-join policy; whatever is
// said of a loss or an eviction is true.
[[nodiscard]] Violations check_ended(const Scenario& scenario, const Log& log);

// Memory stays within what is configured and is given back; while data waits repairs have their
// share of the frames; few repairs are of use to nobody (how many there may be: repair_run.h).
[[nodiscard]] Violations check_bounds(const Scenario& scenario, const Log& log);

// A receiver that lacks a packet for longer than evict_lag is cut off by a sender that evicts.
[[nodiscard]] Violations check_slow(const Scenario& scenario, const Log& log);

// After the faults have ended: who is alive is admitted by all others, gets their last messages,
// and has all of its own stable.
[[nodiscard]] Violations check_liveness(const Scenario& scenario, const Log& log);

// What each endpoint counts of each peer's frames is what the log says.
[[nodiscard]] Violations check_frames(const Scenario& scenario, const Log& log);

// All of the above.
[[nodiscard]] Violations check_all(const Scenario& scenario, const Log& log);

}  // namespace lambdacast::sim
