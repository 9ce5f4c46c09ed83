// SPDX-License-Identifier: BSD-3-Clause
// The choice of view v+1 by the members of v, and what of v's messages all deliver before it, as
// doc/design.md has them, without time, groups and bytes. scripts/dev/check_models.py checks it.
//
// there                    here
// member of v              process member(i), i = 0..2 = rank; two of the three are a quorum
// joiner                   process joiner: asked as a member is, outside every quorum
// round of a coordinator   process coordinator(b), b = 1..BALLOTS = ballot. When it begins, whom it
//                          proposes and how far it gets is free: so are suspicion, right or wrong,
//                          competition, leaving, and a coordinator's death, for the next ballot may
//                          begin at any moment, also before the one below it
// stream of a sender       node 2 sends messages 1..MESSAGES; `content`: held through, gapless
// stream of a sequencer    node 1 marks them in their order; `marks`: held through, gapless
// applied                  held with its mark, hence acknowledged, and delivered if totally ordered
// PREPARE, PROPOSE, ...    the phase of a ballot: a coordinator says it again until it is answered,
//                          so that whoever hears it may hear it late, twice, or never
// VOTE(promise)            a bit in `heard`; may be lost, and said again with what is held by then
// VOTE(ready)              READY: what it says stays true as long as it matters
// VOTE(accepted)           `accepted`; whoever counts them may count late
// data, relays, acks       what was said may be heard at any time by anybody, or never, though its
//                          speaker be dead
//
// Whoever crashes is silent from then on, and so may be whoever does not: for what must never
// happen crashes add nothing, in any number. They count for what must happen (see `nothing_left`).
// Loss, delay, reordering and repetition are without bounds; ballots and messages are few.
//
// -DMUTANT_x breaks one rule: an assertion must fail. -DREACH_x asserts that something worth
// checking never happens: it must fail too, or the others would be holding for nothing.

#ifndef BALLOTS
#define BALLOTS 2
#endif
#ifndef MESSAGES
#define MESSAGES 1
#endif
#ifndef CRASHES
#define CRASHES 0
#endif

#define MEMBERS 3
#ifdef JOINER
#define ANYBODY 15
#else
#define ANYBODY 7
#endif
#define SEQUENCER 1
#define SENDER 2
#define JOINER_BIT 8
#define BIT(i) (1 << (i))
#define HAS(mask, part) (((mask) & (part)) == (part))
#ifdef MUTANT_QUORUM_OF_WHO_ANSWERS
#define QUORUM(mask) ((mask) != 0)
#else
#define QUORUM(mask) (HAS(mask, 3) || HAS(mask, 5) || HAS(mask, 6))
#endif
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define MAX(a, b) ((a) > (b) -> (a) : (b))

mtype = { operational, recovering, installed, excluded, crashed };  // of a node
mtype = { unused, preparing, proposing, accepting, chosen_said };   // of a ballot

typedef Node {
  mtype state = operational;
  byte promised;  // the highest ballot; 0: none
  byte accepted;  // the ballot whose value it has accepted last; 0: none
  byte content;
  byte marks;
  byte applied;
}
// A ballot's value is {members, content, marks, id}: who is in v+1, both streams' cuts, and the
// id of the view, which is that of the ballot that made the value.
typedef Ballot {
  mtype phase = unused;
  byte heard;    // preparing: whose votes; accepting: who has accepted, ever
  byte adopted;  // preparing: the highest ballot whose value one of them had accepted
  byte members;  // preparing: the proposed ones
  byte content;  // preparing: the highest position in a vote
  byte marks;
  byte id;
}

Node node[MEMBERS];
Ballot ballot[BALLOTS + 1];  // 0 is nobody's
byte crashes_left;
bool broken;  // the last ballot, by the crash of one who had promised it
// What no node knows: through which message somebody may have delivered, were it of that level;
// and the first ballot whose value was chosen.
byte delivered_total;
byte delivered_majority;
byte chosen;
mtype joiner_state = operational;
byte joiner_promised;
hidden byte who, a, least, middle, most;  // within a step

#define ALIVE(i) (node[i].state == operational || node[i].state == recovering)
#define STATE_BIT(i, what) (node[i].state == what -> BIT(i) : 0)
#define STATE_SET(what) (STATE_BIT(0, what) | STATE_BIT(1, what) | STATE_BIT(2, what))
#define CUT(b) MIN(ballot[b].content, ballot[b].marks)

// Safe and Majority: what was delivered at these levels, by whomever, the new view delivers.
inline check_levels() {
  if
  :: chosen -> assert(delivered_total <= CUT(chosen) && delivered_majority <= CUT(chosen))
  :: else
  fi
}

