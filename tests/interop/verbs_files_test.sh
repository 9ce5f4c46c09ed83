#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs that look for the device in the file system too: UCX (Debian's ucx-utils) finds it in
# /dev/infiniband and below /sys/class/infiniband, lists its transport, and two processes exchange
# messages over it, from both GIDs. Then rdma-core's own tests (Debian's python3-pyverbs has them)
# of devices, completion queues, queue pairs and addresses; those that cannot pass here are named.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../smoke/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/verbs.bash"

# --- the files ---
shows() { # shows FILE LINE
  run 0 "${verbs[@]}" LAMBDACAST_WAVELENGTH=C21 cat "/sys/class/infiniband/lambdacast0/$1"
  [ "$(cat "$work_dir/out")" = "$2" ] || fail "$1 says $(cat "$work_dir/out"), not $2"
}
shows node_type "1: CA"
shows ports/1/state "4: ACTIVE"
shows ports/1/pkeys/0 0xffff
run 1 "${verbs[@]}" cat /sys/class/infiniband/lambdacast0/ports/2/state
want err "No such file or directory"
run 1 "${verbs[@]}" LAMBDACAST_FABRIC= cat /sys/class/infiniband/lambdacast0/node_type
want err "No such file or directory"
cat >"$work_dir/calls.py" <<'PYTHON'
import errno, os, stat
node, text = '/dev/infiniband/uverbs-lambdacast0', '/sys/class/infiniband/lambdacast0/node_type'
assert os.access(node, os.R_OK | os.W_OK) and stat.S_ISCHR(os.stat(node).st_mode)
assert os.access(text, os.R_OK) and not os.access(text, os.W_OK)
assert stat.S_ISREG(os.stat(text).st_mode) and stat.S_ISREG(os.lstat(text).st_mode)
def refused(path, flags):
    try:
        os.close(os.open(path, flags))
    except OSError as error:
        return errno.errorcode[error.errno]
    return None
said = [refused(text, os.O_WRONLY), refused(node, os.O_RDWR), refused(text, os.O_RDONLY),
        refused(text + '/none', os.O_RDONLY)]
assert said == ['EACCES', 'ENODEV', None, 'ENOENT'], said
# Others are the system's, created with the mode that was asked for.
made = os.open('made', os.O_CREAT | os.O_WRONLY, 0o640)
assert stat.S_IMODE(os.fstat(made).st_mode) == 0o640 & ~os.umask(0)
assert os.stat('made').st_size == 0 and not os.access('none', os.F_OK)
PYTHON
(cd "$work_dir" && run 0 "${verbs[@]}" /usr/bin/python3 calls.py)

# --- UCX ---
for program in ucx_info ucx_perftest; do
  command -v "$program" >/dev/null || skip "$program is not installed (apt-get install ucx-utils)"
done
ucx=("${verbs[@]}" "UCX_TLS=ud_verbs,self" UCX_NET_DEVICES=lambdacast0:1 UCX_WARN_UNUSED_ENV_VARS=n)
run 0 "${ucx[@]}" ucx_info -d
want out "# Memory domain: lambdacast0"
want out "#      Transport: ud_verbs"
want out "#         Device: lambdacast0:1"
for gid in 0 1; do
  for kind in tag_lat tag_bw; do
    port=$((port + 1))
    start server timeout -k 5 90 "${ucx[@]}" UCX_IB_GID_INDEX=$gid ucx_perftest -p "$port"
    server=${children[-1]}
    wait_for 30 listening_or_ended "$server" && listening ||
      fail "no server listens: $(cat "$work_dir/server.out" "$work_dir/server.err")"
    run 0 "${ucx[@]}" UCX_IB_GID_INDEX=$gid ucx_perftest -p "$port" -t "$kind" -n 300 -s 1000 \
      127.0.0.1
    grep -Eq '^Final: +300 ' "$work_dir/out" || fail "no result: $(cat "$work_dir/out")"
    refuse out "ERROR"
    refuse out "WARN"
    ends "$server" server 0
    refuse server.out "ERROR"
  done
done

# --- rdma-core's own tests ---
tests=/usr/share/doc/rdma-core/tests
[ -e "$tests/test_device.py.gz" ] ||
  skip "rdma-core's tests are not installed (apt-get install python3-pyverbs)"
cp -r "$tests" "$work_dir/tests"
find "$work_dir/tests" -name '*.gz' -exec gunzip {} +
# A test by its name, and why it cannot pass.
declare -A cannot=(
  [test_query_port]="it wants messages of more than 4096 bytes, and a datagram is one MTU at most"
)
for module in device addr pd mr cq cqex cq_events qp qpex relaxed_ordering; do
  code=0
  (cd "$work_dir" && limited "${verbs[@]}" /usr/bin/python3 -B tests/run_tests.py \
    --dev lambdacast0 --gid 1 -v "tests.test_$module") >"$work_dir/$module.log" 2>&1 || code=$?
  grep -Eq '^Ran [1-9][0-9]* test' "$work_dir/$module.log" || {
    cat "$work_dir/$module.log" >&2
    fail "test_$module does not run: $code"
  }
  # "FAIL: test_query_port (...)" or "ERROR: ...".
  while read -r name; do
    [ -n "${cannot[$name]:-}" ] || {
      cat "$work_dir/$module.log" >&2
      fail "$name of rdma-core's test_$module fails"
    }
    say "$name of rdma-core's test_$module is passed over: ${cannot[$name]}"
    unset "cannot[$name]"
  done < <(sed -nE 's/^(FAIL|ERROR): ([a-z0-9_]+) .*/\2/p' "$work_dir/$module.log")
  say "test_$module: $(grep -E '^(OK|FAILED)' "$work_dir/$module.log")"
done
[ ${#cannot[@]} -eq 0 ] || fail "these pass, or are gone: ${!cannot[*]}"
no_leftovers
