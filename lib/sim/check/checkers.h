// SPDX-License-Identifier: BSD-3-Clause
// Whether a run was right (doc/decisions/0013-checkers-read-the-log-alone.md). The checkers know
// the scenario and the log, and share no code with what they check. Each returns one sentence for
// each violation, at most a few of a kind. An empty list means that the rule holds.
#pragma once

#include <string>
#include <vector>

#include "sim/multicast/log.h"
#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

using Violations = std::vector<std::string>;
class OrderLog;

// Every transmission has the next frame_seq of its life; a recoverable message goes out under its
// own rel_seq, first in order, later as repairs; an unreliable one once, under the last rel_seq
// before it.
[[nodiscard]] Violations check_numbering(const Scenario& scenario, const Log& log);

// A message is delivered at most once by each life, only if it was published, unchanged, under its
// sender's name, group, level of service and position, to subscribers only; to its sender only at
// totally ordered and above.
[[nodiscard]] Violations check_integrity(const Scenario& scenario, const Log& log);

// When a source-ordered message is delivered, all source-ordered ones of its sender and group
// before it were delivered, or declared lost; and no recoverable message of an earlier life comes
// after one of a later life.
[[nodiscard]] Violations check_source(const Scenario& scenario, const Log& log);

// A receiver takes part in a stream from the position at which the sender admitted it, which
// follows the late-join policy. From there on every recoverable message of a group that it
// subscribes to ends as exactly one of delivered and declared lost, unless one of the two died or
// the receiver was cut off for good. Reports of losses and evictions are true. Totally ordered
// messages end as views do. Source ordered ones wait for those, for ever if the order `stands` for
// want of a quorum.
[[nodiscard]] Violations check_ended(const Scenario& scenario, const Log& log, bool stands = false);

// Memory stays within what is configured and is given back; while data waits repairs have their
// share of the frames; few repairs are of use to nobody (how many there may be: repair_run.h).
[[nodiscard]] Violations check_bounds(const Scenario& scenario, const Log& log);

// A receiver that lacks a packet for longer than evict_lag is cut off by a sender that evicts.
[[nodiscard]] Violations check_slow(const Scenario& scenario, const Log& log);

// After the faults have ended: who is alive is admitted by all others, gets their last messages,
// and has all of its own stable.
[[nodiscard]] Violations check_liveness(const Scenario& scenario, const Log& log);

// Each endpoint counts each peer's frames as the log does.
[[nodiscard]] Violations check_frames(const Scenario& scenario, const Log& log);

// With rates: all that was sent towards a member of a view (before losses, by whomever) would never
// have waited in front of it by more than the bursts of all others together, served at its
// capacity.
[[nodiscard]] Violations check_envelope(const Scenario& scenario, const Log& log);
// At no moment do the others' shares, those of excluded members included that do not know it yet,
// exceed the room of a member of a view.
[[nodiscard]] Violations check_shares(const Scenario& scenario, const Log& log);

// A life sends of its own stream, repairs included, in each interval no more than its allowance
// brings in that time, a burst and a frame. Control comes beside it.
[[nodiscard]] Violations check_paced(const Scenario& scenario, const Log& log);

// A life that has not heard, within the length of a lease, that a quorum of its view does not
// suspect it, sends of its own stream no more than the rate of nodes without a share brings, a
// burst and a frame.
[[nodiscard]] Violations check_outside(const Scenario& scenario, const Log& log);

// A life that has unreliable messages waiting throughout a millisecond, in a process that runs
// freely, sends in it what its allowance brings, less two bursts and frames, by which control may
// be in debt.
[[nodiscard]] Violations check_starved(const Scenario& scenario, const Log& log);

// Each member may send its max-min fair share of what all have announced once nothing has changed
// for 20 round trips, faults are over, and departed members have had the time in which they learn
// that they are out: the shares of those who are gone are in use again.
[[nodiscard]] Violations check_fair(const Scenario& scenario, const Log& log);

// Views and total order. One index of the log serves all of these.

// A domain has one order: the same message at the same place (view, index) for all whom the level
// of service binds; indices without a hole that a receiver subscribes to; each message in the view
// that its receiver is in.
[[nodiscard]] Violations check_order(const OrderLog& order);

