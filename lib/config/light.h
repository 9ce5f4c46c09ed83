// SPDX-License-Identifier: BSD-3-Clause
// The light of a configured rack: who transmits on what, and whether it arrives. Of the endpoints
// in this file alone; others may share the fabric.
#pragma once

#include <optional>
#include <vector>

#include "config/config.h"
#include "wdm/plan.h"
#include "wdm/power_budget.h"

namespace lambdacast::config {

// Returns the plan of the wavelengths, or nothing without a [fabric].
[[nodiscard]] std::optional<wdm::Plan> plan_of(const Config& config);

// One for each endpoint with a wavelength, in the file's order; empty without a [fabric].
[[nodiscard]] std::vector<wdm::ReceiverBudget> power_budgets(const Config& config);

}  // namespace lambdacast::config
