# SPDX-License-Identifier: BSD-3-Clause
"""Results of benchmarks as files: where they were measured, each figure with its rounds, median and
quartiles. tests/bench/measure writes them and tests/bench/render makes tables of them."""
import datetime
import json
import os
import platform
import statistics
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM_SOURCES = ['app', 'lib', 'drivers', 'include', 'meson.build']
DIRECTORY = os.path.join(ROOT, 'tests', 'bench', 'results')


def summary(values):
    """A figure of some rounds: its median and its quartiles, those of one round being that."""
    if len(values) == 1:
        low = high = values[0]
    else:
        low, _, high = statistics.quantiles(values, n=4, method='inclusive')
    return {'median': statistics.median(values), 'quartiles': [low, high], 'rounds': values}


def cpu_model(text):
    """The model in the text of /proc/cpuinfo."""
    for line in text.splitlines():
        name, _, value = line.partition(':')
        if name.strip() == 'model name':
            return value.strip()
    return platform.machine()


def machine():
    with open('/proc/cpuinfo', encoding='utf-8') as stream:
        model = cpu_model(stream.read())
    return {'cpu': model, 'cores': os.cpu_count(), 'kernel': platform.release()}


def commit():
    """Of the tree that was measured; '+' if what the programs are made of had other changes."""
    def git(*arguments):
        return subprocess.run(['git', '-C', ROOT, *arguments], check=True, capture_output=True,
                              text=True).stdout.strip()
    changes = git('status', '--porcelain', '--untracked-files=no', '--', *PROGRAM_SOURCES)
    return git('rev-parse', '--short=12', 'HEAD') + ('+' if changes else '')


def collect(name, rounds_of_cases, of_commit, note=''):
    """What a file holds. rounds_of_cases: [(case, command, [{figure: value} a round])]."""
    cases = []
    for case, command, rounds in rounds_of_cases:
        figures = {key: summary([each[key] for each in rounds]) for key in rounds[0]}
        cases.append({'name': case, 'command': command, 'figures': figures})
    return {'benchmark': name, 'machine': machine(), 'commit': of_commit,
            'date': datetime.date.today().isoformat(),
            'rounds': len(rounds_of_cases[0][2]), 'note': note, 'cases': cases}


def path_of(name, directory=DIRECTORY):
    return os.path.join(directory, name + '.json')


def write(results, directory=DIRECTORY):
    path = path_of(results['benchmark'], directory)
    with open(path, 'w', encoding='utf-8') as stream:
        json.dump(results, stream, indent=1)
        stream.write('\n')
    return path


def read(name, directory=DIRECTORY):
    with open(path_of(name, directory), encoding='utf-8') as stream:
        return json.load(stream)
