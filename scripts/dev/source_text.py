# SPDX-License-Identifier: BSD-3-Clause
"""What the checkers share: walking the tree, blanking comments and strings, reporting."""
import os
import re
import sys

SKIPPED = re.compile(r'^(\.git|build.*|__pycache__|\.cache|\.vscode|\.idea)$')
# A raw string, a string, a character (not a digit separator), a line comment, a block comment.
TOKEN = re.compile(
    r'R"(?P<raw>[^\s()\\]{0,16})\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/", re.S)


def files(root):
    """Every file of the tree as a sorted list of paths relative to `root`, without build trees."""
    found = []
    for directory, names, entries in os.walk(root):
        names[:] = sorted(n for n in names if not SKIPPED.match(n))
        for entry in entries:
            path = os.path.join(directory, entry)
            if not os.path.islink(path):
                found.append(os.path.relpath(path, root))
    return sorted(found)


def read(root, path):
    """The file's text, or None if it is not UTF-8 text."""
    with open(os.path.join(root, path), 'rb') as stream:
        data = stream.read()
    if b'\0' in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def blank(text, keep_strings=False):
    """C++ text with comments (and strings) overwritten by spaces; lines and columns stay."""
    def cover(match):
        token = match.group()
        if keep_strings and not token.startswith('/'):
            return token
        return re.sub(r'[^\n]', ' ', token)
    return TOKEN.sub(cover, text)


def line_of(text, offset):
    return text.count('\n', 0, offset) + 1


def report(name, errors, checked):
    """Prints the errors and gives the exit code; a check that saw no file has failed."""
    for error in errors:
        print(error)
    if not checked:
        print(f'{name}: no file to check')
    else:
        print(f'{name}: {checked} files, {len(errors)} errors')
    return 1 if errors or not checked else 0


def root_from_arguments():
    """The tree to check: the argument, or the one this script lies in."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return sys.argv[1] if len(sys.argv) > 1 else here
