// SPDX-License-Identifier: BSD-3-Clause
// Counts what came about in runs, so that a campaign in which nothing happens proves nothing.
#pragma once

#include <cstdint>

#include "sim/multicast/log.h"

namespace lambdacast::sim {

// X(field, what it counts)
#define LAMBDACAST_COVERAGE(X)                                       \
  X(seeds, "seeds")                                                  \
  X(delivered, "messages delivered")                                 \
  X(delivered_unreliable, "of them unreliable")                      \
  X(frames, "data frames")                                           \
  X(frames_shared, "of them with several messages")                  \
  X(control_frames, "control frames")                                \
  X(copies_lost, "copies lost in the fabric")                        \
  X(copies_damaged, "copies damaged")                                \
  X(ring_losses, "frames lost before a full ring")                   \
  X(lost_at_transmitter, "data frames lost at their transmitter")    \
  X(wild_lives, "lives in wild surroundings")                        \
  X(partial_bursts, "bursts that a port took a part of")             \
  X(refusals, "times that a port took nothing")                      \
  X(late_frees, "times that a port still had what was asked for")    \
  X(links_filled, "times that a full link was relieved")             \
  X(pool_empty, "packets that an empty pool refused")                \
  X(application_refusals, "times that an application took nothing")  \
  X(in_runs, "packets judged a run at a time")                       \
  X(nacks, "NACK frames")                                            \
  X(nacks_suppressed, "positions not asked for, others had")         \
  X(repairs, "repairs sent")                                         \
  X(repaired, "recoverable messages sent more than once, delivered") \
  X(duplicates, "frames refused as duplicates")                      \
  X(too_far_ahead, "frames beyond a window")                         \
  X(slow_consumer, "frames refused by a full hold")                  \
  X(admissions, "receivers admitted")                                \
  X(evicted_lag, "receivers cut off for their lag")                  \
  X(evicted_silent, "receivers cut off for their silence")           \
  X(left, "receivers seen to leave")                                 \
  X(restarts, "restarts seen by senders")                            \
  X(crashes, "lives ended by a crash")                               \
  X(lost_outside_retention, "positions declared lost: not retained") \
  X(lost_sender_gone, "positions declared lost: their sender gone")  \
  X(lost_deadline, "positions declared lost: deadline passed")       \
  X(lost_evicted, "positions declared lost: cut off")                \
  X(lost_in_reassembly, "packets declared lost: their message is")   \
  X(with_membership, "seeds with views and total order")             \
  X(first_views, "first views installed, by each life")              \
  X(view_changes, "later views installed, by each life")             \
  X(excluded, "lives told that they are excluded")                   \
  X(tells_deaths, "seeds whose fabric tells of deaths")              \
  X(buried, "lives told to be over, by each life")                   \
  X(totally_ordered, "messages delivered at totally ordered")        \
  X(k_resilient, "messages delivered at K-resilient")                \
  X(majority, "messages delivered at majority")                      \
  X(totally_resilient, "messages delivered at totally resilient")    \
  X(long_messages, "messages delivered of several packets")          \
  X(recovered, "messages recovered of members gone")                 \
  X(resumed, "fragments sent once more for newcomers")               \
  X(stable, "recoverable messages called stable")                    \
  X(with_ring, "seeds with a token ring")                            \
  X(passes, "passes of tokens")                                      \
  X(passes_empty, "of them without items")                           \
  X(dead_sites, "token sites that died with the token")              \
  X(dead_neighbours, "of them with the next site, in one view")      \
  X(holes, "views that ended with a hole, at each life")             \
  X(with_rates, "seeds with rates agreed on")                        \
  X(raises, "times that what a life may send rose")                  \
  X(with_groups, "seeds with groups that have names")                \
  X(group_views, "views of groups told")                             \
  X(states_restored, "states of groups restored")                    \
  X(states_lost, "states of groups lost with all who had them")      \
  X(with_locks, "seeds with locks of groups")                        \
  X(locks_granted, "locks granted to who asked")                     \
  X(locks_moved, "locks moved to who waited, or to an heir")         \
  X(locks_moved_by_view, "of them, by a view without the holder")    \
  X(locks_refused, "requests for locks refused")                     \
  X(locks_withheld, "requests that a suspended group let wait")      \
  X(register_writes, "writes by tokens that a register took")        \
  X(stale_writes, "stale ones that it refused")                      \
  X(two_believers, "of them, while two believed to hold the lock")   \
  X(calls, "calls to groups")                                        \
  X(calls_acknowledged, "of them acknowledged")                      \
  X(calls_answered, "of them answered")                              \
  X(calls_short, "of them answered by fewer than wanted")            \
  X(calls_to_nobody, "of them with nobody to answer")                \
  X(holders_departed, "of them with a holder that departed")         \
  X(calls_timed_out, "of them given up")                             \
  X(calls_unknown, "of them cut off by their caller's exclusion")    \
  X(calls_outside, "calls by sessions, as from outside the view")    \
  X(repetitions, "of their requests repeated, and not executed")     \
  X(refused_again, "of their requests refused once more")            \
  X(sessions_expired, "of them told that their session expired")     \
  X(none_kept, "of them told that no answer is kept")                \
  X(kept_for_others, "answers kept in case the holder departs")      \
  X(calls_refused, "calls that a suspended group or all entries refused")

struct Coverage {
#define LAMBDACAST_FIELD(field, help) uint64_t field = 0;
  LAMBDACAST_COVERAGE(LAMBDACAST_FIELD)
#undef LAMBDACAST_FIELD

  void add(const Log& log);  // one more seed
  void add(const Coverage& other);
  // visit(const char* name, const char* help, uint64_t& value)
  template <typename Visitor>
  void for_each(Visitor&& visit) {
#define LAMBDACAST_VISIT(field, help) visit(#field, help, field);
    LAMBDACAST_COVERAGE(LAMBDACAST_VISIT)
#undef LAMBDACAST_VISIT
  }
  // As missing(), of the locks; a campaign of 2 000 seeds must have seen all of it.
  [[nodiscard]] const char* missing_of_locks() const;
  // One of the things that a campaign must have seen and that this one has not; null if it has seen
  // them all.
  [[nodiscard]] const char* missing() const;
};

}  // namespace lambdacast::sim
