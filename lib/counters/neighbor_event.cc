// SPDX-License-Identifier: BSD-3-Clause
#include "counters/neighbor_event.h"

#include "counters/snake_case.h"

namespace lambdacast::counters {
namespace {

constexpr std::array<Key, kNeighborEvents> kKeys{
#define LAMBDACAST_NEIGHBOR_EVENT(name, help) snake_case(#name),
#include "counters/neighbor_event.def"
#undef LAMBDACAST_NEIGHBOR_EVENT
};

constexpr std::array<const char*, kNeighborEvents> kHelp{
#define LAMBDACAST_NEIGHBOR_EVENT(name, help) help,
#include "counters/neighbor_event.def"
#undef LAMBDACAST_NEIGHBOR_EVENT
};

}  // namespace

const char* name(NeighborEvent event) {
  const auto index = static_cast<size_t>(event);
  return index < kNeighborEvents ? kKeys[index].data() : "invalid";
}

const char* help(NeighborEvent event) {
  const auto index = static_cast<size_t>(event);
  return index < kNeighborEvents ? kHelp[index] : "Not a neighbor event.";
}

}  // namespace lambdacast::counters
