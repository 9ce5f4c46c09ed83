// SPDX-License-Identifier: BSD-3-Clause
// The token ring of one view, and the end of that view by the cuts of any quorum, as
// doc/protocol.md has them in "The ring", without time and bytes. How members agree on the quorum
// and its cuts is view_change.pml's. scripts/dev/check_models.py checks it.
//
// there                    here
// member of the view       process member(i), i = 0..2 = rank; two of the three are a quorum
// stream of a member       `said`: messages and passes in the order in which it said them
// held through             `held`: how many of a stream's a member holds; heard one by one, at any
//                          time or never, though the speaker be dead
// message                  member 0 sends message 0, and member 1 message 1
// pass p                   made by SITE(p) with what it holds and nobody has ordered: `names`
// applied                  the last pass that a member has applied; it applies as soon as it can
// acknowledged by m        a pass that m made is applied here; by this member: what it has applied
// promise, vote            `promised`; `vote`: what it held then or later
// cuts                     for each stream the most that a voter of the quorum holds
//
// Times are left out: a pass that is due goes at any time or never. -DMUTANT_x breaks one rule: an
// assertion must fail. -DREACH_x asserts that something worth checking never happens: it must fail
// too.

#ifndef PASSES
#define PASSES 5
#endif
#ifndef CRASHES
#define CRASHES 0
#endif

#define N 3
#define SITE(p) (((p) + 2) % N)
#define BIT(i) (1 << (i))
#define HAS(set, part) (((set) & (part)) == (part))
#define MESSAGE 8  // in a stream: this and its number; below: a pass
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define MAX(a, b) ((a) > (b) -> (a) : (b))

typedef Stream {
  byte said[6];
  byte length;
}
typedef Member {
  bool dead;
  bool promised;
  bool voted;
  byte held[N];
  byte vote[N];
  byte messages;  // held, a bit each
  byte passes;    // held, a bit each
  byte applied;
  byte ordered;  // messages named by what is applied, a bit each
  byte named;    // the last pass applied that names a message
}

Stream stream[N];
Member member[N];
byte names[PASSES + 2];
byte made;  // passes that exist, a bit each
byte published;
byte crashes_left = CRASHES;
bool over;
// What no member knows: through which pass somebody has counted two holders, and all three.
byte counted_two;
byte counted_all;
hidden byte i_, s_, c_, d_, least, middle, most, voters, goers, gap, inside;

// Through which pass member i knows that m has applied: of the passes that i has applied, the last
// one that m made.
#define LAST_OF(m, through) ((through) < (m) + 1 -> 0 : (through) - ((through) - (m) - 1) % N)
#ifdef MUTANT_COUNTS_THE_NEXT_SITE
#define LAST_SAID(m, through) \
  ((through) != 0 && SITE((through) + 1) == (m) -> (through) : LAST_OF(m, through))
#else
#define LAST_SAID(m, through) LAST_OF(m, through)
#endif
#define KNOWN(i, m) ((m) == (i) -> member[i].applied : LAST_SAID(m, member[i].applied))
#define STABLE(i) MIN(KNOWN(i, 0), MIN(KNOWN(i, 1), KNOWN(i, 2)))
#define MOST(i) MAX(KNOWN(i, 0), MAX(KNOWN(i, 1), KNOWN(i, 2)))
#define SUM(i) (KNOWN(i, 0) + KNOWN(i, 1) + KNOWN(i, 2))

inline count_holders(i) {
  least = STABLE(i);
  most = MOST(i);
  middle = SUM(i) - least - most;
  counted_all = MAX(counted_all, least);
  counted_two = MAX(counted_two, middle)
}

#if defined(MUTANT_APPLIES_AFTER_PROMISE) || defined(MUTANT_PASSES_AFTER_PROMISE)
#define RUNS(i) (!member[i].dead)
#else
#define RUNS(i) (!member[i].dead && !member[i].promised)
#endif
#ifdef MUTANT_PASSES_AFTER_PROMISE
#define MAY_PASS(i) (!member[i].dead)
#else
#define MAY_PASS(i) (!member[i].dead && !member[i].promised)
#endif

#define APPLICABLE(i)                                                \
  (member[i].applied < PASSES &&                                     \
   HAS(member[i].passes, BIT(member[i].applied + 1)) &&              \
   HAS(member[i].messages, names[member[i].applied + 1]))

inline apply(i) {
  do
  :: APPLICABLE(i) && RUNS(i) ->
    member[i].applied++;
    member[i].ordered = member[i].ordered | names[member[i].applied];
    if
    :: names[member[i].applied] != 0 -> member[i].named = member[i].applied
    :: else
    fi;
    count_holders(i)
  :: else -> break
  od
}

