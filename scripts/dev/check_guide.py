#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the fenced blocks of the guide and README call exists: programs and their options, files of
the tree, variables, console commands; and their TOML is a right configuration.

  untyped, sh   commands. With '$ ' or 'lambdacast> ' in front of some lines, only those are: the
                others are what was answered
  toml          a whole file, or a part of the one that the comment in front of the block names:
                <!-- part of config/rack4.toml -->
  others        not looked at

Tables headed 'option of PROGRAM', 'option of PROGRAM COMMAND' and 'command of the console' tell
what exists; the first and the last of them tell all that exists.

Usage: check_guide.py [BUILD]. Exit code 77: BUILD has no programs to ask."""
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import program_help
from test_support import ROOT, SKIP_CODE

PROGRAMS = {name: f'app/{name}/{name}'
            for name in ('lambdacast', 'lambdacast-bench', 'lambdacast-sim')}
SCRIPTS = {'lambdacast-exporter': 'scripts/lambdacast-exporter'}
# Programs that run the one behind them, and how many words of their own follow their options.
WRAPPERS = {'sudo': 0, 'env': 0, 'timeout': 1, 'taskset': 1}
CONSOLE_PROMPT = 'lambdacast> '
FENCE = re.compile(r'^```(\w*)\n(.*?)^```$', re.S | re.M)
PART_OF = re.compile(r'<!-- part of (\S+) -->\n$')
ASSIGNMENT = re.compile(r'^([A-Z_][A-Z0-9_]*)=(.*)$', re.S)
TREE_PATH = re.compile(r'(?:^|/|=)((?:config|scripts|share|tests|doc|examples)/[\w./-]*\w)$')
BUILD_PATH = re.compile(r'(?:^|/)build/((?:app|drivers|examples|tests)/[\w./-]*\w)$')
TABLE = re.compile(r'^\| (option|command) of ([\w -]+) \| \|\n\|---\|---\|\n((?:\|.*\n)+)', re.M)


@dataclass
class Block:
    path: str
    line: int        # of its first line
    language: str
    text: str
    part_of: str     # '' or the file that it is a part of


def blocks(path, text):
    """The fenced blocks of a Markdown file."""
    for match in FENCE.finditer(text):
        part_of = PART_OF.search(text, 0, match.start())
        yield Block(path, text.count('\n', 0, match.start(2)) + 1, match[1], match[2],
                    part_of[1] if part_of else '')


def command_lines(block):
    """(line number, line, is it for the console?) of the commands of a block, without their
    prompts, unbroken."""
    lines = re.sub(r'\\\n', '\\\0', block.text).split('\n')   # a NUL is a line's end inside
    prompt = next((p for p in ('$ ', CONSOLE_PROMPT) if any(x.startswith(p) for x in lines)), '')
    number = block.line
    for line in lines:
        if line.startswith(prompt) and line.strip():
            yield number, line[len(prompt):].replace('\\\0', ' '), prompt == CONSOLE_PROMPT
        number += 1 + line.count('\0')


def split_commands(line):
    """The words of each simple command of a line of shell, without redirections."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words, skip = [], False
    for word in lexer:
        if skip:
            skip = False
        elif re.fullmatch(r'[;|&()]+', word):
            if words:
                yield words
            words = []
        elif re.fullmatch(r'\d?[<>]+&?', word):
            skip = True
        else:
            words.append(word)
    if words:
        yield words


def unwrapped(words):
    """(variables set, words of the program itself), without wrappers and assignments."""
    variables = {}
    words = list(words)
    while words:
        assigned = ASSIGNMENT.match(words[0])
        if assigned:
            variables[assigned[1]] = assigned[2]
        elif words[0] == 'export':
            pass
        elif words[0] in WRAPPERS:
            own = WRAPPERS[words[0]]
            while len(words) > 1 and words[1].startswith('-'):
                del words[1]
            del words[1:1 + own]
        else:
            break
        del words[0]
    return variables, words


def option_errors(words, helped, where):
    """What is wrong with the words behind a program's name, by its Help."""
    if '--' in words:   # what stands in front is EAL's
        words = words[words.index('--') + 1:]
    errors = []
    if helped.commands and words and not words[0].startswith('-'):
        if words[0] not in helped.commands:
            return [f'{where}: {helped.name} {words[0]} (no such command)']
        helped = helped.commands[words[0]]
    known = {name: entry for entry in helped.options for name in entry.names}
    for at, word in enumerate(words):
        name, _, value = word.partition('=')
        if not re.match(r'--?[a-z]', name):
            continue
        if name not in known:
            errors.append(f'{where}: {helped.name} {name} (no such option)')
            continue
        value = value or (words[at + 1] if at + 1 < len(words) else '')
        choices = known[name].choices
        if choices and value not in choices:
            errors.append(f'{where}: {name} {value} (allowed: {", ".join(choices)})')
    return errors


