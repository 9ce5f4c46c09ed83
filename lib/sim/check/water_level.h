// SPDX-License-Identifier: BSD-3-Clause
// The shares of a view by a method of the checkers' own: the level that all senders reach together
// is found by trying levels, and no quotient is computed.
#pragma once

#include <cstdint>
#include <vector>

namespace lambdacast::sim {

struct Sharing {
  std::vector<uint64_t> cap;   // by member: what it may send at most, bit/s
  std::vector<uint64_t> room;  // by member: what it takes of all others together; ~0: no limit
};

// By member: the max-min fair shares where each hears all others, in whole bits a second.
[[nodiscard]] std::vector<uint64_t> water_levels(const Sharing& sharing);

}  // namespace lambdacast::sim
