// SPDX-License-Identifier: BSD-3-Clause
// Waits for a word from the kernel that the owner of a wavelength has ended (owner_hold.h), and
// says who had it. Costs those who transmit and receive nothing: it sleeps, and has lines of its
// own.
//
// One thread looks and waits; any may wake it.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "fabric/geometry.h"
#include "fabric/layout.h"
#include "fabric/owner_hold.h"

namespace lambdacast::fabric {

struct Owner {
  uint64_t number = 0;  // of the wavelength's owners, the last one with a name; 0: none had one
  bool gone = false;    // it has ended, has let go, or somebody else has claimed the wavelength
  OwnerName name{};
};

class OwnerWatch {
 public:
  OwnerWatch(const uint8_t* segment, const Geometry& geometry);

  [[nodiscard]] uint32_t wavelengths() const { return static_cast<uint32_t>(controls_.size()); }
  [[nodiscard]] Owner look(uint32_t wavelength);
  // Until an owner may be another one than at the last look at its wavelength, or gone; for
  // `most_ns` at most, or until wake(). The kernel wakes one of all who wait, and look() passes
  // that on: if that one is stopped, the others learn it when their time is over.
  void wait(uint64_t most_ns);
  // From then on wait() returns at once.
  void wake();

 private:
  std::vector<const WavelengthControl*> controls_;
  std::vector<uint32_t> seen_;  // locks, as last looked at
  std::atomic<uint32_t> woken_{0};
};

}  // namespace lambdacast::fabric
