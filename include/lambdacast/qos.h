// SPDX-License-Identifier: BSD-3-Clause
// Levels of service. Plain C++: applications include it without the rest of the tree.
#pragma once

#include <cstdint>

namespace lambdacast {

// RMP 1996, section 2: a publisher chooses the service for each message. Each level includes those
// above it in this list, except that kUnreliable promises nothing. The values are those of the
// transport header.
enum class Qos : uint8_t {
  kUnreliable,       // delivered at most once, loss not repaired
  kReliable,         // exactly once, in any order
  kSourceOrdered,    // exactly once, in the sender's order
  kTotallyOrdered,   // the same order at all members
  kKResilient,       // and more than K members hold it
  kMajority,         // and a majority holds it
  kTotallyResilient  // and every member of the view holds it
};
inline constexpr uint8_t kQosLevels = 7;

}  // namespace lambdacast
