// SPDX-License-Identifier: BSD-3-Clause
// The shares of a view, as doc/decisions/0025-shares-in-the-order.md has them, without time and
// bytes. scripts/dev/check_models.py checks it.
//
// there                here
// member of the view   process member(i), i = 0..2. All hear all, and node i takes ROOM(i) of the
//                      others. Nodes 0 and 1 have more to send than they can, node 2 has nothing
//                      at first. FastCast 2013, 3.5, fails on these numbers
// need                 0 or GREEDY. That of the nodes in SPEAKERS may change at any time, CHANGES
//                      times in all
// announcement         `said`. It follows the frames before it to the port. Its place in the
//                      order may be anywhere behind that
// event                an announcement in the order. `share`: what each member has in it
// mark                 each member applies the events one by one, as late as it likes: `marked`.
//                      The sequencer is one that is never late, and marks when the port has all
// acknowledgement      `acked`. Each of the others hears it as late as it likes: `heard`
// frames for the port  `fastest`: the rate of the fastest that wait for it, or else the rate now.
//                      The port may refuse them for any time. Acknowledgements overtake them
// view change          two go on without the third, which sends until its lease is over, and need
//                      not hear of it before. view_change.pml has how they agree. A promise does
//                      not keep a member from acknowledging here
//
// What must never happen: frames come to a member of the view faster than it takes them. What must
// happen: when all was said and heard, each member sends at its max-min share.
//
// -DMUTANT_x breaks one rule: an assertion must fail. -DREACH_x asserts that something worth
// checking never happens: it must fail too, or the others would be holding for nothing.

#ifndef CHANGES
#define CHANGES 2
#endif
#ifndef SPEAKERS
#define SPEAKERS 7
#endif
#ifndef DEPARTURES
#define DEPARTURES 0
#endif

#define GREEDY 100
// With a view change: two events more, and those beyond the cut once more.
#define EVENTS (1 + CHANGES + DEPARTURES * (CHANGES + 2))
#define NOT_YET 255
#define RATE(i) node[i].rate
#include "max_min.pml"

typedef Node {
  byte need;
  byte said;     // the need that it has announced last
  bool waits;    // that announcement, for its place in the order
  byte known;    // the event that this announcement calls settled
  byte marked;   // the last event that it has applied
  byte settled;  // the last one that it knows all to have acknowledged
  byte rate;     // that it sends at
  byte fastest;
  byte acked;    // the last event that it has acknowledged
  byte heard[MEMBERS];
#ifdef MUTANT_COUNTS_ACKS
  byte count;
#endif
#ifdef MUTANT_FASTCAST
  byte own;              // its need, as it computes with it
  byte asked = NOT_YET;  // the event that asks for an increase, until all have acknowledged it
#endif
}
typedef Event {
  byte need[MEMBERS];
  byte share[MEMBERS];
  byte known;  // the last event that announcements up to this one call settled
}

Node node[MEMBERS];
Event event[EVENTS];
byte last;  // event in the order
byte changes_left = CHANGES;
// Of the view change.
byte departed = NOT_YET;
byte cut = NOT_YET;     // the last event of the old view that all who stay apply
byte begins = NOT_YET;  // the event that begins the new view
bool lease_over;
hidden byte q, before, held;  // within a step

#define INSTALLED(m) (node[m].marked >= begins && begins != NOT_YET)

inline check_rooms() {
  for (j : 0 .. MEMBERS - 1) {
    assert(!IS_IN(members, j) || node[ELSE(j)].fastest + node[OTHER(j)].fastest <= ROOM(j))
  }
}

inline check_reach(m) {
#ifdef REACH_RISE
  assert(!(node[0].rate == 7 && node[1].rate == 5 && node[2].rate == 5));
#endif
#ifdef REACH_HELD
  assert(!(node[m].acked + 1 < node[m].marked));
#endif
#ifdef REACH_APART
  assert(!(node[0].settled == 0 && node[1].settled == 1 && node[2].settled == 2));
#endif
#ifdef REACH_LOST_EVENT
  assert(!(departed == m && node[m].marked > cut));
#endif
#ifdef REACH_KEPT
  assert(!(begins != NOT_YET && kept > event[cut].share[departed]));
#endif
  skip
}

// A member sends at the least share that it had in any event since the settled one. By FastCast's
// rule an own increase counts when all have acknowledged it, all else as soon as it is known.
inline decide(m) {
#ifdef MUTANT_FASTCAST
  for (i : 0 .. MEMBERS - 1) {
    want[i] = (i == m -> node[m].own : event[node[m].marked].need[i])
  }
  fill();
  node[m].rate = out[m];
  node[m].fastest = 0;  // none waits for the port
#else
  node[m].rate = node[m].need;
#if defined(MUTANT_RISES_AT_MARK)
  node[m].rate = MIN(node[m].rate, event[node[m].marked].share[m]);
#elif defined(MUTANT_LEAST_OF_BOTH_ENDS)
  node[m].rate = MIN(node[m].rate, event[node[m].marked].share[m]);
  node[m].rate = MIN(node[m].rate, event[node[m].settled].share[m]);
#else
  for (q : node[m].settled .. node[m].marked) {
    if
    :: m == departed || q <= cut || q >= begins ->
      node[m].rate = MIN(node[m].rate, event[q].share[m])
    :: else
    fi
  }
#endif
#endif
  node[m].fastest = MAX(node[m].fastest, node[m].rate);
  check_rooms();
  check_reach(m)
}

