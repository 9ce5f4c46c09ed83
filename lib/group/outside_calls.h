// SPDX-License-Identifier: BSD-3-Clause
// Calls of an endpoint outside the view: it has a session with each group that it calls, sends what
// it asks to an entry, which is a member of the view, and repeats it until it knows the outcome.
//
//   call() --> open, once a group --> forward --> entry --> the order
//   status of the group's speaker --> the place, and who is asked
//   answers --> the outcome
//   nothing heard --> the same again, from the third time on by another entry
//
// A request is executed once at most, however often it is sent: the session tells repetitions. So a
// call ends as never delivered only if the group's order says so, or if each copy was refused by
// its entry. The floor rises over what has ended, and never over a call under way.
//
// Not thread-safe. Allocates as groups and calls come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "group/calls.h"
#include "group/carrier.h"
#include "group/group_config.h"
#include "group/handlers.h"
#include "group/retry_plan.h"
#include "wire/control/request.h"

namespace lambdacast::group {

// A member of the view that forwards.
struct EntryAddress {
  wire::Gid gid;
  uint32_t qpn = 0;
  bool operator==(const EntryAddress&) const = default;
};

struct OutsideCallsConfig {
  wire::StreamName self;
  RequestsConfig requests;                            // calls, timeout_ns and retry_ns
  std::vector<EntryAddress> entries;                  // in turn; none: one is looked for
  size_t max_message_bytes = wire::kMaxMessageBytes;  // with its envelope and what else is in front
};

struct OutsideCounters {
  uint64_t opened = 0;    // sessions
  uint64_t sent = 0;      // opens and requests, to entries
  uint64_t repeated = 0;  // of these
  uint64_t busy = 0;      // copies that an entry has refused
};

class OutsideCalls {
 public:
  // The carrier is the owner's, and lives as long.
  OutsideCalls(const OutsideCallsConfig& config, AnswerCarrier& carrier);

  // Sends it at once if it has a session, else from poll(). Needs a totally ordered level.
  // `handler` is null for Want::kNothing alone, and hears nothing of such a call.
  [[nodiscard]] Result call(std::string_view group, std::span<const uint8_t> message,
                            const CallOptions& options, CallHandler* handler, uint64_t token);
  void cancel(CallHandler& handler, uint64_t token);
  // A message of the request layer to this endpoint's personal group.
  void take(const wire::StreamName& from, std::span<const uint8_t> message);
  // Sends what is due, and gives up. `lived_ns`: time in which this endpoint ran.
  void poll(uint64_t lived_ns);

  [[nodiscard]] size_t under_way() const { return under_way_; }
  [[nodiscard]] const CallCounters& counters() const { return counters_; }
  [[nodiscard]] const OutsideCounters& outside_counters() const { return outside_counters_; }

 private:
  struct Call {
    uint64_t number = 0;  // 0: it waits for its session
    CallHandler* handler = nullptr;
    uint64_t token = 0;
    uint64_t deadline_ns = 0;
    CallOptions options;
    std::vector<uint8_t> message;
    Retry retry;
    wire::RequestPlace place;  // zeros: not known
    std::vector<Asked> asked;
    bool listed = false;   // the speaker has told who is asked
    bool expired = false;  // its session is no more
  };
  struct Session {
    std::string name;
    uint64_t open_number = 0;
    wire::RequestPlace id;  // zeros: not open
    uint32_t group = 0;
    uint64_t last = 0;       // number
    Retry retry;             // of the open
    std::deque<Call> calls;  // in the order of their calls
  };

  [[nodiscard]] Session& session_of(std::string_view name);
  [[nodiscard]] static uint64_t floor_of(const Session& session);
  void send_due(Session& session);
  [[nodiscard]] bool send(Session& session, const Call* call, Retry& retry);
  void look_for_entry();
  void refused(Retry& retry, const wire::Envelope& envelope);
  [[nodiscard]] std::optional<EntryAddress> entry(const Call* call, const Retry& retry);
  void wake_at(uint64_t lived_ns) { next_due_ns_ = std::min(next_due_ns_, lived_ns); }
  void on_status(Session& session, Call& call, const wire::Envelope& envelope,
                 std::span<const uint8_t> names);
  void on_answer(Session& session, uint64_t number, const wire::StreamName& from,
                 const wire::Envelope& envelope, std::span<const uint8_t> message);
  void list(Call& call, std::span<const uint8_t> names);
  void end_if_over(Session& session, Call& call);
  void end(Session& session, Call& call, Outcome::What what, Outcome::Delivered delivered);
  void close(Session& session);
  [[nodiscard]] static Call* find(Session& session, uint64_t number);
  [[nodiscard]] std::deque<Session>::iterator renumbered(const wire::Envelope& status);

  const OutsideCallsConfig config_;
  AnswerCarrier& carrier_;
  const RetryPlan plan_;
  std::optional<EntryAddress> entry_;  // nothing: it is looked for
  uint32_t entries_ = 0;               // that were left
  Retry search_;
  std::deque<Session> sessions_;  // its elements stay where they are
  size_t under_way_ = 0;
  uint64_t opens_ = 0;
  uint64_t lived_ns_ = 0;
  uint64_t next_due_ns_ = 0;  // before, poll() has nothing to do
  CallCounters counters_;
  OutsideCounters outside_counters_;
};

}  // namespace lambdacast::group
