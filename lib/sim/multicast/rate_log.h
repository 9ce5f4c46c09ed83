// SPDX-License-Identifier: BSD-3-Clause
// The part of a run's log that is about rates: the frames that a life sends, the rate that it
// believes it may send at, and the words by which others grant it that rate.
#pragma once

#include <cstdint>

namespace lambdacast::sim {

// A frame that a life transmits, whatever it is.
struct OnWire {
  uint32_t life = 0;
  uint32_t bytes = 0;  // on the wire
  uint64_t at_ns = 0;
  bool data = false;        // of its own stream, and neither marks nor rates: what a share is for
  uint64_t offered_ns = 0;  // when the port was given it first, and may have refused it
};

// The rate a life may send at from then on, by its own account.
struct Allowance {
  uint32_t life = 0;
  uint64_t at_ns = 0;
  uint64_t bps = 0;  // of data, on the wire; ~0: no limit
  bool shared =
      false;  // by its share: it believes that it is in a view and knows the others' needs
};

// A frame by which a member renews the shares of the members that it does not suspect: it says that
// it is operational in that view.
struct Vouched {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  uint64_t sent_ns = 0;
  uint64_t at_ns = 0;  // when the receiver was given it
  uint64_t epoch = 0;
  uint64_t round = 0;
  uint32_t coordinator = 0;  // its incarnation
  uint64_t suspects = 0;     // a bit for each rank
};

// An announcement of a member's rates, or of those that departed members may still use, when it is
// sent for the first time.
struct RatesSaid {
  uint32_t life = 0;
  uint64_t at_ns = 0;
  bool reserve = false;  // of the departed: `need_bps` is what is kept for them
  uint64_t need_bps = 0;
  uint64_t line_bps = 0;  // here and below: 0 is no limit
  uint64_t room_bps = 0;
  uint64_t each_bps = 0;
  uint64_t reserve_bps = 0;  // that it keeps of its capacity
};

}  // namespace lambdacast::sim
