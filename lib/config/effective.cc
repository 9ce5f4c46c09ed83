// SPDX-License-Identifier: BSD-3-Clause
#include "config/effective.h"

#include <fmt/format.h>

#include "config/key.h"

namespace lambdacast::config {
namespace {

template <typename Section>
std::string text_of(const std::string& heading, std::span<const KeyOf<Section>> keys,
                    const Section& section) {
  std::string text = heading + "\n";
  for (const KeyOf<Section>& key : keys) {
    std::string value = key.text(section);
    if (value == "none") continue;
    const bool at_default = !key.required() && value == key.default_text();
    // Keys and masks are written in hexadecimal; what has a unit is neither.
    if (!key.unit.empty() && value.starts_with("0x")) {
      value = std::to_string(std::stoull(value, nullptr, 16));
    }
    text += fmt::format("{}{} = {}{}{}\n", at_default ? "# " : "", key.name, value,
                        key.unit.empty() ? "" : "  # ", key.unit);
  }
  return text + "\n";
}

// As many ports as wavelengths are a default that the coupler's keys do not know of. Written as set
// it would have the light looked at, which a file asks for that says anything of it.
std::string coupler_text(const Fabric& fabric) {
  constexpr std::string_view kPorts = "\ncoupler_ports";
  std::string text = text_of("[fabric.optical]", coupler_keys(), fabric.coupler);
  const size_t at = text.find(kPorts);
  if (fabric.coupler.ports == fabric.wavelengths && at != std::string::npos)
    text.insert(at + 1, "# ");
  return text;
}

}  // namespace

std::string effective(const Config& config) {
  std::string text;
  if (config.fabric) {
    text += text_of("[fabric]", fabric_keys(), *config.fabric);
    text += coupler_text(*config.fabric);
  }
  for (const Endpoint& endpoint : config.endpoints) {
    text += text_of("[[endpoint]]", endpoint_keys(), endpoint);
    text += text_of("[endpoint.stages]", stages_keys(), endpoint.stages);
    if (endpoint.wavelength) {
      text += text_of("[endpoint.faults]", faults_keys(), endpoint.faults);
      text += text_of("[endpoint.optical]", optics_keys(), endpoint.optics);
    }
    text += text_of("[endpoint.reliability]", reliability_keys(), endpoint.reliability);
    text += text_of("[endpoint.membership]", membership_keys(), endpoint.membership);
    text += text_of("[endpoint.requests]", requests_keys(), endpoint.requests);
    text += text_of("[endpoint.rate]", rate_keys(), endpoint.rate);
    text += text_of("[endpoint.traffic]", traffic_keys(), endpoint.traffic);
    for (const Neighbor& neighbor : endpoint.neighbors) {
      text += text_of("[[endpoint.neighbor]]", neighbor_keys(), neighbor);
    }
    for (const rate_control::GroupRate& rate : endpoint.group_rates) {
      text += text_of("[[endpoint.group_rate]]", group_rate_keys(), rate);
    }
  }
  for (const Lcore& lcore : config.lcores) text += text_of("[[lcore]]", lcore_keys(), lcore);
  return text + text_of("[eal]", eal_keys(), Eal{config.eal_args});
}

}  // namespace lambdacast::config
