#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the models of doc/models with Spin: what they claim must hold over all their states, and
every broken variant must be refuted. Exit 0 if both are so. Some three minutes of one core in all,
two checks of at most 2 GB at a time."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = os.path.join(ROOT, 'doc/models')
WORKERS = 2
MEMORY_MB = 2000
# Most states first, so that the others fill in beside them.
HOLDS = [
    'view_change -DBALLOTS=3 -DMESSAGES=0', 'view_change -DBALLOTS=2 -DMESSAGES=2 -DQUORUMS_ONLY',
    'view_change -DBALLOTS=2 -DMESSAGES=1 -DCRASHES=1',
    'view_change -DBALLOTS=2 -DMESSAGES=0 -DCRASHES=1 -DJOINER', 'first_view -DBALLOTS=3',
    'rate -DCHANGES=3 -DDEPARTURES=1 -DSPEAKERS=4', 'rate -DCHANGES=2 -DDEPARTURES=1',
    'rate -DCHANGES=3', 'rate -DCHANGES=4 -DSPEAKERS=4', 'ring -DCRASHES=2',
    'session -DCOPIES=3',
    # FastCast's rule is right where all receivers take the same.
    'rate -DMUTANT_FASTCAST -DEQUAL_ROOMS']
REFUTED = ['view_change ' + defines for defines in [
    '-DMUTANT_ACCEPTS_UNREADY', '-DMUTANT_ACKS_AFTER_PROMISE', '-DMUTANT_BREAKS_PROMISE',
    '-DMUTANT_CUT_OF_MEMBERS_ONLY', '-DMUTANT_CUT_OF_SURVIVOR_IS_ITS_OWN',
    '-DMUTANT_FORGETS_ACCEPTED', '-DMUTANT_ID_OF_THE_LAST_ROUND',
    '-DMUTANT_QUORUM_OF_WHO_ANSWERS', '-DMUTANT_ADOPTED_COUNTS_ITS_MEMBERS -DCRASHES=1',
    '-DMUTANT_ADOPTED_NEEDS_ALL -DCRASHES=1', '-DREACH_ALL_INSTALL', '-DREACH_ADOPTED',
    '-DREACH_DEAD_SENDER -DCRASHES=1', '-DREACH_JOINED -DJOINER', '-DREACH_VOID']]
REFUTED += ['first_view ' + defines for defines in [
    '-DMUTANT_ALWAYS_DROPS', '-DMUTANT_ANY_VOTE_REFUTES', '-DMUTANT_COMPARES_BALLOTS',
    '-DMUTANT_DEAD_COORDINATOR_GOES_ON',
    '-DREACH_ALL_INSTALL', '-DREACH_DROPPED', '-DREACH_EXCUSED']]
REFUTED += ['rate ' + defines for defines in [
    '-DMUTANT_ACKS_BEFORE_IT_FALLS', '-DMUTANT_ACKS_WITH_THE_NEXT_MARK', '-DMUTANT_COUNTS_ACKS',
    '-DMUTANT_FASTCAST', '-DMUTANT_HOLDS_ONLY_AT_A_FALL', '-DMUTANT_LEAST_OF_BOTH_ENDS',
    '-DMUTANT_RISES_AT_MARK', '-DMUTANT_SETTLED_BY_A_MAJORITY',
    '-DREACH_APART', '-DREACH_END', '-DREACH_HELD', '-DREACH_RISE']]
REFUTED += ['rate -DDEPARTURES=1 ' + defines for defines in [
    '-DMUTANT_ANNOUNCES_AHEAD_OF_FRAMES', '-DMUTANT_A_VIEW_RELEASES', '-DMUTANT_KEEPS_NOTHING',
    '-DMUTANT_KEEPS_THE_LAST_SHARE', '-DMUTANT_KEEPS_TOO_SHORT', '-DMUTANT_WAITS_FOR_THE_DEPARTED',
    '-DREACH_KEPT', '-DREACH_LOST_EVENT', '-DREACH_RETURNED']]
