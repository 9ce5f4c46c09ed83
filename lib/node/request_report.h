// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "group/calls.h"
#include "group/forwards.h"
#include "group/outside_calls.h"
#include "group/requests.h"

namespace lambdacast::node {

// The calls of a node that are under way, and what it does for the calls of others. A node outside
// the view calls only.
struct RequestReport {
  size_t under_way = 0;
  group::CallCounters calls;
  group::OutsideCounters outside;  // of calls from outside the view
  size_t tickets = 0;              // requests that wait for its answer
  group::RequestCounters requests;
  size_t forwards = 0;  // requests of others, on their way into the order
  group::ForwardCounters forwarded;
};

}  // namespace lambdacast::node
