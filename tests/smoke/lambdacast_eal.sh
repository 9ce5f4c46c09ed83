#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# EAL's ways: --file-prefix leaves the choice of memory as it is, a hugetlbfs that is read-only or
# missing is told in one sentence with what mends it, and an af_packet port whose fanout group
# another process has gets another one.
set -euo pipefail
if [ -z "${LAMBDACAST_IN_NAMESPACE:-}" ]; then
  if [ "$(id -u)" -ne 0 ] || ! unshare --net --mount true 2>/dev/null; then
    echo "$0: skipped: needs root, network and mount namespaces"
    exit 77
  fi
  LAMBDACAST_IN_NAMESPACE=1 exec unshare --net --mount bash "$0" "$@"
fi
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
# EAL's files are this namespace's: of a start with --huge-dir that fails it leaves some.
mkdir -p /run/dpdk
mount -t tmpfs none /run/dpdk

endpoints "$fabric" 1 0 >"$work_dir/one.toml"
{ cat "$work_dir/one.toml"; printf '[eal]\nargs = ["--file-prefix", "lce%s"]\n' $$; } \
  >"$work_dir/prefix.toml"
# What EAL got of memory is in its refusal of one more option.
memory() {
  run 3 "$lambdacast" --no-such-option -- --config "$1" --run-for 1
  grep -F "EAL does not start (" "$work_dir/err" |
    grep -Eo -- ' (--in-memory|--no-huge|--no-shconf|-m [0-9]+)' | tr -d '\n'
}
without=$(memory "$work_dir/one.toml")
with=$(memory "$work_dir/prefix.toml")
[ -n "$with" ] || fail "no choice of memory: $(cat "$work_dir/err")"
[ "$with" = "$without" ] || fail "memory \"$with\" with a prefix, \"$without\" without"
run 0 "$lambdacast" --config "$work_dir/prefix.toml" --run-for 0.2
say "with --file-prefix as without:$with"

# Pages as files, of a hugetlbfs of this namespace.
if grep -q hugetlbfs /proc/filesystems; then
  while mounted=$(awk '$3 == "hugetlbfs" {print $2; exit}' /proc/mounts) && [ -n "$mounted" ]; do
    umount "$mounted"
  done
  run 3 "$lambdacast" --huge-dir "$work_dir" -- --config "$work_dir/one.toml" --run-for 1
  want err "no hugetlbfs is mounted. To mend: mount -t hugetlbfs none /dev/hugepages"
  mkdir "$work_dir/huge"
  mount -t hugetlbfs -o ro none "$work_dir/huge"
  run 3 "$lambdacast" --huge-dir "$work_dir/huge" -- --config "$work_dir/one.toml" --run-for 1
  want err "$work_dir/huge is read-only. To mend: mount -o remount,rw $work_dir/huge"
  refuse err "(Success)"
  run 0 "$lambdacast" --config "$work_dir/one.toml" --run-for 0.2
  umount "$work_dir/huge"
  say "a hugetlbfs that is missing or read-only is told, and needed for --huge-dir alone"
fi

# The group that the port will ask for is another interface's already.
ip link add lce0 type veth peer name lce1 2>/dev/null || skip "no veth devices here"
ip link set lce0 up
ip link set lce1 up
sed -e '/^wavelength =/c port = "net_af_packet0,iface=lce0"' -e '/^address/a path_mtu = 1024' \
  -e '/^\[fabric\]/,/^slots/d' "$work_dir/one.toml" >"$work_dir/port.toml"
mkfifo "$work_dir/go"
# shellcheck disable=SC2016
start node bash -c 'read -r _ <"$1"; shift; exec "$@"' node "$work_dir/go" \
  "$lambdacast" --config "$work_dir/port.toml" --run-for 0.5
node=${children[-1]}
cat >"$work_dir/holder.py" <<'PYTHON'
import errno
import signal
import socket
import sys
SOL_PACKET, PACKET_FANOUT, ALL = 263, 18, 3
group = (int(sys.argv[1]) ^ socket.if_nametoindex('lce0')) & 0xffff

def member(interface):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
    sock.bind((interface, ALL))
    sock.setsockopt(SOL_PACKET, PACKET_FANOUT, group)
    return sock

held = member('lce1')
try:
    member('lce0')
except OSError as error:
    print('held:', errno.errorcode[error.errno], flush=True)
signal.pause()
PYTHON
start holder /usr/bin/python3 "$work_dir/holder.py" "$node"
wait_for 20 has holder.out "held: EINVAL" || fail "no group held: $(cat "$work_dir/holder.err")"
echo go >"$work_dir/go"
ends "$node" node 0
want node.out "node0: port net_af_packet0, multicast by "
[ ! -s "$work_dir/node.err" ] || fail "it says: $(cat "$work_dir/node.err")"
say "a fanout group that another process has does not keep the port from starting"
