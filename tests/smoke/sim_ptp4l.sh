#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The baseline PTP of lambdacast-sim decides as linuxptp does: on graphs of eight switches every
# port of every boundary clock comes to the same state, master, slave or passive, and again when an
# inner switch of the tree or the best clock is killed.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
[ -x "$source_dir/build/ptp4l" ] || skip "no ptp4l (scripts/setup)"
if [ "$(id -u)" -ne 0 ] || ! unshare --net true 2>/dev/null; then
  skip "needs root and network namespaces"
fi

run 0 /usr/bin/python3 "$source_dir/tests/smoke/sim_ptp4l.py" \
  "$build_dir/app/lambdacast-sim/lambdacast-sim" "$source_dir/build" "$work_dir"
say "$(cat "$work_dir/out")"
