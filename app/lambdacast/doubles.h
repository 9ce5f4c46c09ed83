// SPDX-License-Identifier: BSD-3-Clause
// What lambdacast says of two endpoints with one address.
#pragma once

#include <string>
#include <string_view>

#include "node/double_event.h"

namespace lambdacast::appliance {

// Without the end of the line.
[[nodiscard]] std::string sentence(std::string_view endpoint, const node::DoubleEvent& event);

}  // namespace lambdacast::appliance
