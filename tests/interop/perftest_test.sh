#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian's own verbs programs, unmodified, over the embedded fabric: what they say of the device,
# and that latency and bandwidth tests, ping-pong and multicast end with their usual output.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../smoke/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/verbs.bash"

# --- the device ---
run 0 "${verbs[@]}" ibv_devinfo -v
said() { grep -Eq -- "$1" "$work_dir/out" || fail "ibv_devinfo does not say $1"; }
said "hca_id:\s+lambdacast0$"
said "state:\s+PORT_ACTIVE \(4\)"
said "active_mtu:\s+4096 \(5\)"
said "link_layer:\s+Ethernet"
said "GID\[  0\]:\s+fe80::4f:aff:fe4d:1, RoCE v2"
said "GID\[  1\]:\s+::ffff:10.77.0.1, RoCE v2"
refuse out "GID[  2]"
run 0 "${verbs[@]}" LAMBDACAST_WAVELENGTH=C23 ibv_devinfo -v
want out "::ffff:10.77.0.3"
run 0 "${verbs[@]}" ibv_devices
want out "lambdacast0"

# Nothing on standard output, and one sentence, when it cannot be.
run 1 "${verbs[@]}" LAMBDACAST_WAVELENGTH=C99 ibv_devinfo
want err "LAMBDACAST_WAVELENGTH=C99 is no channel of fabric"
refuse out "liblambdacast"

# --- ping-pong ---
pair ibv_ud_pingpong -g 1
for side in client.out server.out; do want "$side" "1000 iters in"; done
pair ibv_ud_pingpong -g 0 -e -n 200
want client.out "200 iters in"

# --- perftest ---
# result FILE BYTES: the line of that size, as a row of numbers.
result() { grep -Eq "^ $2 +[0-9]+ +[0-9.]+ +[0-9.]+" "$work_dir/$1" || fail "no $2 bytes in $1"; }

for gid in 0 1; do
  pair ib_send_lat -c UD -x "$gid" -s 64 -n 1000
  result client.out 64
done
pair ib_send_lat -c UD -x 1 -s 4096 -n 1000 -e
result client.out 4096
pair ib_send_lat -c UD -x 0 -g -s 64 -n 1000
result client.out 64
for bytes in 64 4096; do
  pair ib_send_bw -c UD -x 1 -s "$bytes" -n 5000 --report_gbits
  result client.out "$bytes"
  result server.out "$bytes"
done
pair ib_send_bw -c UD -x 1 -s 512 -n 5000 -b
result client.out 512
pair ib_send_bw -c UD -x 1 -s 512 -n 2000 -e
result client.out 512
pair ib_send_bw -c UD -x 1 -s 512 -n 2000 -q 4 -I 512
result client.out 512
pair ib_send_bw -c UD -x 1 -a -n 1000
for bytes in 2 64 4096; do result client.out "$bytes"; done

# What is not carried ends with the program's own words, not with a crash.
start refused "${verbs[@]}" ib_send_bw -c RC -x 1 -n 100 -p "$((port + 1))"
refused=${children[-1]}
port=$((port + 1))
wait_for 30 listening || fail "no server listens for a connection that nobody can have"
run 1 "${verbs[@]}" ib_send_bw -c RC -x 1 -n 100 -p "$port" 127.0.0.1
ends "$refused" refused 1
want refused.err "Unable to create QP"

# --- multicast by librdmacm ---
# mckey says nothing before its end where its output is a file: it is sent to until it has enough.
start receiver "${verbs[@]}" mckey -m 239.255.77.9 -C 5 -S 512
receiver=${children[-1]}
received() {
  run 0 "${verbs[@]}" mckey -m 239.255.77.9 -s -C 5 -S 512
  ! kill -0 "$receiver" 2>/dev/null
}
wait_for 30 received || fail "mckey does not receive: $(cat "$work_dir/receiver.out")"
ends "$receiver" receiver 0
want out "joined dgid: ::ffff:239.255.77.9"
want out "data transfers complete"
want receiver.out "receiving data transfers"
want receiver.out "return status 0"
# An address that is not the device's is refused as librdmacm refuses it.
run 255 "${verbs[@]}" mckey -m 239.255.77.9 -b 192.0.2.1
want err "addr bind failure"

# --- what was counted ---
run 0 "${verbs[@]}" LAMBDACAST_VERBS_STATS="$work_dir/stats" ibv_devinfo
grep -qx "frames_sent 0" "$work_dir/stats" || fail "no counters at the end"

no_leftovers
say "every program ended with its usual output"
