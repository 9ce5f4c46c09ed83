// SPDX-License-Identifier: BSD-3-Clause
// Levels of service, in plain C++, which applications include without the rest of the tree.
#pragma once

#include <cstdint>

namespace lambdacast {

// A publisher chooses the level of service for each message (RMP 1996, section 2). Each level
// promises what the levels above it in this list promise, and more. The values are those of the
// transport header.
enum class Qos : uint8_t {
  kUnreliable,       // it is delivered at most once, and its loss is not repaired
  kReliable,         // it is delivered exactly once, in any order
  kSourceOrdered,    // it is delivered exactly once, in its sender's order
  kTotallyOrdered,   // all members deliver in the same order
  kKResilient,       // more than K members hold it when it is delivered
  kMajority,         // a majority of the view holds it when it is delivered
  kTotallyResilient  // every member of the view holds it when it is delivered
};
inline constexpr uint8_t kQosLevels = 7;

}  // namespace lambdacast
