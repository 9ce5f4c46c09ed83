#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_shares.py FILL_SHARES [CASES [SEED]]   judge the shares of lib/rate_control/max_min.

Draws random cases and solves each by linear programs (HiGHS, through scipy), lexicographically: the
greatest rate that all can have, then the same for those that can have more. No share may differ by
as many bits a second as there are transmitters, and no sum may exceed its room. FILL_SHARES is the
program of tests/vectors/fill_shares.cc. Exit code 77: no scipy here."""
import random
import subprocess
import sys

SKIP = 77
UNLIMITED = 2**64 - 1
GREATEST = 10**9    # bits a second
SLACK = 1e-3        # of a bit a second, for floating point
CASES = 100         # two seconds


def draw(rng):
    """A case: caps, rooms, and for each receiver whom it hears."""
    nodes = rng.randint(2, 12)
    alike = rng.random() < 0.3
    rate = rng.randint(1000, GREATEST)

    def any_rate():
        return rate if alike else rng.randint(1000, GREATEST)

    cap = [any_rate() * rng.choice([1, 1, 3]) if rng.random() < 0.6 else UNLIMITED
           for _ in range(nodes)]
    room = [any_rate() if rng.random() < 0.9 else UNLIMITED for _ in range(nodes)]
    if rng.random() < 0.5:
        hears = [[int(i != j) for i in range(nodes)] for j in range(nodes)]
    else:
        hears = [[int(rng.random() < 0.5) for _ in range(nodes)] for _ in range(nodes)]
    each = [any_rate() if rng.random() < 0.2 else UNLIMITED for _ in range(nodes)]
    for j, heard in enumerate(hears):    # what a receiver takes of one transmitter caps that one
        cap = [min(cap[i], each[j]) if heard[i] else cap[i] for i in range(nodes)]
    return cap, room, hears


def bounded(cap, room, hears):
    """Those with any bound: the others have no limit, and no program finds them one."""
    return [i for i, most in enumerate(cap) if most != UNLIMITED or
            any(heard[i] and limit != UNLIMITED for heard, limit in zip(hears, room))]


def solve(linprog, numpy, cap, room, hears):
    """Max-min fair rates by linear programs: the least rate is raised as far as it goes; whoever
    cannot have more then, while nobody has less, stays there."""
    free = bounded(cap, room, hears)
    fixed = {i: UNLIMITED for i in range(len(cap)) if i not in free}
    among = list(free)
    limits = [j for j, limit in enumerate(room) if limit != UNLIMITED and any(hears[j])]
    matrix = numpy.array([[float(hears[j][i]) for i in among] + [0.0] for j in limits])
    rooms = numpy.array([room[j] for j in limits])
    while free:
        def best(goal, least):
            """The most of `goal` (a transmitter; None: of the least rate) with `least` for all."""
            bounds = [(max(fixed[i] - SLACK, 0), fixed[i]) if i in fixed else
                      (least, None if cap[i] == UNLIMITED else cap[i]) for i in among]
            rows, right = [list(row) for row in matrix], list(rooms)
            if goal is None:
                for i in free:
                    rows.append([-float(k == i) for k in among] + [1.0])
                    right.append(0.0)
            cost = [-float(k == goal) for k in among] + [-float(goal is None)]
            run = linprog(cost, A_ub=rows or None, b_ub=right or None, method='highs',
                          bounds=bounds + [(0, None)])
            if run.status == 3 and goal is not None:
                return None     # without a bound
            if run.status != 0:
                raise RuntimeError(run.message)
            return -run.fun
        level = best(None, 0)
        stuck = [i for i in free if (cap[i] != UNLIMITED and cap[i] <= level + SLACK) or
                 (most := best(i, max(level - SLACK, 0))) is not None and
                 most <= level + 20 * SLACK]
        if not stuck:
            raise RuntimeError('nobody stops')
        for i in stuck:
            fixed[i] = level
            free.remove(i)
    return [fixed[i] for i in range(len(cap))]


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    try:
        import numpy
        from scipy.optimize import linprog
    except ImportError as error:
        print(f'skipped: {error}')
        sys.exit(SKIP)
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else CASES
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    drawn = [draw(rng) for _ in range(cases)]
    lines = [' '.join(map(str, [len(cap), len(room), *cap, *room, *sum(hears, [])]))
             for cap, room, hears in drawn]
    run = subprocess.run([sys.argv[1]], input='\n'.join(lines), capture_output=True, text=True,
                         check=True)
    shares = [list(map(int, line.split())) for line in run.stdout.splitlines()]
    wrong, widest = [], 0
    for number, (case, got) in enumerate(zip(drawn, shares)):
        wanted = solve(linprog, numpy, *case)
        cap, room, hears = case
        fits = all(sum(bps for bps, heard in zip(got, row) if heard) <= limit
                   for limit, row in zip(room, hears) if limit != UNLIMITED)
        apart = max(abs(a - b) for a, b in zip(got, wanted))
        widest = max(widest, apart)
        if len(got) != len(wanted) or apart >= len(wanted) or not fits:
            wrong.append(f'case {number}: {lines[number]}: {got}, by linear programs {wanted}')
    print('\n'.join(wrong[:10]))
    print(f'{len(shares)} cases judged of {cases}, {len(wrong)} disagreements, at most '
          f'{widest:.2f} bit/s apart')
    sys.exit(bool(wrong) or len(shares) != cases or cases == 0)


if __name__ == '__main__':
    main()
