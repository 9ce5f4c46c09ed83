// SPDX-License-Identifier: BSD-3-Clause
// Whose lives have ended, as a fabric shows it that knows for certain who transmits on each of its
// wavelengths. Compares each look at a wavelength with the one before: a wavelength has one owner
// at a time, so that a later owner proves the end of an earlier one that nobody has seen end.
//
// Not thread-safe: whoever looks owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/control/control.h"

namespace lambdacast::node {

// The state of a wavelength at one moment, as its fabric tells it.
struct Occupant {
  uint64_t owner = 0;     // the number of its last owner; 0: nobody has had it
  bool gone = false;      // that owner has released it, or its process has ended
  wire::StreamName name;  // of that owner's endpoint; none is named if the address is zero
};

class LifeWatch {
 public:
  explicit LifeWatch(size_t wavelengths) : seen_(wavelengths) {}

  // over(name) for each life whose end this look shows, once for each; a process that is merely
  // stopped keeps its wavelength, and shows nothing.
  template <typename Over>
  void look(size_t wavelength, const Occupant& now, Over&& over) {
    Occupant& before = seen_[wavelength];
    const bool same = now.owner == before.owner && now.name == before.name;
    if (!same && !before.gone && is_named(before)) over(before.name);
    if (now.gone && !(same && before.gone) && is_named(now)) over(now.name);
    before = now;
  }

 private:
  [[nodiscard]] static bool is_named(const Occupant& occupant) {
    return occupant.name.gid != wire::Gid{};
  }

  std::vector<Occupant> seen_;  // by wavelength
};

}  // namespace lambdacast::node
