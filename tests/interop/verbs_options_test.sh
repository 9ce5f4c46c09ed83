#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every option of mckey, ib_send_lat, ib_send_bw, ibv_devinfo and ibv_ud_pingpong on a device of
# datagrams: those that work are used here, and those that do not are rows of a table in the guide,
# which is checked too: each ends with the words that stand there. An option of these programs that
# is neither fails the test.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../smoke/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/verbs.bash"

used=$work_dir/used
uses() { # uses PROGRAM ARGUMENTS...: notes the options among them
  local word
  for word in "${@:2}"; do
    case $word in -*) printf '%s %s\n' "$1" "${word%%=*}" ;; esac
  done >>"$used"
}
result() { grep -Eq "^ $2 +[0-9]+ +[0-9.]+ +[0-9.]+" "$work_dir/$1" || fail "no $2 bytes in $1"; }

# --- mckey ---
sends() {
  uses mckey "$@"
  run 0 "${verbs[@]}" mckey "$@" -s -C 3
  want out "data transfers complete"
  want out "return status 0"
}
# receives SENDER -- RECEIVER: mckey says nothing before its end where its output is a file, so the
# receiver is sent to until it has enough.
receives() {
  local to=() receiver
  while [ "$1" != -- ]; do to+=("$1"); shift; done
  shift
  uses mckey "$@" -C -s
  start receiver "${verbs[@]}" LAMBDACAST_WAVELENGTH=C24 mckey "$@" -C 3
  receiver=${children[-1]}
  heard() {
    run 0 "${verbs[@]}" mckey "${to[@]}" -s -C 3
    ! kill -0 "$receiver" 2>/dev/null
  }
  wait_for 30 heard || fail "mckey does not receive: $*"
  ends "$receiver" receiver 0
  want receiver.out "receiving data transfers"
  want receiver.out "return status 0"
}
sends -m 239.1.2.1 -l
sends -m 239.1.2.1 -o
sends -m 239.1.2.1 -o -l -c 2 -S 100
sends -M ff15::1 -b 10.77.0.1 -o
sends -m 239.1.2.1 -p 0x2
receives -m 239.1.2.1 -o -- -m 239.1.2.1 -l -p 0x111
receives -m ff15::1 -l -- -M ff15::1 -b 10.77.0.4

# --- ibv_devinfo, ibv_ud_pingpong ---
devinfo() { uses ibv_devinfo "$@"; run 0 "${verbs[@]}" ibv_devinfo "$@"; }
devinfo -d lambdacast0 -i 1 -v
grep -Eq "node_guid:\s+004f:0aff:fe4d:0001$" "$work_dir/out" || fail "no GUID in ibv_devinfo"
devinfo -l
want out "lambdacast0"
run 0 "${verbs[@]}" ibv_devices
want out "004f0afffe4d0001"
pingpong() {
  uses ibv_ud_pingpong "$@" -p
  pair ibv_ud_pingpong "$@"
  want client.out "50 iters in"
}
pingpong -d lambdacast0 -i 1 -g 0 -s 100 -r 16 -n 50 -l 2 -e -c

# --- perftest: by events as a rule, since two programs that poll take both processors ---
both() { # both ARGUMENTS...: of the latency and of the bandwidth test
  local program
  for program in ib_send_lat ib_send_bw; do
    uses "$program" "$@" -c -s -p
    pair "$program" -c UD -s 64 "$@"
    result client.out 64
  done
}
bandwidth() {
  uses ib_send_bw "$@"
  pair ib_send_bw -c UD -s 64 -x 1 "$@"
  result client.out 64
}
latency() {
  uses ib_send_lat "$@"
  pair ib_send_lat -c UD -s 64 -x 1 -e "$@"
}
head -c 65536 /dev/zero >"$work_dir/map"
both -d lambdacast0 -i 1 -x 1 -e -F -I 64 -m 1024 -n 50 -r 64 -S 3 -u 10 --pkey_index=0 --tclass=8 \
  --retry_count=3 --dlid=1 --force-link=Ethernet --inline_recv=32 --source_ip=127.0.0.1 \
  --perform_warm_up --use_old_post_send --aes_block_size=512 --data_enc_keys_number=1 \
  --out_json --out_json_file="$work_dir/perftest.json"
