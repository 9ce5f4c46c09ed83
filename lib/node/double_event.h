// SPDX-License-Identifier: BSD-3-Clause
// Two endpoints that live at a time and have one address and queue pair.
#pragma once

#include <cstdint>

#include "wire/roce/gid.h"

namespace lambdacast::node {

struct DoubleEvent {
  wire::Gid gid;
  uint32_t one = 0;    // incarnation; with `own` that of the endpoint that tells
  uint32_t other = 0;  // incarnation
  bool own = false;    // it is this endpoint's own address
  bool lost = false;   // and this endpoint has fallen silent for it
};

}  // namespace lambdacast::node