#ifdef MUTANT_SETTLED_BY_A_MAJORITY
#define OF_ALL(a, b, c) MAX(MIN(a, b), MIN(MAX(a, b), c))
#else
#define OF_ALL(a, b, c) MIN(a, MIN(b, c))
#endif
// In the new view acknowledgements of its members count alone.
#ifdef MUTANT_WAITS_FOR_THE_DEPARTED
#define AWAITED(m) departed
#else
#define AWAITED(m) (ELSE(m) == departed -> OTHER(m) : ELSE(m))
#endif
inline settle(m) {
  if
#ifdef MUTANT_COUNTS_ACKS
  :: node[m].count == MEMBERS - 1 -> node[m].count = 0; node[m].settled = node[m].marked
  :: else
#else
  :: INSTALLED(m) && node[m].heard[AWAITED(m)] >= begins ->
    node[m].settled = MIN(node[m].marked, node[m].heard[AWAITED(m)])
  :: !INSTALLED(m) ->
    node[m].settled = OF_ALL(node[m].marked, node[m].heard[ELSE(m)], node[m].heard[OTHER(m)])
  :: else
#endif
  fi
#ifdef MUTANT_FASTCAST
  ;
  if
  :: node[m].asked != NOT_YET && node[m].heard[ELSE(m)] >= node[m].asked &&
     node[m].heard[OTHER(m)] >= node[m].asked && node[m].marked >= node[m].asked ->
    node[m].own = node[m].need; node[m].asked = NOT_YET
  :: else
  fi
#endif
}

inline hear(m, from) {
  node[m].heard[from] = (node[m].heard[from] == cut && INSTALLED(m) ->
                         begins : node[m].heard[from] + 1);
#ifdef MUTANT_COUNTS_ACKS
  node[m].count++;
#endif
  settle(m);
  decide(m)
}

// It applies the event `to`. It acknowledges it when the port has all frames that are faster than
// what it may send now.
inline apply(m, to) {
  before = node[m].rate;
  held = node[m].acked < node[m].marked;
  node[m].marked = to;
  settle(m);
  decide(m);
#ifdef MUTANT_ACKS_BEFORE_IT_FALLS
  held = 0;
#elif defined(MUTANT_HOLDS_ONLY_AT_A_FALL)
  held = held || node[m].rate < before;
#elif defined(MUTANT_A_VIEW_RELEASES)
  held = node[m].marked != begins && (held || node[m].rate < node[m].fastest);
#else
  held = held || node[m].rate < node[m].fastest;
#endif
  node[m].acked = (held -> node[m].acked : node[m].marked)
}

// The event `to`, in which members need want[].
inline add_event(to) {
  fill();
  for (i : 0 .. MEMBERS - 1) {
    event[to].need[i] = want[i];
    event[to].share[i] = out[i];
    want[i] = 0;
    out[i] = 0
  }
  last = to
}

inline change_need(m) {
  changes_left--;
  node[m].need = GREEDY - node[m].need;
#ifdef MUTANT_FASTCAST
  node[m].own = MIN(node[m].own, node[m].need);
#endif
  decide(m)
}

inline announce(m) {
  node[m].said = node[m].need;
#if DEPARTURES > 0
  node[m].known = node[m].settled;
#endif
  node[m].waits = true
}

inline order_announcement(m) {
  for (i : 0 .. MEMBERS - 1) {
    want[i] = (i == m -> node[m].said : event[last].need[i])
  }
#ifdef MUTANT_FASTCAST
  node[m].asked = (node[m].said > event[last].need[m] -> last + 1 : NOT_YET);
#endif
  event[last + 1].known = MAX(event[last].known, node[m].known);
  node[m].known = 0;
  node[m].waits = false;
  add_event(last + 1)
}

#ifdef MUTANT_FASTCAST
#define MAY_CHANGE(m) (node[m].said == node[m].need && !node[m].waits && node[m].asked == NOT_YET)
#else
#define MAY_CHANGE(m) true
#endif
#ifdef MUTANT_ACKS_WITH_THE_NEXT_MARK
#define PORT_LACKS(m) (node[m].fastest > node[m].rate)
#else
#define PORT_LACKS(m) (node[m].fastest > node[m].rate || node[m].acked < node[m].marked)
#endif
// An announcement follows the frames before it to the port. At most one of a member waits.
#ifdef MUTANT_ANNOUNCES_AHEAD_OF_FRAMES
#define OVERTAKES(m) true
#else
#define OVERTAKES(m) !PORT_LACKS(m)
#endif
#define ANNOUNCES(m) (node[m].said != node[m].need && !node[m].waits && OVERTAKES(m) && \
    (begins == NOT_YET || INSTALLED(m)))
