// SPDX-License-Identifier: BSD-3-Clause
// This endpoint as the entry of callers outside the view: what they send comes into the order as
// messages of this endpoint, which are lost or doubled no more than its own.
//
//   forward --> a request or an open of the group, in this endpoint's name --> the order
//   its place --> placed, to the caller
//   find    --> entry, from the member whose turn the caller's name gives
//
// A repetition of what is on its way is the same; one of what has its place goes into the order
// again, where the group's sessions tell it from a request. An entry refuses for itself alone: it
// has no room, is in no view, or knows no such group.
//
// Not thread-safe. Allocates at construction only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "group/carrier.h"
#include "group/directory.h"
#include "group/node_view.h"
#include "wire/control/request.h"

namespace lambdacast::group {

struct ForwardCounters {
  uint64_t forwarded = 0;
  uint64_t merged = 0;    // repetitions of what was on its way
  uint64_t refused = 0;   // no room, no view, no such group
  uint64_t others = 0;    // for another entry with the same personal group
  uint64_t nonsense = 0;  // forwards that make no sense
};

class Forwards {
 public:
  // At most `most` at a time; 0: for nobody. The others are the owner's, and live as long.
  Forwards(size_t most, const NodeView& nodes, const Directory& directory, Carrier& carrier)
      : most_(most), nodes_(nodes), directory_(directory), carrier_(carrier) {
    under_way_.reserve(most);
  }

  // A kForward or kFind of that endpoint. `informed`: the directory is known.
  void take(const Delivery& from, const wire::Envelope& envelope, std::span<const uint8_t> message,
            bool informed);
  // A request or an open of this endpoint's stream has its place.
  void placed(const wire::Envelope& envelope, uint32_t group, const wire::RequestPlace& at);
  void out() { under_way_.clear(); }

  [[nodiscard]] size_t under_way() const { return under_way_.size(); }
  [[nodiscard]] const ForwardCounters& counters() const { return counters_; }

 private:
  struct UnderWay {
    wire::StreamName caller;
    uint64_t number = 0;
    uint32_t group = 0;
    wire::RequestType type = wire::RequestType::kRequest;
    bool operator==(const UnderWay&) const = default;
  };

  void find(const wire::Envelope& envelope);
  void forward(wire::Envelope envelope, const wire::Forwarded& forwarded);
  void say(wire::Envelope envelope, wire::RequestType type, wire::AnswerStatus status,
           uint32_t group);

  const size_t most_;
  const NodeView& nodes_;
  const Directory& directory_;
  Carrier& carrier_;
  std::vector<UnderWay> under_way_;
  ForwardCounters counters_;
};

}  // namespace lambdacast::group
