# SPDX-License-Identifier: BSD-3-Clause
"""Tests of scripts/dev/check_guide.py on pages with one fault each. The helps are CLI11's; what the
real programs say of the real pages scripts/dev/run_tests.py asks behind the build."""
import os
import tempfile
import unittest

import sample_tree  # noqa: F401  pylint: disable=unused-import  (finds scripts/)
import check_guide
import program_help

HELP = '''\
Does things.
lambdacast [EAL OPTIONS --] OPTIONS
Usage: lambdacast [OPTIONS]

Options:
  -h,--help                   Print this help message and exit
  --version                   print the version and end
  --config FILE REQUIRED      a file
  -i,--interactive            take commands
'''
BENCH = '''\
Measures.
lambdacast-bench BENCHMARK OPTIONS
Usage: lambdacast-bench [OPTIONS] SUBCOMMAND

Options:
  -h,--help                   Print this help message and exit

Subcommands:
  loss                        how much is lost
'''
LOSS = '''\
how much is lost
Usage: lambdacast-bench loss [OPTIONS]

Options:
  -h,--help                   Print this help message and exit
  --drop FLOAT=0              probability
  --qos NAME:{reliable,source}=source
                              which
'''
USAGES = ['show port stats all|ENDPOINT', 'set rate PPS [ENDPOINT]', 'send GROUP TEXT', 'quit']
OPTIONS = '''\
| option of lambdacast | |
|---|---|
| `--config FILE` | a file |
| `--interactive`, `-i` | yes |
'''
COMMANDS = '''\
| command of the console | |
|---|---|
| `show port stats all\\|ENDPOINT` | ports |
| `set rate PPS [ENDPOINT]` | pace |
| `send GROUP TEXT`, `quit` | |
'''
OF_LOSS = '''\
| option of lambdacast-bench loss | |
|---|---|
| `--drop 1e-3 --qos source` | |
'''


class FakeTree(check_guide.Tree):
    """A tree with helps of this file, in place of built programs."""

    def __init__(self, root):
        super().__init__(root, os.path.join(root, 'build'))
        bench = program_help.parse('lambdacast-bench', BENCH)
        bench.commands['loss'] = program_help.parse('loss', LOSS)
        self._helps = {'lambdacast': program_help.parse('lambdacast', HELP),
                       'lambdacast-bench': bench}
        self._usages = USAGES
        self._variables = {'LAMBDACAST_FABRIC'}

    def config_errors(self, block, where):
        text = self.whole_config(block)
        return [f'{where}: {text}'] if 'brust' in text else []


class Pages(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.tree = FakeTree(scratch.name)
        for name, text in {
                'config/rack.toml': 'rack\n', 'build/app/lambdacast/lambdacast': '',
                'scripts/demo': 'echo "usage: --run-for S is not known by --help"\n'}.items():
            path = os.path.join(scratch.name, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as stream:
                stream.write(('#!/bin/sh\n' if name.startswith('scripts') else '') + text)
            os.chmod(path, 0o755)

    def errors(self, text):
        return check_guide.check_text('page.md', text, self.tree)

    def accept(self, block, language=''):
        self.assertEqual(self.errors(f'```{language}\n{block}\n```\n'), [])

    def reject(self, block, *parts, language=''):
        found = self.errors(f'```{language}\n{block}\n```\n')
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_options__misspelled_one_is_found(self):
        self.accept('build/app/lambdacast/lambdacast --config config/rack.toml -i')
        self.reject('lambdacast --confg config/rack.toml', 'page.md:2', '--confg')
        self.reject('lambdacast -j', '-j')
        self.reject('true\nlambdacast-bench loss \\\n  --drp 0.1', 'page.md:3', '--drp')

    def test_options__of_eal_are_not_ours(self):
        self.accept('lambdacast --lcores 0@2 -- --config x.toml')
        self.reject('lambdacast --lcores 0@2 --config x.toml', '--lcores')

    def test_commands__unknown_one_is_found(self):
        self.accept('lambdacast-bench loss --drop=0.1 --qos source')
        self.reject('lambdacast-bench los --drop 0.1', 'los (no such command)')
        self.reject('lambdacast-bench loss --qos sorce', 'allowed: reliable, source')

    def test_shell__parts_of_a_line_are_looked_at(self):
        self.accept('true && LAMBDACAST_FABRIC=x lambdacast -i >out 2>&1   # --confg')
        self.reject('true && sudo timeout 5 lambdacast --confg x', '--confg')
        self.reject('export LAMBDACAST_FABIC=x', 'LAMBDACAST_FABIC')
        self.reject("echo 'open", 'no line of shell')

    def test_paths__missing_one_is_found(self):
        self.accept('cat config/rack.toml /etc/lambdacast/no.toml')
        self.reject('lambdacast --config config/no.toml', 'config/no.toml (no such file)')
        self.reject('LD_PRELOAD=$PWD/build/drivers/no.so true', 'build/drivers/no.so')

    def test_scripts__options_are_those_of_their_help(self):
        self.accept('scripts/demo --run-for 3')
        self.reject('scripts/demo --run-fr 3', '--run-fr')

    def test_answers__only_prompted_lines_are_commands(self):
        self.accept('$ lambdacast -i\nlambdacast --confg')
        self.reject('$ lambdacast --confg\nanything', '--confg')
        self.accept('lambdacast> show port stats node0\nlambdacast> send 1 two words\nsent')
        self.reject('lambdacast> show prot stats all\nx', 'show prot stats all')
        self.accept('lambdacast --confg', language='text')

    def test_toml__is_checked_whole_or_as_a_part(self):
        self.accept('burst = 1', language='toml')
        self.reject('brust = 1', 'page.md:2: brust = 1', language='toml')
        found = self.errors('<!-- part of config/rack.toml -->\n```toml\nbrust = 1\n```\n')
        self.assertEqual(found, ['page.md:3: rack\nbrust = 1\n'])

    def test_tables__of_a_command_tell_what_exists(self):
        self.assertEqual(self.errors(OF_LOSS), [])
        self.assertIn('--drp', self.errors(OF_LOSS.replace('--drop', '--drp'))[0])
        self.assertIn('reliable, source', self.errors(OF_LOSS.replace('source`', 'sorce`'))[0])
        self.assertIn('no such program', self.errors(OF_LOSS.replace('bench', 'bnch'))[0])

    def test_tables__tell_what_exists_and_all_of_it(self):
        self.assertEqual(self.errors(OPTIONS + '\n' + COMMANDS), [])
        self.assertIn('--confg', self.errors(OPTIONS.replace('--config', '--confg'))[0])
        without = OPTIONS.replace('| `--interactive`, `-i` | yes |\n', '')
        self.assertEqual(self.errors(without),
                         ['page.md: --interactive (an option that the table lacks)'])
        found = self.errors(COMMANDS.replace('set rate', 'set rtae'))
        self.assertEqual(found, [
            'page.md:4: set rtae PPS ENDPOINT (no such console command)',
            'page.md: set rate PPS [ENDPOINT] (a command that the table lacks)'])


if __name__ == '__main__':
    unittest.main()
