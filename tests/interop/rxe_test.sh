#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The Linux kernel's Soft-RoCE on the other end of the wire: messages both ways, and what each side
# takes and drops (scripts/interop-rxe). Skipped, with the reason, where its machine cannot run.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../smoke/smoke.bash"

code=0
# Its own time limits: booting under emulation takes what the machine has left.
"$source_dir/scripts/interop-rxe" --part datagrams "$build_dir" >"$work_dir/out" \
  2>"$work_dir/err" </dev/null || code=$?
cat -- "$work_dir/out"
[ "$code" -ne 77 ] || skip "$(sed -n 's/^skipped: //p' "$work_dir/out")"
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$work_dir/err")"
refuse out "FAIL"
want out " passed, 0 failed"