def tables(text):
    """(kind, what it is of, [(line, code span)] of its first cells) of the tables that are headed
    'option of ...' or 'command of ...'."""
    for table in TABLE.finditer(text):
        line = text.count('\n', 0, table.start(3)) + 1
        spans = []
        for row in table[3].splitlines():
            first = re.split(r'(?<!\\)\|', row)[1]
            spans += [(line, span.replace('\\|', '|')) for span in re.findall(r'`([^`]+)`', first)]
            line += 1
        yield table[1], table[2], spans


def alternatives(usage):
    """Each way of 'show port stats|xstats all|ENDPOINT': words of small letters are spread out."""
    ways = [[]]
    for word in usage.replace('[', '').replace(']', '').split():
        spread = word.split('|') if re.fullmatch(r'[a-z|_]+', word) else [word]
        ways = [way + [choice] for way in ways for choice in spread]
    return ways


def is_place(word):
    """Does a word of a usage stand for what the user types?"""
    return any(letter.isupper() for letter in word)


def matches(usage, words):
    """Is that a line of the command with this usage, such as 'set rate PPS [ENDPOINT]'?"""
    for at, wanted in enumerate(usage.split()):
        if at == len(words):
            return wanted.startswith('[')
        if wanted.strip('[]') == 'TEXT':
            return True
        if not is_place(wanted) and words[at] not in wanted.split('|'):
            return False
    return len(words) <= len(usage.split())


def console_errors(words, usages, where):
    known = any(matches(usage, words) for usage in usages)
    return [] if known else [f'{where}: {" ".join(words)} (no such console command)']


