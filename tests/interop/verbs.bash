# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the scripts about verbs programs share: sourced, behind smoke.bash.

verbs_library=$build_dir/drivers/verbs/preload/liblambdacast-verbs.so
[ -e "$verbs_library" ] || skip "liblambdacast-verbs.so was not built: no libibverbs-dev"
for program in ib_send_lat ib_send_bw ibv_devinfo ibv_ud_pingpong mckey; do
  command -v "$program" >/dev/null ||
    skip "$program is not installed (apt-get install perftest ibverbs-utils rdmacm-utils)"
done

# A pace that survives a loaded machine: perftest waits for ever for a datagram that was lost, and
# with so many frames a second a ring holds what comes in 40 ms.
export LAMBDACAST_FABRIC=$fabric LAMBDACAST_PACKET_RATE=${LAMBDACAST_PACKET_RATE:-100000}
export LAMBDACAST_WAVELENGTHS=4 LAMBDACAST_SLOTS=4096

verbs=(env LD_PRELOAD="$verbs_library")
port=$((20000 + $$ % 20000))

listening() { grep -qi ":$(printf '%04X' "$port") 00000000:0000 0A" /proc/net/tcp /proc/net/tcp6; }

# pair PROGRAM ARGUMENTS...: a server and a client of it, outputs in server.out and client.out.
pair() {
  port=$((port + 1))
  start server timeout -k 5 90 "${verbs[@]}" "$@" -p "$port"
  local server=${children[-1]}
  wait_for 30 listening || fail "no server listens: $* $(cat "$work_dir/server.err")"
  run 0 "${verbs[@]}" "$@" -p "$port" 127.0.0.1
  cp "$work_dir/out" "$work_dir/client.out"
  ends "$server" server 0
}
