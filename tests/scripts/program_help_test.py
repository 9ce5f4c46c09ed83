# SPDX-License-Identifier: BSD-3-Clause
"""Tests of scripts/dev/program_help.py, make_man.py and make_completion.py on helps of CLI11 and
argparse."""
import os
import stat
import subprocess
import tempfile
import unittest

import sample_tree  # noqa: F401  pylint: disable=unused-import  (finds scripts/)
import make_completion
import make_man
import program_help

CLI11 = '''\
Measures things.
tool [EAL OPTIONS --] COMMAND OPTIONS
Usage: tool [OPTIONS] SUBCOMMAND

Options:
  -h,--help                   Print this help message and exit
  --one,--all{false}          only one; or all
  --config FILE REQUIRED      a file
  --a-name-of-29-columns-x UINT Below it, as it is too long
  --rate FLOAT:FLOAT in [0 - 1e+07]=0 Needs: --config
                              a second; .5 is \\half
  --qos NAME:{reliable,source}=source
                              which

Subcommands:
  loss                        how much is lost
'''
ARGPARSE = '''\
usage: tool [-h] [--once] [-f PREFIX]

Serves figures.

options:
  -h, --help            show this help message and exit
  --once                print and end
  -f PREFIX, --file-prefix PREFIX
                        of the process
'''


class Parse(unittest.TestCase):
    def test_cli11(self):
        helped = program_help.parse('tool', CLI11)
        self.assertEqual(helped.description, ['Measures things.'])
        self.assertEqual(helped.usage, ['tool [EAL OPTIONS --] COMMAND OPTIONS'])
        self.assertEqual(list(helped.commands), ['loss'])
        by_name = {entry.names[-1]: entry for entry in helped.options}
        self.assertEqual(by_name['--all'].names, ['--one', '--all'])
        self.assertEqual(by_name['--all'].value, '')
        self.assertEqual(by_name['--config'].remarks, 'REQUIRED')
        self.assertTrue(by_name['--config'].takes_file)
        self.assertEqual(by_name['--rate'].value, 'FLOAT:FLOAT in [0 - 1e+07]=0')
        self.assertEqual(by_name['--rate'].remarks, 'Needs: --config')
        self.assertEqual(by_name['--rate'].text, 'a second; .5 is \\half')
        self.assertEqual(by_name['--qos'].choices, ['reliable', 'source'])

    def test_argparse(self):
        helped = program_help.parse('tool', ARGPARSE)
        self.assertEqual(helped.description, ['Serves figures.'])
        self.assertEqual(helped.usage, ['tool [-h] [--once] [-f PREFIX]'])
        self.assertEqual([entry.names for entry in helped.options],
                         [['-h', '--help'], ['--once'], ['-f', '--file-prefix']])
        self.assertEqual([entry.value for entry in helped.options], ['', '', 'PREFIX'])
        self.assertEqual(helped.options[2].text, 'of the process')


class Programs(unittest.TestCase):
    def program(self, folder, text):
        path = os.path.join(folder, 'tool')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write('#!/bin/sh\n' + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_commands_are_asked_too(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.program(folder, '[ "$1" = loss ] && set -- "$2" && printf "What is lost.\\n'
                                'Usage: loss\\n\\nOptions:\\n  -h,--help  Help\\n'
                                '  --drop     Loses\\n" && exit\n'
                                f"cat <<'TEXT'\n{CLI11}TEXT\n")
            helped = program_help.of_program(path)
        self.assertEqual([entry.names[-1] for entry in helped.commands['loss'].options],
                         ['--help', '--drop'])

    def test_a_program_that_fails_has_no_page(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(subprocess.CalledProcessError):
                program_help.of_program(self.program(folder, 'exit 3\n'))


class Page(unittest.TestCase):
    def test_every_option_is_there_and_nothing_is_a_request_by_accident(self):
        lines = make_man.page(program_help.parse('tool', CLI11), 'tool 1.2.3')
        self.assertEqual(lines[0], '.TH TOOL 1 "" "tool 1.2.3" "User commands"')
        self.assertIn('\\fB\\-\\-one\\fR, \\fB\\-\\-all\\fR', lines)
        self.assertIn('a second; .5 is \\ehalf', lines)
        self.assertEqual(make_man.escaped(".5 'x'"), "\\&.5 'x'")
        self.assertNotIn('.SH EXIT STATUS', lines)

    def test_exit_codes_come_from_the_header(self):
        with tempfile.NamedTemporaryFile('w', suffix='.h') as header:
            header.write('enum ExitCode : int {\n  kExitOk = 0,\n  kExitUsage = 2,  // wrong\n};\n')
            header.flush()
            lines = make_man.exit_status(header.name)
        self.assertEqual(lines, ['.SH EXIT STATUS', '.TP', '\\fB0\\fR', 'all is well',
                                 '.TP', '\\fB2\\fR', 'wrong'])

    def test_a_header_without_exit_codes_is_a_mistake(self):
        with tempfile.NamedTemporaryFile('w', suffix='.h') as header:
            with self.assertRaisesRegex(SystemExit, 'has no exit codes'):
                make_man.exit_status(header.name)


class Completion(unittest.TestCase):
    def test_values_follow_their_options(self):
        helped = program_help.parse('tool', CLI11)
        cases = make_completion.values('', helped.options)
        self.assertEqual(len(cases), 4)
        self.assertIn('compgen -f', cases[0])
        self.assertIn('compgen -W "reliable source"', cases[3])
        script = make_completion.script(helped)
        self.assertIn('complete -o filenames -F _tool tool', script)
        self.assertNotIn('@', script)


if __name__ == '__main__':
    unittest.main()
