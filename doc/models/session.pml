// SPDX-License-Identifier: BSD-3-Clause
// At most once by sessions: the calls of one caller outside the view. It sends copies of a request
// to two entries, which publish them into the order of the group. scripts/dev/check_models.py
// checks it.
//
// there                    here
// caller, incarnation      one; another incarnation is another caller
// call                     call[n], n = 1..NUMBERS, begun in this order; all may be under way
// copy of a request        COPY(n, k), to entry k % 2, with the floor at its sending
// on its way               placed at any time, also after the end of its call, or never: it is
//                          lost, its entry is dead, or the entry has merged it with another copy
// busy entry               refuses a copy, which then has no place; another copy may have one
// place in the order       one step over `table`, which all members have alike
// other callers            `age`: how many sessions have a use later than this caller's; an open of
//                          another caller pushes it out when all others have
// id of a session          its number among this caller's; there it is the place of its open
// stamp, minimum           a request may be refused at its place, or not
// what the caller hears    `said`: whatever was said of a call, in any order, at any time or never
//
// Times are left out: a call may time out, and a copy may follow, at any moment. One order stands
// for levels from majority on. -DMUTANT_x breaks one rule: an assertion must fail. -DREACH_x
// asserts that something worth checking never happens: it must fail too.

#ifndef NUMBERS
#define NUMBERS 2
#endif
#ifndef COPIES
#define COPIES 2
#endif
#ifndef REPEATED
#define REPEATED NUMBERS  // the calls up to here have more than one copy
#endif
#ifndef SESSIONS
#define SESSIONS 1
#endif
#ifndef OPENS
#define OPENS 2  // copies of this caller's open, in all; two is the most
#endif
#ifndef OTHERS
#define OTHERS SESSIONS  // uses and opens of other callers
#endif

#define BIT(i) (1 << (i))
#define COPY(n, k) copy[((n) - 1) * COPIES + (k)]

mtype = { unbegun, under_way, answered, refused, expired, timed_out };
mtype = { unsent, on_its_way, placed, refused_by_entry };
mtype = { unused, taken, marked_refused };
#define SAID_DONE 1
#define SAID_REFUSED 2
#define SAID_EXPIRED 4

typedef Call {
  mtype state = unbegun;
  byte session;
  byte said;  // SAID_..., what the speaker has said of it
  bool executed;
}
typedef Copy {
  mtype state = unsent;
  byte session;
  byte floor;
}
typedef Table {
  byte session;  // id, 0: none
  byte floor;
  byte age;
  mtype number[NUMBERS + 1] = unused;
}

Call call[NUMBERS + 1];
Copy copy[NUMBERS * COPIES];
Table table;
byte session;      // that the caller uses, 0: none
byte opens_sent;
byte opens_on_way;
byte told;         // ids that answers to an open name, a bit each
byte sessions_made;
byte others;
byte carried;      // the highest floor of any request that has had its place
hidden byte i_, below;

#define ENDED(n) (call[n].state != unbegun && call[n].state != under_way)

// Everything up to the floor has ended.
inline find_floor(n) {
  below = 0;
#ifdef MUTANT_FLOOR_PAST_A_CALL
  below = n - 1;
#else
  do
  :: below < NUMBERS && ENDED(below + 1) -> below++
  :: else -> break
  od
#endif
}

#ifdef MUTANT_REPEATS_IN_A_NEW_SESSION
#define SESSION_OF(n) (session != 0 -> session : call[n].session)
#else
#define SESSION_OF(n) call[n].session
#endif

inline send(n, k) {
  find_floor(n);
  COPY(n, k).state = on_its_way;
  COPY(n, k).session = SESSION_OF(n);
  COPY(n, k).floor = below
}

inline end(n, outcome) {
  call[n].state = outcome;
  call[n].session = 0;
  call[n].said = 0
}

// What is said of a call that has ended changes nothing.
inline say(n, what) {
  if
  :: call[n].state == under_way -> call[n].said = call[n].said | what
  :: else
  fi
}

inline execute(n) {
  assert(!call[n].executed);
  assert(call[n].state != refused);
  // A call that has timed out is not executed once a request has carried the floor past it.
  assert(n > carried);
#ifdef REACH_SECOND_SESSION
  assert(table.session == 1);
#endif
  call[n].executed = true;
  table.number[n] = taken;
  say(n, SAID_DONE)
}

inline refuse(n) {
#ifndef MUTANT_REFUSAL_TAKES_NO_NUMBER
  table.number[n] = marked_refused;
#endif
  say(n, SAID_REFUSED)
}

inline repeat(n) {
#ifdef REACH_REPETITION
  assert(!(call[n].state == under_way && call[n].executed));
#endif
#ifdef REACH_REFUSED_REPEATED
  assert(table.number[n] != marked_refused);
#endif
#ifdef REACH_FLOOR
  assert(call[n].executed || table.number[n] == marked_refused);
#endif
  if
  :: n > table.floor && table.number[n] == marked_refused -> say(n, SAID_REFUSED)
  :: else -> say(n, SAID_DONE)
  fi
}

inline expire(n) {
#ifdef REACH_EVICTED
  assert(!call[n].executed || call[n].state != under_way);
#endif
#ifdef MUTANT_NO_FOR_EXPIRED
  say(n, SAID_REFUSED)
#else
  say(n, SAID_EXPIRED)
#endif
}

