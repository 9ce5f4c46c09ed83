// SPDX-License-Identifier: BSD-3-Clause
// The first view ever, which has no members of a view before to decide: all that it is to have must
// accept it, one of each node of the fabric (initial_nodes as it is by default).
// scripts/dev/check_models.py checks it. As in view_change.pml what is said may be heard at any
// time, or never; there is no content.
//
// Nodes 0 and 1 may crash at any moment, and return: lives 3 and 4. A value that names a dead life
// can still have been chosen, and installed by whoever died with it. So a coordinator adopts what a
// voter has accepted, and excuses those of its members whom it has not proposed; unless a member
// of it promises this round and has not accepted it: it was not chosen then, and never will be.

#ifndef BALLOTS
#define BALLOTS 3
#endif
#define LIVES 5
#define NODES 3
#define BIT(i) (1 << (i))
#define HAS(mask, part) (((mask) & (part)) == (part))

mtype = { unborn, joining, installed, crashed };
mtype = { unused, preparing, proposing, chosen_said };

typedef Life {
  mtype state;
  byte promised;
  byte accepted;  // ballot
}
typedef Ballot {
  mtype phase = unused;
  byte proposed;  // lives
  byte heard;     // preparing: votes; proposing: who has accepted, ever
  byte members;   // of the value
  byte made;      // the ballot that made the value
  byte said[LIVES];  // the ballot that the voter had accepted
}

Life life[LIVES];
Ballot ballot[BALLOTS + 1];
byte chosen;  // the first ballot whose value was
byte installed_made;  // what somebody has installed; 0: nobody yet
bool dropped;  // a value that some life had accepted was, and another one installed
hidden byte highest, n, fits, who;

inline accept(i, b) {
  life[i].accepted = b;
  ballot[b].heard = ballot[b].heard | BIT(i);
  if
  :: HAS(ballot[b].heard, ballot[b].members & ballot[b].proposed) ->
    if
    :: chosen -> assert(ballot[b].made == ballot[chosen].made)
    :: else -> chosen = b
    fi
  :: else
  fi
}

inline install(i, b) {
  assert(installed_made == 0 || installed_made == ballot[b].made);
  installed_made = ballot[b].made;
  life[i].state = installed;
  check_reach(i, b)
}

inline check_reach(i, b) {
#ifdef REACH_ALL_INSTALL
  assert(!(life[0].state == installed && life[1].state == installed && life[2].state == installed));
#endif
#ifdef REACH_DROPPED
  assert(!dropped);
#endif
#ifdef REACH_EXCUSED
  assert(ballot[b].members == ballot[b].proposed);
#endif
  skip
}

#ifdef MUTANT_COMPARES_BALLOTS
#define HAD_ACCEPTED(said, b) ((said) == (b))
#else
// Whatever it has accepted since that value was made is that value, or may be: then it is kept.
#define HAD_ACCEPTED(said, b) ((said) >= ballot[b].made)
#endif

// Has a member of the value that was accepted in a promised b, and not accepted it? Whoever hears
// that vote, and has accepted it, has no more to report: it was not chosen.
#ifdef MUTANT_ANY_VOTE_REFUTES
#define REFUTES(m, b, a) (ballot[b].heard & ballot[a].members & BIT(m))
#else
#define REFUTES(m, b, a) \
  ((ballot[b].heard & ballot[a].members & BIT(m)) && ballot[b].said[m] < ballot[a].made)
#endif
#define REFUTED(b, a) \
  (b > ballot[a].made && (REFUTES(0, b, a) || REFUTES(1, b, a) || REFUTES(2, b, a) || \
                          REFUTES(3, b, a) || REFUTES(4, b, a)))

