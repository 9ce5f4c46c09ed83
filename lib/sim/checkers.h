// Whether a run was right. The checkers know the log, the scenario and the reports, and share no
// code with what they check (design: protocol-decisions, "Checkers"). Each returns one sentence per
// violation; none: it holds.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario.h"
#include "sim/simulation.h"

namespace lambdacast::sim {

using Violations = std::vector<std::string>;

// A message is delivered at most once by each node, only if it was published, unchanged, under its
// sender's name and group, to subscribers only and not to its own sender.
[[nodiscard]] Violations check_integrity(const Scenario& scenario, const Report& report);

// Every copy has the outcome it should have, and for each sender and receiver: sent = delivered +
// not subscribed + lost by true cause; what the receiver's own tracker says is missing, late,
// duplicate and too old is what the log says, tail included; what a receiver missed beyond the
// transmitter's losses was lost at this receiver.
[[nodiscard]] Violations check_accounting(const Scenario& scenario, const Report& report);

// In every stage: received = forwarded + dropped; each stage receives what the one before
// forwarded; and the sums by reason are those of the log.
[[nodiscard]] Violations check_stages(const Report& report);

// All of the above.
[[nodiscard]] Violations check_all(const Scenario& scenario, const Report& report);

}  // namespace lambdacast::sim
