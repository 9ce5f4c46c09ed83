// SPDX-License-Identifier: BSD-3-Clause
// The wavelength plan of a fabric: who transmits on which channel. A passive coupler mixes whatever
// it is given, so that two transmitters on one wavelength destroy one another's light at every
// receiver: the one mistake that the plan is there to find.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "wdm/channel.h"

namespace lambdacast::wdm {

struct Assignment {
  std::string owner;
  Channel channel;
};

// A contradiction in the plan.
struct PlanFault {
  enum class Kind : uint8_t {
    kOffGrid,  // the fabric's grid has no such channel
    kOutside,  // its index is not below the fabric's number of wavelengths
    kTaken,    // an earlier assignment has it
  };
  Kind kind;
  std::size_t assignment;  // which is at fault
  std::size_t first = 0;   // kTaken: which has it
};

// All faults, at most one for each assignment, in their order.
[[nodiscard]] std::vector<PlanFault> faults_of_plan(Grid grid, uint32_t wavelengths,
                                                    std::span<const Assignment> assignments);

class Plan {
 public:
  // wavelengths: of the fabric, the lowest of the grid. The error is the first fault, as a sentence
  // that names the owner (both, where they share a wavelength) and the channel.
  [[nodiscard]] static base::Result<Plan> make(Grid grid, uint32_t wavelengths,
                                               std::vector<Assignment> assignments);

  [[nodiscard]] Grid grid() const { return grid_; }
  [[nodiscard]] uint32_t wavelengths() const { return wavelengths_; }
  // The transmitters by rising frequency.
  [[nodiscard]] const std::vector<Assignment>& transmitters() const { return transmitters_; }
  // The owner of the wavelength with that index, or nothing if it is free.
  [[nodiscard]] std::optional<std::string> owner_of(uint32_t index) const;

 private:
  Grid grid_ = Grid::k100GHz;
  uint32_t wavelengths_ = 0;
  std::vector<Assignment> transmitters_;
};

}  // namespace lambdacast::wdm
