// SPDX-License-Identifier: BSD-3-Clause
// Max-min shares of three members that hear each other: progressive filling as in
// lib/rate_control/max_min.h, and what it has to come to. rate.pml includes this.

#define MEMBERS 3
#define ALL 7
#define UNLIMITED 255
#define BIT(i) (1 << (i))
#define IS_IN(mask, i) (((mask) & BIT(i)) != 0)
#define ELSE(i) ((i) == 0 -> 1 : 0)  // the two others
#define OTHER(i) ((i) == 2 -> 1 : 2)
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#ifdef EQUAL_ROOMS
#define ROOM(i) 12
#else
#define ROOM(i) ((i) == 0 -> 10 : ((i) == 1 -> 100 : 12))
#endif

byte members = ALL;
byte kept;  // off every room, for members that have departed
hidden byte want[MEMBERS];  // to fill(): what each needs
hidden byte out[MEMBERS];   // of fill(): the shares
hidden byte rising, level, ends, n, i, j, room_left[MEMBERS];

#define SENDERS(mask, j) ((IS_IN(mask, 0) && j != 0) + (IS_IN(mask, 1) && j != 1) + \
                          (IS_IN(mask, 2) && j != 2))

// Progressive filling.
inline fill() {
  rising = members;
  for (i : 0 .. MEMBERS - 1) {
    room_left[i] = ROOM(i) - MIN(ROOM(i), kept);
    out[i] = 0
  }
  do
  :: rising == 0 -> break
  :: else ->
    level = UNLIMITED;
    for (j : 0 .. MEMBERS - 1) {
      n = SENDERS(rising, j);
      if
      :: IS_IN(members, j) && n > 0 -> level = MIN(level, room_left[j] / n)
      :: else
      fi
    }
    ends = 0;
    for (i : 0 .. MEMBERS - 1) {
      if
      :: IS_IN(rising, i) && want[i] <= level -> ends = ends | BIT(i); out[i] = want[i]
      :: else
      fi
    }
    if
    :: ends == 0 ->
      for (j : 0 .. MEMBERS - 1) {
        n = SENDERS(rising, j);
        if
        :: IS_IN(members, j) && n > 0 && room_left[j] / n == level ->
          ends = ends | (rising & ~BIT(j))
        :: else
        fi
      }
      for (i : 0 .. MEMBERS - 1) {
        out[i] = (IS_IN(ends, i) -> level : out[i])
      }
    :: else
    fi;
    for (i : 0 .. MEMBERS - 1) {
      for (j : 0 .. MEMBERS - 1) {
        room_left[j] = (IS_IN(ends, i) && i != j -> room_left[j] - out[i] : room_left[j])
      }
    }
    rising = rising & ~ends
  od
}

// Does that member send at its max-min share? If it sends less than it needs, there is a receiver
// that is full, but for what cannot be divided, and that hears nobody who sends more.
#define TOWARDS(j) (RATE(ELSE(j)) + RATE(OTHER(j)))
#define FULL_FOR(m, j) (m != j && IS_IN(members, j) && \
    TOWARDS(j) + SENDERS(members, j) > ROOM(j) && 2 * RATE(m) >= TOWARDS(j))
#define FAIR(m, needed) (!IS_IN(members, m) || RATE(m) == needed || \
    FULL_FOR(m, ELSE(m)) || FULL_FOR(m, OTHER(m)))
