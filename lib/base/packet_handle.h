// SPDX-License-Identifier: BSD-3-Clause
// A packet as the cores know it: something of the caller's that they keep and give back unread. The
// data path's is the address of an mbuf, the simulator's the number of a buffer.
#pragma once

#include <cstdint>

namespace lambdacast::base {

enum class PacketHandle : uintptr_t { kNone = 0 };

}  // namespace lambdacast::base
