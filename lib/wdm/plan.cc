// SPDX-License-Identifier: BSD-3-Clause
#include "wdm/plan.h"

#include <algorithm>

namespace lambdacast::wdm {
namespace {

std::string sentence(Grid grid, uint32_t wavelengths, const std::vector<Assignment>& assignments,
                     const PlanFault& fault) {
  const Assignment& assignment = assignments[fault.assignment];
  const std::string light = assignment.owner + " on " + channel_name(assignment.channel);
  switch (fault.kind) {
    case PlanFault::Kind::kOffGrid:
      return light + ": that is not on the fabric's grid, " + std::string(name(grid));
    case PlanFault::Kind::kOutside:
      return light + ": that is wavelength " +
             std::to_string(*index_on(grid, assignment.channel) + 1) + " of a fabric with " +
             std::to_string(wavelengths);
    case PlanFault::Kind::kTaken:
      return light + ": " + assignments[fault.first].owner + " transmits on it already";
  }
  return light;
}

}  // namespace

std::vector<PlanFault> faults_of_plan(Grid grid, uint32_t wavelengths,
                                      std::span<const Assignment> assignments) {
  std::vector<PlanFault> faults;
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const auto index = index_on(grid, assignments[i].channel);
    if (!index) {
      faults.push_back({PlanFault::Kind::kOffGrid, i});
      continue;
    }
    const auto here = assignments.begin() + static_cast<std::ptrdiff_t>(i);
    const auto first = std::find_if(assignments.begin(), here, [&](const Assignment& earlier) {
      return earlier.channel == assignments[i].channel;
    });
    if (*index >= wavelengths) {
      faults.push_back({PlanFault::Kind::kOutside, i});
    } else if (first != here) {
      faults.push_back(
          {PlanFault::Kind::kTaken, i, static_cast<std::size_t>(first - assignments.begin())});
    }
  }
  return faults;
}

base::Result<Plan> Plan::make(Grid grid, uint32_t wavelengths,
                              std::vector<Assignment> assignments) {
  const std::vector<PlanFault> faults = faults_of_plan(grid, wavelengths, assignments);
  if (!faults.empty()) {
    return base::fail(sentence(grid, wavelengths, assignments, faults.front()));
  }
  Plan plan;
  plan.grid_ = grid;
  plan.wavelengths_ = wavelengths;
  plan.transmitters_ = std::move(assignments);
  std::sort(plan.transmitters_.begin(), plan.transmitters_.end(),
            [](const Assignment& a, const Assignment& b) { return a.channel < b.channel; });
  return plan;
}

std::optional<std::string> Plan::owner_of(uint32_t index) const {
  const auto channel = channel_at(grid_, index);
  for (const Assignment& each : transmitters_) {
    if (each.channel == channel) return each.owner;
  }
  return std::nullopt;
}

}  // namespace lambdacast::wdm
