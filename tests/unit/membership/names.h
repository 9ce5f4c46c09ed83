// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "membership/ballot.h"

namespace lambdacast::membership {

[[nodiscard]] inline wire::StreamName named(uint8_t number, uint32_t incarnation = 1) {
  wire::StreamName name;
  name.gid.bytes[15] = number;
  name.qpn = 0x100;
  name.incarnation = incarnation;
  return name;
}

}  // namespace lambdacast::membership
