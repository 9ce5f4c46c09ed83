// SPDX-License-Identifier: BSD-3-Clause
#include "config/light.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/draft.h"

namespace lambdacast::config {
namespace {

using Lit = std::vector<const Draft<Endpoint>*>;  // endpoints with a valid wavelength

Lit lit(const FileDraft& file) {
  Lit endpoints;
  for (const Draft<Endpoint>& each : file.endpoints) {
    if (each.origins.find("wavelength")) endpoints.push_back(&each);
  }
  return endpoints;
}

void report_fault(const Lit& endpoints, const wdm::PlanFault& fault, wdm::Grid grid,
                  uint32_t wavelengths, Report& report) {
  const Draft<Endpoint>& endpoint = *endpoints[fault.assignment];
  const Origin& origin = *endpoint.origins.find("wavelength");
  switch (fault.kind) {
    case wdm::PlanFault::Kind::kOffGrid:
      report.add(origin, fmt::format("is not on the fabric's grid, {}", wdm::name(grid)),
                 "\"C21\" to \"C60\", or fabric.grid = \"50GHz\"");
      return;
    case wdm::PlanFault::Kind::kOutside: {
      const uint32_t index = *index_on(grid, *endpoint.value.wavelength);
      const auto last = channel_at(grid, wavelengths - 1);
      report.add(
          origin, fmt::format("is wavelength {} of a fabric with {}", index + 1, wavelengths),
          fmt::format("\"{}\" to \"{}\", or more fabric.wavelengths",
                      wdm::channel_name(*wdm::channel_at(grid, 0)), wdm::channel_name(*last)));
      return;
    }
    case wdm::PlanFault::Kind::kTaken: {
      const Draft<Endpoint>& first = *endpoints[fault.first];
      report.add(origin,
                 fmt::format("of {} is that of {} (line {}) already", title(endpoint), title(first),
                             first.origins.find("wavelength")->line),
                 "another wavelength for each endpoint");
      return;
    }
  }
}

// A fabric that is missing or wrong is reported elsewhere: then only what two endpoints share.
void check_plan(const FileDraft& file, const Lit& endpoints, Report& report) {
  const auto valid = [&](std::string_view key) {
    return file.fabric && !file.fabric->origins.invalid(key);
  };
  const bool known = valid("grid") && valid("wavelengths");
  const wdm::Grid grid = known ? file.fabric->value.grid : wdm::Grid::k50GHz;
  const uint32_t wavelengths = known ? file.fabric->value.wavelengths : wdm::kMaxChannels;
  std::vector<wdm::Assignment> assignments;
  for (const auto* each : endpoints) {
    assignments.push_back({each->value.name, *each->value.wavelength});
  }
  for (const wdm::PlanFault& fault : faults_of_plan(grid, wavelengths, assignments)) {
    report_fault(endpoints, fault, grid, wavelengths, report);
  }
}

bool speaks_of_optics(const Draft<Fabric>& fabric, const Lit& endpoints) {
  constexpr std::string_view kOptics = "optical.";
  return fabric.origins.mentions_any(kOptics) ||
         std::ranges::any_of(endpoints,
                             [&](const auto* each) { return each->origins.mentions_any(kOptics); });
}

void check_power(const FileDraft& file, const Lit& endpoints, Report& report) {
  const Draft<Fabric>& fabric = *file.fabric;
  wdm::CouplerOptics coupler = fabric.value.coupler;
  if (!fabric.origins.mentions("optical.coupler_ports")) coupler.ports = fabric.value.wavelengths;
  if (coupler.ports < endpoints.size()) {
    report.add(place(fabric.origins, {"optical.coupler_ports"}),
               fmt::format("is fewer than the {} endpoints with a wavelength", endpoints.size()),
               "a port of the coupler for each");
  }
  std::vector<wdm::Node> nodes;
  for (const auto* each : endpoints) {
    nodes.push_back({title(*each), each->value.optics});
    if (each->value.optics.overload_dbm > each->value.optics.sensitivity_dbm) continue;
    report.add(place(each->origins, {"optical.overload_dbm", "optical.sensitivity_dbm"}),
               fmt::format("leaves {} no power between sensitivity and overload", title(*each)),
               "overload_dbm above sensitivity_dbm");
  }
  // The defaults alone describe nobody's glass: a small rack of them needs attenuators.
  if (!speaks_of_optics(fabric, endpoints)) return;
  const std::vector<wdm::ReceiverBudget> budgets = power_budgets(coupler, nodes);
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    if (budgets[i].in_order()) continue;
    report.warn(*endpoints[i]->origins.find("wavelength"),
                fmt::format("is that of {}, which {}", budgets[i].owner, warning(budgets[i])),
                "powers between both; see [fabric.optical] and [endpoint.optical]");
  }
}

}  // namespace

void check_light(const FileDraft& file, Report& report) {
  const Lit endpoints = lit(file);
  check_plan(file, endpoints, report);
  if (file.fabric) check_power(file, endpoints, report);
}

std::optional<wdm::Plan> plan_of(const Config& config) {
  if (!config.fabric) return std::nullopt;
  std::vector<wdm::Assignment> assignments;
  for (const Endpoint& each : config.endpoints) {
    if (each.wavelength) assignments.push_back({each.name, *each.wavelength});
  }
  return wdm::Plan::make(config.fabric->grid, config.fabric->wavelengths, std::move(assignments))
      .value();  // it was checked
}

std::vector<wdm::ReceiverBudget> power_budgets(const Config& config) {
  if (!config.fabric) return {};
  std::vector<wdm::Node> nodes;
  for (const Endpoint& each : config.endpoints) {
    if (each.wavelength) nodes.push_back({each.name, each.optics});
  }
  return wdm::power_budgets(config.fabric->coupler, nodes);
}

}  // namespace lambdacast::config
