// SPDX-License-Identifier: BSD-3-Clause
// The time that a switch keeps: its own oscillator, set by what comes down the tree, and how far
// it may be off its root's:
//
//   epsilon = base x hops + drift x (now - when the root sent what this switch was set by)
//
// The paper counts from when the switch was set. A frame that takes long from hop to hop ages on
// its way, so that only the root's sending gives a bound that holds.
#pragma once

#include <cstdint>

namespace lambdacast::clock_sync {

class KeptTime {
 public:
  // `local_ns` is what the oscillator says.
  [[nodiscard]] double now(double local_ns) const { return local_ns + offset_ns_; }
  [[nodiscard]] double age(double local_ns) const {
    return root_ ? 0 : age_ns_ + local_ns - set_local_ns_;
  }
  [[nodiscard]] uint16_t hops() const { return hops_; }
  [[nodiscard]] double epsilon(double local_ns, double base_ns, double drift) const {
    return root_ ? 0 : base_ns * hops_ + drift * age(local_ns);
  }
  [[nodiscard]] bool root() const { return root_; }
  [[nodiscard]] double offset() const { return offset_ns_; }

  void set(double time_ns, double age_ns, uint16_t hops, double local_ns) {
    offset_ns_ = time_ns - local_ns;
    age_ns_ = age_ns;
    set_local_ns_ = local_ns;
    hops_ = hops;
    root_ = false;
  }
  // Goes on from what it has: from now on the others follow.
  void lead() {
    root_ = true;
    hops_ = 0;
  }
  // Somebody else leads; until his time comes, it is as old as this moment.
  void follow(double local_ns) {
    if (!root_) return;
    root_ = false;
    age_ns_ = 0;
    set_local_ns_ = local_ns;
  }

 private:
  double offset_ns_ = 0;
  double age_ns_ = 0;
  double set_local_ns_ = 0;
  uint16_t hops_ = 0;
  bool root_ = false;
};

}  // namespace lambdacast::clock_sync
