// SPDX-License-Identifier: BSD-3-Clause
// Configuration from any bytes: loads, or says at which line it does not; and what loads keeps the
// promises of config/config.h.
#include <cstdlib>
#include <string_view>

#include "config/config.h"

namespace {

using lambdacast::config::Config;
using lambdacast::config::Endpoint;
using lambdacast::config::Problem;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_endpoint(const Config& config, const Endpoint& endpoint) {
  require(!endpoint.name.empty());
  require(is_unicast(endpoint.address) && is_multicast(endpoint.multicast));
  require(endpoint.address.is_v6 == endpoint.multicast.is_v6);
  require(endpoint.wavelength.has_value() == endpoint.port.empty());
  require(!endpoint.wavelength || config.fabric.has_value());
  require(!endpoint.wavelength || endpoint.wavelength_index < config.fabric->wavelengths);
  require(endpoint.data_qpn != endpoint.control_qpn);
  require(endpoint.traffic.payload_bytes <= endpoint.reassembly.max_message_bytes);
  require(endpoint.reassembly.memory_bytes >= 2 * size_t{endpoint.reassembly.max_message_bytes});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto loaded = lambdacast::config::parse(text, "fuzz");
  if (loaded) {
    require(!loaded->endpoints.empty() && !loaded->lcores.empty());
    for (const Endpoint& endpoint : loaded->endpoints) check_endpoint(*loaded, endpoint);
    return 0;
  }
  require(!loaded.error().empty());
  for (const Problem& problem : loaded.error()) {
    require(problem.line > 0 && !problem.reason.empty() && !problem.text().empty());
  }
  return 0;
}
