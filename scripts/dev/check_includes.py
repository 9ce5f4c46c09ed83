#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the include relation of doc/design.md: who may include whom, and what stays out of the pure
libraries. Usage: check_includes.py [TREE]. Errors: 'file:line: what (why)'."""
import posixpath
import re
import sys

import source_text

# What applications include: the lowest floor, plain C++ that knows nothing of the tree.
PUBLIC = ['include/lambdacast']
BASE = PUBLIC + ['base']
COUNTERS = BASE + ['counters']
WIRE = COUNTERS + ['wire']
SIBLINGS = ['reliability', 'ordering', 'rate_control', 'membership', 'group']
NODE = WIRE + SIBLINGS + ['neighbor']
# Each pure library and what it may include beside itself.
PURE = {
    'include/lambdacast': [], 'base': PUBLIC, 'counters': BASE, 'wire': COUNTERS,
    'wdm': BASE, 'fabric': BASE, 'ctl': BASE, 'congest': BASE, 'trees': BASE + ['congest'],
    'clock_sync': BASE + ['congest'],
    'neighbor': WIRE, **{name: WIRE for name in SIBLINGS},
    'config': WIRE + SIBLINGS + ['wdm', 'fabric', 'neighbor'],
    'node': NODE, 'sim': NODE + ['config', 'node', 'congest', 'trees', 'clock_sync'],
}
DPDK_LIBRARIES = ['dpdk', 'capture', 'rack', 'telemetry', 'console']
LIBRARIES = list(PURE) + DPDK_LIBRARIES
ALLOWED = {
    **PURE,
    **{name: list(PURE) + DPDK_LIBRARIES[:i] for i, name in enumerate(DPDK_LIBRARIES)},
    # What programs outside the tree link; nothing in the tree includes it.
    'embed': list(PURE) + ['dpdk', 'capture', 'rack'],
    'drivers/net': BASE,    # what its drivers share
    'drivers/net/odbss': BASE + ['wdm', 'fabric', 'drivers/net'],
    'drivers/net/verbs': WIRE + ['drivers/net'],
    'drivers/verbs/preload': WIRE + ['wdm', 'fabric'],
    'drivers/verbs/bridge': WIRE + ['wdm', 'fabric', 'config', 'neighbor', 'node', 'dpdk',
                                    'drivers/verbs/preload'],
    'app': LIBRARIES + ['drivers/net/odbss', 'drivers/net/verbs', 'drivers/verbs/preload'],
}
DPDK_USERS = DPDK_LIBRARIES + ['drivers/net', 'drivers/net/odbss', 'drivers/net/verbs',
                               'drivers/verbs/bridge', 'app']
VERBS_USERS = ['drivers/net/verbs', 'drivers/verbs/preload']
# lib/fabric is shared memory between processes, lib/ctl a socket between them: both need the
# system, but not DPDK.
SYSTEM_USERS = ['fabric', 'ctl']

SOURCE = re.compile(r'\.(h|cc|hpp|cpp|c|inc|def)$')
# Where `#include "NAME"` may be found, beside the file itself.
INCLUDE_PATH = ['include/', 'lib/', 'drivers/', 'app/', '']
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.M)
DPDK_HEADER = re.compile(
    r'^((rte|cmdline|ethdev|bus|dev)_\w+|cmdline)\.h$|^(rte|dpdk)/')
VERBS_HEADER = re.compile(r'^(infiniband|rdma)/')
BOOST_HEADER = re.compile(r'^boost/')
# Only a checker, which shares nothing with what it checks, has oracles of others.
BOOST_USERS = re.compile(r'^lib/sim/fabrics/check_\w+\.cc$|^tests/')
IMPURE_HEADER = re.compile(
    r'^(thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|stop_token|'
    r'chrono|ctime|time\.h|sys/\w+\.h|pthread\.h|threads\.h|unistd\.h|iostream)$')
IMPURE_NAME = re.compile(
    r'\b(system_clock|steady_clock|high_resolution_clock|clock_gettime|gettimeofday|__rdtsc|'
    r'std::thread|std::jthread|thread_local)\b|\btime\s*\(\s*(?:NULL|nullptr|0)\s*\)')
HIDDEN_RANDOM = re.compile(
    r'\brandom_device\b|\b(getrandom|getentropy|arc4random\w*|s?rand)\s*\(')


def owner(path):
    """The unit of the relation that a path is part of ('wire', 'drivers/net/odbss') or None."""
    parts = path.split('/')
    if parts[0] == 'lib':
        return parts[1] if len(parts) > 2 else 'lib'
    if parts[0] == 'drivers':
        return '/'.join(parts[:3 if parts[1] in ('net', 'verbs') and len(parts) > 3 else 2])
    if parts[0] == 'include':
        return '/'.join(parts[:2]) if len(parts) > 2 else 'include'
    return 'app' if parts[0] == 'app' else None


def target(path, name, tree):
    """The unit that `#include name` in `path` reaches; None: a header from outside the tree."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    for candidate in (beside, *(folder + name for folder in INCLUDE_PATH)):
        if candidate in tree:
            return owner(candidate)
    # Not there (yet): its name still tells whose it would be.
    if beside.startswith('lib/') and '/' in name and '..' in name:
        return owner(beside)
    first = name.split('/')[0]
    if first in LIBRARIES and '/' in name:
        return first
    if first == 'lambdacast' and '/' in name:
        return 'include/lambdacast'
    return owner(name) if first in ('include', 'lib', 'drivers', 'app') else None


