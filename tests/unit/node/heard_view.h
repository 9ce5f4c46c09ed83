// SPDX-License-Identifier: BSD-3-Clause
// A view event as a test keeps it, with members of its own.
#pragma once

#include <vector>

#include "node/view_event.h"

namespace lambdacast::node {

struct HeardView {
  explicit HeardView(const ViewEvent& event)
      : what(event.what),
        id(event.id),
        members(event.members.begin(), event.members.end()),
        stayed(event.stayed) {}
  ViewEvent::What what;
  wire::ViewId id;
  std::vector<wire::StreamName> members;
  size_t stayed;
};

}  // namespace lambdacast::node