inline take(i, item) {
  if
  :: item >= MESSAGE -> member[i].messages = member[i].messages | BIT(item - MESSAGE)
  :: else -> member[i].passes = member[i].passes | BIT(item)
  fi
}

inline say(i, item) {
  stream[i].said[stream[i].length] = item;
  stream[i].length++;
  member[i].held[i] = stream[i].length;
  take(i, item)
}

// Is pass p + 1 member i's to make, and due?
#ifdef MUTANT_PASSES_WHAT_IT_HEARD
#define LAST_PASS(i) \
  (HAS(member[i].passes, BIT(member[i].applied + 1)) && member[i].applied + 1 < PASSES \
     -> member[i].applied + 1 : member[i].applied)
#else
#define LAST_PASS(i) member[i].applied
#endif
#ifdef MUTANT_SITE_BY_SUSPICION
#define IS_SITE(i, p) true
#else
#define IS_SITE(i, p) (SITE(p) == (i))
#endif
#define UNORDERED(i, p) (member[i].messages & ~(member[i].ordered | names[p]))
#ifdef MUTANT_RESTS_UNORDERED
#define AWAITED(i) false
#elif defined(MUTANT_RESTS_WHEN_IT_KNOWS)
#define AWAITED(i) (member[i].named > STABLE(i))
#else
#define AWAITED(i) (member[i].named != 0 && member[i].applied < member[i].named + N - 1)
#endif
#ifdef MUTANT_NEVER_RESTS
#define DUE(i) true
#else
#define DUE(i) (UNORDERED(i, LAST_PASS(i)) != 0 || AWAITED(i))
#endif
#ifdef MUTANT_SITE_BY_SUSPICION
#define UNMADE(i, p) !HAS(member[i].passes, BIT(p))
#else
#define UNMADE(i, p) !HAS(made, BIT(p))
#endif
#define TO_MAKE(i)                                                      \
  (MAY_PASS(i) && LAST_PASS(i) < PASSES && IS_SITE(i, LAST_PASS(i) + 1) && \
   UNMADE(i, LAST_PASS(i) + 1) && DUE(i))

// One token a view: nobody makes a pass twice, and N - 1 without items are the most in a row.
inline make(i) {
  c_ = LAST_PASS(i) + 1;
  assert(!HAS(made, BIT(c_)));
  made = made | BIT(c_);
  names[c_] = UNORDERED(i, c_ - 1);
  assert(names[c_] != 0 || (member[i].named != 0 && c_ - member[i].named < N));
  say(i, c_);
  apply(i)
}

#ifdef REACH_AHEAD
#define CHECK_AHEAD(i)                                                          \
  assert(member[i].applied == PASSES || !HAS(member[i].passes, BIT(member[i].applied + 1)) || \
         HAS(member[i].messages, names[member[i].applied + 1]))
#else
#define CHECK_AHEAD(i) skip
#endif

proctype participant(byte i) {
  do
  :: atomic { !over && i < 2 && MAY_PASS(i) && !HAS(published, BIT(i)) ->
      published = published | BIT(i);
      say(i, MESSAGE + i) }
  :: atomic { !over && !member[i].dead && i != 0 && member[i].held[0] < stream[0].length ->
      d_ = stream[0].said[member[i].held[0]];
      member[i].held[0]++; take(i, d_); CHECK_AHEAD(i); apply(i) }
  :: atomic { !over && !member[i].dead && i != 1 && member[i].held[1] < stream[1].length ->
      d_ = stream[1].said[member[i].held[1]];
      member[i].held[1]++; take(i, d_); CHECK_AHEAD(i); apply(i) }
  :: atomic { !over && !member[i].dead && i != 2 && member[i].held[2] < stream[2].length ->
      d_ = stream[2].said[member[i].held[2]];
      member[i].held[2]++; take(i, d_); CHECK_AHEAD(i); apply(i) }
  :: atomic { !over && TO_MAKE(i) -> make(i) }
  :: atomic { !over && !member[i].dead && !member[i].promised -> member[i].promised = true }
  :: atomic { !over && !member[i].dead && member[i].promised && !member[i].voted ->
      member[i].voted = true;
      member[i].vote[0] = member[i].held[0];
      member[i].vote[1] = member[i].held[1];
      member[i].vote[2] = member[i].held[2] }
  :: atomic { !over && !member[i].dead && crashes_left > 0 ->
      member[i].dead = true; crashes_left-- }
  :: over -> break
  od
}

