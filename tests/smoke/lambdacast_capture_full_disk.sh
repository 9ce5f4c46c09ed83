#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The disk of a capture fills up under load: one sentence says so, the rack goes on and accounts for
# every packet, and tshark reads what was written, to its end.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

command -v tshark >/dev/null || skip "needs tshark (scripts/setup)"
[ "$(id -u)" -eq 0 ] || skip "needs root for a disk of its own"
unshare --mount true 2>/dev/null || skip "no mount namespace to be had here"
disk=$work_dir/disk
mkdir "$disk"
endpoints "$fabric" 2 0 1 >"$work_dir/rack.toml"
# A disk of 1 MiB that nobody else sees.
# shellcheck disable=SC2016
on_small_disk=(unshare --mount bash -c '
  mount -t tmpfs -o size=1m lambdacast "$0" || exit 99
  "$@"
  code=$?
  cp -- "$0/full.pcapng" "$0/../"
  exit "$code"' "$disk")

run 0 "${on_small_disk[@]}" "$lambdacast" --config "$work_dir/rack.toml" --run-for 3 \
  --stats-period 0.5 --capture "$disk/full.pcapng"
# EAL may have said that it runs without hugepages.
grep -v "hugepages: " "$work_dir/err" >"$work_dir/said" || true
one_sentence said
want said "lambdacast: capture into $disk/full.pcapng has ended: No space left on device after "
want out "verdict: every packet accounted for: "
line=$(grep -E '^captured [0-9,]+ frames, [0-9,]+ dropped, [0-9,]+ bytes in ' "$work_dir/out") ||
  fail "no word of the capture: $(cat "$work_dir/out")"
read -r captured dropped bytes < <(tr -d , <<<"$line" | awk '{ print $2, $4, $6 }')

file=$work_dir/full.pcapng
[ "$(stat -c %s "$file")" -eq "$bytes" ] || fail "$bytes bytes told of, not as many in the file"
[ "$bytes" -gt 1000000 ] && [ "$bytes" -le 1048576 ] || fail "$bytes bytes on a disk of 1 MiB"
tshark -r "$file" -Y infiniband >"$work_dir/read" 2>"$work_dir/complaints" ||
  fail "tshark cannot read to the end: $(cat "$work_dir/complaints")"
[ "$(wc -l <"$work_dir/read")" -eq "$captured" ] || fail "not the $captured frames told of"
# Sent and heard, all in all: two frames for each packet expected and each control frame.
told() { sed -En "s/^$1\$/\\1/p" "$work_dir/out" | tr -d ,; }
expected=$(told 'verdict: .*: ([0-9,]*) packets expected .*')
control=$(told '  control frames heard: ([0-9,]*)')
[ $((captured + dropped)) -eq $((2 * (expected + control))) ] ||
  fail "$captured captured + $dropped dropped is not twice $expected + $control"
no_leftovers
say "$line"