#ifdef MUTANT_ACKS_AFTER_PROMISE
#define ACKNOWLEDGES(i) ALIVE(i)
#else
#define ACKNOWLEDGES(i) (node[i].state == operational)
#endif
// Acknowledges what is held with its mark. A message is delivered as soon as it can be: by any
// node that is operational, and has heard every acknowledgement ever said.
inline apply(i) {
  if
  :: ACKNOWLEDGES(i) -> node[i].applied = MIN(node[i].content, node[i].marks)
  :: else
  fi;
  if
  :: node[0].state == operational || node[1].state == operational ||
     node[2].state == operational ->
    least = MIN(node[0].applied, MIN(node[1].applied, node[2].applied));
    most = MAX(node[0].applied, MAX(node[1].applied, node[2].applied));
    middle = node[0].applied + node[1].applied + node[2].applied - least - most;
    delivered_total = MAX(delivered_total, least);
    delivered_majority = MAX(delivered_majority, middle);
    check_levels()
  :: else
  fi
}

inline vote(i, b) {
  ballot[b].heard = ballot[b].heard | BIT(i);
#ifndef MUTANT_FORGETS_ACCEPTED
  ballot[b].adopted = MAX(ballot[b].adopted, node[i].accepted);
#endif
  if
#ifdef MUTANT_CUT_OF_MEMBERS_ONLY
  :: !(ballot[b].members & BIT(i))
#endif
#ifdef MUTANT_CUT_OF_SURVIVOR_IS_ITS_OWN
  :: (ballot[b].members & BIT(SENDER)) && i != SENDER ->
    ballot[b].marks = MAX(ballot[b].marks, node[i].marks)
#endif
  :: else ->
    ballot[b].content = MAX(ballot[b].content, node[i].content);
    ballot[b].marks = MAX(ballot[b].marks, node[i].marks)
  fi
}

#ifdef MUTANT_ADOPTED_COUNTS_ITS_MEMBERS
#define COUNTED(i, b) (ballot[b].id == b -> BIT(i) : BIT(i) & ballot[b].members)
#else
#define COUNTED(i, b) BIT(i)
#endif
// At most one value is chosen.
inline accept(i, b) {
  node[i].accepted = b;
  ballot[b].heard = ballot[b].heard | COUNTED(i, b);
  if
  :: QUORUM(ballot[b].heard) && !chosen -> chosen = b; check_levels()
  :: QUORUM(ballot[b].heard) && chosen ->
    assert(ballot[b].members == ballot[chosen].members);
    assert(ballot[b].content == ballot[chosen].content);
    assert(ballot[b].marks == ballot[chosen].marks);
    assert(ballot[b].id == ballot[chosen].id)
  :: else
  fi
}

// Whoever installs v+1 has all that v is to deliver, and has not delivered more of it. That all
// install the same follows from accept(): INSTALL tells a chosen value only.
inline install(i, b) {
  if
  :: ballot[b].members & BIT(i) ->
    assert(node[i].content >= ballot[b].content && node[i].marks >= ballot[b].marks);
    assert(node[i].applied <= CUT(b));
    node[i].state = installed
  :: else -> node[i].state = excluded
  fi;
  forget(i);
  check_reach(b)
}

inline check_reach(b) {
#ifdef REACH_ALL_INSTALL
  assert(!HAS(STATE_SET(installed), 7));
#endif
#ifdef REACH_ADOPTED
  assert(!(HAS(STATE_SET(installed), 3) && ballot[b].id != b));
#endif
#ifdef REACH_DEAD_SENDER
  assert(!(STATE_SET(installed) == 3 && node[SENDER].state == crashed && CUT(b) == MESSAGES));
#endif
#ifdef REACH_VOID
  assert(!(STATE_SET(installed) == 1 && ballot[b].marks > ballot[b].content));
#endif
#ifdef REACH_JOINED
  assert(!(joiner_state == installed && STATE_SET(installed)));
#endif
  skip
}

// Of who is gone only what it has said counts: its stream, its acknowledgement.
inline forget(i) {
  node[i].promised = 0;
  node[i].accepted = 0;
  if
  :: i != SENDER -> node[i].content = 0
  :: else
  fi;
  if
  :: i != SEQUENCER -> node[i].marks = 0
  :: else
  fi
}

#ifdef MUTANT_BREAKS_PROMISE
#define MAY_PROMISE(i, b) (node[i].promised != b)
#else
#define MAY_PROMISE(i, b) (node[i].promised < b)
#endif

#define ON_BALLOT(b) \
  :: d_step { ALIVE(i) && MAY_PROMISE(i, b) && ballot[b].phase == preparing -> \
       node[i].promised = b; node[i].state = recovering } \
  :: d_step { ALIVE(i) && node[i].promised == b && ballot[b].phase == preparing && \
       !(ballot[b].heard & BIT(i)) -> vote(i, b) } \
  :: d_step { ALIVE(i) && node[i].promised == b && ballot[b].phase == accepting && \
       node[i].accepted != b -> accept(i, b) } \
  :: d_step { ALIVE(i) && ballot[b].phase == chosen_said -> install(i, b) }

