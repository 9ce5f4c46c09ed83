#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# An endpoint over the real libibverbs: the shipped lambdacast on verbs:rxe0 in an emulated machine,
# another on the host's tap, reliable multicast both ways (scripts/interop-rxe). Skipped, with the
# reason, where the machine cannot run.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../smoke/smoke.bash"

code=0
"$source_dir/scripts/interop-rxe" --part back-end --boot-seconds 80 "$build_dir" >"$work_dir/out" \
  2>"$work_dir/err" </dev/null || code=$?
cat -- "$work_dir/out"
[ "$code" -ne 77 ] || skip "$(sed -n 's/^skipped: //p' "$work_dir/out")"
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$work_dir/err")"
refuse out "FAIL"
want out " passed, 0 failed"
