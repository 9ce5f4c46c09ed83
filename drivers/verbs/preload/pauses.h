// SPDX-License-Identifier: BSD-3-Clause
// How long a thread sleeps between two looks at what cannot wake it: the first pause of a silence
// is short, and each further one is twice as long as the last, up to the longest. So what ends a
// silence waits no longer than the silence took, and no longer than the longest pause.
#pragma once

#include <algorithm>
#include <chrono>

namespace lambdacast::verbs {

class Pauses {
 public:
  using Duration = std::chrono::microseconds;
  constexpr Pauses(Duration first, Duration longest)
      : first_(first), longest_(std::max(first, longest)), next_(first) {}

  // Something came: the next silence begins anew.
  constexpr void restart() { next_ = first_; }
  // The pause to make now.
  [[nodiscard]] constexpr Duration take() {
    const Duration pause = next_;
    next_ = std::min(2 * next_, longest_);
    return pause;
  }

 private:
  Duration first_;
  Duration longest_;
  Duration next_;
};

}  // namespace lambdacast::verbs