inline propose(b) {
  highest = 0;
  for (n : 0 .. LIVES - 1) {
    if
    :: (ballot[b].heard & BIT(n)) && ballot[b].said[n] > highest ->
      highest = ballot[b].said[n]
    :: else
    fi
  }
  fits = highest;
#ifdef MUTANT_ALWAYS_DROPS
  fits = 0;
#endif
  for (n : 0 .. LIVES - 1) {
    if
    :: (ballot[b].heard & ballot[highest].members & BIT(n)) &&
       !HAD_ACCEPTED(ballot[b].said[n], highest) -> fits = 0
    :: else
    fi
  }
  if
  :: fits ->
    ballot[b].members = ballot[highest].members;
    ballot[b].made = ballot[highest].made
  :: else ->
    ballot[b].members = ballot[b].proposed;
    ballot[b].made = b;
    dropped = dropped || highest
  fi;
  for (n : 0 .. LIVES - 1) {
    ballot[b].said[n] = 0
  }
  ballot[b].heard = 0;
  ballot[b].phase = proposing;
  highest = 0; n = 0; fits = 0
}

#define ON_BALLOT(b) \
  :: d_step { life[i].state == joining && life[i].promised < b && \
       ballot[b].phase == preparing && (ballot[b].proposed & BIT(i)) -> \
       life[i].promised = b } \
  :: d_step { life[i].state == joining && life[i].promised == b && \
       ballot[b].phase == preparing && !(ballot[b].heard & BIT(i)) -> \
       ballot[b].heard = ballot[b].heard | BIT(i); ballot[b].said[i] = life[i].accepted } \
  :: d_step { life[i].state == joining && life[i].promised == b && \
       ballot[b].phase == proposing && life[i].accepted != b && \
       (ballot[b].members & BIT(i)) -> accept(i, b) } \
  :: d_step { life[i].state == joining && ballot[b].phase == chosen_said && \
       (ballot[b].members & BIT(i)) -> install(i, b) } \
  :: d_step { life[i].state == joining && life[i].accepted && ballot[b].phase == preparing && \
       REFUTED(b, life[i].accepted) -> life[i].accepted = 0 }

proctype node(byte i) {
  do
  ON_BALLOT(1)
  ON_BALLOT(2)
#if BALLOTS >= 3
  ON_BALLOT(3)
#endif
#if BALLOTS >= 4
  ON_BALLOT(4)
#endif
  :: d_step { i < 2 && (life[i].state == joining || life[i].state == installed) ->
       life[i].state = crashed; life[i].promised = 0; life[i].accepted = 0;
       life[i + NODES].state = joining }
  od
}

// Of a life that is alive: it promises first, and gives up when it has promised more.
#ifdef MUTANT_DEAD_COORDINATOR_GOES_ON
#define GOES_ON(o, b) true
#else
#define GOES_ON(o, b) (life[o].state == joining && life[o].promised == b)
#endif
proctype coordinator(byte b) {
  byte o;
  atomic {
    if
    :: who = BIT(0)
    :: life[3].state != unborn -> who = BIT(3)
    fi;
    if
    :: who = who | BIT(1)
    :: life[4].state != unborn -> who = who | BIT(4)
    fi;
    who = who | BIT(2);
    select(o : 0 .. LIVES - 1);
    (who & BIT(o)) && life[o].state == joining && life[o].promised < b ->
    life[o].promised = b;
    ballot[b].proposed = who;
    ballot[b].heard = BIT(o);
    ballot[b].said[o] = life[o].accepted;
    ballot[b].phase = preparing
  }
  d_step { GOES_ON(o, b) && ballot[b].heard == ballot[b].proposed -> propose(b); skip }
  d_step {
    GOES_ON(o, b) && HAS(ballot[b].heard, ballot[b].members & ballot[b].proposed) ->
    ballot[b].phase = chosen_said
  }
}

init {
  atomic {
    for (n : 0 .. NODES - 1) {
      life[n].state = joining
    }
    life[3].state = unborn;
    life[4].state = unborn;
    for (n : 0 .. LIVES - 1) {
      run node(n)
    }
    for (n : 1 .. BALLOTS) {
      run coordinator(n)
    }
  }
}
