// SPDX-License-Identifier: BSD-3-Clause
// Surroundings drawn from a generator of their own, so that the scenario of a seed stays what it
// is: a placement of the stages on lcores that the configuration allows, the order of turns and
// what delays them, sizes of links and pool, what the port takes, and an application that refuses.
#pragma once

#include <cstdint>

#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

// Makes the surroundings of the scenario's nodes wild, or leaves some of them calm.
void make_wild(Scenario& scenario, uint64_t seed);

}  // namespace lambdacast::sim
