#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Memory that is not there: hugepages that look free and are taken when EAL starts, and hugepages
# that a killed process has left to its fabric.
set -euo pipefail
if [ -z "${LAMBDACAST_IN_NAMESPACE:-}" ]; then
  if [ "$(id -u)" -ne 0 ] || ! unshare --mount true 2>/dev/null; then
    echo "$0: skipped: needs root and mount namespaces"
    exit 77
  fi
  LAMBDACAST_IN_NAMESPACE=1 exec unshare --mount bash "$0" "$@"
fi
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

# What --list-fabrics and --remove-stale say of a fabric that is in use, and then left behind.
endpoints "$fabric" 8 0 >"$work_dir/0.toml"
start node0 "$lambdacast" --config "$work_dir/0.toml"
wait_for 40 has node0.out "node0: port" || fail "no start: $(cat "$work_dir/node0.err")"
wait_for 40 test -e "/dev/shm/odbss.$fabric"
run 0 "$lambdacast" --list-fabrics
grep -Eq "^fabric $fabric, .* MiB, live: process ${children[-1]} \(lambdacast\) uses it: " \
  "$work_dir/out" || fail "not listed: $(cat "$work_dir/out")"
kill -KILL "${children[-1]}"
wait "${children[-1]}" 2>/dev/null || true
run 0 "$lambdacast" --list-fabrics
grep -Eq "^fabric $fabric, .* MiB, stale: /dev/shm/odbss.$fabric " "$work_dir/out" ||
  fail "not listed: $(cat "$work_dir/out")"
run 0 "$lambdacast" --remove-stale
want out "removed: fabric $fabric"
[ -z "$(fabric_files)" ] || fail "left behind: $(fabric_files)"

# The kernel seems to have more hugepages than it has, when first asked: as if others took them
# meanwhile. A FIFO answers once, and is gone for the second question.
free=/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages
mkfifo "$work_dir/free"
mount --bind "$work_dir/free" "$free"
endpoints "$fabric" 8 0 >"$work_dir/1.toml"
echo "mbufs = 524288" >>"$work_dir/1.toml"  # more than the hugepages of scripts/setup hold
start node1 "$lambdacast" --config "$work_dir/1.toml" --run-for 1
timeout 40 sh -c 'echo 100000 >"$1"' sh "$work_dir/free" || fail "nobody asks for free hugepages"
umount --lazy "$free"
ends "${children[-1]}" node1 0
want node1.err "hugepages: others took them while it started; running without, slower"
want node1.out "verdict: every packet accounted for: "
no_leftovers
