// SPDX-License-Identifier: BSD-3-Clause
// What an endpoint cannot have whose port is a verbs device: much of a frame is the device's there,
// and the network below it the kernel's.
#include <fmt/format.h>

#include "config/draft.h"

namespace lambdacast::config {
namespace {

// Keys, why not, and what instead.
struct Denied {
  std::string_view key;
  std::string_view why;
  std::string_view allowed;
};
constexpr Denied kDenied[] = {
    {"data_qpn", "is the device's to choose", "no data_qpn"},
    {"control_qpn", "is the device's to choose", "no control_qpn"},
    {"icrc", "is for ports of DPDK: the device makes and verifies the ICRC", "no icrc"},
    {"vlan", "is for ports of DPDK: the VLAN is that of the device's interface",
     "no vlan, and the address of a VLAN interface (ip link add link ... type vlan)"},
    {"mac", "is for ports of DPDK: the address is that of the device's interface", "no mac"},
    {"rx_ports", "is for ports of DPDK: a verbs device receives where it sends", "no rx_ports"},
};

// A Q_Key with its highest bit set stands for the queue pair's own, and only the privileged set
// such a one (IBTA vol. 1, 10.2.5 and 3.5.3).
constexpr uint32_t kControlledQkey = 0x80000000;

}  // namespace

void check_verbs(const Draft<Endpoint>& draft, Report& report) {
  const Origins& origins = draft.origins;
  const Endpoint& endpoint = draft.value;
  if (!verbs_port(endpoint.port)) return;
  const std::string whose = fmt::format(", and the port of {} is {}", title(draft), endpoint.port);
  for (const Denied& each : kDenied) {
    if (const Origin* origin = origins.find(each.key)) {
      report.add(*origin, std::string(each.why) + whose, std::string(each.allowed));
    }
  }
  const Origin* qkey = origins.find("qkey");
  if (qkey != nullptr && endpoint.qkey >= kControlledQkey) {
    report.add(*qkey, "is a controlled Q_Key, which queue pairs of programs do not have" + whose,
               "0..0x7fffffff");
  }
  if (!endpoint.neighbors.empty()) {
    report.add(place(origins, {"neighbor.0.address"}),
               "is for ports of DPDK: the kernel resolves addresses" + whose,
               "no [[endpoint.neighbor]]; for a fixed one: ip neigh replace");
  }
  if (endpoint.membership.enabled) {
    report.add(
        place(origins, {"membership.enabled"}),
        "is for ports of DPDK and the embedded fabric: members send frames of those who left "
        "as they were, and a queue pair sends none but its own" +
            whose,
        "false");
  }
}

}  // namespace lambdacast::config
