// SPDX-License-Identifier: BSD-3-Clause
#include "links.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace lambdacast::appliance {

std::string sentence(const LostPort& lost) {
  return fmt::format("{}: the {} has gone, and on_port_loss is \"{}\"", lost.endpoint,
                     lost.interface.empty() ? "device of its port" : "interface " + lost.interface,
                     config::name(lost.policy));
}

std::vector<Links::Watched> Links::watched(rack::Rack& rack) {
  std::vector<Watched> all;
  for (size_t i = 0; i < rack.size(); ++i) {
    const dpdk::Attachment& attachment = rack.endpoint(i).attachment();
    if (attachment.is_embedded_fabric()) continue;
    all.push_back({i, &rack.endpoint(i).port(), rack.clock().now_ns()});
    for (const auto& port : attachment.rx_ports()) {
      all.push_back({i, port.get(), rack.clock().now_ns()});
    }
  }
  return all;
}

std::vector<dpdk::Port*> Links::ports(const std::vector<Watched>& watched) {
  std::vector<dpdk::Port*> all;
  std::transform(watched.begin(), watched.end(), std::back_inserter(all),
                 [](const Watched& each) { return each.port; });
  return all;
}

Links::Links(rack::Rack& rack) : rack_(rack), watched_(watched(rack)), links_(ports(watched_)) {}

std::string Links::tell(const dpdk::LinkChange& change) {
  Watched& which = watched_[change.port];
  const rack::Endpoint& endpoint = rack_.endpoint(which.endpoint);
  const std::string& interface = which.port->interface_name();
  const std::string name =
      which.port->name() + (interface.empty() ? "" : fmt::format(" ({})", interface));
  const uint64_t now_ns = rack_.clock().now_ns();
  const double lasted_s = static_cast<double>(now_ns - which.changed_ns) / 1e9;
  which.changed_ns = now_ns;
  const std::string head = fmt::format("{}: port {}: ", endpoint.config().name, name);
  switch (change.state) {
    case dpdk::LinkState::kDown:
      return head + "its link is down\n";
    case dpdk::LinkState::kUp:
      rack_.renew(which.endpoint);
      return head + fmt::format("its link is up again after {:.1f} s{}\n", lasted_s,
                                endpoint.on_real_network()
                                    ? "; it reports its groups and announces its address again"
                                    : "");
    case dpdk::LinkState::kGone:
      break;
  }
  if (!lost_) lost_ = {endpoint.config().name, interface, endpoint.config().on_port_loss};
  return head + "it has gone\n";
}

std::string Links::look() {
  std::string text;
  for (const dpdk::LinkChange& change : links_.look()) text += tell(change);
  return text;
}

}  // namespace lambdacast::appliance
