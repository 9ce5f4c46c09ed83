#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One of three nodes is stopped (SIGSTOP) for longer than suspect_after: the other two go on without
# it. Continued it is told, and says, that it is excluded; and it does not hold the others up.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/view.bash"

start_three
kill -STOP "${process[1]}"
for number in 0 2; do in_view "$number" 0 2; done
for number in 0 2; do goes_on "$number" 1000; done
kill -CONT "${process[1]}"
says 1 "node1: excluded from view "
for number in 0 2; do goes_on "$number" 2000; done
for number in 0 2; do refuse "$(out_of "$number")" "excluded"; done
[ "$(grep -c " begins, members " "$work_dir/node1.out")" -eq 1 ] ||
  fail "node1 was in another view: $(grep view "$work_dir/node1.out")"

for number in 1 0 2; do end_node "$number"; done
no_leftovers
say "$(grep "excluded from" "$work_dir/node1.out")"
