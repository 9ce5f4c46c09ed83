#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What well-known tools say of the tree: clang-format of C++, shellcheck of shell scripts,
codespell of every text. Usage: check_style.py [TREE]. Errors: 'file:line: what'."""
import os
import re
import subprocess
import sys

import source_text
import tidy

BATCH = 200  # files a process
# Names, abbreviations of protocols, and words that tests misspell deliberately.
WORDS = 'clos,inflight,kno,kown,nd,fro,nam,shwo'
# Of variables that a sourced file sets or reads shellcheck sees one side only (1090, 1091, 2034,
# 2154). busybox's sh has ulimit -l (3045).
SHELL_EXCEPTIONS = 'SC1090,SC1091,SC2034,SC2154,SC3045'
CLANG_FORMAT = re.compile(r'^(?P<path>[^:\n]+):(?P<line>\d+):\d+: (?:error|warning): .*', re.M)
GCC_STYLE = re.compile(r'^(?P<path>[^:\n]+):(?P<line>\d+):\d+: \w+: (?P<what>.*)', re.M)
CODESPELL = re.compile(r'^(?P<path>[^:\n]+):(?P<line>\d+): (?P<what>.*)', re.M)


def run(root, command, paths):
    """What the tool prints about all of the paths."""
    printed = ''
    for first in range(0, len(paths), BATCH):
        done = subprocess.run([*command, *paths[first:first + BATCH]], cwd=root, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        printed += done.stdout
        if done.returncode not in (0, 1, 65):  # codespell ends with 65 when it has found something
            raise OSError(f'{command[0]} ended with {done.returncode}: {done.stdout}')
    return printed


def errors_of(pattern, printed, what=None):
    found = [f'{each["path"]}:{each["line"]}: {what or each["what"]}'
             for each in pattern.finditer(printed)]
    return sorted(set(found), key=lambda error: error.split(':')[:2])


def check(root):
    """All errors of the tree at `root`, and how many files were looked at."""
    code, shell, prose = [], [], []
    for path in source_text.files(root):
        text = None if tidy.DATA.search(path) else source_text.read(root, path)
        if text is None:
            continue
        prose.append(path)
        if tidy.CODE.search(path):
            code.append(path)
        elif tidy.SHELL.match(text):
            shell.append(path)
    errors = errors_of(CLANG_FORMAT, run(root, ['clang-format', '--dry-run'], code),
                       'not as clang-format would have it')
    shellcheck = ['shellcheck', '-x', '-S', 'warning', '-f', 'gcc', '-e', SHELL_EXCEPTIONS]
    errors += errors_of(GCC_STYLE, run(root, shellcheck, shell))
    errors += errors_of(CODESPELL, run(root, ['codespell', '-L', WORDS], prose))
    return errors, len(prose)


if __name__ == '__main__':
    sys.exit(source_text.report('check_style', *check(source_text.root_from_arguments())))