proctype member(byte i) {
  do
  // A sender goes on while the view changes; a sequencer stops with its promise.
  :: d_step { i == SENDER && ALIVE(i) && node[i].content < MESSAGES ->
       node[i].content++; apply(i) }
  :: d_step { i == SEQUENCER && node[i].state == operational && node[i].marks < node[i].content ->
       node[i].marks++; apply(i) }
  :: d_step { i != SENDER && ALIVE(i) && node[i].content < node[SENDER].content ->
       node[i].content++; apply(i) }
  :: d_step { i != SEQUENCER && ALIVE(i) && node[i].marks < node[SEQUENCER].marks ->
       node[i].marks++; apply(i) }
  ON_BALLOT(1)
#if BALLOTS >= 2
  ON_BALLOT(2)
#endif
#if BALLOTS >= 3
  ON_BALLOT(3)
#endif
  :: d_step { ALIVE(i) && crashes_left > 0 ->
       crashes_left--; broken = broken || node[i].promised == BALLOTS;
       node[i].state = crashed; forget(i) }
  od
}

#define READY(i, b) (node[i].promised == b && (!(ballot[b].members & BIT(i)) || \
    (node[i].content >= ballot[b].content && node[i].marks >= ballot[b].marks)))
#define READY_BIT(i, b) (READY(i, b) -> BIT(i) : 0)
#define READY_SET(b) (READY_BIT(0, b) | READY_BIT(1, b) | READY_BIT(2, b) | \
                      (joiner_promised == b -> JOINER_BIT : 0))
#ifdef MUTANT_ACCEPTS_UNREADY
#define ALL_READY(b) true
#elif defined(MUTANT_ADOPTED_NEEDS_ALL)
#define ALL_READY(b) (QUORUM(READY_SET(b)) && HAS(READY_SET(b), ballot[b].members))
#else
// Of an adopted value's members all were ready before anybody accepted it.
#define ALL_READY(b) (QUORUM(READY_SET(b)) && \
                      (ballot[b].id != b || HAS(READY_SET(b), ballot[b].members)))
#endif

inline propose(b) {
  a = ballot[b].adopted;
  ballot[b].id = b;
  if
  :: a ->
    ballot[b].members = ballot[a].members;
    ballot[b].content = ballot[a].content;
    ballot[b].marks = ballot[a].marks;
#ifndef MUTANT_ID_OF_THE_LAST_ROUND
    ballot[b].id = ballot[a].id
#endif
  :: else
  fi;
  ballot[b].adopted = 0;
  ballot[b].heard = 0;
  ballot[b].phase = proposing
}

proctype coordinator(byte b) {
  atomic {
    select(who : 1 .. ANYBODY);  // whom it leaves out of v it suspects, or they leave
#ifdef QUORUMS_ONLY
    who = (QUORUM(who) -> who : 7);  // fewer states
#endif
    ballot[b].members = who;
    ballot[b].phase = preparing
  }
  d_step {
    HAS(ballot[b].heard, ballot[b].members) && QUORUM(ballot[b].heard) ->
    propose(b)
  }
  d_step { ALL_READY(b) -> ballot[b].phase = accepting }
  d_step { QUORUM(ballot[b].heard) -> ballot[b].phase = chosen_said }
}

// A joiner promises, so that it is in one view only, and begins behind the cuts.
#define JOINER_ON_BALLOT(b) \
  :: d_step { joiner_state == operational && joiner_promised < b && \
       ballot[b].phase == preparing && (ballot[b].members & JOINER_BIT) -> \
       joiner_promised = b; ballot[b].heard = ballot[b].heard | JOINER_BIT } \
  :: d_step { joiner_state == operational && ballot[b].phase == chosen_said && \
       (ballot[b].members & JOINER_BIT) -> joiner_state = installed; check_reach(b) }

proctype joiner() {
  do
  JOINER_ON_BALLOT(1)
#if BALLOTS >= 2
  JOINER_ON_BALLOT(2)
#endif
#if BALLOTS >= 3
  JOINER_ON_BALLOT(3)
#endif
  od
}

// When everything that was said has been heard, and no ballot is left: whatever the others got
// stuck in, the last one came to its end, unless a quorum is dead or one that it depended on.
proctype nothing_left() {
  timeout ->
  assert(!QUORUM(7 - STATE_SET(crashed)) || broken ||
         (STATE_SET(installed) | STATE_SET(excluded) | STATE_SET(crashed)) == 7 ||
         ballot[BALLOTS].phase == preparing && (STATE_SET(crashed) & ballot[BALLOTS].members))
}

init {
  atomic {
    select(crashes_left : 0 .. CRASHES);
    run member(0);
    run member(1);
    run member(2);
    for (a : 1 .. BALLOTS) {
      run coordinator(a)
    }
#ifdef JOINER
    run joiner();
#endif
    run nothing_left()
  }
}
