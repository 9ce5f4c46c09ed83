#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes bash's completion of a program from its own --help. Usage: make_completion.py PROGRAM
OUTPUT."""
import sys

import program_help

# By the word before the one that is completed: what may follow it.
TEMPLATE = '''\
# Completion of @NAME@ for bash, made from its --help.
@FUNCTION@() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= options=
  local i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      @COMMANDS@) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command:$before in
@VALUES@
  esac
  case $command in
@OPTIONS@
  esac
  mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
}
complete -o filenames -F @FUNCTION@ @NAME@
'''


def names(options):
    return ' '.join(name for entry in options for name in entry.names)


def values(command, options):
    """The cases of options that take a value."""
    lines = []
    for entry in options:
        if not entry.value:
            continue
        pattern = ' | '.join(f'{command}:{name}' for name in entry.names)
        if entry.choices:
            words = ' '.join(entry.choices)
            reply = f'mapfile -t COMPREPLY < <(compgen -W "{words}" -- "$word"); '
        elif entry.takes_file:
            reply = 'mapfile -t COMPREPLY < <(compgen -f -- "$word"); '
        else:
            reply = ''
        lines.append(f'    {pattern}) {reply}return ;;')
    return lines


def script(helped):
    """The text of the completion."""
    commands = helped.commands
    cases = values('', helped.options)
    options = [f'    "") options="{names(helped.options)}'
               + ''.join(' ' + name for name in commands) + '" ;;']
    for name, command in commands.items():
        cases += values(name, command.options)
        options.append(f'    {name}) options="{names(command.options)}" ;;')
    filled = {'NAME': helped.name, 'FUNCTION': '_' + helped.name.replace('-', '_'),
              'COMMANDS': ' | '.join(commands) or '""', 'VALUES': '\n'.join(cases),
              'OPTIONS': '\n'.join(options)}
    text = TEMPLATE
    for key, value in filled.items():
        text = text.replace(f'@{key}@', value)
    return text


def main():
    program, target = sys.argv[1:]
    with open(target, 'w', encoding='utf-8') as stream:
        stream.write(script(program_help.of_program(program)))


if __name__ == '__main__':
    main()
