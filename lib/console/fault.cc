// SPDX-License-Identifier: BSD-3-Clause
#include "console/fault.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "console/endpoint_choice.h"
#include "console/number.h"

namespace lambdacast::console {
namespace {

using fabric::FaultRates;

// A kind of fault: a probability, or a whole number (ns, bit/s, bytes), named as in the
// configuration. fabric::validate knows the ranges.
struct Kind {
  const char* name;
  double FaultRates::*real;
  uint64_t FaultRates::*whole;
};
constexpr Kind kKinds[] = {
    {"loss", &FaultRates::loss, nullptr},
    {"corrupt", &FaultRates::corrupt, nullptr},
    {"duplicate", &FaultRates::duplicate, nullptr},
    {"seed", nullptr, &FaultRates::seed},
    {"burst_enter", &FaultRates::burst_enter, nullptr},
    {"burst_leave", &FaultRates::burst_leave, nullptr},
    {"burst_loss", &FaultRates::burst_loss, nullptr},
    {"delay_ns", nullptr, &FaultRates::delay_ns},
    {"jitter_ns", nullptr, &FaultRates::jitter_ns},
    {"rx_rate", nullptr, &FaultRates::rx_rate_bps},
    {"rx_buffer", nullptr, &FaultRates::rx_buffer_bytes},
};
constexpr char kLineRate[] = "line_rate";  // of the endpoint's own wavelength

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

base::Result<void> change(Appliance& appliance, size_t endpoint, const std::string& name,
                          const std::string& value) {
  const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const Kind& each) { return each.name == name; });
  if (kind == std::end(kKinds) || kind->whole != nullptr) {
    const auto number = parse_whole(value, name, 0, kMost);
    if (!number) return tl::unexpected(number.error());
    if (name == kLineRate) return appliance.set_line_rate_bps(endpoint, *number);
    auto rates = appliance.faults(endpoint);
    if (!rates) return tl::unexpected(rates.error());
    (*rates).*(kind->whole) = *number;
    return appliance.set_faults(endpoint, *rates);
  }
  const auto number = parse_real(value, name);
  if (!number) return tl::unexpected(number.error());
  auto rates = appliance.faults(endpoint);
  if (!rates) return tl::unexpected(rates.error());
  (*rates).*(kind->real) = *number;
  return appliance.set_faults(endpoint, *rates);
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  names.emplace_back(kLineRate);
  return names;
}

}  // namespace

std::vector<Command> fault_commands(Appliance& appliance, const config::Config& config) {
  const auto on_fabric = [&config](size_t i) { return config.endpoints[i].wavelength.has_value(); };
  std::vector<std::string> names;
  for (size_t i = 0; i < config.endpoints.size(); ++i) {
    if (on_fabric(i)) names.push_back(config.endpoints[i].name);
  }
  if (names.empty()) return {};
  return {{{fixed("set"), fixed("fault"), choice("KIND", kind_names()), any("VALUE"),
            choice("ENDPOINT", names)},
           1,
           "Injects faults on the embedded fabric: probabilities, or times, rates and sizes.",
           [&appliance, &config, on_fabric](const Arguments& arguments) -> Answer {
             for (const size_t i : chosen(config, arguments, 4)) {
               if (!on_fabric(i)) continue;
               const auto changed = change(appliance, i, arguments[2], arguments[3]);
               if (!changed) return tl::unexpected(changed.error());
             }
             return std::string();
           }}};
}

}  // namespace lambdacast::console