#define RUNS(m) (m != departed || !lease_over)
#define HEARS(m, from) \
  (INSTALLED(m) -> from != departed && node[m].heard[from] < node[from].acked : \
                   node[m].heard[from] < MIN(cut, node[from].acked))
// The last event that it may apply.
#define LAST(m) (m == departed -> begins - 1 : (begins == NOT_YET || INSTALLED(m) -> last : cut))

// The port has all that was taken.
inline empty_port(m) {
  node[m].fastest = node[m].rate;
#ifndef MUTANT_ACKS_WITH_THE_NEXT_MARK
  node[m].acked = node[m].marked
#endif
}

inline install(m) {
  node[m].heard[ELSE(m)] = cut;
  node[m].heard[OTHER(m)] = cut;
  apply(m, begins)
}

// What is kept for the departed x: the highest share that it had in any event since the last one
// that is known to be settled, for it need not have heard of later ones.
inline keep(x) {
#if defined(MUTANT_KEEPS_THE_LAST_SHARE)
  kept = event[cut].share[x];
#elif !defined(MUTANT_KEEPS_NOTHING)
  for (q : event[cut].known .. cut) {
    kept = MAX(kept, event[q].share[x])
  }
#endif
  skip
}

// The new view begins with the needs that its members have announced up to the cut. What they have
// said beyond that is content of the new view.
inline change_view(x, through) {
  departed = x;
  members = ALL & ~BIT(x);
  cut = through;
  keep(x);
  for (i : 0 .. MEMBERS - 1) {
    want[i] = (i == x -> 0 : event[cut].need[i]);
    node[i].waits = i != x && node[i].said != event[cut].need[i];
    node[i].known = 0
  }
  begins = last + 1;
  add_event(begins)
}

inline keep_nothing() {
  kept = 0;
  for (i : 0 .. MEMBERS - 1) {
    want[i] = event[last].need[i]
  }
  add_event(last + 1)
}

proctype member(byte m) {
  do
  :: d_step { changes_left > 0 && m != departed && IS_IN(SPEAKERS, m) && MAY_CHANGE(m) ->
       change_need(m) }
  :: d_step { RUNS(m) && ANNOUNCES(m) -> announce(m) }
  :: d_step { node[m].waits -> order_announcement(m) }
  :: d_step { RUNS(m) && node[m].marked < LAST(m) -> apply(m, node[m].marked + 1) }
  :: d_step { RUNS(m) && node[m].marked == cut && m != departed -> install(m) }
  :: d_step { RUNS(m) && PORT_LACKS(m) -> empty_port(m) }
  :: d_step { RUNS(m) && HEARS(m, ELSE(m)) -> hear(m, ELSE(m)) }
  :: d_step { RUNS(m) && HEARS(m, OTHER(m)) -> hear(m, OTHER(m)) }
  od
}

#ifdef MUTANT_KEEPS_TOO_SHORT
#define MAY_KEEP_NOTHING true
#else
#define MAY_KEEP_NOTHING lease_over
#endif
proctype view_change() {
  byte x, through;
  atomic {
    select(x : 0 .. MEMBERS - 1);
    through = MAX(node[ELSE(x)].marked, node[OTHER(x)].marked);
    do
    :: through < last -> through++
    :: break
    od;
    skip;  // a jump must not lead into what follows
    d_step { change_view(x, through); x = 0; through = 0 }
  }
  do
  :: d_step { !lease_over ->
       lease_over = true; node[departed].rate = 0; node[departed].fastest = 0 }
  :: d_step { kept > 0 && INSTALLED(ELSE(departed)) && MAY_KEEP_NOTHING -> keep_nothing() }
  od
}

// Everything that was said has been heard.
proctype nothing_left() {
  timeout ->
  assert(FAIR(0, node[0].need) && FAIR(1, node[1].need) && FAIR(2, node[2].need));
#ifdef REACH_END
  assert(last < CHANGES);
#endif
#ifdef REACH_RETURNED
  assert(!(departed == 1 && node[0].rate == ROOM(2)));
#endif
  skip
}

init {
  atomic {
    d_step {
      node[0].need = GREEDY;
      node[1].need = GREEDY;
      for (q : 0 .. MEMBERS - 1) {
        node[q].said = node[q].need;
#ifdef MUTANT_FASTCAST
        node[q].own = node[q].need;
#endif
        want[q] = node[q].need
      }
      add_event(0);
      for (q : 0 .. MEMBERS - 1) {
        node[q].rate = event[0].share[q];
        node[q].fastest = node[q].rate
      }
    }
    run member(0);
    run member(1);
    run member(2);
#if DEPARTURES > 0
    run view_change();
#endif
    run nothing_left()
  }
}
