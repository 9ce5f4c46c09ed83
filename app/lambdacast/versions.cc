// SPDX-License-Identifier: BSD-3-Clause
#include "versions.h"

#include <fmt/format.h>

#include "wire/control/control.h"
#include "wire/control/transport.h"
#include "wire/roce/gid.h"

namespace lambdacast::appliance {

std::string sentence(std::string_view endpoint, const node::VersionEvent& event) {
  return fmt::format(
      "{}: {} speaks version {} of the protocol of {} frames, and this program version {}: such "
      "frames are dropped ({}_version); run programs on one fabric that have one version\n",
      endpoint, wire::format(event.gid), event.version, event.control ? "control" : "data",
      event.control ? wire::kControlVersion : wire::kTransportVersion,
      event.control ? "control" : "transport");
}

}  // namespace lambdacast::appliance
