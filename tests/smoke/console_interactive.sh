#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The console on a terminal, as a person uses it: completion, help, history, a wrong word, messages
# that arrive while a line is typed, Ctrl-C and Ctrl-D; and through a pipe.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

endpoints "$fabric" 2 0 1 >"$work_dir/rack.toml"
limited /usr/bin/python3 - "$lambdacast" "$work_dir/rack.toml" <<'PYTHON' || fail "on a terminal"
import os
import pty
import select
import sys
import time

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], '--config', sys.argv[2], '--interactive'])
shown = ''


def expect(text, keys=None):
    """Types, and reads until the text has appeared behind what was read before."""
    global shown
    if keys is not None:
        os.write(terminal, keys.encode())
    end = time.monotonic() + 20
    while text not in shown:
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            sys.exit(f'no {text!r} after {keys!r}, but {shown!r}')
        try:
            more = os.read(terminal, 65536).decode(errors='replace')
        except OSError:
            more = ''
        if not more:
            sys.exit(f'it ended before {text!r}: {shown!r}')
        shown += more
    shown = shown[shown.index(text) + len(text):]


expect('lambdacast> ')
expect('show ', 'sh\t')
expect('stages ', 'st\t')
expect('node1', 'node1')
expect('rate_control', '\r')
expect('lambdacast> ')
expect('usage: show peers [ENDPOINT]', 'show pears\r')
expect('lambdacast> ')
expect('show pears', '\x1b[A')      # up: the last line
expect('lambdacast> ', '\x03')      # Ctrl-C gives it up
expect('stats', 'cl\ts\t')
expect('lambdacast> ', '\x03')
expect('The built-in traffic', 'set ?')
expect('lambdacast> ', '\x03')
expect('lambdacast> ', 'listen 7\r')
expect('lambdacast> ', 'send 7 ahoy\r')
expect('node1: group 7 from 10.77.0.1: ahoy')
expect('quit                ', 'help quit\r')
expect('Ends the program; of lambdacastctl, itself.')
expect('lambdacast> ')
expect('verdict: every packet accounted for', '\x04')  # Ctrl-D
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PYTHON

# Without a terminal: lines as they come, and the end of the input ends the program.
code=0
printf 'show lcores\nnonsense' |
  limited "$lambdacast" --config "$work_dir/rack.toml" --interactive >"$work_dir/out" || code=$?
[ "$code" -eq 0 ] || fail "exit code $code through a pipe"
want out "lambdacast> show lcores"
want out "help lists all commands"
want out "verdict: every packet accounted for"
no_leftovers
say "on a terminal and through a pipe"
