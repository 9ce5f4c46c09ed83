// SPDX-License-Identifier: BSD-3-Clause
// What this endpoint has said to requests of callers outside the view, for their repetitions: an
// answer of so many bytes, or that it declined. Bounded: the oldest goes first, and what its caller
// has done with goes at once.
//
// Not thread-safe. Allocates as answers come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

#include "group/handlers.h"
#include "wire/control/request.h"

namespace lambdacast::group {

class KeptAnswers {
 public:
  struct Kept {
    wire::Envelope envelope;  // of the answer, whose handler is the group
    Content message;          // which has an owner
  };

  explicit KeptAnswers(size_t most_bytes) : most_bytes_(most_bytes) {}

  [[nodiscard]] size_t bytes() const { return bytes_; }
  [[nodiscard]] size_t size() const { return kept_.size(); }
  // An answer that does not fit at all is not kept.
  void keep(const wire::Envelope& answer, const Content& message);
  // Null: nothing is kept.
  [[nodiscard]] const Kept* find(const wire::StreamName& caller, uint32_t group,
                                 uint64_t number) const;
  // The caller has ended all its requests to the group up to there.
  void forget(const wire::StreamName& caller, uint32_t group, uint64_t floor);
  void clear();

 private:
  struct Name {
    wire::StreamName caller;
    uint32_t group = 0;
    uint64_t number = 0;
    bool operator<(const Name& other) const {
      if (caller != other.caller) return lambdacast::name_before(caller, other.caller);
      return group != other.group ? group < other.group : number < other.number;
    }
  };
  [[nodiscard]] static size_t bytes_of(const Kept& kept) {
    return sizeof(Kept) + kept.message.bytes().size();
  }
  void forget_the_oldest();

  const size_t most_bytes_;
  size_t bytes_ = 0;
  std::map<Name, Kept> kept_;
  std::deque<Name> order_;  // the oldest first; some are forgotten already
};

}  // namespace lambdacast::group
