#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a program says of itself with --help and --version, as values: of CLI11 and of argparse.
Manual pages and completions are made of it (make_man.py, make_completion.py)."""
import os
import re
import subprocess
from dataclasses import dataclass, field

CHOICES = re.compile(r'\{([^{}]+)\}')
RELATION = re.compile(r'\s(?:REQUIRED|(?:Needs|Excludes): \S+)(?=\s|$)')


@dataclass
class Option:
    names: list        # '-i', '--interactive'
    value: str         # what it takes, as the program writes it; '' for a flag
    remarks: str       # 'REQUIRED', 'Needs: --capture'
    text: str

    @property
    def choices(self):
        found = CHOICES.search(self.value)
        return found[1].split(',') if found else []

    @property
    def takes_file(self):
        return bool(re.search(r'\bFILE\b|\bPATH\b', self.value))


@dataclass
class Help:
    name: str
    description: list = field(default_factory=list)   # lines
    usage: list = field(default_factory=list)         # lines, without 'Usage:'
    options: list = field(default_factory=list)
    commands: dict = field(default_factory=dict)      # name: Help


def output(command):
    """What `command` prints. A program that fails here has no manual page: CalledProcessError."""
    env = {**os.environ, 'COLUMNS': '1000', 'LC_ALL': 'C.UTF-8'}   # argparse breaks no lines then
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env,
                          timeout=60).stdout


def entries(lines, column):
    """(left part, text) of the lines of a block; texts begin at `column`."""
    found = []
    for at, line in enumerate(lines):
        if line.startswith(' ' * column):
            found[-1] = (found[-1][0], (found[-1][1] + ' ' + line.strip()).strip())
        elif at + 1 < len(lines) and lines[at + 1].startswith(' ' * column):
            found.append((line.strip(), ''))   # its text stands below it
        else:
            found.append((line[:column].strip(), line[column:].strip()))
    return found


def option(left, text):
    remarks = ' '.join(part.strip() for part in RELATION.findall(left + ' '))
    left = RELATION.sub('', left)
    if ', -' in left:   # argparse: '-h, --help', '-f FILE, --file FILE'
        parts = left.split(', ')
        names = [part.split(' ')[0] for part in parts]
        value = ' '.join(parts[-1].split(' ')[1:])
    else:               # CLI11: '-h,--help', '--one,--all{false}'
        first, _, value = left.partition(' ')
        names = [name.split('{')[0] for name in first.split(',')]
    return Option(names, value, remarks, text)


def parse(name, text):
    """The Help of one text, without its commands' own."""
    result = Help(name)
    blocks = re.split(r'\n\s*\n', text.strip('\n'))
    for block in blocks:
        lines = block.split('\n')
        at = next((i for i, line in enumerate(lines) if re.match('[Uu]sage:', line)), None)
        head = lines[0].lower()
        if at is not None:
            result.description += lines[:at]
            usage = re.sub(r'^[Uu]sage:\s*', '', ' '.join(line.strip() for line in lines[at:]))
            result.usage.append(usage)
        elif head == 'options:':
            column = re.match(r'  -h, ?--help +', lines[1]).end()
            result.options = [option(*entry) for entry in entries(lines[1:], column)]
        elif head == 'subcommands:':
            column = re.match(r'  \S+ +', lines[1]).end()
            result.commands = {command: Help(command, [what])
                               for command, what in entries(lines[1:], column)}
        else:
            result.description += lines
    # A line that begins with the program's name tells how to call it.
    calls = [line for line in result.description if line.startswith(name + ' ')]
    result.description = [line for line in result.description if line not in calls]
    result.usage = calls or result.usage
    return result


def of_program(path):
    """The Help of a program with all its commands."""
    name = os.path.basename(path)
    result = parse(name, output([path, '--help']))
    for command in result.commands:
        result.commands[command] = parse(command, output([path, command, '--help']))
    return result
