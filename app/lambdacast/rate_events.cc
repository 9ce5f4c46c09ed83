// SPDX-License-Identifier: BSD-3-Clause
#include "rate_events.h"

#include <fmt/format.h>

namespace lambdacast::appliance {

std::string sentence(std::string_view endpoint, std::string_view peer,
                     const node::RateEvent& event) {
  using What = node::RateEvent::What;
  switch (event.what) {
    case What::kLeaseOver:
      return fmt::format(
          "{}: its share is over: no quorum of its view has been heard for suspect_after_us / 4; "
          "it sends at the rate of an endpoint outside",
          endpoint);
    case What::kLeaseBack:
      return fmt::format("{}: it has its share again", endpoint);
    case What::kOverShare:
      return fmt::format("{}: member {} sends more than its share, {} bit/s", endpoint, peer,
                         event.bps);
    case What::kWithinShare:
      return fmt::format("{}: member {} keeps to its share again", endpoint, peer);
    case What::kSilent:
      return fmt::format(
          "{}: member {} has not announced what it needs and takes: nobody new has a share before "
          "it does",
          endpoint, peer);
    case What::kCapacity:
      if (event.bps == 0) return fmt::format("{}: member {} has no limit any more", endpoint, peer);
      return fmt::format("{}: member {} takes {} bit/s now", endpoint, peer, event.bps);
  }
  return "";
}

}  // namespace lambdacast::appliance