REFUTED += ['ring ' + defines for defines in [
    '-DMUTANT_APPLIES_AFTER_PROMISE', '-DMUTANT_COUNTS_THE_NEXT_SITE', '-DMUTANT_NEVER_RESTS',
    '-DMUTANT_PASSES_AFTER_PROMISE', '-DMUTANT_PASSES_WHAT_IT_HEARD',
    '-DMUTANT_RESTS_UNORDERED', '-DMUTANT_RESTS_WHEN_IT_KNOWS', '-DMUTANT_SITE_BY_SUSPICION',
    '-DREACH_AHEAD', '-DREACH_REST', '-DREACH_SURVIVES_THROUGH_ONE -DCRASHES=1']]
REFUTED += ['session ' + defines for defines in [
    '-DMUTANT_FLOOR_PAST_A_CALL', '-DMUTANT_NO_FOR_EXPIRED', '-DMUTANT_ONE_REFUSAL_FOR_ALL',
    '-DMUTANT_REFUSAL_FOR_ITS_ENTRY -DCOPIES=3', '-DMUTANT_REFUSAL_TAKES_NO_NUMBER',
    '-DMUTANT_REFUSED_LEAVES_THE_FLOOR', '-DMUTANT_REPEATS_IN_A_NEW_SESSION',
    '-DMUTANT_SAME_ID_AGAIN', '-DREACH_EVICTED -DSESSIONS=2']]


def run(*command, directory):
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def build(variant, directory, optimise):
    """The verifier: no fairness or liveness, and every state kept as a hash of 64 bits."""
    model, *defines = variant.split()
    steps = [['spin', '-a', *defines, os.path.join(MODELS, model + '.pml')],
             ['gcc', optimise, '-w', '-DSAFETY', '-DNOREDUCE', '-DHC4', f'-DMEMLIM={MEMORY_MB}',
              '-o', 'pan', 'pan.c']]
    for step in steps:
        code, text = run(*step, directory=directory)
        if code != 0:
            raise RuntimeError(f'{" ".join(step)}: {text.strip()}')


def check(variant, holds):
    """(as it should be, one line about it)."""
    with tempfile.TemporaryDirectory(prefix='lambdacast-spin-') as directory:
        build(variant, directory, '-O2' if holds else '-O0')
        # Ends are judged by the model itself (-E).
        _, text = run('./pan', '-E', '-n', '-m10000', '-w24', directory=directory)
    errors = re.search(r'errors: (\d+)', text)
    states = re.search(r'(\d+) states, stored', text)
    seconds = re.search(r'elapsed time ([\d.e+-]+) seconds', text)
    wrong = re.search(r'pan:1: (.*)', text)
    if not errors or not states or 'Search not completed' in text and not wrong:
        return False, f'{variant}: the search did not end: {text.strip()[-500:]}'
    found = int(errors[1]) > 0
    as_asserted = bool(wrong) and wrong[1].startswith('assertion violated')
    line = (f'{variant}: {states[1]} states, {float(seconds[1]) if seconds else 0:.1f} s, '
            f'{"refuted" if found else "holds"}')
    if found == holds or found and not as_asserted:
        return False, line + (f', but should hold: {wrong[1] if wrong else text}' if holds else
                              ', but for an assertion that fails')
    return True, line


def main():
    for tool, package in (('spin', 'spin'), ('gcc', 'gcc')):
        if not shutil.which(tool):
            print(f'check_models: no {tool}; to mend: apt-get install {package}')
            return 1
    good = True
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(check, variant, True) for variant in HOLDS]
        jobs += [pool.submit(check, variant, False) for variant in REFUTED]
        for job in jobs:
            as_it_should, line = job.result()
            print(('ok    ' if as_it_should else 'WRONG ') + line, flush=True)
            good = good and as_it_should
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
