#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual page of a program from its own --help.
Usage: make_man.py PROGRAM OUTPUT [COMMAND_LINE_H], which has the exit codes."""
import re
import sys

import program_help

EXIT_CODE = re.compile(r'^\s*kExit\w+ = (\d+),(?:\s*//\s*(.*))?$', re.M)
PAGES = ['lambdacast', 'lambdacast-bench', 'lambdacast-exporter', 'lambdacast-sim', 'lambdacastctl']


def escaped(text):
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return '\\&' + text if text[:1] in ("'", '.') else text


def option(entry):
    names = ', '.join(f'\\fB{escaped(name)}\\fR' for name in entry.names)
    rest = ' '.join(escaped(part) for part in (entry.value, entry.remarks) if part)
    text = escaped(entry.text) or '(no argument)'
    return ['.TP', f'{names} {rest}'.rstrip(), text]


def exit_status(path):
    with open(path, encoding='utf-8') as stream:
        codes = EXIT_CODE.findall(stream.read())
    if not codes:
        raise SystemExit(f'make_man.py: {path} has no exit codes of the form kExitName = 0, // why')
    lines = ['.SH EXIT STATUS']
    for code, why in codes:
        lines += ['.TP', f'\\fB{code}\\fR', escaped(why or 'all is well')]
    return lines


def page(helped, version, exit_codes=None):
    """The lines of the page."""
    name = helped.name
    summary = helped.description[0].rstrip('.')
    lines = [f'.TH {name.upper()} 1 "" "{version}" "User commands"', '.SH NAME',
             f'{escaped(name)} \\- {escaped(summary)}', '.SH SYNOPSIS', '.nf']
    lines += [escaped(usage) for usage in helped.usage] + ['.fi', '.SH DESCRIPTION']
    lines += [escaped(line) for line in helped.description if line.strip()]
    lines.append('.SH OPTIONS')
    for entry in helped.options:
        lines += option(entry)
    if helped.commands:
        lines.append('.SH COMMANDS')
    for command in helped.commands.values():
        lines.append(f'.SS {escaped(command.name)}')
        lines += [escaped(line) for line in command.description if line.strip()]
        for entry in command.options:
            lines += option(entry)
    if exit_codes:
        lines += exit_status(exit_codes)
    others = ',\n'.join(f'.BR {escaped(other)} (1)' for other in PAGES if other != name)
    lines += ['.SH SEE ALSO', others.replace(',\n', ' ,\n')]
    lines += ['.PP', 'The guide: doc/guide, in the source tree and in share/doc/lambdacast.']
    return lines


def main():
    program, target, *exit_codes = sys.argv[1:]
    helped = program_help.of_program(program)
    version = program_help.output([program, '--version']).strip()
    with open(target, 'w', encoding='utf-8') as stream:
        stream.write('\n'.join(page(helped, version, *exit_codes)) + '\n')


if __name__ == '__main__':
    main()
