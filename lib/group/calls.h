// SPDX-License-Identifier: BSD-3-Clause
// The calls of this endpoint that are under way: who is asked, who has answered, and how each ends.
//
//   call()          -> a request into the group's order
//   its own place   -> who is asked, as every member of the group finds there, too
//   answer, decline -> of each of them once
//   a view          -> those who have departed answer no more
//   all have answered, declined or departed, or enough have answered -> it ends
//   time, or out of the view -> it ends, and what is not known is told as unknown
//
// A member answers or declines each request that it is asked by, so that nothing else of the group
// has to be followed here. Answers are no part of the order, and may come before the request's own
// place is reached here, even before the view that it is in.
//
// Not thread-safe. Allocates at construction, and as members depart that calls have asked.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "group/carrier.h"
#include "group/completions.h"
#include "group/directory.h"
#include "group/handlers.h"
#include "group/node_view.h"
#include "wire/control/request.h"

namespace lambdacast::group {

struct CallCounters {
  uint64_t calls = 0;                // accepted
  uint64_t answers = 0;              // to calls under way
  uint64_t late = 0;                 // answers to calls that have ended, or that have not asked
  std::array<uint64_t, 10> ended{};  // by Outcome::What
};

// An envelope's patience, rounded up.
[[nodiscard]] inline uint32_t patience_ms(uint64_t ns) {
  constexpr uint64_t kNanosInMillisecond = 1'000'000;
  return static_cast<uint32_t>(
      std::min<uint64_t>((ns + kNanosInMillisecond - 1) / kNanosInMillisecond, ~uint32_t{0}));
}
[[nodiscard]] inline wire::RequestPlace stamp_of(const CallOptions& options) {
  const Stamp stamp = options.unchanged_since.value_or(Stamp{});
  return {stamp.epoch, stamp.place};
}

class Calls final : private Completion {
 public:
  // Calls under way at a time; `timeout_ns` of those that say nothing else.
  struct Config {
    wire::StreamName self;
    size_t most = 0;
    uint64_t timeout_ns = 0;
  };
  // The others are the owner's, and live as long.
  Calls(const Config& config, const NodeView& nodes, Carrier& carrier, Completions& completions);

  // To a group that is known and not suspended. `handler` is null for Want::kNothing alone.
  [[nodiscard]] Result call(uint32_t group, std::span<const uint8_t> message,
                            const CallOptions& options, CallHandler* handler, uint64_t token);
  void cancel(CallHandler& handler, uint64_t token);

  // An own request at its place in its group. `asked`: by rank. `refused`: by all members.
  void placed(const wire::Envelope& request, const wire::RequestPlace& at, const Group& group,
              NodeSet asked, bool refused);
  // An answer of that node; of this endpoint's own application, too.
  void answer(const wire::StreamName& from, const wire::Envelope& envelope,
              std::span<const uint8_t> message);
  // A new view of the nodes has begun.
  void begin_view();
  // This endpoint is out of the view.
  void out();
  // Ends calls whose time is over. `lived_ns`: time in which this endpoint ran.
  void poll(uint64_t lived_ns);

  [[nodiscard]] size_t under_way() const { return calls_.size() - free_.size(); }
  [[nodiscard]] const CallCounters& counters() const { return counters_; }

 private:
  using What = Outcome::What;
  using Delivered = Outcome::Delivered;

  struct Call {
    uint64_t number = 0;  // 0: free
    CallHandler* handler = nullptr;
    uint64_t token = 0;
    uint64_t deadline_ns = 0;
    wire::RequestPlace place;  // zeros: not reached yet
    NodeSet asked;             // of this view, as the next two; before the place is reached: nobody
    NodeSet answered;
    NodeSet declined;
    uint16_t asked_in_all = 0;  // with those who have departed
    uint16_t answers = 0;
    Want want = Want::kNothing;
    wire::Qos qos = wire::Qos::kMajority;
    uint8_t k = 0;
    bool departed = false;  // somebody who has not answered

    [[nodiscard]] bool placed() const { return place.epoch != 0; }
  };
  // Somebody whom a call has asked and who is out of the view.
  struct Departed {
    uint64_t number = 0;
    Asked asked;
  };
  // An answer of a view that this endpoint has not begun.
  struct Early {
    uint64_t number = 0;
    uint64_t epoch = 0;
    wire::StreamName from;
    wire::AnswerStatus status = wire::AnswerStatus::kAnswered;
  };

  void stable(uint64_t number) override;
  void unknown(uint64_t number) override;
  [[nodiscard]] Call* find(uint64_t number);
  [[nodiscard]] uint64_t open(const CallOptions& options, CallHandler& handler, uint64_t token);
  // Each returns false if the call has not asked that node, or has its answer already.
  [[nodiscard]] bool note(Call& call, const wire::StreamName& from, const wire::Envelope& answer);
  [[nodiscard]] bool note(Call& call, size_t rank, wire::AnswerStatus status);
  [[nodiscard]] bool note_departed(Call& call, const wire::StreamName& from,
                                   wire::AnswerStatus status);
  void depart(Call& call);
  void end_if_over(Call& call);
  // What the order says of a request that it refuses is certain from majority on.
  [[nodiscard]] static Delivered never(const Call& call) {
    return call.qos >= wire::Qos::kMajority ? Delivered::kNo : Delivered::kUnknown;
  }
  [[nodiscard]] static Delivered delivered(const Call& call) {
    return call.placed() ? Delivered::kYes : Delivered::kUnknown;
  }
  void end(Call& call, What what, Delivered delivered);
  void free(Call& call);

  const Config config_;
  const NodeView& nodes_;
  Carrier& carrier_;
  Completions& completions_;
  std::vector<Call> calls_;
  std::vector<uint32_t> free_;
  uint64_t made_ = 0;
  uint64_t unheard_ = 0;  // requests that nobody waits for; their numbers are odd
  uint64_t lived_ns_ = 0;
  uint64_t next_deadline_ns_ = ~uint64_t{0};
  std::vector<Departed> departed_;
  std::vector<Early> early_;
  CallCounters counters_;
};

}  // namespace lambdacast::group
