// SPDX-License-Identifier: BSD-3-Clause
// The place of an event of a group in its order.
#pragma once

#include <cstdint>

#include "wire/control/group_message.h"

namespace lambdacast::group {

// A message, or with wire::kViewIndex the beginning of a view of the nodes.
struct EventId {
  uint64_t epoch = 0;  // of the node view
  uint64_t index = wire::kViewIndex;
  bool operator==(const EventId&) const = default;
};

}  // namespace lambdacast::group