def include_error(unit, name, reached):
    """Why `unit` may not include `name`, or None."""
    if reached == 'app' and unit != 'app':
        return 'nothing includes app'
    if reached is not None:
        if reached == unit or reached in ALLOWED[unit]:
            return None
        if unit in SIBLINGS and reached in SIBLINGS:
            return f'{unit} and {reached} are siblings: only node composes them'
        return f'{unit} may include {", ".join(ALLOWED[unit]) or "no other library"}; not {reached}'
    if DPDK_HEADER.search(name) and unit not in DPDK_USERS:
        return f'DPDK is for {", ".join(DPDK_USERS)}; not for {unit}'
    if VERBS_HEADER.search(name) and unit not in VERBS_USERS:
        return f'libibverbs is for {", ".join(VERBS_USERS)}; not for {unit}'
    if unit in PURE and unit not in SYSTEM_USERS and IMPURE_HEADER.search(name):
        return f'{unit} is a pure library: no clock, thread or console; values come as arguments'
    return None


def check_file(path, text, tree):
    unit = owner(path)
    if unit not in ALLOWED:
        return [f'{path}:1: {unit} has no place in the include relation '
                '(give it one in doc/design.md and scripts/dev/check_includes.py)']
    errors = []
    code = source_text.blank(text, keep_strings=True)
    for match in INCLUDE.finditer(code):
        why = include_error(unit, match[2], target(path, match[2], tree))
        if BOOST_HEADER.search(match[2]) and not BOOST_USERS.search(path):
            why = 'Boost is for lib/sim/fabrics/check_* and tests'
        if why:
            line = source_text.line_of(code, match.start(1))
            errors.append(f'{path}:{line}: #include of {match[2]} ({why})')
    if unit in PURE:
        bare = source_text.blank(text)
        rules = [(HIDDEN_RANDOM, 'randomness comes from a generator passed in')]
        if unit not in SYSTEM_USERS:
            rules.append((IMPURE_NAME, 'a pure library has no clock and no thread'))
        for pattern, why in rules:
            for match in pattern.finditer(bare):
                line = source_text.line_of(bare, match.start())
                errors.append(f'{path}:{line}: {match[0].strip()} ({why})')
    return errors


def check(root):
    """All errors of the tree at `root`, and how many files were looked at."""
    tree = set(source_text.files(root))
    errors, checked = [], 0
    for path in sorted(tree):
        if SOURCE.search(path) and owner(path):
            checked += 1
            errors += check_file(path, source_text.read(root, path) or '', tree)
    return errors, checked


if __name__ == '__main__':
    sys.exit(source_text.report('check_includes', *check(source_text.root_from_arguments())))
