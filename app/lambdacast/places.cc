// SPDX-License-Identifier: BSD-3-Clause
#include "places.h"

#include <fmt/format.h>

namespace lambdacast::appliance {
namespace {

std::string shown(const node::PeerName& name) {
  return fmt::format("{} qpn {:#x}", wire::format(name.gid), name.qpn);
}

}  // namespace

std::string sentence(std::string_view endpoint, const node::PlaceEvent& event, uint32_t max_peers) {
  constexpr double kNsPerSecond = 1e9;
  const std::string newcomer = fmt::format("{}: {}", endpoint, shown(event.newcomer));
  if (event.refused) {
    return fmt::format(
        "{} is not heard: all {} places are taken by peers that are not gone; a larger max_peers "
        "has room for it",
        newcomer, max_peers);
  }
  const std::string before =
      fmt::format("{} takes the place of {}, which ", newcomer, shown(event.before));
  if (event.left) return before + "has left";
  return before + fmt::format("was silent for {:.1f} s",
                              static_cast<double>(event.silent_ns) / kNsPerSecond);
}

}  // namespace lambdacast::appliance
