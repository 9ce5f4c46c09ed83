// SPDX-License-Identifier: BSD-3-Clause
#include "endpoint_choice.h"

#include <algorithm>

#include "config/address.h"

namespace lambdacast::verbs {
namespace {

std::string names(const std::vector<config::Endpoint>& endpoints) {
  std::string text;
  for (const auto& endpoint : endpoints) {
    if (!text.empty()) text += ", ";
    text += endpoint.name;
  }
  return text;
}

}  // namespace

base::Result<config::Config> choose_endpoint(const BridgeOrder& order) {
  auto loaded = config::load_file(order.config_file);
  if (!loaded) {
    std::string problems = config::text(loaded.error());
    if (problems.ends_with('\n')) problems.pop_back();
    return base::fail(problems);
  }
  std::vector<config::Endpoint>& endpoints = loaded->endpoints;
  if (order.endpoint.empty() && endpoints.size() > 1) {
    return base::fail(order.config_file +
                      " has several endpoints; set LAMBDACAST_ENDPOINT to one "
                      "of " +
                      names(endpoints));
  }
  const auto found = std::ranges::find_if(endpoints, [&](const config::Endpoint& endpoint) {
    return order.endpoint.empty() || endpoint.name == order.endpoint;
  });
  if (found == endpoints.end()) {
    return base::fail("LAMBDACAST_ENDPOINT=" + order.endpoint + " is none of " + order.config_file +
                      ": " + names(endpoints));
  }
  if (found->wavelength) {
    return base::fail(
        "endpoint " + found->name + " of " + order.config_file +
        " is on the embedded fabric; for that set LAMBDACAST_FABRIC=" + loaded->fabric->name +
        " and LAMBDACAST_WAVELENGTH=" + wdm::channel_name(*found->wavelength) +
        " in place of LAMBDACAST_CONFIG");
  }
  if (config::verbs_port(found->port)) {
    return base::fail("endpoint " + found->name + " of " + order.config_file + " has the port " +
                      found->port + ", which is a verbs device already; allowed: a DPDK device");
  }
  endpoints = {config::Endpoint(*found)};
  return *loaded;
}

}  // namespace lambdacast::verbs
