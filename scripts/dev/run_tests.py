#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs every test of the tree; scripts/test prepares the machine first. Ends with the plain line
'N passed, N failed', which counts meson tests, scripts, fuzz targets and smoke scripts. Logs are in
build/test-logs."""
import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from test_support import LOGS, ROOT, BuildTree, Results, log_path, run

SCRIPT_TIMEOUT_S = 120
MODELS_TIMEOUT_S = 300  # far less but where others compile
SMOKE_TIMEOUT_S = 180
FUZZ_S = 15


def run_scripts(results, wanted):
    models = 'scripts/dev/check_models.py'
    scripts = ['scripts/dev/check_includes.py', 'scripts/dev/tidy.py',
               'scripts/dev/check_style.py', models]
    directory = os.path.join(ROOT, 'tests', 'scripts')
    if os.path.isdir(directory):
        names = sorted(os.listdir(directory))
        scripts += [f'tests/scripts/{name}' for name in names if name.endswith('_test.py')]
    for script in filter(wanted, scripts):
        log = log_path(script)
        limit = MODELS_TIMEOUT_S if script == models else SCRIPT_TIMEOUT_S
        code, seconds = run([sys.executable, script], log, limit)
        results.add_code(code, script, seconds, log)


def run_guide(results, tree, wanted):
    """What the guide calls, asked of the programs that were built."""
    script = 'scripts/dev/check_guide.py'
    if wanted(script):
        log = log_path(script)
        code, seconds = run([sys.executable, script, tree.path], log, SCRIPT_TIMEOUT_S)
        results.add_code(code, script, seconds, log)


def run_main_build(results, tree, wanted):
    if tree.compile():
        run_guide(results, tree, wanted)
        names = [test['name'] for test in tree.tests()]
        chosen = [name for name in names if wanted(name)]
        tree.run_tests(None if chosen == names else chosen)


def run_smoke(results, tree, wanted):
    scripts = []
    for directory in ('tests/smoke', 'tests/interop'):
        names = sorted(os.listdir(os.path.join(ROOT, directory)))
        scripts += [f'{directory}/{name}' for name in names if name.endswith('.sh')]
    scripts = list(filter(wanted, scripts))
    if not scripts or not tree.compile():
        return
    for script in scripts:
        log = log_path(script)
        code, seconds = run(['bash', script, tree.path], log, SMOKE_TIMEOUT_S)
        results.add_code(code, script, seconds, log)


def shared_tests(tree):
    """The tests of what several threads or processes share: lib/fabric, random calls of several
    threads to the verbs front end, and the stages of a node on threads."""
    shared = re.compile(r'(^|[/:_-])fabric|^fuzz/verbs_|^property/node_threads')
    return [test for test in tree.tests()
            if any(shared.search(name) for name in [test['name'], *test['suite']])]


def targets_of(tree, tests):
    by_id = {t['id']: t['filename'] for t in tree.introspect('targets')}
    needed = {name for t in tests for d in t.get('depends', []) for name in by_id.get(d, [])}
    needed |= {test['cmd'][0] for test in tests}
    inside = [os.path.relpath(n, tree.path) for n in needed if n.startswith(tree.path + os.sep)]
    return sorted(inside)


def run_thread_sanitizer(tree):
    tests = shared_tests(tree)
    if tests and tree.compile(targets_of(tree, tests)):
        tree.run_tests([test['name'] for test in tests])


def corpus_of(target):
    """The directory of kept inputs: tests/fuzz/corpus/NAME, with or without 'fuzz' in the name."""
    short = re.sub(r'^fuzz_|_fuzz(er)?$', '', target)
    for name in (target, short):
        path = os.path.join(ROOT, 'tests', 'fuzz', 'corpus', name)
        if os.path.isdir(path):
            return path
    return None


def fuzz(tree, executable):
    """Fuzzes for a while from a copy of the kept inputs; what it finds stays out of the tree."""
    target = os.path.basename(executable)
    log = log_path('fuzz', target)
    with tempfile.TemporaryDirectory(prefix='lambdacast-fuzz-') as scratch:
        inputs = os.path.join(scratch, 'corpus')
        kept = corpus_of(target)
        shutil.copytree(kept, inputs) if kept else os.mkdir(inputs)
        command = tree.prefix + [
            executable, f'-max_total_time={FUZZ_S}', '-timeout=10', '-rss_limit_mb=2048',
            '-print_final_stats=1', f'-artifact_prefix={LOGS}/{target}-', inputs]
        return target, *run(command, log, FUZZ_S * 4 + 60, tree.env), log


def run_fuzzers(results, tree):
    if not tree.configure():
        return
    folder = os.path.join(ROOT, 'tests', 'fuzz')
    tests = {test['cmd'][0] for test in tree.tests()}  # with frames of their own making
    executables = [t['filename'][0] for t in tree.introspect('targets')
                   if t['type'] == 'executable' and t['defined_in'].startswith(folder)
                   and t['name'].endswith('_fuzz') and t['filename'][0] not in tests]
    targets = sorted(os.path.relpath(path, tree.path) for path in executables)
    if not targets or not tree.compile(targets):
        return
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for target, code, seconds, log in pool.map(lambda e: fuzz(tree, e), sorted(executables)):
            results.add('fail' if code else 'pass', f'fuzz: {target}', seconds, log)


class Trees:
    """The build directories, each compiled when it is first wanted. build/ is what packages ship,
    for any processor. clang compiles all of it for this machine, warnings as errors, instrumented:
    g++ 12 takes fifteen times as long over fmt's formats with UBSan. Its lines are told relative to
    the clone: a compiler cache serves every clone with them."""

    def __init__(self, results):
        instrumented = {'debug': 'false', 'optimization': '1', 'b_lundef': 'false',
                        'cpp_args': f'-gline-tables-only -ffile-prefix-map={ROOT}=.'}
        self.main = BuildTree(results, 'build', {'platform': 'generic', 'werror': 'true'})
        self.asan = BuildTree(results, 'build-asan', {
            **instrumented, 'b_sanitize': 'address,undefined', 'fuzz': 'true', 'werror': 'true'},
            'clang++', sanitizer=True)
        self.tsan = BuildTree(results, 'build-tsan', {
            **instrumented, 'pure_only': 'true', 'b_sanitize': 'thread'}, 'clang++',
            sanitizer=True)

    def compile_ahead(self):
        """What the sanitizers will want, while tests wait for each other."""
        self.asan.compile_ahead()


def run_group(group, results, trees, wanted):
    """Runs one group of tests; a broken build or a lost tool is a failed test, not the end."""
    if group == 'scripts':
        run_scripts(results, wanted)
    elif group == 'build':
        run_main_build(results, trees.main, wanted)
    elif group == 'smoke':
        run_smoke(results, trees.main, wanted)
    elif group == 'tsan':
        run_thread_sanitizer(trees.tsan)
    elif group == 'asan' and trees.asan.compile():
        trees.asan.run_tests()
    elif group == 'fuzz':
        run_fuzzers(results, trees.asan)


QUICK = ['scripts', 'build', 'smoke']
GROUPS = QUICK + ['asan', 'tsan', 'fuzz']


def main():
    parser = argparse.ArgumentParser(prog='scripts/test', description='Prepares the machine as '
                                     'scripts/setup does, then runs every test.')
    parser.add_argument('--quick', action='store_true', help='no sanitizers or fuzzing')
    parser.add_argument('--only', metavar='NAME', help='one group (' + ', '.join(GROUPS) + '), or '
                        'the scripts, smoke scripts and tests of build/ whose name contains NAME')
    options = parser.parse_args()
    groups = [options.only] if options.only in GROUPS else \
        QUICK if options.quick or options.only else GROUPS
    part = options.only if options.only not in GROUPS else None
    os.makedirs(LOGS, exist_ok=True)
    results = Results()
    trees = Trees(results)
    for group in groups:
        try:
            if group == 'smoke' and 'asan' in groups:
                trees.compile_ahead()
            run_group(group, results, trees, lambda name: part is None or part in name)
        except (OSError, subprocess.CalledProcessError, ValueError, KeyError) as error:
            log = log_path(group)
            with open(log, 'w', encoding='utf-8') as stream:
                stream.write(f'{type(error).__name__}: {error}\n')
            results.add('fail', group, 0, log)
    return results.close()


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