both -x 0 -n 50 -e -X 0 --ipv6 --mmap="$work_dir/map" --mmap-offset=4096
both -x 0 -n 50 -g -e
both -x 1 -M ff0e::9:9 -n 50 -e
both -x 1 -D 1 -f 0 --cpu_util
bandwidth -n 160 -l 4 --recv_post_list=4 -t 64 -N -q 2 --mr_per_qp --wait_destroy=1
bandwidth -n 50 -b --report-both --report_gbits --disable_pcie_relaxed -w 0.000001 -y 0.000001
bandwidth -n 50 --reversed -Q 10
bandwidth -n 50 --burst_size=4 --rate_limit=50 --rate_units=M --rate_limit_type=SW
uses ib_send_bw --output
pair ib_send_bw -c UD -s 64 -x 1 -n 50 --output=message_rate
grep -Eq '^[0-9.]+$' "$work_dir/client.out" || fail "no rate: $(cat "$work_dir/client.out")"
uses ib_send_bw -a
pair ib_send_bw -c UD -x 1 -a -n 50
result client.out 4096
latency -n 50 -C -H --latency_gap=10
result client.out 64
latency -n 50 -U
uses ib_send_lat --output
pair ib_send_lat -c UD -s 64 -x 1 -e -n 50 --output=latency
grep -Eq '^[0-9.]+$' "$work_dir/client.out" || fail "no latency: $(cat "$work_dir/client.out")"
uses ib_send_lat -a
pair ib_send_lat -c UD -x 1 -a -n 5 -e
result client.out 4096
for program in ib_send_lat ib_send_bw; do
  uses "$program" -V -h
  limited "${verbs[@]}" "$program" -V >"$work_dir/out" 2>&1 || true  # its exit code is 1
  want out "Version:"
done

# --- what does not work ---
# rows: program, arguments and words of the guide's table, with tabs between them.
rows() {
  sed -n '/^| program | arguments |/,/^$/p' "$source_dir/doc/guide/verbs.md" |
    sed -nE 's/^\| `([^`]*)` \| `([^`]*)` \| (`([^`]*)`|) ?\|.*/\1\t\2\t\4/p'
}
# A server of these arguments, and a client if one listens; either says the words.
refused() {
  local program=$1 text=$3 arguments server code=0
  read -ra arguments <<<"-c UD -s 64 -n 50 $2"
  port=$((port + 1))
  start server timeout -k 5 30 "${verbs[@]}" "$program" "${arguments[@]}" -p "$port"
  server=${children[-1]}
  wait_for 30 listening_or_ended "$server" || fail "$program $2: neither listens nor ends"
  limited "${verbs[@]}" "$program" "${arguments[@]}" -p "$port" 127.0.0.1 \
    >"$work_dir/client.out" 2>&1 </dev/null && fail "$program $2 works"
  kill "$server" 2>/dev/null || true
  wait "$server" || code=$?
  [ "$code" -ne 0 ] || fail "the server of $program $2 ends well"
  cat "$work_dir/server.out" "$work_dir/server.err" >>"$work_dir/client.out"
  want client.out "$text"
}
count=0
while IFS=$'\t' read -r program arguments text; do
  # shellcheck disable=SC2086
  uses "$program" $arguments
  [ -z "$text" ] || refused "$program" "$arguments" "$text"
  count=$((count + 1))
done < <(rows)
[ "$count" -gt 5 ] || fail "the guide's table was not found"

# --- and there are no others ---
# options PROGRAM: of its own help, each by the name that stands first.
options() {
  { "$1" --help 2>&1 || true; } | sed -nE \
    's/^[[:space:]]*\[?(-[A-Za-z]|--[A-Za-z][A-Za-z_-]*)([],:= (].*|$)/\1/p' | sort -u
}
for program in mckey ibv_devinfo ibv_ud_pingpong ib_send_lat ib_send_bw; do
  options "$program" >"$work_dir/options"
  [ "$(wc -l <"$work_dir/options")" -ge 4 ] || fail "no options in the help of $program"
  while read -r option; do
    grep -qxF -- "$program $option" "$used" ||
      fail "$program $option is neither tried here nor in the guide's table"
  done <"$work_dir/options"
done
no_leftovers
say "$(sort -u "$used" | wc -l) options of five programs work, or end with what the guide says"
