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

listening_or_ended() { listening || ! kill -0 "$1" 2>/dev/null; }

# pair PROGRAM ARGUMENTS...: a server and a client of it, outputs in server.out and client.out.
pair() {
  port=$((port + 1))
  start server timeout -k 5 90 "${verbs[@]}" "$@" -p "$port"
  local server=${children[-1]}
  wait_for 30 listening_or_ended "$server" && listening ||
    fail "no server listens: $* $(cat "$work_dir/server.out" "$work_dir/server.err")"
  run 0 "${verbs[@]}" "$@" -p "$port" 127.0.0.1
  cp "$work_dir/out" "$work_dir/client.out"
  ends "$server" server 0
}

# wakeups PID: how often its threads have left the processor of their own accord.
wakeups() {
  awk '$1 == "voluntary_ctxt_switches:" { n += $2 } END { print n }' "/proc/$1/task/"*/status
}
# Those of its first thread, which plays.
turns() { awk '$1 == "voluntary_ctxt_switches:" { print $2 }' "/proc/$1/status"; }
more_turns() { [ "$(turns "$1")" -gt "$2" ]; }
# processor_us PID: the time that its threads had on a processor.
processor_us() { awk '{ n += $1 } END { print int(n / 1000) }' "/proc/$1/task/"*/schedstat; }
now_us() { echo "${EPOCHREALTIME/[.,]/}"; }

# quiet PID MOST: a program that waits, looked at for two seconds, wakes up at most so often a
# second. What it had of the processor is told only: other work makes it more.
quiet() {
  local begin_us before used_us count us
  begin_us=$(now_us)
  used_us=$(processor_us "$1")
  before=$(wakeups "$1")
  read -rt 2 <> <(:) || true
  count=$(($(wakeups "$1") - before))
  used_us=$(($(processor_us "$1") - used_us))
  us=$(($(now_us) - begin_us))
  say "waiting: $((count * 1000000 / us)) wake-ups a second," \
    "$((used_us * 1000 / us)) thousandths of a processor"
  [ $((count * 1000000)) -le $(($2 * us)) ] || fail "more than $2 wake-ups a second while it waits"
}

# quiet_while_the_other_is_stopped MOST ADDRESS: two programs, in front of which stand ${first[@]}
# and ${second[@]}, play ping-pong by completion events. One is stopped, and the other waits in
# ibv_get_cq_event for an answer. When the first goes on, so does the game.
quiet_while_the_other_is_stopped() {
  local game=(ibv_ud_pingpong -e -g 1 -s 1000 -n 100000000) server client seen
  port=$((port + 1))
  # shellcheck disable=SC2154
  start server "${first[@]}" "${game[@]}" -p "$port"
  server=${children[-1]}
  wait_for 30 listening || fail "no server listens: $(cat "$work_dir/server.err")"
  # shellcheck disable=SC2154
  start client "${second[@]}" "${game[@]}" -p "$port" "$2"
  client=${children[-1]}
  seen=$(turns "$server")
  wait_for 60 more_turns "$server" $((seen + 200)) ||
    fail "no ping-pong: $(cat "$work_dir/client.err" "$work_dir/server.err")"
  kill -STOP "$client"
  quiet "$server" "$1"
  seen=$(turns "$server")
  kill -CONT "$client"
  wait_for 60 more_turns "$server" $((seen + 200)) || fail "the game does not go on"
  kill -KILL "$server" "$client"
  ends "$server" server 137
  ends "$client" client 137
}
