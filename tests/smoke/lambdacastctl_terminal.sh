#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lambdacastctl on a terminal, as a person uses it: completion of the process's commands, a wrong
# word, history, events above the line, and the end of the process while somebody is attached.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

tool=$build_dir/app/lambdacastctl/lambdacastctl
socket=$work_dir/x.sock
endpoints "$fabric" 2 0 1 >"$work_dir/rack.toml"
start rack "$lambdacast" --config "$work_dir/rack.toml" --control-socket "$socket"
process=${children[-1]}
answers() { "$tool" --socket "$socket" show lcores >/dev/null 2>&1; }
wait_for 30 answers || fail "it does not answer: $(cat "$work_dir/rack.err")"

limited /usr/bin/python3 - "$tool" "$socket" "$process" <<'PYTHON' || fail "on a terminal"
import os
import pty
import select
import signal
import subprocess
import sys
import time

tool, path, process = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(tool, [tool, '--socket', path])
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
expect('stages ', 'show st\t')
expect('node1', 'node1')
expect('rate_control', '\r')
expect('lambdacast> ')
expect('usage: show peers [ENDPOINT]', 'show pears\r')
expect('lambdacast> ')
expect('show pears', '\x1b[A')      # up: the last line
expect('lambdacast> ', '\x03')      # Ctrl-C gives it up
expect('lambdacast> ', 'events\r')
expect('show', 'show')              # a line that is begun, and an event above it
subprocess.run([tool, '--socket', path, 'set', 'traffic', '77'], check=True)
expect('"event":"command"')
expect('set traffic 77')
expect('lambdacast> ', '\x03')
os.kill(int(process), signal.SIGTERM)
expect('lambdacast has ended')
if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 3:
    sys.exit('it does not end with 3 when its process has gone')
PYTHON
ends_as_told "$process" rack
no_leftovers
say passed
