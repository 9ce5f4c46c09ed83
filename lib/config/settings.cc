// SPDX-License-Identifier: BSD-3-Clause
#include "config/settings.h"

#include <fmt/format.h>

#include "config/key.h"

namespace lambdacast::config {
namespace {

class Lister {
 public:
  template <typename Section>
  void add(const std::string& section, const std::string& owner,
           std::span<const KeyOf<Section>> keys, const Section& from) {
    for (const KeyOf<Section>& key : keys) {
      const std::string value = key.text(from);
      if (value == "none") continue;
      settings.push_back({section, owner, std::string(key.name), value, std::string(key.unit),
                          !key.required() && value == key.default_text()});
    }
  }

  std::vector<Setting> settings;
};

void add_endpoint(Lister& list, const Endpoint& endpoint) {
  const std::string& name = endpoint.name;
  list.add("endpoint", name, endpoint_keys(), endpoint);
  list.add("endpoint.stages", name, stages_keys(), endpoint.stages);
  if (endpoint.wavelength) {
    list.add("endpoint.faults", name, faults_keys(), endpoint.faults);
    list.add("endpoint.optical", name, optics_keys(), endpoint.optics);
  }
  list.add("endpoint.reliability", name, reliability_keys(), endpoint.reliability);
  list.add("endpoint.membership", name, membership_keys(), endpoint.membership);
  list.add("endpoint.requests", name, requests_keys(), endpoint.requests);
  list.add("endpoint.rate", name, rate_keys(), endpoint.rate);
  list.add("endpoint.traffic", name, traffic_keys(), endpoint.traffic);
  for (const Neighbor& neighbor : endpoint.neighbors)
    list.add("endpoint.neighbor." + neighbor.address.text, name, neighbor_keys(), neighbor);
  for (const rate_control::GroupRate& rate : endpoint.group_rates)
    list.add(fmt::format("endpoint.group_rate.{}", rate.group), name, group_rate_keys(), rate);
}

}  // namespace

std::string Setting::name() const {
  if (owner.empty()) return section + "." + key;
  const size_t rest = section.find('.');
  const std::string first = section.substr(0, rest);
  const std::string part = rest == std::string::npos ? "" : section.substr(rest);
  return first + "." + owner + part + "." + key;
}

std::vector<Setting> settings(const Config& config) {
  Lister list;
  if (config.fabric) {
    list.add("fabric", "", fabric_keys(), *config.fabric);
    list.add("fabric.optical", "", coupler_keys(), config.fabric->coupler);
  }
  for (const Endpoint& endpoint : config.endpoints) add_endpoint(list, endpoint);
  for (const Lcore& lcore : config.lcores)
    list.add("lcore", std::to_string(lcore.id), lcore_keys(), lcore);
  list.add("eal", "", eal_keys(), Eal{config.eal_args});
  return list.settings;
}

}  // namespace lambdacast::config