// Source with ordered messages: before one all earlier source-ordered and ordered ones of its
// sender and group, and before a source-ordered one all earlier ordered ones, as far as they are
// owed: those of views before a receiver's first are not, and source-ordered messages do not wait
// for those of a sender that is not in the view.
[[nodiscard]] Violations check_ordered_source(const OrderLog& order);

// All members that install a view and then the same next one deliver the same sequence in it.
[[nodiscard]] Violations check_synchrony(const OrderLog& order);

// A message that a life delivered in a domain comes before those that it published there later
// (Lamport 1978).
[[nodiscard]] Violations check_causality(const OrderLog& order);

// If one member delivers a totally resilient message, all deliver it that go on to the next view.
[[nodiscard]] Violations check_safe(const OrderLog& order);
// If one member delivers a K-resilient message, all deliver it that go on to the next view,
// provided that at most K members leave with the view.
[[nodiscard]] Violations check_k(const OrderLog& order);
// If one member delivers a message of level majority, all deliver it that go on to the next view.
// No two such messages are delivered in both orders by any members.
[[nodiscard]] Violations check_majority(const OrderLog& order);
// A message that is delivered before a view ends is held by as many members as its level promises.
[[nodiscard]] Violations check_held(const OrderLog& order);

// With a token ring. A pass is made once a view, by the site that its number names, to which the
// pass before and all that earlier passes of the view name had been given. N - 1 of them at most
// name nothing in a row, and the first one of a view names something.
[[nodiscard]] Violations check_token(const OrderLog& order);
// A message of the ring at level majority that is delivered before a view ends is held by a
// majority of the largest view with an unstable packet: of the one before, as long as a member of
// this one has not begun it. A newcomer does not know that, and waits for all until then.
[[nodiscard]] Violations check_max_n(const OrderLog& order);

// A message that its sender calls stable is with every member of the sender's view that lives and
// was in it when the message got its place. A member may have declared it lost if it is not
// ordered.
[[nodiscard]] Violations check_stable(const OrderLog& order);

// One primary view at a time, each with a quorum of the one before it; ranks are kept; who is out
// stays out and is told nothing more; a first view comes only when nobody of an older one lives.
[[nodiscard]] Violations check_views(const OrderLog& order);

// No member is excluded without a fault that is longer than suspect_after.
[[nodiscard]] Violations check_excluded(const OrderLog& order);

// Nobody is told for certain that a life is over which is not.
[[nodiscard]] Violations check_deaths(const OrderLog& order);

// After the faults, if a quorum is left: one view of all who live, and all of theirs delivered.
[[nodiscard]] Violations check_progress(const OrderLog& order);
// Is a quorum left?
[[nodiscard]] bool progress_owed(const OrderLog& order);

// Groups with names: one number for each name and one name for each number; of their members who
// go on together all have the same state behind the same message and are told of the same views of
// the group; a state that is restored is one that somebody had, and comes before all else; and
// when all has settled everybody knows the same groups and nobody waits.
[[nodiscard]] Violations check_groups(const OrderLog& order);

// Locks of groups: each has one history, which follows from what was asked for and given back at
// its place, from leaves and from views; members are told of all of it from their first view on,
// and in the end of the last holder, who is a member.
[[nodiscard]] Violations check_handlers(const OrderLog& order);
// Locks of the group that needs two members, by what members are told: while it is suspended nobody
// gets one; all hear of one history; and in the end nobody waits for a lock that nobody has while
// the group goes on.
[[nodiscard]] Violations check_suspended(const OrderLog& order);
// The register of a lock takes no token older than one that it took, and no two lives have one
// token.
[[nodiscard]] Violations check_fenced(const OrderLog& order);

// Calls to groups. Once: each is requested once of a member, and from majority on at one place.
// Outcome: each ends once, as those who were asked have answered, declined or departed; what is
// said never to be delivered never is; and in the end only those are waited for who say nothing.
[[nodiscard]] Violations check_calls(const OrderLog& order);

// All of the above.
[[nodiscard]] Violations check_all(const Scenario& scenario, const Log& log);

}  // namespace lambdacast::sim