class Tree:
    """The tree, and what its programs say of themselves. Helps are asked for once."""

    def __init__(self, root, build):
        self.root, self.build = root, build
        self._helps, self._script_helps = {}, {}
        self._usages = self._variables = None

    def program(self, name):
        if name not in self._helps:
            self._helps[name] = program_help.of_program(os.path.join(self.build, PROGRAMS[name]))
        return self._helps[name]

    def script_help(self, path):
        """What a script prints with --help; '' if it does not know that option."""
        if path not in self._script_helps:
            full = os.path.join(self.root, path)
            with open(full, encoding='utf-8') as stream:
                asks = re.search(r'--help|argparse', stream.read())
            self._script_helps[path] = program_help.output([full, '--help']) if asks else ''
        return self._script_helps[path]

    def variables(self):
        """Variables of the environment that the tree's sources name."""
        if self._variables is None:
            self._variables = set()
            for pattern in ('drivers/verbs/**/*', 'lib/**/*.cc', 'share/systemd/*', 'tests/**/*'):
                for path in glob.glob(os.path.join(self.root, pattern), recursive=True):
                    if os.path.isfile(path):
                        with open(path, encoding='utf-8', errors='replace') as stream:
                            self._variables |= set(re.findall(r'LAMBDACAST_[A-Z_]+', stream.read()))
        return self._variables

    def usages(self):
        """The usages of all commands, which the console of an endpoint without peers tells."""
        if self._usages is None:
            with tempfile.NamedTemporaryFile('w', suffix='.toml') as config:
                config.write(f'[fabric]\nname = "guide-{os.getpid()}"\nwavelengths = 1\n'
                             '[[endpoint]]\nname = "node"\naddress = "10.77.0.1"\n'
                             'wavelength = "C21"\n[[lcore]]\nid = 0\nidle = "sleep"\n')
                config.flush()
                command = [os.path.join(self.build, PROGRAMS['lambdacast']), '--no-pci', '--',
                           '--config', config.name, '--interactive']
                said = subprocess.run(command, input='help\nquit\n', check=True, text=True,
                                      stdout=subprocess.PIPE, timeout=60).stdout
            self._usages = re.findall(r'^(?:lambdacast> )?([a-z].*?)   *[A-Z].*\.$', said, re.M)
            if 'quit' not in self._usages:
                raise ValueError(f'the console does not tell its commands: {said}')
        return self._usages

    def whole_config(self, block):
        """The block, behind the file that it is a part of."""
        if not block.part_of:
            return block.text
        with open(os.path.join(self.root, block.part_of), encoding='utf-8') as stream:
            return stream.read() + block.text

    def config_errors(self, block, where):
        text = self.whole_config(block)
        with tempfile.NamedTemporaryFile('w', suffix='.toml') as config:
            config.write(text)
            config.flush()
            command = [os.path.join(self.build, PROGRAMS['lambdacast']), '--check-config',
                       '--config', config.name]
            done = subprocess.run(command, check=False, text=True, timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            said = done.stdout.replace(config.name, 'block').strip()
        return [f'{where}: {said}'] if done.returncode else []


def path_errors(word, tree, where):
    """What a word names below the tree or its build exists."""
    found = BUILD_PATH.search(word)
    if found:
        there = os.path.exists(os.path.join(tree.build, found[1]))
        return [] if there else [f'{where}: build/{found[1]} (is not built)']
    found = TREE_PATH.search(word)
    if found and not os.path.exists(os.path.join(tree.root, found[1])):
        return [f'{where}: {found[1]} (no such file)']
    return []


def script_errors(path, words, tree, where):
    errors = []
    for word in words:
        name = word.split('=')[0]
        if name.startswith('--') and name != '--' and \
                not re.search(rf'(?<![\w-]){name}(?![\w-])', tree.script_help(path)):
            errors.append(f'{where}: {path} {name} (no such option)')
    return errors


def command_errors(words, tree, where):
    """What is wrong with one simple command."""
    variables, words = unwrapped(words)
    errors = [f'{where}: {name} (no source knows the variable)' for name in variables
              if name.startswith('LAMBDACAST_') and name not in tree.variables()]
    for word in [*variables.values(), *words]:
        errors += path_errors(word, tree, where)
    if errors or not words:
        return errors
    name = os.path.basename(words[0])
    script = SCRIPTS.get(name, words[0])
    if name in PROGRAMS:
        errors += option_errors(words[1:], tree.program(name), where)
    elif script.startswith('scripts/'):
        errors += script_errors(script, words[1:], tree, where)
    return errors


def block_errors(block, tree):
    errors = []
    if block.language == 'toml':
        return tree.config_errors(block, f'{block.path}:{block.line}')
    if block.language not in ('', 'sh'):
        return []
    for number, line, console in command_lines(block):
        where = f'{block.path}:{number}'
        if console:
            errors += console_errors(line.split(), tree.usages(), where)
            continue
        try:
            for words in split_commands(line):
                errors += command_errors(words, tree, where)
        except ValueError as error:
            errors.append(f'{where}: {error} (no line of shell; ```text has what programs print)')
    return errors


def option_table_errors(path, of, spans, tree):
    program, *command = of.split()
    if program not in PROGRAMS:
        return [f'{path}: a table of options of {of} (no such program)']
    helped = tree.program(program)
    helped = helped.commands[command[0]] if command else helped
    errors = []
    for line, span in spans:
        errors += option_errors(span.split(), helped, f'{path}:{line}')
    told = {word.split('=')[0] for _, span in spans for word in span.split()}
    if not command:
        errors += [f'{path}: {entry.names[-1]} (an option that the table lacks)'
                   for entry in helped.options
                   if not (told | {'--help', '--version'}) & set(entry.names)]
    return errors


def console_table_errors(path, spans, tree):
    errors, ways = [], []
    for line, span in spans:
        for way in alternatives(span):
            ways.append(way)
            errors += console_errors(way, tree.usages(), f'{path}:{line}')
    return errors + [f'{path}: {usage} (a command that the table lacks)'
                     for usage in tree.usages() if not any(matches(usage, way) for way in ways)]


def table_errors(path, text, tree):
    errors = []
    for kind, of, spans in tables(text):
        if kind == 'option':
            errors += option_table_errors(path, of, spans, tree)
        elif of == 'the console':
            errors += console_table_errors(path, spans, tree)
    return errors


def check_text(path, text, tree):
    errors = [error for block in blocks(path, text) for error in block_errors(block, tree)]
    return errors + table_errors(path, text, tree)


def main():
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, 'build'))
    missing = [name for name in PROGRAMS.values() if not os.path.exists(f'{build}/{name}')]
    if missing:
        print(f'check_guide: {build} has no {missing[0]}; build it first')
        return SKIP_CODE
    tree = Tree(ROOT, build)
    errors, count = [], 0
    for path in ['README.md', *sorted(glob.glob('doc/guide/*.md', root_dir=ROOT))]:
        with open(os.path.join(ROOT, path), encoding='utf-8') as stream:
            text = stream.read()
        count += sum(1 for _ in blocks(path, text))
        errors += check_text(path, text, tree)
    print('\n'.join(errors + [f'check_guide: {count} blocks, {len(errors)} errors']))
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
