// SPDX-License-Identifier: BSD-3-Clause
// Calls of others, and of this endpoint, at the members of a group: a request at its place in the
// group's order is handed to the application, which answers it by a ticket if it is asked.
//
//   request at its place --> who is asked, by members and locks as they are there --> handlers
//   answer, decline, no ticket, left --> one answer to the caller's personal group
//
// Not thread-safe. Allocates at construction, and for callers outside the view; what a member that
// waits for its state keeps is LocalGroup's.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "group/calls.h"
#include "group/carrier.h"
#include "group/directory.h"
#include "group/handler_table.h"
#include "group/kept_answers.h"
#include "group/local_groups.h"
#include "group/node_view.h"
#include "group/tickets.h"
#include "wire/control/request.h"

namespace lambdacast::group {

struct RequestCounters {
  uint64_t requests = 0;  // that came to groups of this endpoint's
  uint64_t refused = 0;   // as their group was suspended, or had changed
  uint64_t asked = 0;     // of them, by which this endpoint was asked
  uint64_t answered = 0;
  uint64_t declined = 0;
  uint64_t kept = 0;           // what another member would answer
  uint64_t no_ticket = 0;      // declined, because all tickets were in use
  uint64_t repetitions = 0;    // of callers outside the view, not executed again
  uint64_t expired = 0;        // of sessions that are no more
  uint64_t silent = 0;         // of them, without a word: too many were to be declined
  uint64_t given_up = 0;       // their callers have given up
  uint64_t nonsense = 0;       // messages of the request layer that make no sense
  uint64_t refused_again = 0;  // of those refused, as their group had refused an earlier copy
};

// The ranks that are to answer a request in a group that is like that at its place.
[[nodiscard]] NodeSet asked_by(const wire::Envelope& request, const Group& group,
                               const HandlerTable& locks);

class Requests {
 public:
  struct Room {
    size_t tickets = 0;        // requests that wait for an answer here
    size_t answers_bytes = 0;  // what was said to callers outside the view, for repetitions
  };
  // The others are the owner's, and live as long.
  Requests(const Room& room, const wire::StreamName& self, const NodeView& nodes,
           const Directory& directory, const HandlerTable& locks, LocalGroups& locals,
           Carrier& carrier, Calls& calls);

  // A message of the request layer, which begins with that envelope; `group` is null if it is not
  // to a group that is known here.
  void take(const Delivery& from, const wire::Envelope& envelope, std::span<const uint8_t> message,
            const Group* group);
  // A message of that layer that has no envelope.
  void refuse() { ++counters_.nonsense; }

  [[nodiscard]] Result answer(uint64_t ticket, const Content& message);
  [[nodiscard]] Result decline(uint64_t ticket);
  // What the member that is asked would answer, while the application is handed that request.
  [[nodiscard]] Result keep(uint64_t ticket, const Content& message);

  // A new view of the nodes has begun: nobody answers those who have departed.
  void begin_view();
  // This endpoint is out of the view.
  void out();
  // Says what is to be said. `lived_ns`: time in which this endpoint ran.
  void poll(uint64_t lived_ns);

  // Does poll() have nothing to do?
  [[nodiscard]] bool idle() const {
    return tickets_.open() == 0 && unsaid_.empty() && to_say_.empty();
  }
  [[nodiscard]] size_t open() const { return tickets_.open(); }
  [[nodiscard]] const RequestCounters& counters() const { return counters_; }

 private:
  // A request at its place.
  struct Placed {
    const Group& group;
    LocalGroup& local;
    wire::RequestPlace at;
    NodeSet asked;
  };
  // A status, with those who are asked, or an answer once more.
  struct ToSay {
    wire::Envelope envelope;
    std::vector<uint8_t> names;
    bool kept = false;  // an answer that answers_ has
  };
  // Do all members refuse it, at this place of its group?
  [[nodiscard]] bool refuses(const wire::Envelope& request, const Group& group) const;
  void apply(const Delivery& from, const wire::Envelope& request, std::span<const uint8_t> message,
             const Group& group);
  void apply_outside(const Delivery& from, const wire::Envelope& request,
                     std::span<const uint8_t> message, const Group& group);
  void say_none_kept(const wire::Envelope& request, uint32_t group);
  void decline_as_it_leaves(const wire::Envelope& request, const Placed& placed);
  void hand_on(const Delivery& from, const wire::Envelope& request,
               std::span<const uint8_t> message, const Placed& placed);
  void repeat(const wire::Envelope& request, const Placed& placed);
  void say_status(const wire::Envelope& request, const Placed& placed, wire::AnswerStatus status);
  void say_later(ToSay what);
  void say_what_waits();
  [[nodiscard]] Result say(const wire::Envelope& envelope, const Content& message);
  [[nodiscard]] uint64_t open_ticket(const wire::Envelope& request, const wire::RequestPlace& at,
                                     uint32_t group);
  [[nodiscard]] Result send(const Ticket& ticket, wire::AnswerStatus status,
                            const Content& message);
  [[nodiscard]] Result finish(Ticket& ticket, wire::AnswerStatus status, const Content& message);
  void decline_without_ticket(const wire::Envelope& request, const wire::RequestPlace& at,
                              uint32_t group);
  void look_at_tickets();

  const wire::StreamName self_;
  const NodeView& nodes_;
  const Directory& directory_;
  const HandlerTable& locks_;
  LocalGroups& locals_;
  Carrier& carrier_;
  Calls& calls_;
  Tickets tickets_;
  KeptAnswers answers_;
  Ticket to_keep_;              // of the request that is being handed on; free: nothing to keep
  uint64_t handed_on_ = 0;      // with such a ticket
  std::vector<Ticket> unsaid_;  // to be declined, without a ticket
  std::deque<ToSay> to_say_;    // to callers outside the view, for want of room
  uint64_t lived_ns_ = 0;
  uint64_t next_deadline_ns_ = ~uint64_t{0};
  uint64_t groups_ended_ = 0;
  bool declines_ = false;  // a ticket is to be declined
  RequestCounters counters_;
};

}  // namespace lambdacast::group