#define VOTE_OF(i, s) (HAS(voters, BIT(i)) -> member[i].vote[s] : 0)
#define HOLDS(i, s) (HAS(goers, BIT(i)) -> member[i].held[s] : 0)
#define MOST_VOTE(s) MAX(VOTE_OF(0, s), MAX(VOTE_OF(1, s), VOTE_OF(2, s)))
#define MOST_HELD(s) MAX(HOLDS(0, s), MAX(HOLDS(1, s), HOLDS(2, s)))
#define VOTER(i) (HAS(voters, BIT(i)) -> (member[i].voted) : true)
#define ALIVE(i) (HAS(goers, BIT(i)) -> !member[i].dead : true)
#define APPLIED(i) (HAS(goers, BIT(i)) -> member[i].applied : 0)
// Which of the passes are within the cuts, and which messages: `d_` and `inside`.
inline within_cuts() {
  d_ = 0;
  inside = 0;
  for (s_ : 0 .. 2) {
    for (c_ : 0 .. 5) {
      if
      :: c_ < MOST_VOTE(s_) && stream[s_].said[c_] >= MESSAGE ->
        inside = inside | BIT(stream[s_].said[c_] - MESSAGE)
      :: c_ < MOST_VOTE(s_) && stream[s_].said[c_] < MESSAGE -> d_ = d_ | BIT(stream[s_].said[c_])
      :: else
      fi
    }
  }
}

// What the next view begins behind: the passes up to the first that nobody of the quorum has.
inline end_of_view() {
  within_cuts();
  gap = 1;
  do
  :: gap <= PASSES && HAS(d_, BIT(gap)) -> gap++
  :: else -> break
  od;
  assert(gap > counted_all);
  assert(gap > counted_two);
  for (i_ : 0 .. 2) {
    assert(gap > APPLIED(i_))
  }
  for (c_ : 1 .. PASSES) {
    if
    :: c_ < gap && c_ <= counted_two -> assert(HAS(inside, names[c_]))
    :: c_ < gap && c_ <= MAX(APPLIED(0), MAX(APPLIED(1), APPLIED(2))) ->
      assert(HAS(inside, names[c_]))
    :: else
    fi
  }
  // Who makes a pass holds the one before, and so does its maker: of three they are a quorum.
  assert((d_ >> gap) == 0);
#ifdef REACH_SURVIVES_THROUGH_ONE
  for (c_ : 1 .. PASSES) {
    assert(!HAS(d_, BIT(c_)) || !member[SITE(c_)].dead || HAS(voters, BIT(SITE(c_))) ||
           HAS(member[(SITE(c_) + 1) % N].passes & member[(SITE(c_) + 2) % N].passes, BIT(c_)))
  }
#endif
}

// Any quorum that has voted, and those of it who live and hold among them what it holds.
proctype view_change() {
  atomic {
    !over && (member[0].voted + member[1].voted + member[2].voted) > 1 ->
    if
    :: voters = 3
    :: voters = 5
    :: voters = 6
    :: voters = 7
    fi;
    if
    :: goers = voters
    :: goers = voters & 1
    :: goers = voters & 2
    :: goers = voters & 4
    :: goers = voters & 6
    :: goers = voters & 5
    :: goers = voters & 3
    fi;
    if
    :: VOTER(0) && VOTER(1) && VOTER(2) && goers != 0 && ALIVE(0) && ALIVE(1) && ALIVE(2) &&
       MOST_HELD(0) >= MOST_VOTE(0) && MOST_HELD(1) >= MOST_VOTE(1) &&
       MOST_HELD(2) >= MOST_VOTE(2) -> end_of_view()
    :: else
    fi;
    over = true
  }
}

#define HEARS_ALL(i)                                                         \
  (!member[i].dead && !member[i].promised && member[i].held[0] == stream[0].length && \
   member[i].held[1] == stream[1].length && member[i].held[2] == stream[2].length)

// The token rests where nothing is left to do: then everything is ordered, and known to be with
// all.
proctype rest() {
  atomic {
    !over && HEARS_ALL(0) && HEARS_ALL(1) && HEARS_ALL(2) && !HAS(made, BIT(PASSES)) &&
    !TO_MAKE(0) && !TO_MAKE(1) && !TO_MAKE(2) ->
#ifdef REACH_REST
    assert(published == 0);
#endif
    for (i_ : 0 .. 2) {
      assert(member[i_].ordered == published);
      assert(member[i_].named <= STABLE(i_))
    }
    over = true
  }
}

init {
  atomic {
    run participant(0);
    run participant(1);
    run participant(2);
    run view_change();
    run rest()
  }
}
