#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Three nodes that suspect nobody of silence within ten minutes. One is killed (-9): the kernel says
# so, and the other two go on in a view without it. It comes back as another incarnation, and is
# killed and started again at once, so that two lives of it follow each other on its wavelength. A
# node that is merely stopped stays a member of the view, and goes on in it.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/view.bash"
export SUSPECT_US=600000000

# Tables that node NUMBER has told so far.
tables() { grep -c "^node$1 " "$work_dir/$(out_of "$1")" || true; }
more_tables() { [ "$(tables "$1")" -ge "$2" ]; }
views() { grep -c " begins, members " "$work_dir/$(out_of "$1")" || true; }
stopped() { grep -q '^State:.*stopped' "/proc/$1/status"; }

start_three
kill -KILL "${process[0]}"
wait "${process[0]}" 2>/dev/null || true
for number in 1 2; do in_view "$number" 1 2; done
for number in 1 2; do goes_on "$number" 1000; done

start_node 0 -back
for number in 1 2 0; do in_view "$number" 1 2 0; done
for number in 1 2 0; do goes_on "$number" 1000; done
kill -KILL "${process[0]}"
wait "${process[0]}" 2>/dev/null || true
start_node 0 -again
in_view 0 1 2 0
for number in 1 2 0; do goes_on "$number" 1000; done
say "node0 killed twice, and back: nobody waited for its silence"

# Its windows are what the others wait for meanwhile.
before=$(views 1)
kill -STOP "${process[2]}"
wait_for 10 stopped "${process[2]}" || fail "node2 does not stop"
now=$(tables 1)
wait_for 30 more_tables 1 $((now + 10)) || fail "node1 tells nothing any more"
[ "$(views 1)" = "$before" ] ||
  fail "a view without a node that was stopped: $(grep view "$work_dir/$(out_of 1)")"
kill -CONT "${process[2]}"
for number in 1 2 0; do goes_on "$number" 1000; done
[ "$(views 1)" = "$before" ] ||
  fail "another view behind a stop: $(grep view "$work_dir/$(out_of 1)")"
say "node2 stopped and continued: the same view"

for number in 0 1 2; do refuse "$(out_of "$number")" "excluded"; done
for number in 1 2 0; do end_node "$number"; done
no_leftovers