// The floor counts before everything else, also that of a repetition or of what is refused.
inline raise_floor(n, k) {
  if
  :: COPY(n, k).floor > table.floor -> table.floor = COPY(n, k).floor
  :: else
  fi
}

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define KNOWN(n, k) (table.session != 0 && table.session == COPY(n, k).session)
#define ON_ITS_WAY(n, k) (COPY(n, k).state == on_its_way)
#define TAKES(n, k) \
  (KNOWN(n, k) && n > MAX(table.floor, COPY(n, k).floor) && table.number[n] == unused)

inline place(n, k, may_execute) {
  if
  :: !KNOWN(n, k) -> expire(n)
  :: TAKES(n, k) && may_execute -> raise_floor(n, k); table.age = 0; execute(n)
  :: TAKES(n, k) && !may_execute ->
#ifndef MUTANT_REFUSED_LEAVES_THE_FLOOR
    raise_floor(n, k);
#endif
    table.age = 0; refuse(n)
  :: else -> raise_floor(n, k); table.age = 0; repeat(n)
  fi;
  carried = MAX(carried, COPY(n, k).floor);
  COPY(n, k).state = placed;
  COPY(n, k).session = 0;
  COPY(n, k).floor = 0
}

proctype request(byte n; byte k) {
  do
  :: d_step { k > 0 && n <= REPEATED && call[n].state == under_way &&
       COPY(n, k).state == unsent && COPY(n, k - 1).state != unsent -> send(n, k) }
  :: d_step { ON_ITS_WAY(n, k) ->
       COPY(n, k).state = refused_by_entry; COPY(n, k).session = 0; COPY(n, k).floor = 0 }
  :: d_step { ON_ITS_WAY(n, k) -> place(n, k, true) }
  :: d_step { ON_ITS_WAY(n, k) && TAKES(n, k) -> place(n, k, false) }
  od
}

// Has each copy that was sent been refused by its entry?
#define REFUSED_COPY(n, k) (COPY(n, k).state == refused_by_entry)
#define REFUSED_OR_UNSENT(n, k) (REFUSED_COPY(n, k) || COPY(n, k).state == unsent)
#if COPIES == 2
#define ANY_REFUSED(n) (REFUSED_COPY(n, 0) || REFUSED_COPY(n, 1))
#define EACH_REFUSED(n) (REFUSED_COPY(n, 0) && REFUSED_OR_UNSENT(n, 1))
#define EACH_ENTRY_REFUSED(n) EACH_REFUSED(n)
#else
#define ANY_REFUSED(n) (REFUSED_COPY(n, 0) || REFUSED_COPY(n, 1) || REFUSED_COPY(n, 2))
#define EACH_REFUSED(n) \
  (REFUSED_COPY(n, 0) && REFUSED_OR_UNSENT(n, 1) && REFUSED_OR_UNSENT(n, 2))
#define EACH_ENTRY_REFUSED(n) \
  ((REFUSED_COPY(n, 0) || REFUSED_COPY(n, 2)) && REFUSED_OR_UNSENT(n, 1))
#endif
#ifdef MUTANT_ONE_REFUSAL_FOR_ALL
#define REFUSED_BY_ENTRIES(n) ANY_REFUSED(n)
#elif defined(MUTANT_REFUSAL_FOR_ITS_ENTRY)
#define REFUSED_BY_ENTRIES(n) EACH_ENTRY_REFUSED(n)
#else
#define REFUSED_BY_ENTRIES(n) EACH_REFUSED(n)
#endif

proctype caller(byte n) {
  do
  :: d_step { call[n].state == unbegun && session != 0 &&
       (n == 1 || call[n - 1].state != unbegun) ->
       call[n].state = under_way; call[n].session = session; send(n, 0) }
  :: d_step { call[n].state == under_way && (call[n].said & SAID_DONE) ->
       assert(call[n].executed); end(n, answered) }
  :: d_step { call[n].state == under_way &&
       ((call[n].said & SAID_REFUSED) || REFUSED_BY_ENTRIES(n)) ->
       assert(!call[n].executed); end(n, refused) }
  :: d_step { call[n].state == under_way && (call[n].said & SAID_EXPIRED) ->
       if
       :: call[n].session == session -> session = 0
       :: else
       fi;
       end(n, expired) }
  :: d_step { call[n].state == under_way -> end(n, timed_out) }
  od
}

inline forget_session() {
  table.session = 0;
  table.floor = 0;
  table.age = 0;
  for (i_ : 1 .. NUMBERS) {
    table.number[i_] = unused
  }
  i_ = 0
}

proctype opening() {
  do
  :: d_step { session == 0 && opens_sent < OPENS -> opens_sent++; opens_on_way++ }
  :: d_step { opens_on_way > 0 ->
       opens_on_way--;
       table.age = 0;
       if
       :: table.session == 0 ->
         sessions_made++;
#ifdef MUTANT_SAME_ID_AGAIN
         table.session = 1
#else
         table.session = sessions_made
#endif
       :: else
       fi;
       told = told | BIT(table.session) }
  // Answers may come late, so that the caller may take a session that is over.
  :: d_step { session == 0 && (told & BIT(1)) -> told = told & ~BIT(1); session = 1 }
  :: d_step { session == 0 && (told & BIT(2)) -> told = told & ~BIT(2); session = 2 }
  // An old session of another caller is used, or a new one opened.
  :: d_step { table.session != 0 && others < OTHERS && table.age < SESSIONS - 1 ->
       others++; table.age++ }
  :: d_step { table.session != 0 && others < OTHERS && table.age == SESSIONS - 1 ->
       others++; forget_session() }
  od
}

init {
  atomic {
    for (i_ : 1 .. NUMBERS) {
      run caller(i_);
      for (below : 0 .. COPIES - 1) {
        run request(i_, below)
      }
    }
    run opening()
  }
}
