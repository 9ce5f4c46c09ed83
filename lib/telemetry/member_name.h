// SPDX-License-Identifier: BSD-3-Clause
// A member of a view as people read it.
#pragma once

#include <string>

#include "wire/control/view_control.h"
#include "wire/roce/gid.h"

namespace lambdacast::telemetry {

// "10.77.0.1:17/1718900000": address, queue pair and incarnation.
[[nodiscard]] inline std::string member_name(const wire::StreamName& name) {
  return wire::format(name.gid) + ":" + std::to_string(name.qpn) + "/" +
         std::to_string(name.incarnation);
}

}  // namespace lambdacast::telemetry
