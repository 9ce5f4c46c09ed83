#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Style as a test. Usage: tidy.py [TREE]. Errors: 'file:line: what (why)'.

Markdown may be long, and has a limit of its own for lines outside tables. Data is not looked at."""
import os
import re
import sys

import source_text

LINE_LIMIT = 100       # characters
MARKDOWN_LIMIT = 120   # characters, outside tables
FILE_LIMIT = 400       # lines, beside that of the licence
FUNCTION_LIMIT = 70    # lines, opening to closing brace
# Exceptions, each with its reason: {path: reason}.
LONG_FILES = {'share/wireshark/lambdacast.lua': 'Wireshark loads each file for itself'}
LONG_FUNCTIONS = {}
SOURCES_WITHOUT_TEST = {}
SLEEPERS = ('lib/dpdk/idle', 'tests/property/', 'tests/bench/')
DATA = re.compile(r'^tests/(fuzz/corpus|vectors/data)/|\.(pcap|pcapng|json|hex|bin|svg)$')

CODE = re.compile(r'\.(h|cc)$')
# The tag is written so that it is not taken for this file's own.
LICENCE = 'SPDX-''License-Identifier: BSD-3-Clause'
LICENSED = (
    (re.compile(r'\.(h|hh|cc|c|def|pml)$'), f'// {LICENCE}'),
    (re.compile(r'\.map$'), f'/* {LICENCE} */'),
    (re.compile(r'\.(py|sh|bash)$|(^|/)meson(\.build|_options\.txt)$'), f'# {LICENCE}'),
)
TEXT = re.compile(
    r'\.(h|hh|cc|c|py|lua|sh|bash|def|inc|map|pml|toml|build|txt|md|yml|yaml|clang-format)$|'
    r'^[^.]+$|^\.ci/')
# Written so that they do not match themselves.
UNFINISHED = re.compile(r'\b(TO[D]O|FIX[M]E|X[X]X)\b')
HOME_PATH = re.compile(r'(?<![\w.}])/(?:home|work|root|Users)/\w')
REGISTRY = re.compile(
    r'\b(pypi\.org|pythonhosted\.org|npmjs\.org|npmjs\.com|crates\.io|rubygems\.org|'
    r'(deb|security|snapshot|ftp\.\w+)\.debian\.org|archive\.ubuntu\.com|proxy\.golang\.org|'
    r'docker\.io|ghcr\.io|quay\.io|pkg\.dev|gcr\.io|artifactor[y])\b')
SLEEP = re.compile(r'\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|sleep)\s*\(')
SET_U = re.compile(r'^set -[a-z]*u', re.M)
# grep -q ends at its first match; who still writes to it dies of SIGPIPE, and under pipefail the
# whole condition is false although there was a match.
QUIET_GREP = re.compile(r'(?<!\|)\|(?!\|)\s*(?:\\\n\s*)?(grep -\w*q)')
SHELL = re.compile(r'^#!.*\b(ba|da)?sh\b')
CTOR_INITIALISER = re.compile(r'\)\s*(noexcept\s*)?:(?!:)')
LINK = re.compile(r'!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)')
HEADING = re.compile(r'^#{1,6} +(.*?)[ #]*$', re.M)
DATE = re.compile(r'\b20\d\d-\d\d(-\d\d)?\b')
FENCE = re.compile(r'^```.*?^```', re.S | re.M)
CODE_SPAN = re.compile(r'^```.*?^```|`[^`\n]+`', re.S | re.M)
COMMAND_PATH = re.compile(
    r'(?<![\w./-])(?:\./)?'
    r'((?:(?:build/)?(?:app|drivers|tests|lib)|scripts|config|doc|\.ci)/[\w./-]*\w)')


def check_lines(path, text):
    """Rules on single lines of any text file."""
    errors = []
    limit = MARKDOWN_LIMIT if path.endswith('.md') else LINE_LIMIT
    for number, line in enumerate(text.split('\n'), 1):
        def error(what, number=number):
            errors.append(f'{path}:{number}: {what}')
        if '\t' in line:
            error('tab (indent with spaces)')
        if line != line.rstrip():
            error('trailing whitespace')
        in_table = path.endswith('.md') and line.lstrip().startswith('|')
        if len(line) > limit and not in_table:
            error(f'{len(line)} characters (at most {limit})')
        if UNFINISHED.search(line):
            error('unfinished work noted in the tree (finish it, or open an issue)')
        if HOME_PATH.search(line):
            error("absolute path of somebody's machine (other machines lack it)")
        if REGISTRY.search(line):
            error('registry host name (the machine configures its registries)')
    if text and not text.endswith('\n'):
        errors.append(f'{path}:{text.count(chr(10)) + 1}: no newline at the end')
    return errors


def licence_line(path, text):
    """The line that has to name the licence of the file, or None if the file needs none."""
    for name, line in LICENSED:
        if name.search(path):
            return line
    return f'# {LICENCE}' if text.startswith('#!') else None


def check_licence(path, text):
    """Rule on the first line, or the second one of a script that names its interpreter."""
    wanted = licence_line(path, text)
    number = 2 if text.startswith('#!') else 1
    lines = text.split('\n', number)
    if wanted is None or (len(lines) >= number and lines[number - 1] == wanted):
        return []
    return [f"{path}:{number}: no line '{wanted}' (each file names its licence)"]


def functions(text):
    """(first line, length in lines) of each outermost function body: a heuristic on braces."""
    code = re.sub(r'^[ \t]*#(?:[^\n\\]|\\.)*', lambda m: re.sub(r'[^\n]', ' ', m[0]),
                  source_text.blank(text), flags=re.M | re.S)
    stack, head, opened = [], '', None
    for match in re.finditer(r'[{};]|[^{};]+', code):
        token = match.group()
        if token == '{':
            inside = any(kind == 'function' for kind, _ in stack)
            if not inside and CTOR_INITIALISER.search(head) and re.search(r'[\w>]\s*$', head):
                stack.append(('initialiser', head))
                continue
            kind = 'block'
            if not inside and ')' in head and not head.rstrip().endswith('='):
                kind = 'function'
                opened = source_text.line_of(code, match.start())
            stack.append((kind, ''))
            head = ''
        elif token == '}':
            kind, saved = stack.pop() if stack else ('block', '')
            head = saved + '{}' if kind == 'initialiser' else ''
            if kind == 'function':
                yield opened, source_text.line_of(code, match.start()) - opened + 1
        elif token == ';':
            head = ''
        else:
            head += token


def check_code(path, text):
    """Rules on C++ sources."""
    errors = []
    bare = source_text.blank(text)
    if path.endswith('.h'):
        if not re.search(r'^#pragma once$', text, re.M):
            errors.append(f'{path}:1: no #pragma once')
        for match in re.finditer(r'\busing\s+namespace\b', bare):
            line = source_text.line_of(bare, match.start())
            errors.append(f'{path}:{line}: using namespace in a header (it leaks into every user)')
    if not path.startswith(SLEEPERS):
        for match in SLEEP.finditer(bare):
            line = source_text.line_of(bare, match.start())
            errors.append(f'{path}:{line}: {match[1]} (wait for an event or a deadline; '
                          'only the idle policy sleeps)')
    if path not in LONG_FUNCTIONS:
        for line, length in functions(text):
            if length > FUNCTION_LIMIT:
                errors.append(
                    f'{path}:{line}: function of {length} lines (at most {FUNCTION_LIMIT})')
    source = re.match(r'^lib/(.+)\.cc$', path)
    return errors, source and f'tests/unit/{source[1]}_test.cc'


def check_shell(root, path, text):
    """Rules on shell scripts; one that is only sourced has no '#!' line and is not executable."""
    errors = []
    if not SET_U.search(text):
        errors.append(f'{path}:1: shell script without set -u (a misspelt variable is empty)')
    if text.startswith('#!') and not os.access(os.path.join(root, path), os.X_OK):
        errors.append(f'{path}:1: script is not executable')
    return errors


def check_pipes(path, text):
    """Rule on shell scripts, those that are only sourced among them."""
    return [f'{path}:{source_text.line_of(text, match.start(1))}: {match[1]} behind a pipe '
            '(its early end fails the writer; use <<<"$(...)")'
            for match in QUIET_GREP.finditer(text)]


def anchors(text):
    """What links may name behind '#' in a Markdown file: its headings as web pages spell them."""
    found, seen = set(), {}
    bare = FENCE.sub('', text)
    for heading in HEADING.findall(bare):
        words = LINK.sub(lambda m: m[0][m[0].index('[') + 1:m[0].index(']')], heading)
        name = re.sub(r'[^\w\- ]', '', words.lower()).replace(' ', '-')
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.add(f'{name}-{count}' if count else name)
    return found


def check_links(path, text, tree, read):
    """Relative links resolve, and so do their anchors; `read` gives the text of a file."""
    errors = []
    prose = CODE_SPAN.sub(lambda m: re.sub(r'[^\n]', ' ', m[0]), text)
    for match in LINK.finditer(prose):
        where = f'{path}:{source_text.line_of(text, match.start())}'
        name, _, anchor = match[1].partition('#')
        if re.match(r'^[a-z][a-z0-9+.-]*:', name):
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not exists(tree, target):
            errors.append(f'{where}: link to {match[1]} (nothing there)')
        elif anchor and target.endswith('.md') and anchor not in anchors(read(target)):
            errors.append(f'{where}: link to {match[1]} (no such heading)')
    return errors


def check_dates(path, text):
    """Rule on doc: it says what is; a date belongs into a generated table."""
    return [f'{path}:{number}: date (say what is, or put it into a generated table)'
            for number, line in enumerate(text.split('\n'), 1)
            if DATE.search(line) and not line.lstrip().startswith('|')]


def exists(tree, name):
    """Is that a file of the tree, or a directory?"""
    return name in tree or any(p.startswith(name.rstrip('/') + '/') for p in tree)


def check_commands(path, text, tree):
    """What README calls exists."""
    errors = []
    for span in CODE_SPAN.finditer(text):
        for match in COMMAND_PATH.finditer(span[0]):
            where = f'{path}:{source_text.line_of(text, span.start() + match.start())}'
            name = match[1]
            if name.startswith('build/'):   # built from the directory of the same name
                name = os.path.dirname(name[len('build/'):])
            if name and not exists(tree, name):
                errors.append(f'{where}: {match[1]} (no such file)')
    return errors


def check(root):
    """All errors of the tree at `root`, and how many files were looked at."""
    tree = set(source_text.files(root))
    errors = [f'{name}:1: missing' for name in ('LICENSE', 'README.md') if name not in tree]
    checked = 0
    for path in sorted(tree):
        text = None if DATA.search(path) else source_text.read(root, path)
        if text is None or not (TEXT.search(path) or text.startswith('#!')):
            continue
        checked += 1
        errors += check_lines(path, text)
        errors += check_licence(path, text)
        lines = text.count('\n') - (LICENCE in text)
        if lines > FILE_LIMIT and not path.endswith('.md') and path not in LONG_FILES:
            errors.append(f'{path}:{FILE_LIMIT}: file of {lines} lines (at most {FILE_LIMIT})')
        if CODE.search(path):
            found, test = check_code(path, text)
            errors += found
            if test and test not in tree and path not in SOURCES_WITHOUT_TEST:
                errors.append(f'{path}:1: no {test} (one unit test file per source file)')
        if SHELL.match(text) or path.endswith('.sh'):
            errors += check_shell(root, path, text)
        if SHELL.match(text) or path.endswith(('.sh', '.bash')):
            errors += check_pipes(path, text)
        if path.endswith('.md'):
            errors += check_links(path, text, tree, lambda name: source_text.read(root, name))
        if re.match(r'^doc/.*\.md$', path):
            errors += check_dates(path, text)
        if path == 'README.md':
            errors += check_commands(path, text, tree)
    return errors, checked


if __name__ == '__main__':
    sys.exit(source_text.report('tidy', *check(source_text.root_from_arguments())))
