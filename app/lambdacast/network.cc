// SPDX-License-Identifier: BSD-3-Clause
#include "network.h"

#include <fmt/format.h>

#include "console/text.h"

namespace lambdacast::appliance {
std::string network_introduction(rack::Rack& rack) {
  std::string text;
  for (size_t i = 0; i < rack.size(); ++i) {
    if (!rack.endpoint(i).on_real_network()) continue;
    const config::Endpoint& config = rack.endpoint(i).config();
    const bool v6 = config.address.is_v6;
    text += fmt::format("{}: answers {} for {} with {}, joins {} and {} by {}\n", config.name,
                        v6 ? "neighbor solicitations" : "ARP", config.address.text,
                        wire::format(rack.endpoint(i).identity().mac), config.multicast.text,
                        wire::format(rack.endpoint(i).identity().control_gid), v6 ? "MLD" : "IGMP");
  }
  return text;
}

std::string neighbor_table(rack::Rack& rack, const rack::RackAccount& state) {
  std::string text;
  for (size_t i = 0; i < rack.size(); ++i) {
    const auto& seen = state.stages[i].neighbor;
    if (!seen) continue;
    const std::string& name = rack.endpoint(i).config().name;
    for (const auto& entry : rack.neighbors(i)) {
      text +=
          fmt::format("{} neighbor {} {} {}\n", name, wire::format(entry.gid),
                      entry.usable() ? wire::format(entry.mac) : "-", neighbor::name(entry.state));
    }
    text += name + " neighbor events:";
    for (size_t event = 0; event < counters::kNeighborEvents; ++event) {
      if (const uint64_t count = seen->counters.events[event]; count != 0) {
        text += fmt::format(" {} {}", counters::name(static_cast<counters::NeighborEvent>(event)),
                            console::with_separators(count));
      }
    }
    text += "\n";
  }
  return text;
}

NetworkWatch::NetworkWatch(rack::Rack& rack, const std::vector<std::string>& addresses)
    : rack_(rack), complained_(rack.size()) {
  for (const std::string& address : addresses) {
    const auto gid = wire::parse_gid(address);
    for (size_t i = 0; gid && i < rack.size(); ++i) {
      const wire::Gid& own = rack.endpoint(i).identity().gid;
      if (!rack.endpoint(i).on_real_network() || own == *gid) continue;
      if (wire::is_ipv4_mapped(own) == wire::is_ipv4_mapped(*gid)) asked_.push_back({i, *gid});
    }
  }
}

NetworkWatch::News NetworkWatch::look() {
  News news;
  std::erase_if(asked_, [&](const Asked& asked) {
    const neighbor::Lookup found = rack_.resolve(asked.endpoint, asked.gid);
    const std::string head =
        rack_.endpoint(asked.endpoint).config().name + ": " + wire::format(asked.gid);
    if (found.mac) {
      news.out += fmt::format("{} is at {}, {}\n", head, wire::format(*found.mac),
                              neighbor::name(found.state));
    } else if (found.state == neighbor::NeighborState::kFailed) {
      news.out += head + " does not answer\n";
    }
    return found.mac || found.state == neighbor::NeighborState::kFailed;
  });
  for (size_t i = 0; i < rack_.size(); ++i) {
    if (complained_[i]) continue;
    const auto conflict = rack_.conflict(i);
    if (!conflict) continue;
    complained_[i] = true;
    const config::Endpoint& config = rack_.endpoint(i).config();
    news.complaints += fmt::format(
        "{}: somebody else has the address {}: {} answers for it; give one of the two another, or "
        "take it from the kernel that has it\n",
        config.name, config.address.text, wire::format(conflict->mac));
  }
  return news;
}

}  // namespace lambdacast::appliance
