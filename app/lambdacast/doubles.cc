// SPDX-License-Identifier: BSD-3-Clause
#include "doubles.h"

#include <fmt/format.h>

namespace lambdacast::appliance {

std::string sentence(std::string_view endpoint, const node::DoubleEvent& event) {
  const std::string pair = fmt::format(
      "{}: two endpoints have the address {}: incarnation {:#010x}{} and {:#010x}", endpoint,
      wire::format(event.gid), event.one, event.own ? ", this one," : "", event.other);
  if (event.lost) return pair + "; this one gives way: end the other one, or change the address";
  return pair + "; end one of them, or change its address";
}

}  // namespace lambdacast::appliance
